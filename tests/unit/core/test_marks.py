"""What a table page is told of the events that deal no card."""

from collections.abc import Sequence

import pytest

from streams.core import events as e
from streams.core.advance import advance_all
from streams.core.cards import CARDS, DECK
from streams.core.marks import TOLD
from streams.core.projection import MOST_MARKS, view
from streams.core.table import new_table
from streams.core.views import TableView, ViewMark
from tests.blackjack_rounds import DOUBLE, SINGLE, script, table
from tests.face_down import cards_in
from tests.traces import BOOK, CARIBBEAN, SHUFFLE, events, legal, opened

WITHOUT_WORDS = {
    e.TableOpened,
    e.TableClosed,
    e.Tick,
    e.DeckOutOfArea,
    e.DeckRemoved,
    e.NoMoreBets,
    e.LockoutPressed,
    e.CardDealt,
    e.UpCardMoved,
    e.UpCardDiscarded,
    e.UpCardRestored,
    e.RoundVoided,
    e.RoundClosed,
}
"""Kinds that say nothing but their name, or that no mark is of."""

ACE = CARDS["AS"]


def shown(trace: Sequence[e.Body]) -> TableView:
    return view(advance_all(new_table("T"), events(trace), BOOK).state)


def last(trace: Sequence[e.Body]) -> ViewMark:
    return shown(trace).marks[-1]


def words(mark: ViewMark) -> tuple[object, ...]:
    return mark[3:]


def test_every_kind_is_told_or_says_nothing() -> None:
    assert set(TOLD) | WITHOUT_WORDS == set(e.BODIES)
    assert not set(TOLD) & WITHOUT_WORDS


OPEN_ROUND = table(SINGLE, script("w1"), hole_card="down", card_reader=True, offers=("bonus",))
DOUBLE_ROUND = table(DOUBLE, script("w1"), hole_card="down")
HAND_ROUND: list[e.Body] = [opened(CARIBBEAN), SHUFFLE, e.WagerPlaced(1, "ante")]


@pytest.mark.parametrize(
    ("trace", "body", "told"),
    [
        (OPEN_ROUND, e.WagerPlaced(2, "main", 500), (None, 2, None, "main", None, 500, None)),
        (OPEN_ROUND, e.Decision(1, "draw", 2), (None, 1, 2, None, "draw", None, None)),
        (
            OPEN_ROUND,
            e.Announced("dealer", "total", 1, 2, 17),
            (None, 1, 2, "dealer", "total", 17, None),
        ),
        (
            OPEN_ROUND,
            e.WagerSettled(1, "main", "win", 1, "1:1"),
            (None, 1, 1, "main", "win", None, None),
        ),
        (
            OPEN_ROUND,
            e.HandDeclaredDead(1, wager_returned=True),
            (None, 1, None, None, "wager_returned", None, None),
        ),
        (
            OPEN_ROUND,
            e.HandDeclaredDead(1, wager_returned=False, hand=2),
            (None, 1, 2, None, "wager_kept", None, None),
        ),
        (
            OPEN_ROUND,
            e.CardExposed("dealer", card=ACE),
            ("dealer", None, None, None, None, None, ACE),
        ),
        (OPEN_ROUND, e.CardsCollected("player", 1, 2), ("player", 1, 2, None, None, None, None)),
        (
            OPEN_ROUND,
            e.DeviceFault("card_reader", code="AS"),
            (None, None, None, "card_reader", None, None, None),
        ),
        (
            OPEN_ROUND,
            e.DeviceRestored("card_reader"),
            (None, None, None, "card_reader", None, None, None),
        ),
        (
            OPEN_ROUND,
            e.ShuffleCompleted("hand", 312, deck="AS"),
            (None, None, None, None, "hand", 312, None),
        ),
        (DOUBLE_ROUND, e.CardsLoaded(208, "left"), (None, None, None, "left", None, 208, None)),
        (DOUBLE_ROUND, e.ShoeEmptied(20, "left"), (None, None, None, "left", None, 20, None)),
        (DOUBLE_ROUND, e.RackCounted(20, "left"), (None, None, None, "left", None, 20, None)),
        (DOUBLE_ROUND, e.CardsCut("left"), (None, None, None, "left", None, None, None)),
        (DOUBLE_ROUND, e.CutCardReached("left"), (None, None, None, "left", None, None, None)),
        (DOUBLE_ROUND, e.ShoeExhausted("left"), (None, None, None, "left", None, None, None)),
        (
            DOUBLE_ROUND,
            e.DiscardsShuffledIn("left"),
            (None, None, None, "left", None, None, None),
        ),
        (
            DOUBLE_ROUND,
            e.DeterminantDrawn("left", ACE),
            (None, None, None, "left", None, None, ACE),
        ),
        (
            OPEN_ROUND,
            e.Burned("discard_rack", ACE),
            (None, None, None, None, "discard_rack", None, None),
        ),
        (
            OPEN_ROUND,
            e.Burned("discard_rack", ACE, exposed=True),
            (None, None, None, None, "discard_rack", None, ACE),
        ),
        (
            OPEN_ROUND,
            e.DrawnInError(exposed=True, card=ACE),
            (None, None, None, None, "exposed", None, ACE),
        ),
        (
            OPEN_ROUND,
            e.DrawnInError(exposed=False, card=ACE),
            (None, None, None, None, None, None, None),
        ),
        (
            OPEN_ROUND,
            e.FaceUpCardFound("table", ACE),
            (None, None, None, None, "table", None, ACE),
        ),
        (
            OPEN_ROUND,
            e.CardsTouched("player", permitted=False),
            (None, None, None, "player", "not_permitted", None, None),
        ),
        (
            OPEN_ROUND,
            e.CardsTouched("spectator", permitted=True),
            (None, None, None, "spectator", "permitted", None, None),
        ),
        (
            OPEN_ROUND,
            e.SupervisorCalled("amount_ascertained"),
            (None, None, None, None, "amount_ascertained", None, None),
        ),
        (OPEN_ROUND, e.SupervisorCalled("the AS"), (None, None, None, None, None, None, None)),
        (OPEN_ROUND, e.RoundVoided("the AS"), (None, None, None, None, None, None, None)),
        (OPEN_ROUND, e.DealerArrived("D2"), (None, None, None, None, "D2", None, None)),
        (OPEN_ROUND, e.DealerLeft("D1"), (None, None, None, None, "D1", None, None)),
        (HAND_ROUND, e.DeckInHand("left", "AS"), (None, None, None, None, "left", None, None)),
        (HAND_ROUND, e.StubPlaced(exposed=True), (None, None, None, None, "exposed", None, None)),
        (HAND_ROUND, e.StubPlaced(exposed=False), (None, None, None, None, None, None, None)),
        (HAND_ROUND, e.StubCounted(31), (None, None, None, None, None, 31, None)),
        (HAND_ROUND, e.NoMoreBets(), (None, None, None, None, None, None, None)),
    ],
    ids=lambda each: each.kind if hasattr(each, "kind") else "",
)
def test_what_is_told(trace: list[e.Body], body: e.Body, told: tuple[object, ...]) -> None:
    assert words(last([*trace, body])) == (body.kind, *told)


@pytest.mark.parametrize("result", ["blackjack", "no_blackjack"])
def test_what_the_reader_found_is_told_once_the_hole_card_lies_open(result: str) -> None:
    hidden = [*OPEN_ROUND, *script("1:TS D:AC 1:8H D:KCv"), e.HoleCardRead(result)]
    assert words(last(hidden)) == ("hole_card_read", *[None] * 7)
    turned = shown([*hidden, e.CardExposed("dealer", card=CARDS["KC"])]).marks[-2]
    assert words(turned) == ("hole_card_read", *[None] * 3, "card_reader", result, None, None)


def test_an_error_of_the_reader_tells_of_no_card() -> None:
    trace = [*OPEN_ROUND, *script("1:TS D:AC 1:8H D:KCv"), e.HoleCardRead("error")]
    assert last(trace).word == "error"


def test_marks_are_in_order_with_time_and_sequence_and_no_dealt_card() -> None:
    trace: list[e.Body] = [opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)[:-1]]
    sent = [event for event in events(trace)[2:] if not isinstance(event.body, e.CardDealt)]
    found = shown(trace)
    assert [(mark.at, mark.seq, mark.kind) for mark in found.marks] == [
        (event.at, event.seq, event.body.kind) for event in sent
    ]
    assert found.marks_dropped == 0
    assert {mark.source for mark in found.marks} == {0}
    assert found.sources == (("gw/deck", 1, len(trace)),)


def test_of_many_marks_the_last_are_kept_and_the_others_counted() -> None:
    calls = [e.SupervisorCalled()] * (MOST_MARKS + 3)
    found = shown([*HAND_ROUND, *calls])
    assert len(found.marks) == MOST_MARKS
    assert found.marks_dropped == 4
    assert found.marks[0].kind == "supervisor_called"
    assert shown([*HAND_ROUND, *calls, e.RoundClosed()]).marks == ()


def test_wagers_outlive_their_marks_and_the_last_of_a_kind_counts() -> None:
    wagers: list[e.Body] = [
        e.WagerPlaced(1, "ante", 2500),
        e.WagerPlaced(3, "ante"),
        e.WagerPlaced(1, "progressive", 100),
        e.WagerPlaced(1, "ante", 5000),
    ]
    calls = [e.SupervisorCalled()] * MOST_MARKS
    assert shown([opened(CARIBBEAN), SHUFFLE, *wagers, *calls]).wagers == (
        (1, "ante", 5000),
        (3, "ante", None),
        (1, "progressive", 100),
    )


def test_sources_are_named_once_and_the_last_to_speak_comes_first() -> None:
    said = [
        e.Event("T", "gw/deck", 1, 1, 10, opened(CARIBBEAN)),
        e.Event("T", "gw/bets", 1, 1, 11, e.WagerPlaced(1, "ante")),
        e.Event("T", "gw/bets", 2, 1, 12, e.WagerPlaced(3, "ante")),
        e.Event("T", "gw/deck", 1, 2, 13, e.NoMoreBets()),
        e.Event("T", e.CLOCK_SOURCE, 1, 1, 14, e.Tick()),
    ]
    found = view(advance_all(new_table("T"), said, BOOK).state)
    assert found.sources == (("gw/deck", 1, 2), ("gw/bets", 1, None), ("gw/bets", 2, 1))
    assert [mark.source for mark in found.marks] == [1, 2, 0]


def test_a_table_of_which_nothing_was_said_has_no_sources() -> None:
    ticked = e.Event("T", e.CLOCK_SOURCE, 1, 1, 14, e.Tick())
    assert view(advance_all(new_table("T"), [ticked], BOOK).state).sources == ()
    assert view(new_table("T")).sources == ()


def test_no_text_of_a_person_or_device_is_told() -> None:
    trace = [
        *HAND_ROUND,
        e.SupervisorCalled("saw the AS"),
        e.DeckRemoved("AS marked", "AS"),
        e.DeviceFault("shuffler", code="AS"),
        e.RoundVoided("AS"),
    ]
    marks = shown(trace).marks
    assert [mark.kind for mark in marks[-4:]] == [body.kind for body in trace[-4:]]
    assert not cards_in([repr(marks)]) & set(DECK)
