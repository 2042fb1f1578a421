"""What cards count at blackjack: an ace 11 or 1, jack, queen and king 10."""

from collections.abc import Sequence
from typing import Final

from streams.core.cards import Card

VALUES: Final = {rank: value for value, rank in enumerate("A23456789", start=1)} | dict.fromkeys(
    "TJQK", 10
)
"""What a rank counts, an ace as 1."""

READ_FIRST: Final = frozenset("AKQJT")
"""Ranks of a dealer's first card at which the card reader is used: 2.6(j)."""


def counts(cards: Sequence[Card]) -> tuple[int, ...]:
    """Return the counts a hand may be announced as: all aces 1, and one 11 if not above 21."""
    low = sum(VALUES[card[0]] for card in cards)
    if low <= 11 and any(card[0] == "A" for card in cards):
        return (low, low + 10)
    return (low,)


def count(cards: Sequence[Card]) -> int:
    """Return the count of a hand: the highest that does not pass 21, else the lowest."""
    return counts(cards)[-1]


def is_soft(cards: Sequence[Card]) -> bool:
    """Return whether an ace counts 11 in a hand."""
    return len(counts(cards)) == 2


def is_blackjack(cards: Sequence[Card]) -> bool:
    """Return whether two cards are an ace and a card that counts 10."""
    return len(cards) == 2 and {VALUES[card[0]] for card in cards} == {1, 10}
