"""Who a process is to Kafka: all three settings or none, and no secret in what is made of them."""

import asyncio
import ssl
from pathlib import Path

import pytest

from deploy.secure.certificates import Authority, today
from streams.brokers.access import (
    PLAINTEXT,
    AccessFault,
    KafkaAccess,
    PasswordFile,
    RereadContext,
)
from streams.shell.app import credentials_of

PASSWORD = "correct horse battery staple"  # noqa: S105  looked for in what must not show it


@pytest.fixture
def password_file(tmp_path: Path) -> Path:
    path = tmp_path / "password"
    path.write_text(f"{PASSWORD}\n")
    return path


@pytest.fixture
def authorities(tmp_path: Path) -> Path:
    path = tmp_path / "ca.pem"
    path.write_bytes(Authority.new("test", today()).pem)
    return path


def test_without_settings_a_client_speaks_in_the_clear() -> None:
    assert KafkaAccess.of(None, None, None) is PLAINTEXT
    assert PLAINTEXT.client() == {}
    assert credentials_of(PLAINTEXT) is None


def test_with_all_settings_a_client_speaks_tls_and_scram(
    password_file: Path, authorities: Path
) -> None:
    access = KafkaAccess.of("worker", password_file, authorities)
    client = access.client()
    assert client["security_protocol"] == "SASL_SSL"
    assert client["sasl_mechanism"] == "SCRAM-SHA-512"
    assert client["sasl_plain_username"] == "worker"
    assert client["ssl_cafile"] == str(authorities)
    assert client["sasl_plain_password"].encode("utf-8") == PASSWORD.encode()


def test_no_secret_stands_in_what_is_made_of_it(password_file: Path, authorities: Path) -> None:
    access = KafkaAccess.of("worker", password_file, authorities)
    credentials = credentials_of(access)
    for made in (access, access.login, access.client(), credentials, vars(credentials)):
        assert PASSWORD not in repr(made)


def test_a_password_is_read_whenever_it_is_sent(password_file: Path) -> None:
    password = PasswordFile(password_file)
    assert password.encode() == PASSWORD.encode()
    password_file.write_text("another")
    assert password.encode("utf-8") == b"another"


@pytest.mark.parametrize(
    ("user", "password", "ca"),
    [
        ("worker", True, False),
        ("worker", False, True),
        (None, True, True),
        ("", True, True),
        ("worker", False, False),
    ],
)
def test_some_settings_are_refused(
    user: str | None, password: bool, ca: bool, password_file: Path, authorities: Path
) -> None:
    with pytest.raises(AccessFault, match="--kafka-user, --kafka-password-file and --kafka-ca"):
        KafkaAccess.of(user, password_file if password else None, authorities if ca else None)


@pytest.mark.parametrize("content", [b"", b"\n", b"one\ntwo", b"\xff\xfe", b"a" * 1025, b"a\x00b"])
def test_a_file_that_holds_no_password_is_named(
    content: bytes, password_file: Path, authorities: Path
) -> None:
    password_file.write_bytes(content)
    with pytest.raises(AccessFault, match=str(password_file)) as caught:
        KafkaAccess.of("worker", password_file, authorities)
    assert "one" not in str(caught.value).replace("one line", "")


def test_absent_files_are_named(tmp_path: Path, password_file: Path, authorities: Path) -> None:
    absent = tmp_path / "absent"
    with pytest.raises(AccessFault, match=f"{absent}: .*No such file"):
        KafkaAccess.of("worker", absent, authorities)
    with pytest.raises(AccessFault, match=f"{absent}: .*--kafka-ca"):
        KafkaAccess.of("worker", password_file, absent)
    with pytest.raises(AccessFault, match=f"{password_file}: .*--kafka-ca"):
        KafkaAccess.of("worker", password_file, password_file)


def test_a_context_believes_whom_the_file_names_now(tmp_path: Path) -> None:
    now = today()
    first, second = Authority.new("first", now), Authority.new("second", now)
    file = tmp_path / "ca.pem"
    context = RereadContext.of(file)

    async def dial(authority: Authority) -> str:
        issued = authority.issue("kafka", ["127.0.0.1"], now)
        keystore = tmp_path / "kafka.pem"
        keystore.write_bytes(issued.keystore)
        serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        serving.load_cert_chain(keystore)
        server = await asyncio.start_server(
            lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=serving
        )
        async with server:
            port = server.sockets[0].getsockname()[1]
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
            except ssl.SSLCertVerificationError as error:
                return error.verify_message
            writer.close()
            return "believed"

    file.write_bytes(first.pem)
    assert asyncio.run(dial(first)) == "believed"
    assert "self-signed" not in asyncio.run(dial(second))
    assert asyncio.run(dial(second)) == "unable to get local issuer certificate"
    file.write_bytes(second.pem)
    assert asyncio.run(dial(second)) == "believed"
    assert asyncio.run(dial(first)) == "unable to get local issuer certificate"
