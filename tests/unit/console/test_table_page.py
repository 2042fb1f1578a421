"""A table's page as values, of recordings that the core judged."""

from zoneinfo import ZoneInfo

import msgspec
import pytest

from schemas.records import ViewNext
from schemas.times import MICROS_IN_HOUR
from streams.console.inventory import Inventory, Pit, PlannedTable
from streams.console.live.floor import WHOLE_ROUNDS
from streams.console.table_page import (
    TablePage,
    device_words,
    neighbours,
    page_of,
    set_up_words,
    state_words,
)
from tests.console_scene import BOOK, Scene
from tests.unit.console.views import view

NOW = 1_796_000_000_000_000
SECOND = 1_000_000
CAMERA = "https://cameras.test/play?t={table}&from={from}&to={to}"
FLOOR = Inventory(
    (
        Pit("1", (PlannedTable("CS-03", rounds_an_hour=40, camera=CAMERA), PlannedTable("BJ-22"))),
        Pit("2", (PlannedTable("CF-01"),)),
    ),
    listed=True,
)


def page(scene: Scene, table: str, now: int = NOW) -> TablePage:
    return page_of(
        scene.floor,
        scene.floor.tables[table],
        inventory=FLOOR,
        book=BOOK,
        zone=ZoneInfo("UTC"),
        now=now,
    )


@pytest.fixture
def scene() -> Scene:
    made = Scene()
    made.play("cs-overdue-then-counted-between-rounds", "CS-03", NOW - SECOND, events=243)
    made.play("bj-burn-missing-new-dealer", "BJ-22", NOW - SECOND, events=41)
    made.play("cf-card-after-natural", "CF-01", NOW - SECOND, events=12)
    return made


def test_a_hand_dealt_table_has_its_clock_its_ledger_and_its_rounds(scene: Scene) -> None:
    shown = page(scene, "CS-03")
    assert shown.game == "Caribbean stud, from the hand"
    assert shown.clock is not None
    assert shown.clock.rounds == 6
    assert shown.ledger[0].figure == "52"
    assert shown.shoes == ()
    assert [line.number for line in shown.rounds] == [6, 5, 4, 3, 2, 1]
    assert [mark.clause for mark in shown.rounds[1].findings] == ["16.8(e)"]
    assert shown.rounds[1].findings[0].live
    assert [alarm.code for alarm in shown.alarms] == ["stub_count_overdue"]
    assert shown.device == "gw-1, seq 243, no gap"
    assert (shown.previous, shown.following) == (None, "BJ-22")
    assert shown.camera is not None
    assert "t=CS-03" in shown.camera
    assert shown.pace.target == 40
    assert not shown.stale
    assert page(scene, "CS-03", NOW + 90 * SECOND).state == "stale"


def test_the_timeline_shows_what_stands_and_the_events_are_all_in_words(scene: Scene) -> None:
    shown = page(scene, "CS-03")
    assert shown.timeline is not None
    (standing,) = shown.timeline.standing
    assert standing.text == "stub count overdue, standing since round 5"
    assert standing.state == "unack"
    assert len(shown.timeline.cards) == 20
    assert len(shown.events) + shown.events_left == len(shown.view.cards) + len(shown.view.marks)
    at = [row.at for row in shown.events]
    assert at == sorted(at, reverse=True)


def test_a_finding_of_the_round_is_at_its_event_and_on_its_card(scene: Scene) -> None:
    shown = page(scene, "BJ-22")
    found = [(row.kind, mark.clause) for row in shown.events for mark in row.findings]
    assert found == [("card_dealt", "2.6(c)")]
    marked = [
        card for seat in shown.felt.seats for hand in seat.hands for card in hand.cards if card.mark
    ]
    assert len(marked) == 1
    assert shown.timeline is not None
    assert [point.text for point in shown.timeline.points] == ["burn missing"]
    assert shown.game == "Blackjack, from a shoe of 6 decks"
    assert shown.shoes


def test_a_table_between_rounds_has_no_timeline_and_no_event() -> None:
    made = Scene()
    made.play("cs-overdue-then-counted-between-rounds", "CS-03", NOW)
    shown = page(made, "CS-03")
    assert shown.timeline is None
    assert shown.events == ()
    assert shown.clock is not None
    assert shown.clock.last is not None or shown.clock.rounds < 9


def test_each_round_that_is_listed_says_how_many_cards_were_out() -> None:
    made = Scene()
    made.play("cs-legal-12-rounds", "T-01", NOW)
    shown = page(made, "T-01").rounds
    assert len(made.floor.tables["T-01"].rounds) > len(shown) == WHOLE_ROUNDS
    assert [line.out for line in shown] == [
        str(len(round_.cards)) for round_ in reversed(made.rounds[-WHOLE_ROUNDS:])
    ]


def test_states_devices_and_neighbours_in_words(scene: Scene) -> None:
    due = ViewNext("card", "player", 3, None, 21, "down", "pass", 4, 5)
    assert state_words(view(cards=(), next=due), stale=False) == "dealing, pass 4 of 5"
    assert state_words(view(open=False), stale=False) == "closed"
    assert state_words(view(state=None, round_open=False), stale=False) == "between"
    assert device_words(view(gap=True)).endswith("events of this round missing")
    assert device_words(view(sources=())) == "–"  # noqa: RUF001  a dash is what is not known
    assert neighbours(FLOOR, "BJ-22") == ("CS-03", "CF-01")
    assert neighbours(FLOOR, "ZZ-99") == (None, None)
    down = set_up_words(
        view(game="blackjack", dealt_from="shoe", decks=6, hole_card="down"), PlannedTable("x")
    )
    assert down == "Blackjack, from a shoe of 6 decks, hole card down"
    planned = PlannedTable("x", game="four_card_poker")
    assert set_up_words(view(game=None, dealt_from=None), planned) == "Four card poker"


def test_what_a_card_was_is_told_only_where_it_lies_open(scene: Scene) -> None:
    shown = page(scene, "CS-03")
    down = [row for row in shown.events if row.kind == "card_dealt" and "face down" in row.what]
    assert down
    assert not any(" of spades" in row.what or " of hearts" in row.what for row in down)


def test_a_pace_of_hours_ago_is_nought_and_not_unknown(scene: Scene) -> None:
    assert page(scene, "CS-03", NOW + 2 * MICROS_IN_HOUR).pace.now == 0
    assert page(scene, "CF-01").pace.now is None


def test_marks_that_were_dropped_are_counted(scene: Scene) -> None:
    table = scene.floor.tables["CS-03"]
    table.view = msgspec.structs.replace(table.view, marks_dropped=7)
    assert page(scene, "CS-03").events_left == 7
