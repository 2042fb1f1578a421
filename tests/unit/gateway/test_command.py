"""`pitwatch gateway` refuses what it cannot do, readably, before it does anything."""

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from producers.gateway.files import OsFiles


def gateway(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["gateway", *arguments])


def test_another_address_than_loopback_is_refused_unless_it_is_asked_for(tmp_path: Path) -> None:
    result = gateway("--spool", str(tmp_path), "--host", "0.0.0.0")  # noqa: S104  it is refused
    assert result.exit_code == 2
    assert "expected a loopback address, found 0.0.0.0" in result.stderr
    assert "--insecure-listen" in result.stderr


@pytest.mark.parametrize("name", ["", "no name", "x" * 65])
def test_a_name_that_cannot_be_stamped_is_refused(tmp_path: Path, name: str) -> None:
    result = gateway("--spool", str(tmp_path), "--name", name)
    assert result.exit_code == 2
    assert "expected" in result.stderr


def test_a_port_that_is_taken_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = gateway("--spool", str(tmp_path / "spool"), "--port", port)
    assert result.exit_code == 1
    assert f"expected 127.0.0.1:{port} free" in result.stderr
    assert "another --port" in result.stderr


def test_a_spool_in_use_is_refused(tmp_path: Path) -> None:
    files = OsFiles(tmp_path)
    result = gateway("--spool", str(tmp_path), "--port", "0")
    files.close()
    assert result.exit_code == 1
    assert "expected a spool of one gateway" in result.stderr


def test_a_version_of_events_that_there_is_not_is_refused(tmp_path: Path) -> None:
    result = gateway("--spool", str(tmp_path), "--port", "0", "--write-version", "deal_event=99")
    assert result.exit_code == 2
    assert "deal_event: expected one of the versions 1" in result.stderr
