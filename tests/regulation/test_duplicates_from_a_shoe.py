"""Integrity: copies of a card from a shoe, and the one table where they mean nothing."""

import pytest

from streams.core.advance import advance_all
from streams.core.cards import CARDS
from streams.core.events import (
    Body,
    CardDealt,
    CardsLoaded,
    DiscardsShuffledIn,
    TableOpened,
    WagerPlaced,
)
from streams.core.findings import FindingRaised
from streams.core.table import new_table
from tests.blackjack_rounds import DOUBLE, table
from tests.traces import BOOK, events, raised


def copies(count: int, *, bart_carter: bool) -> list[str]:
    opened = TableOpened("blackjack", "shoe", 2, 7, ("*",), bart_carter=bart_carter)
    trace: list[Body] = [opened, CardsLoaded(104, preshuffled=True), WagerPlaced(1, "main")]
    trace += [CardDealt("player", "up", 1, card=CARDS["KS"])] * count
    step = advance_all(new_table("T"), events(trace), BOOK)
    raised = [each.finding.code for each in step.effects if isinstance(each, FindingRaised)]
    return [code for code in raised if code == "duplicate_card"]


@pytest.mark.parametrize(("count", "expected"), [(2, 0), (3, 1), (4, 1)])
def test_integrity_duplicate_card_is_raised_once_for_a_card_and_load(
    count: int, expected: int
) -> None:
    assert len(copies(count, bart_carter=False)) == expected


def test_integrity_duplicate_card_is_never_raised_at_a_bart_carter_table() -> None:
    assert copies(5, bart_carter=True) == []


@pytest.mark.parametrize(("side", "most"), [("left", 4), (None, 8)])
def test_integrity_duplicate_card_counts_by_the_side_where_the_side_is_told(
    side: str | None, most: int
) -> None:
    dealt = CardDealt("player", "up", 1, card=CARDS["KS"], side=side)
    for count, expected in ((most, 0), (most + 1, 1)):
        trace = table(DOUBLE, [WagerPlaced(1, "main"), *[dealt] * count])
        assert raised(trace).count("duplicate_card") == expected


@pytest.mark.parametrize(("shuffled", "expected"), [("left", 1), ("right", 0)])
def test_integrity_duplicate_card_after_discards_counts_what_lies_there_of_that_side(
    shuffled: str, expected: int
) -> None:
    left = CardDealt("player", "up", 1, card=CARDS["KS"], side="left")
    again = CardDealt("player", "up", 1, card=CARDS["KS"], side=shuffled)
    played: list[Body] = [WagerPlaced(1, "main"), left, DiscardsShuffledIn(shuffled), *[again] * 4]
    assert raised(table(DOUBLE, played)).count("duplicate_card") == expected
