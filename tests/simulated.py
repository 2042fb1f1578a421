"""Judge what the simulator deals: nights in, findings out, as (code, round) pairs."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from producers.simulator.faults import Due, fault_for
from producers.simulator.floor import draw_setup
from producers.simulator.night import Night
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


def judge(setup: Setup, items: list[Item]) -> Verdict:
    """Judge a table's items."""
    stream = Stamper(setup, Random(7), 1_790_000_000_000_000).stamp(items)
    events = [event for event in stream if isinstance(event, Event)]
    verdict = Verdict()
    for effect in advance_all(new_table(setup.table), events, BOOK).effects:
        match effect:
            case FindingRaised(finding):
                verdict.raised[finding.code, finding.round] += 1
            case FindingCleared(finding):
                verdict.cleared[finding.code, finding.round] += 1
            case _:
                pass
    return verdict


def verdict_of(due: list[Due]) -> Verdict:
    """Return findings due as a verdict."""
    verdict = Verdict()
    for each in due:
        counter = verdict.raised if each.state == "raised" else verdict.cleared
        counter[each.code, each.round] += 1
    return verdict


def legal_night(game: str, seed: int, rounds: int) -> tuple[Setup, list[Item]]:
    """Return a legal night and its table."""
    rng = Random(f"legal/{game}/{seed}")
    setup = draw_setup(game, 1, rng, [])
    return setup, list(Night(setup, rng, rounds).items())


def planted_night(
    code: str, game: str, seed: int, unseen: tuple[str, ...] = ()
) -> tuple[Setup, list[Item], list[Due]]:
    """Return a night with one fault planted, its table, and the findings due."""
    rng = Random(f"{code}/{game}/{seed}")
    fault = fault_for(code, game)
    assert fault is not None
    setup = draw_setup(game, 1, rng, [code])
    if unseen:
        setup = setup.without(unseen)
    night = Night(setup, rng, fault.rounds + 5, [fault])
    items = list(night.items())
    return setup, items, night.due
