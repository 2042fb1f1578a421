"""Judge what the simulator deals: nights in, findings out, as (code, round) pairs."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from random import Random

from producers.simulator.faults import Due, fault_for
from producers.simulator.floor import draw_setup, planted_at
from producers.simulator.night import Night
from producers.simulator.pairs import paired_setups
from producers.simulator.setups import Setup
from producers.simulator.stamp import Stamper
from producers.simulator.turns import Item
from streams.core.advance import advance_all
from streams.core.book import Book
from streams.core.events import Event
from streams.core.findings import FindingCleared, FindingRaised
from streams.core.table import new_table
from streams.rulebooks import load

BOOK: Book = load("nj")


@dataclass(slots=True)
class Verdict:
    """What the judge said of a stream, by code and round."""

    raised: Counter[tuple[str, int]] = field(default_factory=Counter)
    cleared: Counter[tuple[str, int]] = field(default_factory=Counter)


def stamped(setup: Setup, items: list[Item]) -> list[Event]:
    """Return the events of a table's items."""
    stream = Stamper(setup, Random(7), 1_790_000_000_000_000).stamp(items)
    return [event for event in stream if isinstance(event, Event)]


def found(setup: Setup, events: list[Event]) -> list[FindingRaised | FindingCleared]:
    """Judge a table's events; return what is raised and cleared."""
    return [
        effect
        for effect in advance_all(new_table(setup.table), events, BOOK).effects
        if isinstance(effect, FindingRaised | FindingCleared)
    ]


def counted(effects: list[FindingRaised | FindingCleared]) -> Verdict:
    """Return what was raised and cleared as a verdict."""
    verdict = Verdict()
    for effect in effects:
        match effect:
            case FindingRaised(finding):
                verdict.raised[finding.code, finding.round] += 1
            case FindingCleared(finding):
                verdict.cleared[finding.code, finding.round] += 1
    return verdict


def judge(setup: Setup, items: list[Item]) -> Verdict:
    """Judge a table's items."""
    return counted(found(setup, stamped(setup, items)))


def verdict_of(due: list[Due]) -> Verdict:
    """Return findings due as a verdict."""
    verdict = Verdict()
    for each in due:
        counter = verdict.raised if each.state == "raised" else verdict.cleared
        counter[each.code, each.round] += 1
    return verdict


@cache
def fitting_setups(code: str, game: str) -> tuple[Setup, ...]:
    """Return those of the paired tables at which a fault can be planted and seen."""
    return tuple(setup for setup in paired_setups(game) if planted_at(setup, [code]))


def paired_night(game: str, at: int, rounds: int, seed: int = 0) -> tuple[Setup, list[Item]]:
    """Return a legal night at one of the tables at which every two options meet."""
    setup = paired_setups(game)[at]
    return setup, list(Night(setup, Random(f"legal/{setup.table}/{seed}"), rounds).items())


def rounds_a_table(game: str, rounds: int) -> int:
    """Return how many rounds each of these tables deals for so many of the game at least."""
    return -(-rounds // len(paired_setups(game)))


def planted_night(
    code: str, game: str, seed: int, unseen: tuple[str, ...] = ()
) -> tuple[Setup, list[Item], list[Due]]:
    """Return a night with one fault planted, its table, and the findings due.

    The tables at which every two options meet take turns, as far as the fault can be planted and
    seen there; where it cannot, a table is drawn at which it can.
    """
    rng = Random(f"{code}/{game}/{seed}")
    fault = fault_for(code, game)
    assert fault is not None
    fitting = fitting_setups(code, game)
    setup = fitting[seed % len(fitting)] if fitting else draw_setup(game, 1, rng, [code])
    if unseen:
        setup = setup.without(unseen)
    night = Night(setup, rng, fault.rounds + 5, [fault])
    items = list(night.items())
    return setup, items, night.due
