"""A dealer who deals Caribbean stud or four card poker from the hand, and never wrongly.

The deck comes from an automatic shuffler (16.8(b)1, 27.8(b)1) and is held in one hand for the
round (b)2; bets are closed, at Caribbean stud also by the lock-out button, before the first card
(b)3; the cards go out in the order of (c); the stub is placed or counted (d), and counted in one of
any five rounds at least (e). Where two decks alternate, one is shuffled while the other is played.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from producers.simulator.poker.players import Seats, wager
from producers.simulator.poker.script import OTHER_HAND, dealt, order
from producers.simulator.poker.showdown import collected, decisions, settled, showdown
from producers.simulator.setups import Setup
from producers.simulator.staff import Staff
from producers.simulator.turns import Item, Restarted, Turn
from streams.core.cards import CARDS_IN_DECK, DECK, Card
from streams.core.events import (
    CardDealt,
    Decision,
    DeckInHand,
    DeckRemoved,
    DeviceFault,
    DeviceRestored,
    LockoutPressed,
    NoMoreBets,
    RoundClosed,
    RoundVoided,
    ShuffleCompleted,
    StubCounted,
    StubPlaced,
    SupervisorCalled,
    WagerPlaced,
    WagerSettled,
)

ROUNDS_TO_COUNT: Final = 5
"""16.8(e), 27.8(e): the stub is counted at least once every five rounds."""

STUB_PLACED: Final = StubPlaced(exposed=False)
NO_MORE_BETS: Final = NoMoreBets()
LOCKOUT_PRESSED: Final = LockoutPressed()
ROUND_CLOSED: Final = RoundClosed()
AUTOMATIC: Final = {
    (name, cards): ShuffleCompleted(method="automatic", cards=cards, deck=name)
    for name in (None, "blue", "red")
    for cards in (None, CARDS_IN_DECK)
}


@dataclass(frozen=True, slots=True)
class Plan:
    """How a turn is to go.

    ``count``: the stub is counted in the round, after it, or not; none given, the dealer decides.
    ``tidy``: nothing happens between the rounds but what must, each deck is shuffled at once, and
    the round is not voided. ``least`` players at least; ``seat_free``: one position is not in play.
    ``arrange`` changes the order of the deck, given the number of cards the round takes.
    """

    count: str | None = None
    tidy: bool = True
    least: int = 1
    seat_free: bool = False
    arrange: Callable[[list[Card], int], None] | None = None


PLAIN: Final = Plan()
LEGAL: Final = Plan(tidy=False)


class PokerDealer(Staff[Plan]):
    """Deals a table's rounds, one turn at a time."""

    def __init__(self, setup: Setup, rng: Random) -> None:
        super().__init__(setup, rng, LEGAL, PLAIN)
        self.since_count = 0
        self.count_due = False
        self.last_stub = 0
        self.seats = Seats(setup, rng)
        self.decks: tuple[str | None, ...] = setup.deck_names or (None,)
        self.unshuffled: set[str | None] = set(self.decks)
        self.next_deck = 0
        self.last_deck: str | None = None

    def open(self) -> list[Item]:
        """Open the table: a dealer comes, every deck is shuffled."""
        self.number = 0
        self.since_count = 0
        self.count_due = False
        items: list[Item] = [self.setup.opened(), self.arrival()]
        self.unshuffled = set(self.decks)
        for deck in self.decks:
            items += self.shuffle(deck)
        return items

    def close(self) -> list[Item]:
        """Close the table; a count still due comes first."""
        return [*self.late_count(), *super().close()]

    def deal_round(self, turn: Turn, plan: Plan) -> None:
        """Deal a round, or begin one that is voided."""
        if not plan.tidy and self.rng.random() < 0.02:
            self.voided(turn)
        else:
            self.round(turn, plan)

    def shuffle(self, deck: str | None) -> list[Item]:
        """Shuffle a deck by machine."""
        self.unshuffled.discard(deck)
        return [AUTOMATIC[deck, CARDS_IN_DECK if self.setup.shuffler_counts else None]]

    def late_count(self) -> list[Item]:
        """Return the count of the stub after its round, if one is due; now and then a recount."""
        if not self.count_due:
            return []
        self.count_due = False
        counted = StubCounted(cards=self.last_stub, deck=self.last_deck)
        return [counted, counted] if self.rng.random() < 0.1 else [counted]

    def between(self, plan: Plan) -> list[Item]:
        """Return what happens before the next round."""
        rng = self.rng
        items = self.late_count()
        if not plan.tidy:
            if rng.random() < 0.01 and self.number:
                items += [*self.close(), *self.open()]
            if rng.random() < 0.02:
                items.append(Restarted())
            if rng.random() < 0.05:
                items += self.relief()
            if rng.random() < 0.02:
                items.append(SupervisorCalled())
            if rng.random() < 0.02:
                items += self.shuffler_trouble()
            self.seats.come_and_go()
        self.seats.fill(plan.least)
        if plan.seat_free:
            self.seats.empty_one()
        due = self.decks[self.next_deck]
        for deck in sorted(self.unshuffled, key=str):
            if deck == due or plan.tidy or rng.random() < 0.4:
                items += self.shuffle(deck)
        return items

    def shuffler_trouble(self) -> list[Item]:
        """Return a fault of the shuffler that is mended, often by taking a deck off the table."""
        items: list[Item] = [DeviceFault(device="shuffler", code="jam")]
        if self.rng.random() < 0.6:
            deck = self.rng.choice(self.decks)
            items += [SupervisorCalled(), DeckRemoved(reason="damaged", deck=deck)]
            self.unshuffled.add(deck)
        items.append(DeviceRestored(device="shuffler"))
        return items

    def start(self, turn: Turn) -> None:
        """Take the wagers, take the deck in one hand and close the bets."""
        rng = self.rng
        turn.deck = self.decks[self.next_deck]
        turn.holding = rng.choice(("left", "right"))
        in_hand = DeckInHand(hand=turn.holding, deck=turn.deck)
        turn.during += self.seats.wagers()
        turn.during.append(in_hand)
        if rng.random() < 0.05:
            turn.during.append(in_hand)
        turn.during.append(NO_MORE_BETS)
        if self.setup.game == "caribbean_stud":
            turn.during.append(LOCKOUT_PRESSED)
        turn.positions = tuple(sorted(self.seats.players))

    def deal(self, turn: Turn, plan: Plan) -> list[Card]:
        """Deal the round's cards in their order; return them."""
        deck = list(DECK)
        self.rng.shuffle(deck)
        places = order(self.setup.game, turn.positions)
        if plan.arrange is not None:
            plan.arrange(deck, len(places))
        told = self.setup.sees("draw_hand") and self.rng.random() < 0.9
        drawn_with = OTHER_HAND[turn.holding] if told else None
        cards = deck[: len(places)]
        turn.during += [
            dealt(to, position, face, card, drawn_with)
            for (to, position, face), card in zip(places, cards, strict=True)
        ]
        turn.rest = deck[len(places) :]
        return cards

    def used(self, turn: Turn, dealt_cards: int) -> None:
        """Note that a deck was played, and let the other one be next."""
        self.unshuffled.add(turn.deck)
        self.next_deck = (self.next_deck + 1) % len(self.decks)
        self.last_deck = turn.deck
        self.last_stub = CARDS_IN_DECK - dealt_cards
        self.since_count += 1

    def counting(self, plan: Plan) -> str:
        """Return when this round's stub is counted; the fifth round's is counted in it."""
        if plan.count is not None:
            return plan.count
        if self.since_count >= ROUNDS_TO_COUNT - 1:
            return "during"
        chance = self.rng.random()
        return "during" if chance < 0.15 else "after" if chance < 0.23 else "none"

    def round(self, turn: Turn, plan: Plan) -> None:
        """Play a round to its end."""
        rng = self.rng
        self.start(turn)
        players = dict(self.seats.players)
        first = len(turn.during)
        cards = self.deal(turn, plan)
        counting = self.counting(plan)
        self.used(turn, len(cards))
        count = StubCounted(cards=self.last_stub, deck=turn.deck)
        at_end = counting == "during" and not plan.tidy and rng.random() < 0.2
        if counting == "during" and not at_end:
            turn.during.append(count)
            if rng.random() < 0.1:
                turn.during.append(count)
        if counting != "during" or at_end or rng.random() < 0.7:
            turn.during.append(STUB_PLACED)
        made = list(decisions(players, turn.positions, rng))
        turn.during += made
        folded = frozenset(
            each.position for each in made if isinstance(each, Decision) and each.action == "fold"
        )
        turn.during += showdown(self.setup.game, players, turn.positions, cards, folded)
        if not plan.tidy:
            self.late_side_bet(turn)
            self.shuffle_the_other(turn, first)
        if at_end:
            turn.during.append(count)
        turn.during.append(ROUND_CLOSED)
        if counting == "during":
            self.since_count = 0
        elif counting == "after":
            self.since_count = 0
            self.count_due = True

    def late_side_bet(self, turn: Turn) -> None:
        """Let a player put out the next side wager while others are still being paid.

        Where no device sees the paying, that would look like a wager after the bets were closed.
        """
        if self.rng.random() < 0.05:
            name = "progressive" if self.setup.game == "caribbean_stud" else "aces_up"
            if name == "progressive" and not self.setup.offered(name):
                return
            if not self.setup.sends("settlements"):
                return
            late = wager(self.rng.choice(turn.positions), name, 500)
            for at in range(len(turn.during) - 1, 0, -1):
                if isinstance(turn.during[at], WagerSettled):
                    turn.during.insert(at + 1, late)
                    return

    def shuffle_the_other(self, turn: Turn, first: int) -> None:
        """Let the shuffler finish the deck not in play while the round goes on."""
        for deck in sorted(self.unshuffled - {turn.deck}, key=str):
            if self.rng.random() < 0.8:
                at = self.rng.randint(first, len(turn.during))
                turn.during[at:at] = self.shuffle(deck)

    def voided(self, turn: Turn) -> None:
        """Begin a round that a supervisor voids, before or while cards are dealt."""
        rng = self.rng
        self.start(turn)
        first = len(turn.during)
        if rng.random() < 0.7:
            cards = self.deal(turn, LEGAL)
            kept = rng.randint(1, len(cards))
            del turn.during[first + kept :]
            self.used(turn, kept)
        turn.during += [SupervisorCalled(), RoundVoided(reason="misdeal")]
        if len(turn.during) - first > 2:
            if self.since_count >= ROUNDS_TO_COUNT or rng.random() < 0.2:
                self.since_count = 0
                turn.during.append(StubCounted(cards=self.last_stub, deck=turn.deck))
            elif rng.random() < 0.7:
                turn.during.append(STUB_PLACED)
        wagers = [each for each in turn.during if isinstance(each, WagerPlaced)]
        turn.during += [settled(each.position, each.wager, "returned") for each in wagers]
        served = {
            each.position
            for each in turn.during
            if isinstance(each, CardDealt) and each.position is not None
        }
        turn.during += [collected("player", position) for position in sorted(served, reverse=True)]
        turn.during.append(ROUND_CLOSED)
