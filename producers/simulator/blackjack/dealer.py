"""A dealer of blackjack who keeps 2.6: the table between rounds, its shoe, its staff.

Cards are loaded shuffled; of a single shoe one is burned after each load and by each new dealer
(c); when a cut card came out, that side is emptied, counted and shuffled after the round (l). At a
Bart Carter table nothing is burned, and the rack is shuffled back when it exceeds a deck (l)3i.
"""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from producers.simulator.blackjack.players import Seats
from producers.simulator.blackjack.round import deal_round
from producers.simulator.setups import Setup
from producers.simulator.shoes import Shoe
from producers.simulator.staff import Staff
from producers.simulator.turns import Item, Restarted, Turn
from streams.core.cards import CARDS_IN_DECK
from streams.core.events import (
    Burned,
    CardsCut,
    CardsLoaded,
    CardsTouched,
    DeviceFault,
    DeviceRestored,
    RackCounted,
    ShoeEmptied,
    ShuffleCompleted,
    SupervisorCalled,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a turn is to go.

    ``tidy``: nothing between the rounds but what must, every card read. ``positions``: those in
    play, with ``sides`` as side wagers of each and as many ``actions``. ``cards``: for a
    position, or 0 for the dealer, the ranks (and suits) from which his cards come, a text for
    each card. ``choices``: decisions of a position in order, as far as they go. ``suits`` and
    ``side`` choose the determinant.
    """

    tidy: bool = True
    positions: tuple[int, ...] = ()
    sides: tuple[str, ...] = ()
    actions: int = 1
    cards: dict[int, list[str]] = field(default_factory=dict)
    choices: dict[int, list[str]] = field(default_factory=dict)
    suits: str | None = None
    side: str | None = None


PLAIN: Final = Plan()
LEGAL: Final = Plan(tidy=False)


class BlackjackDealer(Staff[Plan]):
    """Deals a table's rounds, one turn at a time."""

    def __init__(self, setup: Setup, rng: Random) -> None:
        super().__init__(setup, rng, LEGAL, PLAIN)
        self.seats = Seats(setup, rng)
        if setup.dealt_from == "double_shoe":
            sides: tuple[str | None, ...] = ("left", "right")
        else:
            sides = (None,)
        self.shoes = {side: Shoe(setup.decks // len(sides), side, rng) for side in sides}
        self.spare_ready = False

    @property
    def burns(self) -> bool:
        """Return whether 2.6(c) asks for burns here."""
        return self.setup.dealt_from == "shoe" and not self.setup.bart_carter

    def open(self) -> list[Item]:
        """Open the table: the shoe is loaded, a dealer comes, a card is burned."""
        self.number = 0
        self.spare_ready = False
        items: list[Item] = [self.setup.opened()]
        loads: list[Item] = []
        for shoe in self.shoes.values():
            loads += self.load(shoe)
        arrival: list[Item] = [self.arrival()]
        items += [*arrival, *loads] if self.rng.random() < 0.5 else [*loads, *arrival]
        if self.burns:
            items.append(self.burn())
        return items

    def deal_round(self, turn: Turn, plan: Plan) -> None:
        """Deal a round from the shoe."""
        deal_round(self.setup, self.rng, self.seats, self.shoes, plan, turn)

    def burn(self) -> Burned:
        """Burn a card face down, or show it to a player who asks: 2.6(c)."""
        card = self.shoes[None].draw()
        if self.rng.random() < 0.1:
            return Burned(place="discard_rack", card=card, exposed=True, requested_by_player=True)
        return Burned(place="discard_rack", exposed=self.rng.choice((False, None)))

    def shuffle(self, shoe: Shoe) -> ShuffleCompleted:
        """Shuffle a set of cards by hand or by machine."""
        if self.rng.random() < 0.5:
            return ShuffleCompleted(method="hand", side=shoe.side)
        counted = shoe.full if self.setup.shuffler_counts else None
        return ShuffleCompleted(method="automatic", cards=counted, side=shoe.side)

    def load(self, shoe: Shoe) -> list[Item]:
        """Put a full set in the shoe: shuffled now, or before, or by the maker."""
        shoe.load()
        if self.spare_ready:
            self.spare_ready = False
            return [CardsLoaded(cards=shoe.full, side=shoe.side)]
        if self.rng.random() < 0.15:
            return [CardsLoaded(cards=shoe.full, side=shoe.side, preshuffled=True)]
        items: list[Item] = [self.shuffle(shoe)]
        if self.rng.random() < 0.7:
            items.append(CardsCut(side=shoe.side))
        return [*items, CardsLoaded(cards=shoe.full, side=shoe.side)]

    def change(self, shoe: Shoe) -> list[Item]:
        """Take the cards out, count them, and load anew: 2.6(l)."""
        items: list[Item] = [ShoeEmptied(cards=len(shoe.cards), side=shoe.side)]
        if self.rng.random() < 0.8:
            items.append(RackCounted(cards=shoe.full, side=shoe.side))
        items += self.load(shoe)
        if self.burns:
            items.append(self.burn())
        return items

    def between(self, plan: Plan) -> list[Item]:
        """Return what happens before the next round."""
        rng = self.rng
        items: list[Item] = []
        due = [shoe for shoe in self.shoes.values() if shoe.reached]
        for shoe in due:
            items += self.change(shoe)
        if self.setup.bart_carter and self.shoes[None].left > CARDS_IN_DECK:
            self.shoes[None].put_back()
            stacks = rng.choice((3, None))
            items.append(ShuffleCompleted(method="bart_carter", stacks=stacks))
        if not plan.tidy:
            items += self.night()
            self.seats.come_and_go()
        return items

    def night(self) -> list[Item]:
        """Return what a night brings between two rounds."""
        rng = self.rng
        items: list[Item] = []
        if rng.random() < 0.01 and self.number:
            items += [*self.close(), *self.open()]
        if rng.random() < 0.01:
            items.append(Restarted())
        if rng.random() < 0.04:
            items += self.relief()
            if self.burns:
                items.append(self.burn())
        if rng.random() < 0.02:
            items.append(SupervisorCalled())
        if rng.random() < 0.01:
            items += [DeviceFault(device="shoe", code="slow"), DeviceRestored(device="shoe")]
        if rng.random() < 0.01:
            items.append(CardsTouched(by="player", permitted=True))
        if self.setup.dealt_from == "shoe" and not self.setup.bart_carter:
            if rng.random() < 0.03 and not self.spare_ready:
                items.append(self.shuffle(self.shoes[None]))
                self.spare_ready = True
            if rng.random() < 0.01:
                items += self.change(self.shoes[None])
        return items
