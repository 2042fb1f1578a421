"""Every recording gives exactly the findings that were written down for it beforehand.

A recording is held to its expectation as soon as this version judges every clause of its games;
those of other games must be read to their end all the same.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from streams.core.games import GAMES
from streams.rulebooks import load

RECORDINGS = Path(__file__).parents[1] / "recordings"
NAMES = sorted(path.stem for path in RECORDINGS.glob("*.ndjson"))
RESTS_ON_A_CLAUSE = ("breach", "irregularity")


def path_of(name: str) -> Path:
    return RECORDINGS / f"{name}.ndjson"


def games_of(name: str) -> set[str]:
    """Return the games that the tables of a recording open with."""
    lines = path_of(name).read_bytes().splitlines()
    return {json.loads(line)["game"] for line in lines if b'"table_opened"' in line}


def clauses_not_judged(game: str) -> set[str]:
    """Return the codes of a game that rest on a clause and that no check raises."""
    due = {
        rule.code
        for rule in load().rules.values()
        if game in rule.games and rule.class_ in RESTS_ON_A_CLAUSE
    }
    return due - {check.code for check in GAMES[game].checks}


WHOLE = {game for game in GAMES if not clauses_not_judged(game)}
JUDGED = [name for name in NAMES if games_of(name) <= WHOLE]
OTHERS = [name for name in NAMES if name not in JUDGED]


def check(name: str) -> Result:
    return CliRunner().invoke(main, ["check", str(path_of(name))])


def told(result: Result) -> dict[str, Any]:
    findings = [json.loads(line) for line in result.stdout.splitlines()]
    return {
        state: sorted([each["code"], each["round"]] for each in findings if each["state"] == state)
        for state in ("raised", "cleared")
    } | {"bad_lines": result.stderr.count(": line ")}


def expectation(name: str) -> dict[str, Any]:
    loaded = json.loads((RECORDINGS / f"{name}.expected.json").read_bytes())
    return {
        key: sorted(value) if isinstance(value, list) else value for key, value in loaded.items()
    }


def test_the_games_dealt_from_the_hand_are_judged_whole() -> None:
    assert {"caribbean_stud", "four_card_poker"} <= WHOLE


@pytest.mark.parametrize("name", JUDGED)
def test_recording_gives_exactly_its_expectation(name: str) -> None:
    result = check(name)
    assert told(result) == expectation(name)
    classes = {json.loads(line)["class"] for line in result.stdout.splitlines()}
    status = 2 if expectation(name)["bad_lines"] else int(bool(classes & {"breach", "integrity"}))
    assert result.exit_code == status


@pytest.mark.parametrize("name", NAMES)
def test_second_run_gives_the_same_bytes(name: str) -> None:
    first, second = check(name), check(name)
    assert first.stdout_bytes == second.stdout_bytes
    assert first.stderr_bytes == second.stderr_bytes


def test_another_process_with_another_hash_seed_gives_the_same_bytes() -> None:
    command = [sys.executable, "-m", "deploy.cli", "check", *map(str, map(path_of, NAMES))]
    printed = {
        subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=False
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert printed.pop().count(b"\n") >= len(JUDGED) // 2


@pytest.mark.parametrize("name", NAMES)
def test_recording_is_read_to_its_end(name: str) -> None:
    result = check(name)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert told(result)["bad_lines"] == expectation(name)["bad_lines"]


def test_recordings_left_for_other_games_are_only_those(capsys: pytest.CaptureFixture[str]) -> None:
    for name in OTHERS:
        left = {game: len(clauses_not_judged(game)) for game in games_of(name) - WHOLE}
        assert left, f"{name} is held to its expectation"
    with capsys.disabled():
        print(f"\n{len(JUDGED)} recordings judged, {len(OTHERS)} of games with unjudged clauses")
