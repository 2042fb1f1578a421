"""A floor's ports: free ones where any will do, and a clear word where one is taken."""

import socket
from pathlib import Path

import pytest

from deploy.cli.options import NamedKeyType
from deploy.local.ports import free_port
from deploy.local.stack import Ports, PortTaken, Stack


def test_zero_is_a_free_port_and_others_stay() -> None:
    worker = free_port()
    ports = Ports(gateway=0, worker=worker, kafka=0).chosen()
    assert ports.worker == worker
    chosen = {ports.gateway, ports.worker, ports.kafka, ports.console, ports.historian}
    assert len({*chosen, ports.console_health}) == 6


def test_a_taken_port_is_refused_by_the_name_of_its_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"127\.0\.0\.1:{port} free for the worker, found .*"):
            Ports(gateway=0, worker=port, kafka=0).chosen()


def test_a_port_that_is_asked_for_twice_is_refused() -> None:
    port = free_port()
    said = rf"port of its own for the kafka, found {port}, which the gateway is to have"
    with pytest.raises(PortTaken, match=said):
        Ports(gateway=port, worker=0, kafka=port).chosen()


def test_each_process_is_told_where_the_others_are(tmp_path: Path) -> None:
    stack = Stack(tmp_path, Ports(1, 2, 3, 4, 5, 6), "nj", 4)
    assert stack.bootstrap == stack.kafka().node.bootstrap == "127.0.0.1:3"
    for child, port in ((stack.gateway(), 1), (stack.worker(), 2)):
        arguments = [str(argument) for argument in child.arguments]
        assert arguments[arguments.index("--bootstrap") + 1] == "127.0.0.1:3"
        assert arguments[arguments.index("--port") + 1] == str(port)
        assert child.port == port
    historian = [str(argument) for argument in stack.historian().arguments]
    console = [str(argument) for argument in stack.console().arguments]
    assert stack.console().port == 6
    for arguments, port in ((historian, 5), (console, 4)):
        assert arguments[arguments.index("--bootstrap") + 1] == "127.0.0.1:3"
        assert arguments[arguments.index("--port") + 1] == str(port)
        assert arguments[arguments.index("--database") + 1] == stack.database
    tables = [str(argument) for argument in stack.tables(4, 7, 2.5).arguments]
    assert tables[-8:] == [
        *("--gateway", "http://127.0.0.1:1", "--tables", "4", "--seed", "7", "--speed", "2.5")
    ]


def test_a_floors_command_key_is_made_at_random_and_stands_in_no_argument(tmp_path: Path) -> None:
    stacks = [Stack(tmp_path, Ports(1, 2, 3), "nj", 4) for _ in range(2)]
    keys = {stack.command_key for stack in stacks}
    assert len(keys) == 2
    for stack in stacks:
        worker = stack.worker()
        assert worker.environment is not None
        assert worker.environment["PITWATCH_COMMAND_KEY"] == stack.command_key
        assert stack.console().environment == worker.environment
        assert stack.command_key not in " ".join(map(str, worker.arguments))
        assert stack.command_key not in repr(stack)
        name, key = NamedKeyType().convert(stack.command_key, None, None)
        assert (name, len(key)) == ("floor", 32)
