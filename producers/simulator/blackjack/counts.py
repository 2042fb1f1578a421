"""Point counts of blackjack hands: aces 1 or 11, pictures 10."""

from collections.abc import Iterable
from typing import Final

from streams.core.cards import Card

VALUE: Final = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10} | {str(n): n for n in range(2, 10)}
READABLE: Final = "AKQJT"
"""First cards of the dealer after which a card reader is used: 2.6(j)."""


def hard(cards: Iterable[Card]) -> int:
    """Return the count with every ace 1."""
    return sum(VALUE[card[0]] for card in cards)


def best(cards: list[Card]) -> int:
    """Return the highest count that does not pass 21, else the lowest."""
    low = hard(cards)
    return low + 10 if low <= 11 and any(card[0] == "A" for card in cards) else low


def soft(cards: list[Card]) -> bool:
    """Return whether the count takes an ace as 11."""
    return best(cards) != hard(cards)


def is_blackjack(cards: list[Card]) -> bool:
    """Return whether two cards are an ace and a ten-value."""
    return len(cards) == 2 and best(cards) == 21
