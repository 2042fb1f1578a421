"""Who wins at the poker tables: the values of five cards, and of the best four.

A value is a tuple that compares as the hands do: the category first, then the ranks that decide.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from streams.core.cards import Card

RANK: Final = {rank: value for value, rank in enumerate("23456789TJQKA", 2)}

Value = tuple[int, tuple[int, ...]]

HIGH, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)

F_HIGH, F_PAIR, F_TWO_PAIR, F_STRAIGHT, F_FLUSH, F_TRIPS, F_STRAIGHT_FLUSH, F_QUADS = range(8)


def five_card_value(cards: Sequence[Card]) -> Value:
    """Return the value of a Caribbean stud hand of five cards."""
    ranks = sorted((RANK[card[0]] for card in cards), reverse=True)
    counts = sorted(((n, rank) for rank, n in Counter(ranks).items()), reverse=True)
    order = tuple(rank for _, rank in counts)
    flush = len({card[1] for card in cards}) == 1
    top = run_top(ranks, 5)
    if top and flush:
        return STRAIGHT_FLUSH, (top,)
    shape = tuple(n for n, _ in counts)
    if shape[0] == 4:
        return QUADS, order
    if shape[:2] == (3, 2):
        return FULL_HOUSE, order
    if flush:
        return FLUSH, order
    if top:
        return STRAIGHT, (top,)
    if shape[0] == 3:
        return TRIPS, order
    if shape[:2] == (2, 2):
        return TWO_PAIR, order
    if shape[0] == 2:
        return PAIR, order
    return HIGH, order


def qualifies(value: Value) -> bool:
    """Return whether the dealer's hand of Caribbean stud is ace-king or better."""
    category, ranks = value
    return category > HIGH or ranks[:2] == (RANK["A"], RANK["K"])


def run_top(ranks: Sequence[int], length: int) -> int:
    """Return the highest rank of a run of this length, 0 where there is none; aces are low too."""
    present = set(ranks)
    if RANK["A"] in present:
        present.add(1)
    for top in sorted(present, reverse=True):
        if all(top - step in present for step in range(length)):
            return top
    return 0


def best_four_value(cards: Sequence[Card]) -> Value:
    """Return the value of the best four of five or six cards of four card poker."""
    ranks = sorted((RANK[card[0]] for card in cards), reverse=True)
    counts = sorted(((n, rank) for rank, n in Counter(ranks).items()), reverse=True)
    if counts[0][0] == 4:
        return F_QUADS, (counts[0][1],)
    suited = next(
        (
            sorted((RANK[card[0]] for card in cards if card[1] == suit), reverse=True)
            for suit, n in Counter(card[1] for card in cards).items()
            if n >= 4
        ),
        [],
    )
    top = run_top(suited, 4) if suited else 0
    if top:
        return F_STRAIGHT_FLUSH, (top,)
    if counts[0][0] == 3:
        trips = counts[0][1]
        return F_TRIPS, (trips, max(rank for rank in ranks if rank != trips))
    if suited:
        return F_FLUSH, tuple(suited[:4])
    top = run_top(ranks, 4)
    if top:
        return F_STRAIGHT, (top,)
    pairs = [rank for n, rank in counts if n == 2]
    if len(pairs) >= 2:
        return F_TWO_PAIR, (pairs[0], pairs[1])
    if pairs:
        return F_PAIR, (pairs[0], *[rank for rank in ranks if rank != pairs[0]][:2])
    return F_HIGH, tuple(ranks[:4])
