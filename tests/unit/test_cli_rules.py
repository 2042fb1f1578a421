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
from streams.rulebooks.coverage import SECTIONS

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


SENTENCE = [
    *("kind", "game", "clause", "sentence", "begins", "says", "binds", "watched", "codes"),
    *("tests", "unwatched", "needs"),
]


def test_coverage_has_an_object_a_sentence_then_one_a_section() -> None:
    rows = [json.loads(line) for line in run("--coverage", "--format", "json")]
    told = [row for row in rows if row["kind"] == "sentence"]
    shares = rows[len(told) :]
    assert all(list(row) == SENTENCE for row in told)
    assert [row["section"] for row in shares] == list(SECTIONS)
    for share in shares:
        own = [row for row in told if row["clause"].startswith(share["section"] + "(")]
        binding = [row for row in own if row["binds"]]
        whole = [row for row in binding if row["watched"] == "whole"]
        watched = [row for row in binding if row["codes"]]
        assert (share["sentences"], share["bind"]) == (len(own), len(binding))
        assert share["whole"] == len(whole)
        assert share["part"] == len(watched) - len(whole)
        assert share["no"] == len(binding) - len(watched)
        assert share["whole_percent"] == len(whole) * 100 // len(binding)
        assert share["watched_percent"] == len(watched) * 100 // len(binding)
    (first,) = (row for row in told if row["clause"] == "16.8(b)1")
    assert first["codes"] == {"shuffler_not_used": ["shuffles"]}


def test_coverage_of_a_game_is_of_its_sections() -> None:
    lines = run("--coverage", "--format", "json", "--game", "chemin_de_fer")
    rows = [json.loads(line) for line in lines]
    assert {row["game"] for row in rows} == {"chemin_de_fer"}
    assert rows[-1]["section"] == "4.9"


def test_coverage_as_a_table_names_codes_tests_and_what_would_be_needed() -> None:
    lines = run("--coverage")
    (overdue,) = (line for line in lines if "stub_count_overdue (stub)" in line and "16.8" in line)
    assert "whole" in overdue
    assert "test_e_the_stub_is_counted_at_least_once_every_five_rounds" in overdue
    (dominant,) = (line for line in lines if line.startswith("4.9(a) ") and "looks at" in line)
    assert dominant.rstrip().endswith("is not judged. Needs faces.")
    shares = [line.split() for line in lines[-len(SECTIONS) :]]
    assert [words[0] for words in shares] == list(SECTIONS)
    assert all(words[-1] == "whole" for words in shares)


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
