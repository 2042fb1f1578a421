"""A worker that cannot begin ends, to be started again, whatever its broker does."""

import os
import socket
import sys
from pathlib import Path

import pytest

from deploy.local.leash import spawn
from deploy.local.ports import free_port
from streams.shell.ending import STALLED

pytestmark = pytest.mark.slow


def started(bootstrap: str, log: Path) -> int:
    """Start a worker that may stall for four seconds; return the status it ends with."""
    arguments = [
        *(sys.executable, "-m", "deploy.cli", "worker", "--bootstrap", bootstrap),
        *("--port", str(free_port()), "--stalled", "4"),
    ]
    with log.open("wb") as output:
        process = spawn(arguments, output=output, environment=os.environ)
    return process.wait(120)


def test_a_broker_that_accepts_and_says_nothing_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        port = silent.getsockname()[1]
        assert started(f"127.0.0.1:{port}", log) == STALLED, log.read_text()
    assert "no progress, the worker ends" in log.read_text()


def test_a_broker_that_is_not_there_ends_it(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    assert started(f"127.0.0.1:{free_port()}", log) != 0
    assert "Unable to bootstrap" in log.read_text()
