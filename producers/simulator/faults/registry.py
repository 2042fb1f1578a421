"""The registry of faults and the scene in which one is planted."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from producers.simulator.setups import Setup
from producers.simulator.turns import Dealer, Turn

RAISED: Final = "raised"
CLEARED: Final = "cleared"


@dataclass(frozen=True, slots=True)
class Due:
    """A finding that must come: its code, the round it has, ``raised`` or ``cleared``."""

    code: str
    round: int
    state: str


class Scene:
    """A table at which faults are planted, and what must come of them.

    Attributes:
        dealer: the table's dealer.
        rng: the random source.
        due: the findings declared and not yet told by the night.
        bad_lines: the lines so far that are no event.
        restarts: how often the table's devices have restarted so far.
    """

    def __init__(self, dealer: Dealer, rng: Random) -> None:
        self.dealer = dealer
        self.rng = rng
        self.due: list[Due] = []
        self.bad_lines = 0
        self.restarts = 0
        self._late_since = -1

    @property
    def setup(self) -> Setup:
        """Return the table's set-up."""
        return self.dealer.setup

    def observed(self, code: str) -> bool:
        """Return whether the table's devices can see what the finding rests on."""
        return all(self.setup.sees(need) for need in NEEDS[code])

    def raised(self, code: str, round_number: int) -> None:
        """Declare a finding that must be raised, if the table can see it."""
        if self.observed(code):
            self.due.append(Due(code, round_number, RAISED))

    def cleared(self, code: str, round_number: int) -> None:
        """Declare a finding that must be cleared, if the table could see it."""
        if self.observed(code):
            self.due.append(Due(code, round_number, CLEARED))

    def late(self, round_number: int) -> None:
        """Declare a late event: of a source's events of one boot only the first is a finding."""
        if self._late_since < self.restarts:
            self._late_since = self.restarts
            self.raised("late_event", round_number)


Plant = Callable[[Scene], list[Turn]]
"""Deals the turns of a fault, spoils them and declares what is due."""


def always(_: Setup) -> bool:
    """Return that a fault can be planted at any table of its games."""
    return True


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: ``rounds`` it takes at most, ``fits`` says at which tables it can be planted."""

    code: str
    games: tuple[str, ...]
    needs: tuple[str, ...]
    rounds: int
    fits: Callable[[Setup], bool]
    plant: Plant


FAULTS: Final[dict[tuple[str, str], Fault]] = {}
"""Every fault by code and game."""

NEEDS: Final[dict[str, tuple[str, ...]]] = {}
"""The capabilities that each code's finding needs."""


def fault(
    code: str,
    games: tuple[str, ...],
    needs: tuple[str, ...] = (),
    *,
    rounds: int = 1,
    fits: Callable[[Setup], bool] = always,
) -> Callable[[Plant], Plant]:
    """Register the planting of a code's fault for these games."""

    def register(plant: Plant) -> Plant:
        entry = Fault(code, games, needs, rounds, fits, plant)
        if NEEDS.setdefault(code, needs) != needs:
            raise ValueError(f"{code}: expected the needs {NEEDS[code]}, found {needs}")
        for game in games:
            if (code, game) in FAULTS:
                raise ValueError(f"{code}: expected one fault for {game}, found two")
            FAULTS[code, game] = entry
        return plant

    return register


def fault_for(code: str, game: str) -> Fault | None:
    """Return the fault of a code at a game, if there is one."""
    return FAULTS.get((code, game))


def games_of(code: str) -> tuple[str, ...]:
    """Return the games at which a code's fault can be planted; none if the code is unknown."""
    return tuple(game for known, game in FAULTS if known == code)
