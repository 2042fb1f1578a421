"""Integrity: copies of a card from a shoe, and the one table where they mean nothing."""

import pytest

from streams.core.advance import advance_all
from streams.core.cards import CARDS
from streams.core.events import Body, CardDealt, CardsLoaded, TableOpened, WagerPlaced
from streams.core.findings import FindingRaised
from streams.core.table import new_table
from tests.traces import BOOK, events


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
