"""A standing finding stays until it is cleared, also where its table has since lost its sight.

What a table observes is said anew by each `table_opened`, and standing findings survive it. A table
that observes less than before raises nothing that needs what it lost; what clears a finding is a
fact all the same, and an event of a kind that is not observed changes the state.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from streams.core.events import (
    Body,
    CardsLoaded,
    DeckRemoved,
    DeviceFault,
    DeviceRestored,
    RackCounted,
    RoundClosed,
    ShoeEmptied,
    ShuffleCompleted,
    StubCounted,
    TableOpened,
)
from streams.core.events import TableClosed as Closed
from tests.traces import CARIBBEAN, FOUR_CARD, SHUFFLE, before, legal, observing, opened, told

both = pytest.mark.parametrize("game", [CARIBBEAN, FOUR_CARD])
RIGHT = {CARIBBEAN: StubCounted(32), FOUR_CARD: StubCounted(31)}
WRONG_SHUFFLE = replace(SHUFFLE, cards=50)


def counting(game: str, counted: StubCounted) -> list[Body]:
    return [SHUFFLE, *before(legal(game), RoundClosed, counted)]


def reopened(game: str, without: str) -> list[Body]:
    return [Closed(), *observing([opened(game)], without)]


CLEARED_BY: dict[str, list[Body]] = {
    "removal": [DeckRemoved()],
    "shuffler": [SHUFFLE],
    "shuffler, its own": [ShuffleCompleted("automatic", cards=52, deck="red")],
}


@both
@pytest.mark.parametrize("remedy", CLEARED_BY.values(), ids=CLEARED_BY)
@pytest.mark.parametrize("lost", ["stub", "shuffles"])
def test_a_wrong_stub_count_is_cleared_where_stubs_or_shuffles_are_seen_no_more(
    game: str, remedy: Sequence[Body], lost: str
) -> None:
    trace = [opened(game), *counting(game, StubCounted(9)), *reopened(game, lost)]
    assert told(trace) == [("stub_count_wrong", "raised", 1)]
    assert told([*trace, *remedy])[1:] == [("stub_count_wrong", "cleared", 0)]


@both
def test_a_right_count_clears_a_wrong_one_where_stubs_are_seen_no_more(game: str) -> None:
    trace = [opened(game), *counting(game, StubCounted(9)), *reopened(game, "stub")]
    suspect = ("suspect_cards_in_play", "raised", 1)
    unread = [replace(SHUFFLE, cards=None), *counting(game, RIGHT[game])[1:]]
    assert told([*trace, *unread])[1:] == [suspect, ("stub_count_wrong", "cleared", 1)]


@both
@pytest.mark.parametrize("remedy", CLEARED_BY.values(), ids=CLEARED_BY)
def test_a_wrong_shufflers_count_is_cleared_where_shuffles_are_seen_no_more(
    game: str, remedy: Sequence[Body]
) -> None:
    trace = [opened(game), WRONG_SHUFFLE, *reopened(game, "shuffles")]
    assert told(trace) == [("shuffler_count_wrong", "raised", 0)]
    assert told([*trace, *remedy])[1:] == [("shuffler_count_wrong", "cleared", 0)]


@both
def test_what_is_seen_no_more_is_not_raised_anew(game: str) -> None:
    wrong = counting(game, StubCounted(9))
    assert told([opened(game), *reopened(game, "stub"), *wrong]) == []
    assert told([opened(game), *reopened(game, "shuffles"), WRONG_SHUFFLE]) == []


@both
def test_an_overdue_count_ends_with_the_opening_whatever_is_seen_then(game: str) -> None:
    rounds = [body for _ in range(5) for body in (SHUFFLE, *legal(game))]
    overdue = [("stub_count_overdue", "raised", 5), ("stub_count_overdue", "cleared", 0)]
    assert told([opened(game), *rounds, *observing([opened(game)], "stub")]) == overdue


BLACKJACK = TableOpened("blackjack", "shoe", 6, 7, ("*",), offers=("progressive",))
LIGHT = DeviceFault("progressive_light", 2)
SURVIVORS: list[tuple[str, list[Body], TableOpened, Body]] = [
    (
        "cards_missing",
        [CardsLoaded(312), ShoeEmptied(300), RackCounted(311)],
        TableOpened("chemin_de_fer", "shoe", 6, 7, ("*",)),
        CardsLoaded(312, preshuffled=True),
    ),
    (
        "progressive_light_out",
        [LIGHT],
        opened(CARIBBEAN),
        DeviceRestored("progressive_light", 2),
    ),
    (
        "reader_malfunction",
        [DeviceFault("card_reader")],
        replace(BLACKJACK, dealt_from="hand"),
        DeviceRestored("card_reader"),
    ),
]


@pytest.mark.parametrize(
    ("code", "fault", "other", "remedy"), SURVIVORS, ids=[each[0] for each in SURVIVORS]
)
def test_a_finding_that_survives_into_another_game_is_cleared_there(
    code: str, fault: Sequence[Body], other: TableOpened, remedy: Body
) -> None:
    shuffled = ShuffleCompleted("hand")
    trace = [BLACKJACK, shuffled, *fault, Closed(), other, remedy]
    assert told(trace) == [(code, "raised", 0), (code, "cleared", 0)]
    assert code not in [each[0] for each in told([other, shuffled, *fault])]
