"""`pitwatch simulate`: lines that the codec reads, the same bytes for a seed, expectations."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deploy.cli.simulate import command
from producers.simulator.lines import line
from producers.simulator.setups import POKER
from schemas.faults import LineFault
from schemas.ndjson import decode_line
from streams.core.events import Event
from streams.wire.inbound import to_event


def simulate(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


@pytest.mark.parametrize("game", POKER)
def test_every_line_is_read_as_the_event_it_says(game: str) -> None:
    result = simulate("--game", game, "--tables", "3", "--rounds", "25", "--seed", "4")
    assert result.exit_code == 0
    lines = result.stdout_bytes.splitlines(keepends=True)
    assert len(lines) > 1_000
    for raw in lines:
        record = decode_line(raw[:-1])
        assert not isinstance(record, LineFault), record
        event = to_event(record)
        assert isinstance(event, Event)
        assert line(event) == raw


def test_equal_seeds_give_equal_bytes_and_others_do_not() -> None:
    arguments = ("--tables", "4", "--rounds", "8", "--fault", "wrong_face", "--fault", "bad_line")
    first = simulate(*arguments, "--seed", "9").stdout_bytes
    assert first == simulate(*arguments, "--seed", "9").stdout_bytes
    assert first != simulate(*arguments, "--seed", "10").stdout_bytes


def test_tables_take_turns_with_the_games_and_are_merged_by_time() -> None:
    result = simulate("--tables", "4", "--rounds", "3", "--game", POKER[0], "--game", POKER[1])
    events = [json.loads(raw) for raw in result.stdout_bytes.splitlines()]
    assert {event["table"] for event in events} == {"CS-01", "CS-02", "FC-01", "FC-02"}
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)


def test_the_expectation_of_one_table_is_flat(tmp_path: Path) -> None:
    path = tmp_path / "expected.json"
    result = simulate("--fault", "stub_count_wrong", "--expect", str(path), "--game", POKER[0])
    assert result.exit_code == 0
    expected = json.loads(path.read_text())
    assert set(expected) == {"raised", "cleared", "bad_lines"}
    assert [code for code, _ in expected["raised"]] == ["stub_count_wrong"]
    assert expected["cleared"] == expected["raised"]


def test_the_expectation_of_several_tables_also_has_each(tmp_path: Path) -> None:
    path = tmp_path / "expected.json"
    simulate(
        *("--fault", "bad_line", "--fault", "wrong_face"),
        *("--expect", str(path), "--tables", "2", "--game", POKER[0]),
    )
    expected = json.loads(path.read_text())
    assert expected["bad_lines"] == 2
    assert set(expected["tables"]) == {"CS-01", "CS-02"}
    assert sorted(
        pair for table in expected["tables"].values() for pair in table["raised"]
    ) == sorted(expected["raised"])


def test_a_bad_line_is_written_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "expected.json"
    result = simulate("--fault", "bad_line", "--expect", str(path))
    refused = [
        raw for raw in result.stdout_bytes.splitlines() if isinstance(decode_line(raw), LineFault)
    ]
    assert len(refused) == json.loads(path.read_text())["bad_lines"] == 1


def test_the_pace_of_a_floor_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    result = simulate("--pace", "real", "--rounds", "1", "--game", POKER[0])
    events = [json.loads(raw) for raw in result.stdout_bytes.splitlines()]
    assert events[0]["boot"] > 1_700_000_000
    assert len(waits) == len(events)
    assert max(waits) > 20


def test_a_start_can_be_given() -> None:
    result = simulate("--start", "2027-01-01T00:00:00Z", "--rounds", "1")
    assert b'"at":"2027-01-01T00:00:' in result.stdout_bytes.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fault", "no_such"), "found no_such"),
        (("--start", "yesterday"), "found 'yesterday'"),
        (("--start", "2027-01-01T00:00:00"), "expected a time"),
        (("--rounds", "2", "--fault", "stub_count_overdue"), "expected at least 9 rounds"),
        (("--game", POKER[1], "--fault", "lockout_not_pressed"), "expected a table of caribbean"),
    ],
)
def test_a_wrong_option_says_what_was_expected(arguments: tuple[str, ...], message: str) -> None:
    result = simulate(*arguments)
    assert result.exit_code == 2
    assert message in result.output
