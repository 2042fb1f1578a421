"""The versions that a process is told to write: by flags, or once for all in the environment."""

from typing import Any

import click
import pytest
from click.testing import CliRunner

from deploy.cli.main import main

WRITERS = ["console", "gateway", "worker"]


def given(name: str, *arguments: str) -> Any:
    """Return the versions as a command's settings have them."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    spool = ["--spool", "spool"] if name == "gateway" else []
    return command.make_context(name, [*spool, *arguments]).params["write_versions"]


@pytest.mark.parametrize("name", WRITERS)
def test_there_may_be_one_for_each_record(name: str) -> None:
    told = given(name, "--write-version", "table_view=1", "--write-version", "finding=1")
    assert dict(told) == {"table_view": 1, "finding": 1}
    assert given(name) == ()


@pytest.mark.parametrize("name", WRITERS)
def test_they_may_stand_in_the_environment_of_all(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITWATCH_WRITE_VERSION", "table_view=1 deal_event=1")
    assert dict(given(name)) == {"table_view": 1, "deal_event": 1}


@pytest.mark.parametrize("text", ["finding", "finding=", "finding=x", "hand=1", "=1"])
def test_what_names_no_version_is_refused(text: str) -> None:
    result = CliRunner().invoke(main, ["worker", "--write-version", text])
    assert result.exit_code == 2
    assert "expected RECORD=VERSION, the record one of deal_event, finding" in result.output


def test_a_version_that_was_not_released_is_refused_with_those_that_were() -> None:
    result = CliRunner().invoke(main, ["worker", "--write-version", "table_view=3"])
    assert result.exit_code == 2
    assert "table_view: expected one of the versions 1, 2, found 3" in result.output
