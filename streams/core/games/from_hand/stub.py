"""Clauses (d) and (e) of 16.8 and 27.8: what becomes of the stub, and its count."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import DeckRemoved, RoundClosed, ShuffleCompleted, StubCounted, StubPlaced
from streams.core.integrity import full_count, removed
from streams.core.judge import (
    Check,
    Cleared,
    Observation,
    Once,
    Raised,
    RestsOn,
    Verdict,
)


def stub_exposed(seen: Observation, body: StubPlaced) -> Iterable[Verdict]:
    """16.8(d), 27.8(d): the stub goes into the discard rack with its cards exposed."""
    return (Raised(),) if body.exposed else ()


def stub_not_placed(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
    """16.8(d), 27.8(d): a round with cards closes with the stub neither placed nor counted."""
    round_ = seen.round
    if round_ is None or not round_.dealt:
        return ()
    return () if round_.stub_placed or round_.stub_count is not None else (Raised(),)


def stub_count_overdue(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
    """16.8(e), 27.8(e): five rounds in a row, and the stub of none of them was counted."""
    round_ = seen.round
    if round_ is None or not round_.dealt or round_.stub_count is not None:
        return ()
    rounds = seen.table.rounds_since_stub_count + 1
    if rounds < seen.book.parameter("stub_count_overdue", "rounds"):
        return ()
    return (Raised(detail={"rounds": rounds}),)


def counted(seen: Observation, _: StubCounted) -> Iterable[Verdict]:
    """16.8(e), 27.8(e): a count, right or wrong, ends the wait for one."""
    return (Cleared(),)


def stub_count_wrong(seen: Observation, body: StubCounted) -> Iterable[Verdict]:
    """16.8(e), 27.8(e): the stub is not what the deck holds less the cards that left it.

    Between rounds it is the stub of the round just closed; before the first there is none. A
    round with a gap has an unknown number of cards out, so no count of it can be called wrong.
    """
    table = seen.table
    counted = table.last_round if seen.round is None else seen.round
    if counted is None:
        return ()
    key = counted.stock if body.deck is None else table.deck_named(body.deck)
    # Where the round did not name its deck, a named count tells which it was.
    of_round = key == counted.stock or not counted.stock_named
    expected = full_count(table, key) - (counted.left if of_round else 0)
    if body.cards == expected:
        return (Cleared(key),)
    if counted.gap:
        return ()
    return (Raised(key=key, detail={"expected": expected, "counted": body.cards}),)


def shuffler_counts_right(seen: Observation, body: ShuffleCompleted) -> Iterable[Verdict]:
    """16.8(e), 27.8(e): the shuffler finds the deck whole, and a wrong stub count is over."""
    key = seen.table.stock_named(body.deck, body.side)
    whole = body.method == "automatic" and body.cards == full_count(seen.table, key)
    return (Cleared(key),) if whole else ()


CHECKS: Final = (
    Check("stub_exposed", (StubPlaced,), stub_exposed),
    Check("stub_not_placed", (RoundClosed,), stub_not_placed, RestsOn.ABSENCE),
    # Rounds are numbered here, voided ones too, so it rests on a number and a void keeps it.
    Check("stub_count_overdue", (RoundClosed,), stub_count_overdue, RestsOn.NUMBER, Once.STANDING),
    Check("stub_count_overdue", (StubCounted,), counted, once=Once.STANDING),
    Check("stub_count_wrong", (StubCounted,), stub_count_wrong, once=Once.STANDING),
    Check("stub_count_wrong", (ShuffleCompleted,), shuffler_counts_right, once=Once.STANDING),
    Check("stub_count_wrong", (DeckRemoved,), removed, once=Once.STANDING),
)
"""In the order of the clauses."""
