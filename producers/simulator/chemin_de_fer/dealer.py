"""A table of chemin de fer where everyone keeps 4.9: dominant player, banker and dealer.

After the four cards the dominant player announces card, stay or natural; after "Card" the banker
looks, and announces natural or under eight before the player's third card comes face up; the
banker then turns his cards and draws or stays by Table 3. The dealer repeats every announcement.
"""

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final

from producers.simulator.chemin_de_fer.counts import (
    NATURALS,
    banker_may,
    count,
    player_words,
)
from producers.simulator.setups import PREFIXES, Setup, random_observes
from producers.simulator.shoes import Shoe
from producers.simulator.staff import Staff
from producers.simulator.turns import Item, Restarted, Turn
from streams.core.events import (
    Announced,
    CardDealt,
    CardExposed,
    CardsCollected,
    CardsCut,
    CardsLoaded,
    CutCardReached,
    NoMoreBets,
    RackCounted,
    RoundClosed,
    RoundVoided,
    ShoeEmptied,
    ShuffleCompleted,
    SupervisorCalled,
    WagerPlaced,
    WagerSettled,
)

if TYPE_CHECKING:
    from streams.core.cards import Card

LEAST_BEHIND_CUT: Final = 7


def random_setup(game: str, number: int, rng: Random, width: int = 2) -> Setup:
    """Draw the set-up of a table of chemin de fer."""
    observes = random_observes(rng)
    return Setup(
        table=f"{PREFIXES[game]}-{number:0{width}d}",
        game=game,
        dealt_from="shoe",
        decks=rng.choice((6, 8)),
        positions=rng.choice((8, 10, 12)),
        observes=observes,
        shuffler_counts=rng.random() < 0.8,
        leaves_out=observes != ("*",) and rng.random() < 0.7,
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """How a turn is to go.

    ``tidy``: nothing between the rounds but what must. ``player`` and ``banker``: the ranks from
    which the cards of their hands come, one text for each card in order. ``word``: what the
    dominant player announces, and ``draws``: what the banker does, where the choice is free, or,
    where the plan is ``lawless``, whatever the cards are.
    """

    tidy: bool = True
    player: list[str] = field(default_factory=list)
    banker: list[str] = field(default_factory=list)
    word: str | None = None
    draws: bool | None = None
    lawless: bool = False


PLAIN: Final = Plan()
LEGAL: Final = Plan(tidy=False)


class CheminDeFerDealer(Staff[Plan]):
    """Deals a table's rounds, one turn at a time."""

    def __init__(self, setup: Setup, rng: Random) -> None:
        super().__init__(setup, rng, LEGAL, PLAIN)
        self.spare_ready = False
        self.shoe = Shoe(setup.decks, None, rng)
        self.tells_wagers = rng.random() < 0.7

    def open(self) -> list[Item]:
        """Open the table: a dealer comes, the shoe is loaded."""
        self.number = 0
        self.spare_ready = False
        return [self.setup.opened(), self.arrival(), *self.load()]

    def deal_round(self, turn: Turn, plan: Plan) -> None:
        """Play a coup."""
        Coup(self, plan, turn).play()

    def shuffle(self) -> ShuffleCompleted:
        """Shuffle a set of cards by hand or by machine."""
        if self.rng.random() < 0.5:
            return ShuffleCompleted(method="hand")
        return ShuffleCompleted(
            method="automatic", cards=self.shoe.full if self.setup.shuffler_counts else None
        )

    def load(self) -> list[Item]:
        """Put a full set in the shoe: shuffled now, or before, or by the maker."""
        self.shoe.load()
        self.shoe.cut = LEAST_BEHIND_CUT + self.rng.randint(0, 10)
        if self.spare_ready:
            self.spare_ready = False
            return [CardsLoaded(cards=self.shoe.full)]
        if self.rng.random() < 0.15:
            return [CardsLoaded(cards=self.shoe.full, preshuffled=True)]
        return [self.shuffle(), CardsCut(), CardsLoaded(cards=self.shoe.full)]

    def between(self, plan: Plan) -> list[Item]:
        """Return what happens before the next round."""
        rng = self.rng
        items: list[Item] = []
        if self.shoe.reached or (not plan.tidy and rng.random() < 0.01):
            items += [ShoeEmptied(cards=len(self.shoe.cards)), RackCounted(cards=self.shoe.full)]
            items += self.load()
        if not plan.tidy:
            if rng.random() < 0.01 and self.number:
                items += [*self.close(), *self.open()]
            if rng.random() < 0.01:
                items.append(Restarted())
            if rng.random() < 0.04:
                items += self.relief()
            if rng.random() < 0.02:
                items.append(SupervisorCalled())
            if rng.random() < 0.03 and not self.spare_ready:
                items.append(self.shuffle())
                self.spare_ready = True
        return items


class Coup:
    """One round in the making; it writes what happens into its turn."""

    def __init__(self, table: CheminDeFerDealer, plan: Plan, turn: Turn) -> None:
        self.table = table
        self.rng = table.rng
        self.plan = plan
        self.say = turn.during.append
        self.wished = {"player": list(plan.player), "banker": list(plan.banker)}
        self.hands: dict[str, list[Card]] = {"player": [], "banker": []}
        self.wagering = sorted(self.rng.sample(range(1, table.setup.positions + 1), 3))

    def deal(self, to: str, face: str) -> None:
        """Deal a card to a hand."""
        shoe = self.table.shoe
        if shoe.cut_card_next():
            self.say(CutCardReached())
        wished = self.wished[to]
        card = shoe.draw(wished.pop(0) if wished else "")
        self.hands[to].append(card)
        self.say(CardDealt(to=to, face=face, card=card))

    def announce(self, by: str, what: str) -> None:
        """Announce, and let the dealer repeat it: 4.9(h)."""
        self.say(Announced(by=by, what=what))
        self.say(Announced(by="dealer", what=what))

    def turn_up(self, *hands: str) -> None:
        """Turn the first two cards of these hands."""
        for hand in hands:
            for card in self.hands[hand][:2]:
                self.say(CardExposed(to=hand, card=card))

    def play(self) -> None:
        """Play the round to its end."""
        if self.table.tells_wagers:
            for position in self.wagering:
                self.say(WagerPlaced(position=position, wager="main", amount=5_000))
            if self.rng.random() < 0.5:
                self.say(NoMoreBets())
        for _ in range(2):
            self.deal("player", "down")
            self.deal("banker", "down")
        if not self.plan.tidy and self.rng.random() < 0.01:
            self.say(RoundVoided(reason="misdeal"))
            self.close("returned")
            return
        self.additional()
        players, bankers = count(self.hands["player"]), count(self.hands["banker"])
        self.close("push" if players == bankers else "win" if players > bankers else "lose")

    def additional(self) -> None:
        """Deal the additional cards: 4.9(a) to (c)."""
        words = player_words(count(self.hands["player"]))
        if self.plan.lawless and self.plan.word is not None:
            words = (self.plan.word,)
        word = self.plan.word if self.plan.word in words else self.rng.choice(words)
        self.announce("dominant_player", word)
        if word == "natural":
            self.turn_up("player", "banker")
            return
        points = count(self.hands["banker"])
        if word == "card":
            if points in NATURALS:
                self.announce("banker", "natural")
                self.turn_up("player", "banker")
                return
            self.announce("banker", "under_eight")
            self.deal("player", "up")
        self.turn_up("banker")
        third = self.hands["player"][2] if word == "card" else None
        may = banker_may(points, third)
        if self.plan.lawless and self.plan.draws is not None:
            may = (self.plan.draws,)
        draws = self.plan.draws if self.plan.draws in may else self.rng.choice(may)
        if draws:
            self.deal("banker", "up")
        if self.rng.random() < 0.8:
            self.turn_up("player")

    def close(self, outcome: str) -> None:
        """Settle the wagers and pick up the cards."""
        if self.table.tells_wagers:
            for position in self.wagering:
                pays = "1:1" if outcome == "win" else None
                self.say(WagerSettled(position=position, wager="main", outcome=outcome, pays=pays))
        for hand in ("player", "banker"):
            self.say(CardsCollected(to=hand))
        self.say(RoundClosed())
