"""The events that are measured with: legal rounds of simulated tables, in the order of a floor."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from producers.simulator.floor import Floor
from producers.simulator.lines import line
from streams.core.events import Event

GAMES: Final = ("caribbean_stud", "four_card_poker", "chemin_de_fer", "blackjack")
START: Final = 1_796_000_000_000_000
ON_THE_WAY: Final = 1_500
"""Microseconds from a device's clock to the gateway's."""


@cache
def floor_events(tables: int, count: int) -> tuple[Event, ...]:
    """Return so many events of so many tables, merged by time, as a gateway received them."""
    rounds = count // tables // 8 + 2
    stream = Floor(GAMES, tables, rounds, seed=4, start=START).stream()
    events = [
        replace(what, received=what.at + ON_THE_WAY) for what in stream if isinstance(what, Event)
    ]
    if len(events) < count:
        raise ValueError(f"expected {count} events of {tables} tables, found {len(events)}")
    return tuple(events[:count])


def write_lines(path: Path, events: tuple[Event, ...]) -> Path:
    """Write events as a recording."""
    path.write_bytes(b"".join(map(line, events)))
    return path
