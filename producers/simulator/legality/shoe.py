"""Whether the shoe of a blackjack table is kept as 2.6(c), (d) and (l) say: loads, burns, shuffles.

A part of the reader of blackjack: what happens to the cards before they are in a hand.
"""

from collections.abc import Callable

from producers.simulator.setups import Setup
from streams.core.cards import CARDS_IN_DECK, Card
from streams.core.events import (
    Burned,
    CardDealt,
    CardsLoaded,
    CutCardReached,
    DealerArrived,
    DeterminantDrawn,
    RackCounted,
    ShoeEmptied,
    ShuffleCompleted,
)

RED = "HD"
OTHER = {"left": "right", "right": "left"}


class ShoeReader:
    """Reads what happens to the shoe; ``say`` takes what was not kept."""

    def __init__(self, setup: Setup, say: Callable[[str], None]) -> None:
        self.say = say
        self.double = setup.double_shoe
        self.bart_carter = bool(setup.bart_carter)
        self.burns = setup.single_shoe and not self.bart_carter
        self.full = CARDS_IN_DECK * setup.decks // (2 if self.double else 1)
        self.red_side = setup.red_side or "left"
        self.staff: str | None = None
        self.opened()
        self.begin()

    def opened(self) -> None:
        """Begin a table's life."""
        self.burn_due = False
        self.cut: dict[str | None, int] = {}
        self.emptied: set[str | None] = set()
        self.shuffled: set[str | None] = set()
        self.suspect: set[str | None] = set()
        self.out = 0
        self.round = 0

    def begin(self) -> None:
        """Begin a round."""
        self.determinant: DeterminantDrawn | None = None
        self.determinant_burned = False
        self.named: str | None = None
        self.first_dealt = False

    def arrived(self, item: DealerArrived) -> None:
        """Read the arrival of a dealer: another one burns a card, (c)."""
        if item.dealer != self.staff:
            self.burn_due = self.burn_due or self.burns
        self.staff = item.dealer

    def loaded(self, item: CardsLoaded) -> None:
        """Read the loading of a set: shuffled, the old one taken out, one burned."""
        if item.side not in self.shuffled and not item.preshuffled:
            self.say("the set was not shuffled")
        if item.side in self.cut and item.side not in self.emptied and not self.bart_carter:
            self.say("(l)2: the shoe was not emptied")
        self.shuffled.discard(item.side)
        self.emptied.discard(item.side)
        self.cut.pop(item.side, None)
        self.burn_due = self.burns
        self.out = 0

    def shuffle(self, item: ShuffleCompleted) -> None:
        """Read a shuffle: the side that is due, by the right way."""
        self.shuffled.add(item.side)
        others = [side for side in self.cut if side != item.side]
        if self.double and others and item.side not in self.cut:
            self.say("(l)3: the wrong side is shuffled")
        if item.method == "automatic" and item.cards is not None:
            if item.cards != self.full:
                self.say("the shuffler counts a wrong number of cards")
                self.suspect.add(item.side)
            else:
                self.suspect.discard(item.side)
        if item.method == "bart_carter" and item.stacks not in (None, 3):
            self.say("(l)3i: not three stacks")
        self.out = 0

    def counted(self, item: RackCounted) -> None:
        """Read a count of the rack: (l)2."""
        if item.side in self.emptied and item.cards != self.full:
            self.say("(l)2: cards are missing")

    def burned(self, item: Burned) -> None:
        """Read a burn: (c), (d)2."""
        self.out += 1
        drawn = self.determinant
        if drawn is not None and not self.first_dealt and item.card == drawn.card:
            self.determinant_burned = True
            if item.place != "segregated_area":
                self.say("(d)2: the determinant is burned elsewhere")
            return
        if not self.double:
            self.burn_due = False
            if self.burns and item.exposed and not item.requested_by_player:
                self.say("(c): the burned card is shown")
            if item.place != "discard_rack":
                self.say("(c): a card is burned elsewhere")

    def determined(self, item: DeterminantDrawn) -> None:
        """Read a determinant: (d)1."""
        if self.determinant is not None or self.first_dealt:
            self.say("(d): another determinant")
            return
        self.determinant = item
        suit = str(item.card)[1]
        self.named = self.red_side if suit in RED else OTHER[self.red_side]

    def dealt(self, item: CardDealt, first_position: int | None) -> None:
        """Read a card that leaves the shoe."""
        if self.burns and self.burn_due:
            self.say("(c): no card was burned")
            self.burn_due = False
        if not self.first_dealt:
            self.first(item, first_position)
        drawn = self.determinant
        is_determinant = drawn is not None and drawn.card == item.card and not self.first_dealt
        self.out += not is_determinant
        if self.named is not None and item.side != self.named:
            self.say("2.15(h): a card comes from the wrong side")
        if any(before < self.round for before in self.cut.values()):
            self.say("(l): the shuffle is overdue")
        self.first_dealt = True

    def first(self, item: CardDealt, first_position: int | None) -> None:
        """Read a round's first card: (d), (l)3i."""
        if self.suspect:
            self.say("a set with a wrong count is played")
        if self.bart_carter and self.out > CARDS_IN_DECK:
            self.say("(l)3i: more than a deck is in the rack")
        if not self.double:
            return
        drawn = self.determinant
        if drawn is None:
            self.say("(d)1: no determinant")
            return
        if drawn.side == self.named:
            expected: tuple[Card | None, int | None] = (drawn.card, first_position)
            if (item.card, item.position) != expected:
                self.say("(d)2: the determinant is not the first card")
        elif not self.determinant_burned:
            self.say("(d)2: the determinant is not burned")

    def cut_card(self, item: CutCardReached) -> None:
        """Read the cut card: (l)."""
        self.cut.setdefault(item.side, self.round)

    def was_emptied(self, item: ShoeEmptied) -> None:
        """Read the taking out of what was left: (l)2."""
        self.emptied.add(item.side)
