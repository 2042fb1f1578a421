"""The node of the image: the embedded Kafka's settings, told to clients where they reach it."""

import subprocess
import sys
from pathlib import Path

from deploy.local.kafka import SETTINGS
from deploy.local.node import settings_of


def test_clients_are_told_the_address_that_was_said_and_the_broker_needs_it_not() -> None:
    settings = settings_of(Path("/data"), "floor-1:19092", None)
    inner = "INTERNAL://127.0.0.1:9094,CONTROLLER://127.0.0.1:9093"
    assert settings["listeners"] == f"PLAINTEXT://0.0.0.0:9092,{inner}"
    assert settings["advertised.listeners"] == f"PLAINTEXT://floor-1:19092,{inner}"
    assert settings["inter.broker.listener.name"] == "INTERNAL"
    assert settings["log.dirs"] == "/data/log"


def test_all_else_is_as_the_embedded_one_has_it() -> None:
    settings = settings_of(Path("/data"), "floor-1:19092", None)
    own = {
        "broker.session.timeout.ms",
        "inter.broker.listener.name",
        "listener.security.protocol.map",
    }
    assert {name for name in SETTINGS if settings[name] != SETTINGS[name]} == own


def test_a_node_that_does_not_run_does_not_serve() -> None:
    check = [sys.executable, "-m", "deploy.local.node", "--check"]
    assert subprocess.run(check, check=False).returncode == 1


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    start = [sys.executable, "-m", "deploy.local.node", "--data", str(tmp_path / "file" / "data")]
    said = subprocess.run(start, check=False, capture_output=True, text=True)
    assert said.returncode == 1
    assert "expected" in said.stderr
    assert "mount a volume there that this user owns" in said.stderr
