"""`pitwatch rules` lists every rule, for a person and for a program."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from deploy.cli.main import main
from streams import rulebooks
from streams.core.codes import CODES
from streams.core.events import GAMES
from streams.rulebooks import load

KEYS = ["code", "clause", "title", "class", "severity", "response"]


def run(*arguments: str) -> list[str]:
    result = CliRunner().invoke(main, ["rules", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def test_json_has_one_object_a_rule_with_the_promised_keys() -> None:
    rows = [json.loads(line) for line in run("--format", "json")]
    assert [row["code"] for row in rows] == list(CODES)
    assert all(list(row) == KEYS for row in rows)
    assert all(row[key] for row in rows for key in KEYS)


@pytest.mark.parametrize("game", GAMES)
def test_game_leaves_the_rules_of_that_game_with_its_part_of_the_clause(game: str) -> None:
    rows = [json.loads(line) for line in run("--format", "json", "--game", game)]
    book = load()
    assert [row["code"] for row in rows] == [
        code for code, rule in book.rules.items() if game in rule.games
    ]
    assert all(row["clause"] == book.clause(row["code"], game) for row in rows)


def test_table_is_the_default_and_one_line_a_rule_when_piped() -> None:
    lines = run()
    assert lines[0].split() == KEYS
    assert [line.split()[0] for line in lines[2:]] == list(CODES)
    assert "\x1b" not in "".join(lines)


def test_table_on_a_terminal_is_coloured() -> None:
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "200"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "deploy.cli", "rules", "--game", "chemin_de_fer"]
    with subprocess.Popen(command, stdout=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        while chunk := _read(leader):
            shown += chunk
        assert process.wait() == 0
    os.close(leader)
    assert b"\x1b[" in shown
    assert b"card_after_natural" in shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def test_own_rulebook_is_listed(tmp_path: Path) -> None:
    text = Path(rulebooks.__file__).with_name("nj.toml").read_text(encoding="utf-8")
    path = tmp_path / "own.toml"
    path.write_text(text.replace("The stub was put down", "The stub lay"), encoding="utf-8")
    rows = [json.loads(line) for line in run("--format", "json", "--rulebook", str(path))]
    assert any(row["title"] == "The stub lay with its cards exposed" for row in rows)


def test_unusable_rulebook_names_each_problem(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('name = "own"\n[sections]\n"16.8" = "poker"\n', encoding="utf-8")
    result = CliRunner().invoke(main, ["rules", "--rulebook", str(path)])
    assert result.exit_code == 2
    assert f"rulebook {path} cannot be used:" in result.stderr
    assert "  sections.16.8: expected one of blackjack," in result.stderr
    assert "  rules: expected a value, found nothing" in result.stderr
