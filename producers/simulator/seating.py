"""Who sits at a simulated table: players take seats, come and go, whatever the game is."""

from abc import ABC, abstractmethod
from random import Random
from typing import Final, Generic, TypeVar

from producers.simulator.setups import Setup

STAKES: Final = (500, 1_000, 1_500, 2_500, 5_000, 10_000)
"""What a player wagers, in minor units."""

PlayerT = TypeVar("PlayerT")


class Seating(ABC, Generic[PlayerT]):
    """The players at a table, by position."""

    def __init__(self, setup: Setup, rng: Random) -> None:
        self.setup = setup
        self.rng = rng
        self.players: dict[int, PlayerT] = {}
        for position in rng.sample(range(1, setup.positions + 1), rng.randint(1, setup.positions)):
            self.players[position] = self.newcomer()

    @abstractmethod
    def newcomer(self) -> PlayerT:
        """Return a player who sits down."""

    def come_and_go(self) -> None:
        """Let players join and leave; one stays at least."""
        rng = self.rng
        if rng.random() < 0.15:
            free = [p for p in range(1, self.setup.positions + 1) if p not in self.players]
            if free:
                self.players[rng.choice(free)] = self.newcomer()
        if len(self.players) > 1 and rng.random() < 0.12:
            del self.players[rng.choice(sorted(self.players))]
