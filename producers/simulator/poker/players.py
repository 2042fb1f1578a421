"""Players of the poker tables: who sits where, what they wager, when they come and go."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final

from producers.simulator.setups import Setup
from streams.core.events import WagerPlaced

STAKES: Final = (500, 1_000, 1_500, 2_500, 5_000, 10_000)


@dataclass(frozen=True, slots=True)
class Player:
    """A player's habits: ``stake`` in minor units, ``side`` the side wager, ``bold`` 0 to 1.

    ``ante`` is false for one who plays the aces up wager of four card poker alone.
    """

    stake: int
    side: str | None
    ante: bool
    bold: float


@lru_cache(maxsize=4096)
def wager(position: int, name: str, amount: int) -> WagerPlaced:
    """Return the placing of a wager; equal ones are the same object."""
    return WagerPlaced(position=position, wager=name, amount=amount)


class Seats:
    """The players at a table, by position."""

    def __init__(self, setup: Setup, rng: Random) -> None:
        self.setup = setup
        self.rng = rng
        self.players: dict[int, Player] = {}
        for position in rng.sample(range(1, setup.positions + 1), rng.randint(1, setup.positions)):
            self.players[position] = self.newcomer()

    def newcomer(self) -> Player:
        """Return a player who sits down."""
        rng = self.rng
        if self.setup.game == "four_card_poker":
            side = rng.choice((None, "aces_up", "aces_up"))
            return Player(
                rng.choice(STAKES), side, side is None or rng.random() < 0.8, rng.random()
            )
        side = "progressive" if self.setup.offered("progressive") and rng.random() < 0.6 else None
        return Player(rng.choice(STAKES), side, ante=True, bold=rng.random())

    def come_and_go(self) -> None:
        """Let players join and leave; one stays at least."""
        rng = self.rng
        if rng.random() < 0.15:
            free = [p for p in range(1, self.setup.positions + 1) if p not in self.players]
            if free:
                self.players[rng.choice(free)] = self.newcomer()
        if len(self.players) > 1 and rng.random() < 0.12:
            del self.players[rng.choice(sorted(self.players))]

    def fill(self, least: int) -> None:
        """Seat players until there are as many as asked."""
        for position in range(1, self.setup.positions + 1):
            if len(self.players) >= least:
                return
            self.players.setdefault(position, self.newcomer())

    def empty_one(self) -> None:
        """Free a seat if all are taken."""
        if len(self.players) == self.setup.positions:
            del self.players[self.rng.choice(sorted(self.players))]

    def wagers(self) -> Iterator[WagerPlaced]:
        """Yield the wagers of a round, players in any order."""
        seated = sorted(self.players)
        if self.rng.random() < 0.5:
            self.rng.shuffle(seated)
        for position in seated:
            player = self.players[position]
            if player.ante:
                yield wager(position, "ante", player.stake)
            if player.side is not None:
                amount = 100 if player.side == "progressive" else player.stake
                yield wager(position, player.side, amount)
