"""Why a Kafka lets nobody in is told by dialling it, where its client tells nothing."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kafka.errors import KafkaTimeoutError, TopicAuthorizationFailedError

from deploy.local.ports import free_port
from deploy.secure.certificates import Authority, today
from streams.brokers.access import PLAINTEXT, KafkaAccess, Login, PasswordFile
from streams.brokers.reason import reason

AWAY = KafkaTimeoutError("Unable to bootstrap")


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority.kept(tmp_path / "authority.key", tmp_path / "authority.pem", today())


@pytest.fixture
def access(tmp_path: Path, authority: Authority) -> KafkaAccess:
    assert authority.pem
    return KafkaAccess(
        Login("worker", PasswordFile(tmp_path / "password"), tmp_path / "authority.pem")
    )


@contextmanager
def serving(context: ssl.SSLContext | None) -> Iterator[str]:
    """Serve one connection, over TLS or in the clear, and give the address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            plain, _ = server.accept()
            with plain:
                if context is None:
                    plain.sendall(b"no TLS at all")
                    return
                try:
                    context.wrap_socket(plain, server_side=True).close()
                except OSError:
                    return

        thread = threading.Thread(target=take)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        thread.join()


def signed(authority: Authority, folder: Path) -> ssl.SSLContext:
    file = folder / "server.pem"
    file.write_bytes(authority.issue("kafka", ["127.0.0.1"], today()).keystore)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


def test_a_broker_that_is_believed_refuses_the_user(
    access: KafkaAccess, authority: Authority, tmp_path: Path
) -> None:
    with serving(signed(authority, tmp_path)) as address:
        found = reason(f"{address},other:9092", access, AWAY)
    assert found == (
        f"KafkaTimeoutError: Unable to bootstrap: {address} speaks TLS, so see whether it knows "
        "worker and its password"
    )


def test_a_broker_that_another_authority_signed_is_told(
    access: KafkaAccess, tmp_path: Path
) -> None:
    with serving(signed(Authority.new("another", today()), tmp_path)) as address:
        found = reason(address, access, AWAY)
    assert f"the certificate of {address} is not believed, unable to get local issuer" in found


def test_a_broker_in_the_clear_is_told(access: KafkaAccess) -> None:
    with serving(None) as address:
        assert f"{address} does not speak TLS" in reason(address, access, AWAY)


def test_a_broker_that_does_not_answer_is_told(access: KafkaAccess) -> None:
    port = free_port()
    found = reason(f"127.0.0.1:{port}", access, AWAY)
    assert f"127.0.0.1:{port} does not answer, [Errno 111] Connection refused" in found
    assert "does not answer" in reason("no address", access, AWAY)


def test_what_an_error_says_itself_is_left_as_it_is(access: KafkaAccess) -> None:
    assert reason("a:1", PLAINTEXT, AWAY) == str(AWAY)
    denied = TopicAuthorizationFailedError("deals")
    assert reason("a:1", access, denied) == str(denied)
    assert reason("a:1", access, ValueError()) == "ValueError"
