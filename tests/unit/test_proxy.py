"""The proxy of the fault runs passes on, breaks, refuses, and accepts again, as they rest on."""

import socket
from contextlib import closing

import pytest

from deploy.local.ports import LOOPBACK
from tests.faults.proxy import Proxy


def test_it_passes_on_until_it_refuses_and_again_when_it_accepts() -> None:
    with Proxy() as proxy, socket.create_server((LOOPBACK, proxy.target)) as server:
        for _ in range(2):
            with closing(socket.create_connection((LOOPBACK, proxy.port), timeout=10)) as client:
                far, _ = server.accept()
                with closing(far):
                    client.sendall(b"there")
                    assert far.recv(5) == b"there"
                    far.sendall(b"back")
                    assert client.recv(4) == b"back"
                    proxy.refuse()
                    assert client.recv(1) == b""
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((LOOPBACK, proxy.port), timeout=10)
            proxy.accept()


def test_without_a_server_behind_it_a_connection_ends() -> None:
    with (
        Proxy() as proxy,
        closing(socket.create_connection((LOOPBACK, proxy.port), timeout=10)) as client,
    ):
        assert client.recv(1) == b""
