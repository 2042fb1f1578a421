"""Playing cards as two characters, rank then suit: ``TS`` is the ten of spades."""

from typing import Final, NewType

Card = NewType("Card", str)

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
CARDS_IN_DECK: Final = 52

DECK: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
"""One deck in pack order: ace to king of spades, hearts, diamonds, clubs."""

CARDS: Final[dict[str, Card]] = {str(card): card for card in DECK}
"""Every card by its text; a text that is no key is no card."""
