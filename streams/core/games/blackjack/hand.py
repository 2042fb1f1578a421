"""One player's hand as blackjack's rules see it."""

from dataclasses import dataclass, field

from streams.core.cards import Card
from streams.core.games.blackjack.counts import VALUES, count, is_blackjack


@dataclass(slots=True)
class PlayerHand:
    """One hand of a position.

    ``cards`` are in order, absent where unread. ``calls`` is how many further cards its decisions
    call for and ``requested`` whether a draw or double waits for its card; ``missed`` that such a
    card was passed over, ``announced`` that the total was announced since its last card, and
    ``unclear`` that cards may have left the hand by a split that nobody reported.
    """

    cards: list[Card | None] = field(default_factory=list)
    calls: int = 0
    requested: bool = False
    missed: bool = False
    announced: bool = False
    from_split: bool = False
    stood: bool = False
    doubled: bool = False
    double_dealt: bool = False
    surrendered: bool = False
    settled: bool = False
    collected: bool = False
    dead: bool = False
    returned: bool = False
    unclear: bool = False

    def copy(self) -> "PlayerHand":
        """Return a copy that shares nothing that changes."""
        return PlayerHand(
            self.cards.copy(),
            self.calls,
            self.requested,
            self.missed,
            self.announced,
            self.from_split,
            self.stood,
            self.doubled,
            self.double_dealt,
            self.surrendered,
            self.settled,
            self.collected,
            self.dead,
            self.returned,
            self.unclear,
        )

    @property
    def known(self) -> list[Card] | None:
        """Return the cards, or nothing where one of them is not known."""
        if self.unclear:
            return None
        cards = [card for card in self.cards if card is not None]
        return cards if len(cards) == len(self.cards) else None

    @property
    def count(self) -> int | None:
        """Return the count, or nothing where a card is not known."""
        cards = self.known
        return None if cards is None else count(cards)

    @property
    def live(self) -> bool:
        """Return whether the hand is still in the game, with two cards or more."""
        out = self.dead or self.surrendered or self.settled or self.collected
        return len(self.cards) >= 2 and not out

    @property
    def called_off(self) -> bool:
        """Return whether the hand was called dead and its wager returned: 2.15(i)."""
        return self.dead and self.returned

    @property
    def ended(self) -> bool:
        """Return whether no further card is due to the hand; an unread card leaves that open."""
        if self.stood or self.double_dealt:
            return True
        first = self.cards[0] if self.cards else None
        if self.from_split and len(self.cards) >= 2 and first is not None and first[0] == "A":
            return True
        points = self.count
        return points is None or points >= 21

    @property
    def blackjack(self) -> bool:
        """Return whether the hand is known to be a blackjack; one from a split is none."""
        cards = self.known
        return cards is not None and not self.from_split and is_blackjack(cards)

    @property
    def is_pair(self) -> bool:
        """Return whether the hand is two cards that may be of identical value."""
        if len(self.cards) != 2:
            return False
        first, second = self.cards
        return first is None or second is None or VALUES[first[0]] == VALUES[second[0]]

    @property
    def may_be_sevens(self) -> bool:
        """Return whether a hand not split is two sevens, as far as read, that a third completes."""
        two = len(self.cards) == 2
        sevens = two and all(card is None or card[0] == "7" for card in self.cards)
        return sevens and not self.from_split

    @property
    def two_sevens(self) -> bool:
        """Return whether the first two cards of a hand not split are both sevens."""
        first = self.cards[:2]
        sevens = len(first) == 2 and all(card is not None and card[0] == "7" for card in first)
        return sevens and not self.from_split
