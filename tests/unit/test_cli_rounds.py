"""`pitwatch rounds` rebuilds rounds from which a dispute can be settled."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from deploy.cli.roundview import LISTS

RECORDINGS = Path(__file__).parents[1] / "recordings"
LEGAL = RECORDINGS / "cs-legal-12-rounds.ndjson"
BREACH = RECORDINGS / "fc-deal-order.ndjson"
TWO = RECORDINGS / "two-tables-interleaved.ndjson"
CARD_LISTS = ("hands", "dealers_cards", "bankers_cards", "other_cards")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["rounds", *map(str, arguments)])


def rounds(*arguments: str | Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(*arguments).stdout.splitlines()]


def events_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_a_round_is_told_whole() -> None:
    first = rounds(LEGAL)[0]
    dealt = [event for event in events_of(LEGAL) if event["kind"] == "card_dealt"][:20]
    assert (first["table"], first["game"], first["round"]) == ("CS-01", "caribbean_stud", 1)
    assert first["ended"] == "closed"
    assert first["opened"] < first["closed"]
    assert first["dealer"] == "D1"
    assert first["positions"] == [1, 2, 3]
    for hand in first["hands"]:
        own = [event["card"] for event in dealt if event.get("position") == hand["position"]]
        assert [card["card"] for card in hand["cards"]] == own
        assert [card["face"] for card in hand["cards"]] == ["down"] * 5
    dealers = [event["card"] for event in dealt if event["to"] == "dealer"]
    assert [card["card"] for card in first["dealers_cards"]] == dealers
    assert [card["face"] for card in first["dealers_cards"]] == ["up"] + ["down"] * 4
    assert [wager["amount"] for wager in first["wagers"][:3]] == [2500, 2500, 2500]
    assert {decision["action"] for decision in first["decisions"]} <= {"raise", "fold"}
    assert [each["kind"] for each in first["announcements"]] == ["no_more_bets", "lockout_pressed"]
    assert first["cards_out_of_deck"] == 20
    assert first["expected_stub"] == 32
    assert first["findings"] == []
    assert (first["gap"], first["events_not_kept"]) == (False, 0)


def test_findings_of_a_round_are_those_of_check() -> None:
    found = CliRunner().invoke(main, ["check", str(BREACH)]).stdout
    (finding,) = [json.loads(line) for line in found.splitlines()]
    told = [each for round_ in rounds(BREACH) for each in round_["findings"]]
    assert told == [{key: finding[key] for key in ("code", "clause", "id")}]


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("cs-*.ndjson")), ids=lambda path: path.stem)
def test_every_event_of_a_round_stands_in_it_once(path: Path) -> None:
    told = []
    for round_ in rounds(path):
        lists = [round_[name] for name in (*LISTS, "other_events", *CARD_LISTS[1:])]
        lists += [hand["cards"] for hand in round_["hands"]]
        told += [entry["event"] for entries in lists for entry in entries]
    assert len(told) == len(set(told))
    by_identity = {
        f"{event['table']}/{event['source']}/{event['boot']}/{event['seq']}": event
        for event in events_of(path)
    }
    dealt = {name for name, event in by_identity.items() if event["kind"] == "card_dealt"}
    assert dealt <= set(told)


def test_only_some_tables_and_rounds() -> None:
    tables = {round_["table"] for round_ in rounds(TWO)}
    assert len(tables) == 2
    one = sorted(tables)[0]
    chosen = rounds("--table", one, "--round", "2", "--round", "3", TWO)
    assert [(round_["table"], round_["round"]) for round_ in chosen] == [(one, 2), (one, 3)]


def test_rounds_stand_in_the_order_in_which_they_ended() -> None:
    closed = [round_["closed"] for round_ in rounds(TWO)]
    lines = [event for event in events_of(TWO) if event["kind"] == "round_closed"]
    assert [time.removesuffix("Z").ljust(26, "0") for time in closed] == [
        event["at"].removesuffix("Z").ljust(26, "0") for event in lines
    ]


def test_text_shows_hands_face_down_in_brackets_and_findings_with_their_clause() -> None:
    text = run("--format", "table", "--round", "1", BREACH).stdout
    first = rounds("--round", "1", BREACH)[0]
    hand = first["hands"][0]
    cards = " ".join(f"[{card['card']}]" for card in hand["cards"])
    assert f"  position {hand['position']}          {cards}\n" in text
    assert "A card went to another place than the one due (deal_order, 27.8(c), medium, " in text
    assert "  dealer              " in text
    assert "wager_placed       position=1 wager=ante amount=2500" in text


def test_open_round_and_bad_lines_are_told(tmp_path: Path) -> None:
    lines = LEGAL.read_bytes().splitlines()[:20]
    path = tmp_path / "cut.ndjson"
    path.write_bytes(b"\n".join([*lines, b"{"]))
    result = run(path, tmp_path / "missing")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"{path}: line 21: line: expected" in result.stderr
    assert f"{path}: CS-01: round 1 had not ended; not printed" in result.stderr
    assert "missing: expected a file that can be read" in result.stderr
    assert run(LEGAL).exit_code == 0
