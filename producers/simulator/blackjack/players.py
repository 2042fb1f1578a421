"""Players of blackjack: their seats, their side wagers, and what they decide."""

from dataclasses import dataclass
from random import Random

from producers.simulator.blackjack.counts import VALUE, best, hard, soft
from producers.simulator.seating import STAKES, Seating
from producers.simulator.setups import Setup
from streams.core.cards import Card


@dataclass(frozen=True, slots=True)
class Player:
    """A player's habits: stake in minor units, side wagers, actions played, folly 0 to 1."""

    stake: int
    sides: tuple[str, ...]
    actions: int
    folly: float


@dataclass(slots=True, eq=False)
class Hand:
    """A hand of a position: its number and cards, and what has become of it."""

    position: int
    number: int
    cards: list[Card]
    from_split: bool = False
    split_aces: bool = False
    down_card: Card | None = None
    settled: bool = False
    collected: bool = False

    def busts(self) -> bool:
        """Return whether the hand passes 21."""
        return hard(self.cards) > 21


class Seats(Seating[Player]):
    """The players at a table, by position."""

    def newcomer(self) -> Player:
        """Return a player who sits down."""
        rng = self.rng
        offered = [s for s in ("progressive", "sevens", "bonus") if self.setup.offered(s)]
        sides = tuple(side for side in offered if rng.random() < 0.6)
        actions = rng.randint(1, 3) if self.setup.offered("multiple_action") else 1
        return Player(rng.choice(STAKES), sides, actions, rng.random() * 0.3)

    def seat(self, positions: tuple[int, ...], sides: tuple[str, ...], actions: int) -> None:
        """Seat sensible players at these positions alone, all with these side wagers."""
        self.players = {position: Player(1_000, sides, actions, 0.0) for position in positions}


def can_split(hand: Hand, hands: int, setup: Setup) -> bool:
    """Return whether a hand may be split: 2.11, 2.6(k)5; three hands at seven positions."""
    first, second = hand.cards[0], hand.cards[1]
    most = 3 if setup.positions == 7 else 4
    return (
        len(hand.cards) == 2
        and VALUE[first[0]] == VALUE[second[0]]
        and hands < most
        and not hand.split_aces
        and not (setup.hole_card == "up" and hand.from_split)
        and not setup.offered("multiple_action")
    )


def choices(hand: Hand, hands: int, setup: Setup) -> list[str]:
    """Return the decisions open to a hand of two cards or more that is below 21."""
    open_to = ["stand", "draw"]
    if len(hand.cards) == 2:
        if setup.hole_card != "up" or best(hand.cards) in (9, 10, 11):
            open_to.append("double")
        if can_split(hand, hands, setup):
            open_to.append("split")
        if setup.hole_card != "up" and not hand.from_split:
            open_to.append("surrender")
    return open_to


def choose(hand: Hand, hands: int, up: Card, setup: Setup, player: Player, rng: Random) -> str:
    """Return a player's decision: sensible as a rule, any at times."""
    open_to = choices(hand, hands, setup)
    if rng.random() < player.folly:
        return rng.choice(open_to)
    count = best(hand.cards)
    strong = VALUE[up[0]] in (1, 7, 8, 9, 10)
    if "split" in open_to and hand.cards[0][0] in "A8679" and (strong or rng.random() < 0.7):
        return "split"
    if "double" in open_to and count in (10, 11):
        return "double"
    if "surrender" in open_to and count == 16 and strong and rng.random() < 0.4:
        return "surrender"
    if soft(hand.cards):
        return "draw" if count < 18 else "stand"
    return "draw" if count < (17 if strong else 13) else "stand"
