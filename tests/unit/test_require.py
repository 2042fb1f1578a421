"""A tool that is absent skips its test, and fails it where the run requires the tool."""

import sys
from pathlib import Path

import pytest

from tests.require import require


def test_a_tool_that_is_there_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    assert require(Path(sys.executable).name) == sys.executable


def test_an_absent_tool_skips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITWATCH_REQUIRE", "prometheus")
    with pytest.raises(pytest.skip.Exception, match="no-such-tool is not installed"):
        require("no-such-tool")


def test_an_absent_tool_that_is_required_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITWATCH_REQUIRE", "prometheus, no-such-tool")
    with pytest.raises(pytest.fail.Exception, match="PITWATCH_REQUIRE names no-such-tool"):
        require("no-such-tool")
