"""The keys that a worker is given for operators' commands: by flags, or by the environment."""

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from deploy.cli.main import main

KEY = "00" * 32
OTHER = "ff" * 16


def given(*arguments: str) -> Any:
    """Return the keys as the worker's settings have them."""
    command = main.get_command(click.Context(main), "worker")
    assert command is not None
    return command.make_context("worker", list(arguments)).params["command_keys"]


def test_there_may_be_several() -> None:
    keys = given("--command-key", f"console:{KEY}", "--command-key", f"console-2:{OTHER}")
    assert dict(keys) == {"console": bytes(32), "console-2": b"\xff" * 16}
    assert given() == ()


@pytest.mark.parametrize("name", ["PITWATCH_COMMAND_KEY", "PITWATCH_WORKER_COMMAND_KEY"])
def test_they_may_stand_in_the_environment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, f"console:{KEY} console-2:{OTHER}")
    assert [key for key, _ in given()] == ["console", "console-2"]


def test_a_file_of_keys_in_the_environment_is_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "keys"
    monkeypatch.setenv("PITWATCH_WORKER_COMMAND_KEYS", str(file))
    whole = main.make_context("pitwatch", ["worker"])
    command = main.get_command(whole, "worker")
    assert command is not None
    given = command.make_context("worker", [], parent=whole).params
    assert (given["command_keys"], given["command_keys_file"]) == ((), file)


@pytest.mark.parametrize("key", ["console", "console:", "console:00", f":{KEY}", f"c:{KEY}0"])
def test_what_is_none_is_refused_and_not_shown(key: str) -> None:
    result = CliRunner().invoke(main, ["worker", "--command-key", key])
    assert result.exit_code == 2
    assert "expected NAME:HEX" in result.output
    assert KEY not in result.output
