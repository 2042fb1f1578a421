"""Players of the poker tables: who sits where, what they wager, when they come and go."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from producers.simulator.seating import STAKES, Seating
from streams.core.events import WagerPlaced


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


class Seats(Seating[Player]):
    """The players at a table, by position."""

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
