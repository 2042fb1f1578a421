"""A floor of simulated tables: their nights merged by time into one stream."""

import heapq
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from random import Random
from typing import Final

from producers.simulator.blackjack import setups as blackjack
from producers.simulator.chemin_de_fer import dealer as chemin_de_fer
from producers.simulator.faults import Due, Fault, fault_for, games_of
from producers.simulator.night import Night
from producers.simulator.poker import script as poker
from producers.simulator.setups import Setup
from producers.simulator.stamp import Stamper
from streams.core.events import GAMES, Event

SETUPS: Final[dict[str, Callable[[str, int, Random, int], Setup]]] = {
    "caribbean_stud": poker.random_setup,
    "four_card_poker": poker.random_setup,
    "blackjack": blackjack.random_setup,
    "chemin_de_fer": chemin_de_fer.random_setup,
}
"""How a game's set-ups are drawn: from game, number of the table, random source, digits."""

TRIES: Final = 400


@dataclass(frozen=True, slots=True)
class Table:
    """One table's night and its stamper."""

    night: Night
    stamper: Stamper

    def stream(self) -> Iterator[Event | bytes]:
        """Yield the table's events, and the lines that are none."""
        return self.stamper.stamp(self.night.items())


def planted_at(setup: Setup, codes: Sequence[str]) -> list[Fault]:
    """Return the faults of these codes that can be planted and seen at a table."""
    faults = [fault for code in codes if (fault := fault_for(code, setup.game)) is not None]
    return [each for each in faults if each.fits(setup) and observed(setup, each.needs)]


def draw_setup(
    game: str,
    number: int,
    rng: Random,
    codes: Sequence[str],
    *,
    width: int = 2,
    wanted: Collection[str] = (),
) -> Setup:
    """Draw a set-up of a game at which all these faults can be planted, or as many as can be.

    Where not all can be, the ``wanted`` ones count most.
    """
    most = sum(fault_for(code, game) is not None for code in codes)
    best, best_score = SETUPS[game](game, number, rng, width), (-1, -1)
    for _ in range(TRIES if most else 0):
        setup = SETUPS[game](game, number, rng, width)
        faults = planted_at(setup, codes)
        if len(faults) == most:
            return setup
        score = sum(fault.code in wanted for fault in faults), len(faults)
        if score > best_score:
            best, best_score = setup, score
    return best


def observed(setup: Setup, needs: Sequence[str]) -> bool:
    """Return whether a table sees all these."""
    return all(setup.sees(need) for need in needs)


class Floor:
    """So many tables of the games, in turn.

    Args:
        games: the games, one or more.
        tables: how many tables.
        rounds: rounds at each table, or `night.ENDLESS`.
        seed: equal seeds give equal bytes.
        start: the first event's time, microseconds since the epoch.
        codes: the faults, planted at every table whose game and set-up can have them.
        boot: the boot number with which every source begins.
        unseen: capabilities that no table's devices have, though they send the events.
        anyhow: leave out the faults that no table can have.

    Raises:
        ValueError: no table can have one of the faults.
    """

    def __init__(
        self,
        games: Sequence[str],
        tables: int,
        rounds: int,
        seed: int,
        start: int,
        codes: Sequence[str] = (),
        *,
        boot: int = 1,
        unseen: Sequence[str] = (),
        anyhow: bool = False,
    ) -> None:
        self.tables: list[Table] = []
        width = max(2, len(str(tables)))
        numbers = dict.fromkeys(GAMES, 0)
        missing = dict.fromkeys(codes)
        for index in range(tables):
            game = games[index % len(games)]
            numbers[game] += 1
            # Nothing secret hangs on these numbers, and equal seeds must give equal bytes.
            rng = Random(f"{seed}/{index}")  # noqa: S311  reproducible on purpose
            setup = draw_setup(game, numbers[game], rng, codes, width=width, wanted=missing)
            faults = planted_at(setup, codes)
            for fault in faults:
                missing.pop(fault.code, None)
            if unseen:
                setup = setup.without(unseen)
            night = Night(setup, rng, rounds, faults)
            pace = Random(f"{seed}/{index}/pace")  # noqa: S311  reproducible on purpose
            first = start + pace.randint(0, 5_000_000 if tables > 1 else 0)
            self.tables.append(Table(night, Stamper(setup, pace, first, boot)))
        if missing and not anyhow:
            code = next(iter(missing))
            known = ", ".join(games_of(code)) or "no game"
            found = ", ".join(dict.fromkeys(games[:tables]))
            raise ValueError(
                f"{code}: expected a table of {known} that can have it besides the other faults, "
                f"found {tables} of {found}"
            )

    def stream(self) -> Iterator[Event | bytes]:
        """Yield the events of all tables by time; a table's own order is kept."""
        if len(self.tables) == 1:
            return self.tables[0].stream()
        return (
            what
            for _, _, what in heapq.merge(
                *map(timed, range(len(self.tables)), self.tables), key=itemgetter(0, 1)
            )
        )

    def expected(self) -> dict[str, object]:
        """Return the findings due, complete when the stream is over.

        ``raised`` and ``cleared`` are lists of code and round, ``bad_lines`` is a number; with
        several tables these are of all together, and ``tables`` has the same for each by name.
        """
        expectation = expectation_of(
            [due for table in self.tables for due in table.night.due],
            sum(table.night.bad_lines for table in self.tables),
        )
        if len(self.tables) > 1:
            expectation["tables"] = {
                table.night.setup.table: expectation_of(table.night.due, table.night.bad_lines)
                for table in self.tables
            }
        return expectation


def timed(index: int, table: Table) -> Iterator[tuple[int, int, Event | bytes]]:
    """Yield what a table sends with its time and the table's place; a bad line's is the last."""
    at = 0
    for what in table.stream():
        if isinstance(what, Event) and what.at > at:
            at = what.at
        yield at, index, what


def expectation_of(due: Sequence[Due], bad_lines: int) -> dict[str, object]:
    """Return findings due as they are written to a file."""
    return {
        "raised": [[each.code, each.round] for each in due if each.state == "raised"],
        "cleared": [[each.code, each.round] for each in due if each.state == "cleared"],
        "bad_lines": bad_lines,
    }
