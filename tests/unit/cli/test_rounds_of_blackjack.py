"""A round of blackjack is told whole: split hands, determinants, burns, decisions, remedies."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from deploy.cli.main import main
from deploy.cli.recordings import open_recording
from deploy.cli.roundview import LISTS
from streams.core.advance import advance_all
from streams.core.cards import Card
from streams.core.events import (
    Body,
    Burned,
    DeterminantDrawn,
    DiscardsShuffledIn,
    DrawnInError,
    HandDeclaredDead,
    ShoeExhausted,
    SupervisorCalled,
    UpCardDiscarded,
    UpCardRestored,
)
from streams.core.findings import RoundEnded
from streams.core.table import new_table
from streams.wire.inbound import to_line
from streams.wire.outbound import to_round_record
from tests.blackjack_rounds import DOUBLE, SINGLE, script, table
from tests.traces import BOOK, events

RECORDINGS = sorted((Path(__file__).parents[2] / "recordings").glob("bj-*.ndjson"))


def printed(path: Path, *arguments: str) -> str:
    return CliRunner().invoke(main, ["rounds", *arguments, str(path)]).stdout


def objects(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed(path).splitlines()]


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return tmp_path / "night.ndjson"


def write(path: Path, trace: Sequence[Body]) -> None:
    lines = [to_line(event) for event in events(trace)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def kinds(entries: Sequence[dict[str, Any]]) -> list[str]:
    return [entry["kind"] for entry in entries]


def hands(round_: dict[str, Any]) -> dict[tuple[int, int], list[str]]:
    return {
        (hand["position"], hand["hand"]): [card["card"] for card in hand["cards"]]
        for hand in round_["hands"]
    }


def test_a_split_moves_the_second_card_to_the_hand_it_begins(recording: Path) -> None:
    text = "w1 w2 1:8S 2:TS D:9C 1:8H 2:9H 1:split 1:TD 1.2:8D 1.2:split 1.2:2D 1.3:3D close"
    write(recording, table(SINGLE, script(text)))
    (round_,) = objects(recording)
    assert hands(round_) == {
        (1, 1): ["8S", "TD"],
        (1, 2): ["8H", "2D"],
        (1, 3): ["8D", "3D"],
        (2, 1): ["TS", "9H"],
    }
    assert [each["action"] for each in round_["decisions"]] == ["split", "split"]
    shown = printed(recording, "--format", "table")
    assert "  position 1          8S TD\n  position 1 hand 2   8H 2D\n" in shown


def test_a_split_with_no_card_or_no_number_left_moves_none(recording: Path) -> None:
    one_card = "w1 1:8S 1:split 1:8H 1.2:TD close"
    write(recording, table(SINGLE, script(one_card)))
    assert hands(objects(recording)[0]) == {(1, 1): ["8S", "8H"], (1, 2): ["TD"]}
    again = " ".join("1:split 1:8D" for _ in range(4))
    write(recording, table(SINGLE, script(f"w1 1:8S D:9C 1:8H {again} close")))
    told = hands(objects(recording)[0])
    assert {key: len(cards) for key, cards in told.items()} == {
        (1, 1): 3,
        (1, 2): 1,
        (1, 3): 1,
        (1, 4): 1,
    }


def test_a_determinant_is_told_whether_it_is_dealt_or_burned(recording: Path) -> None:
    dealt = [DeterminantDrawn("left", Card("5D")), *script("w1 1:5D D:9C 1:TS close")]
    burned = [
        DeterminantDrawn("left", Card("3C")),
        Burned("segregated_area", Card("3C"), side="left"),
        *script("w1 1:TS D:9C 1:7H close"),
    ]
    write(recording, table(DOUBLE, dealt, burned))
    first, second = objects(recording)
    assert [(each["card"], each["side"]) for each in first["determinants"]] == [("5D", "left")]
    assert (first["burns"], first["other_cards"]) == ([], [])
    assert [each["card"] for each in second["determinants"]] == ["3C"]
    assert [each["place"] for each in second["burns"]] == ["segregated_area"]
    assert [each["place"] for each in second["other_cards"]] == ["burned"]


def test_errors_and_remedies_are_told(recording: Path) -> None:
    trace = table(
        SINGLE,
        script("w1 w2 1:TS 2:9S D:TC 1:7S 2:3S 1:draw 2:stand D:7D D:2C"),
        [
            Burned("discard_rack", Card("2C"), exposed=True),
            DrawnInError(exposed=True, card=Card("4H")),
            ShoeExhausted(),
            DiscardsShuffledIn(),
            UpCardDiscarded(),
            SupervisorCalled("up_card"),
            UpCardRestored(),
            HandDeclaredDead(1, wager_returned=True),
            *script("void close"),
        ],
    )
    write(recording, trace)
    (round_,) = objects(recording)
    assert [(each["card"], each["exposed"]) for each in round_["burns"]] == [("2C", True)]
    assert [(each["card"], each["exposed"]) for each in round_["cards_in_error"]] == [("4H", True)]
    assert kinds(round_["remedies"]) == [
        "discards_shuffled_in",
        "supervisor_called",
        "up_card_restored",
        "hand_declared_dead",
        "round_voided",
    ]
    assert round_["remedies"][3]["wager_returned"] is True
    assert {"requested_card_missed", "dealer_drew_on_seventeen"} <= {
        each["code"] for each in round_["findings"]
    }


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_every_event_of_a_round_stands_in_it_once_and_travels_with_it(path: Path) -> None:
    with open_recording(str(path)) as recording:
        applied = [event for chunk in recording.chunks() for event in chunk.events]
    step = advance_all(new_table(applied[0].table), applied, BOOK)
    ended = [each.round for each in step.effects if isinstance(each, RoundEnded)]
    shown = objects(path)
    assert len(shown) == len(ended) > 0
    for round_, told in zip(ended, shown, strict=True):
        lists = [told[name] for name in (*LISTS, "other_events", "dealers_cards")]
        lists += [hand["cards"] for hand in told["hands"]]
        names = [entry["event"] for entries in lists for entry in entries]
        assert sorted(names) == sorted(
            event.identity for event in round_.events if event.body.kind != "card_exposed"
        )
        record = to_round_record(round_, BOOK, "0")
        assert [event.line for event in record.events] == [
            to_line(event) for event in round_.events
        ]
        assert record.dropped_events == 0
