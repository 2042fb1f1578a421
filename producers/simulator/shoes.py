"""A shoe, or one side of a double shoe: its cards in order, its cut card, its rack."""

from random import Random
from typing import Final

from streams.core.cards import CARDS_IN_DECK, DECK, RANKS, SUITS, Card

LEAST_BEHIND_CUT: Final = 78
"""Cards behind the cut card: the longest round must end before they do."""


class Shoe:
    """Cards of some decks, dealt from the end of the list.

    Attributes:
        side: the side of a double shoe, absent for a single one.
        left: how many cards left the shoe since it was last loaded or shuffled.
        cut: how many cards are behind the cut card.
        reached: the cut card has come out.
        unmixed: the order in which the next set comes, last card first, if it is not shuffled.
    """

    def __init__(self, decks: int, side: str | None, rng: Random) -> None:
        self.full = CARDS_IN_DECK * decks
        self.decks = decks
        self.side = side
        self.rng = rng
        self.cards: list[Card] = []
        self.gone: list[Card] = []
        self.unmixed: list[Card] | None = None
        self.load()

    def load(self) -> None:
        """Put a full set in the shoe, shuffled, with a cut card."""
        self.cards = list(DECK) * self.decks
        self.rng.shuffle(self.cards)
        if self.unmixed is not None:
            self.cards, self.unmixed = self.unmixed, None
        self.gone.clear()
        least = min(LEAST_BEHIND_CUT, self.full // 2)
        self.cut = self.rng.randint(least, max(least, self.full // 3))
        self.reached = False

    def draw(self, wish: str = "", suits: str | None = None) -> Card:
        """Draw the first card; one that a wish names is made the first where there is one.

        The order of a shuffled shoe is any order: choosing the card that comes is choosing one of
        them, and the shoe holds what it held. A wish has the letters of ranks, suits or both.
        """
        cards = self.cards
        ranks = [each for each in wish if each in RANKS] or RANKS
        wished_suits = [each for each in wish if each in SUITS] or suits or SUITS
        if wish or suits:
            for at in range(len(cards) - 1, -1, -1):
                card = cards[at]
                if card[0] in ranks and card[1] in wished_suits:
                    cards[at], cards[-1] = cards[-1], cards[at]
                    break
        card = cards.pop()
        self.gone.append(card)
        return card

    def put_back(self) -> None:
        """Shuffle what left the shoe and insert it again, as in a Bart Carter shuffle."""
        self.cards += self.gone
        self.rng.shuffle(self.cards)
        self.gone.clear()

    @property
    def left(self) -> int:
        """Return how many cards left the shoe since the last load or shuffle."""
        return len(self.gone)

    def cut_card_next(self) -> bool:
        """Return whether the cut card stands before the next card, and take it out."""
        if self.reached or len(self.cards) > self.cut:
            return False
        self.reached = True
        return True
