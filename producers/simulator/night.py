"""A night at one table: legal rounds, and faults planted among them one at a time."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final

from producers.simulator.blackjack.dealer import BlackjackDealer
from producers.simulator.chemin_de_fer.dealer import CheminDeFerDealer
from producers.simulator.faults import Due, Fault, Scene
from producers.simulator.poker.dealer import PokerDealer
from producers.simulator.setups import Setup, sent
from producers.simulator.turns import MISHAPS, Dealer, Item, Restarted, Turn

ENDLESS: Final = 0
"""As a number of rounds: the night does not end, and the faults come round again and again."""

DEALERS: Final[dict[str, Callable[[Setup, Random], Dealer]]] = {
    "caribbean_stud": PokerDealer,
    "four_card_poker": PokerDealer,
    "blackjack": BlackjackDealer,
    "chemin_de_fer": CheminDeFerDealer,
}


def rounds_needed(faults: Sequence[Fault]) -> int:
    """Return how many rounds a night must have for these faults."""
    return sum(fault.rounds for fault in faults)


class Night:
    """One table's night.

    Args:
        setup: the table.
        rng: its random source.
        rounds: how many rounds, or `ENDLESS`.
        faults: what is planted, in this order, each in rounds of its own at a random place.

    Attributes:
        due: the findings that the planted faults must cause, each fault's when all its turns are
            sent; complete when the night is over.
        bad_lines: how many lines that are no event were planted.
    """

    def __init__(
        self, setup: Setup, rng: Random, rounds: int, faults: Sequence[Fault] = ()
    ) -> None:
        self.setup = setup
        self.rng = rng
        self.rounds = rounds
        self.faults = faults
        self.dealer = DEALERS[setup.game](setup, rng)
        self.scene = Scene(self.dealer, rng)
        self.due: list[Due] = []

    @property
    def bad_lines(self) -> int:
        """Return the number of bad lines so far."""
        return self.scene.bad_lines

    def turns(self) -> Iterator[Turn]:
        """Deal the turns of the night."""
        if self.rounds == ENDLESS:
            yield from self.endless()
            return
        slack = self.rounds - rounds_needed(self.faults)
        if slack < 0:
            raise ValueError(
                f"expected at least {rounds_needed(self.faults)} rounds, found {self.rounds}"
            )
        pauses = sorted(self.rng.randint(0, slack) for _ in self.faults)
        dealt = 0
        passed = 0
        for fault, pause in zip(self.faults, pauses, strict=True):
            for _ in range(pause - passed):
                yield self.dealer.legal()
                dealt += 1
            passed = pause
            for turn in self.planted(fault):
                yield turn
                dealt += 1
        for _ in range(self.rounds - dealt):
            yield self.dealer.legal()

    def endless(self) -> Iterator[Turn]:
        """Deal without end; a fault after every few rounds."""
        while True:
            yield self.dealer.legal()
            for fault in self.faults:
                for _ in range(self.rng.randint(2, 8)):
                    yield self.dealer.legal()
                yield from self.planted(fault)

    def planted(self, fault: Fault) -> Iterator[Turn]:
        """Deal the turns of a fault; what must come of them is due once all of them are sent."""
        yield from fault.plant(self.scene)
        self.due += self.scene.due
        self.scene.due.clear()

    def items(self) -> Iterator[Item]:
        """Yield all that happens, as the table's devices send it."""
        for item in self.everything():
            if not self.setup.leaves_out or isinstance(item, MISHAPS):
                yield item
                continue
            seen = sent(self.setup, item)
            if seen is not None:
                yield seen

    def everything(self) -> Iterator[Item]:
        """Yield all that happens."""
        yield from self.dealer.open()
        for turn in self.turns():
            for item in (*turn.before, *turn.during):
                self.scene.restarts += isinstance(item, Restarted)
                yield item
        yield from self.dealer.close()
