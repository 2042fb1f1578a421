"""`pitwatch floor` checks an inventory and prints it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deploy.cli.floor import MISSING
from deploy.cli.main import main

FLOOR = """\
[[pits]]
name = "main"
[[pits.tables]]
name = "CS-01"
game = "caribbean_stud"
row = 1
column = 2
rounds_an_hour = 45
camera = "https://cameras.test/{table}"
[[pits.tables]]
name = "BJ-01"
[[gateways]]
name = "gateway-1"
tables = ["CS-01"]
[[gateways]]
name = "gateway-2"
tables = ["CS-01"]
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["floor", *arguments])


def test_a_floor_as_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "floor.toml").write_text(FLOOR, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = run()
    assert result.exit_code == 0, result.output
    first, second = result.stdout.splitlines()[-2:]
    assert first.split("  ")[0] == "main"
    assert "gateway-1, gateway-2" in first
    assert second.split() == ["main", "BJ-01", *[MISSING] * 3, "60", *[MISSING] * 3]


def test_a_floor_as_json(tmp_path: Path) -> None:
    path = tmp_path / "other.toml"
    path.write_text(FLOOR, encoding="utf-8")
    result = run(str(path), "--format", "json")
    assert result.exit_code == 0
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert first == {
        "pit": "main",
        "table": "CS-01",
        "game": "caribbean_stud",
        "row": 1,
        "column": 2,
        "silence_seconds": 60,
        "rounds_an_hour": 45,
        "gateways": ["gateway-1", "gateway-2"],
        "camera": "https://cameras.test/{table}",
    }
    assert (second["table"], second["game"], second["gateways"]) == ("BJ-01", None, [])


def test_every_problem_is_named_and_the_status_is_2(tmp_path: Path) -> None:
    path = tmp_path / "floor.toml"
    path.write_text(FLOOR.replace("row = 1\n", "").replace("BJ-01", "-"), encoding="utf-8")
    result = run(str(path))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"{path} cannot be used:" in result.stderr
    assert "  line 3: pits 1, tables 1: expected a row beside the column" in result.stderr
    assert "  line 10: pits 1, tables 2, name: expected 1 to 64 characters" in result.stderr


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    result = run(str(tmp_path / "none.toml"))
    assert result.exit_code == 2
    assert "file: expected a file, found No such file or directory" in result.stderr
