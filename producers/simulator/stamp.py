"""From a turn's items to events: who sent each, with which number, and when.

Every source counts its events from 1 and keeps its last ones, so that a mishap can send one of
them again. The clock is simulated: each event comes a time after the one before it that is drawn
from the pace of a floor.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import Final

from producers.simulator.pace import OTHER, PACE
from producers.simulator.setups import Setup
from producers.simulator.turns import (
    Again,
    Altered,
    BadLine,
    Found,
    Item,
    Lost,
    Restarted,
)
from streams.core.cards import DECK
from streams.core.events import Body, CardDealt, Event, SupervisorCalled, TableClosed

KEPT: Final = 160
"""How many of its last events a source can send again; beyond 64 such an event is late."""

OWN_SOURCES: Final = {"shuffle_completed": "shuffler", "lockout_pressed": "lockout"}
"""The devices that send for themselves where a table has several sources."""


def sent_by_table(setup: Setup, body: Body) -> bool:
    """Return whether the table's main source sends a body."""
    return not setup.several_sources or body.kind not in OWN_SOURCES


class Source:
    """One numbered stream of events of a table."""

    __slots__ = ("boot", "lost", "name", "recent", "seq")

    def __init__(self, name: str, boot: int) -> None:
        self.name = name
        self.boot = boot
        self.seq = 0
        self.recent: deque[Event] = deque(maxlen=KEPT)
        self.lost: Event | None = None


def other_content(body: Body) -> Body:
    """Return content that an identity cannot have a second time."""
    if isinstance(body, CardDealt) and body.card is not None:
        return replace(body, card=DECK[DECK.index(body.card) - 1])
    if isinstance(body, SupervisorCalled):
        return TableClosed()
    return SupervisorCalled()


class Stamper:
    """Numbers and times the events of one table.

    Args:
        setup: the table.
        rng: the random source of the pace.
        start: the first event's time, microseconds since the epoch.
        boot: the first boot number of every source.
    """

    def __init__(self, setup: Setup, rng: Random, start: int, boot: int = 1) -> None:
        self.setup = setup
        self.rng = rng
        self.at = start
        self.boot = boot
        self.main = Source("sim/table", boot)
        self.sources = {"table": self.main}

    def source(self, body: Body) -> Source:
        """Return the source that sends a body."""
        if not self.setup.several_sources:
            return self.main
        name = OWN_SOURCES.get(body.kind, "table")
        found = self.sources.get(name)
        if found is None:
            found = self.sources[name] = Source(f"sim/{name}", self.boot)
        return found

    def stamp(self, items: Iterable[Item]) -> Iterator[Event | bytes]:
        """Yield the events, and as bytes the lines that are none, in the order of the table."""
        random = self.rng.random
        table = self.setup.table
        one_source = not self.setup.several_sources
        for item in items:
            match item:
                case Lost(body):
                    self.main.lost = self.numbered(body)
                case Found():
                    if self.main.lost is not None:
                        yield self.main.lost
                case Again(back):
                    yield self.main.recent[-back]
                case Altered(back):
                    event = self.main.recent[-back]
                    yield replace(event, body=other_content(event.body))
                case Restarted(seq):
                    for source in self.sources.values():
                        source.boot += 1
                        source.seq = seq - 1
                case BadLine(data):
                    yield data
                case _:
                    source = self.main if one_source else self.source(item)
                    low, more = PACE.get(item.kind, OTHER)
                    self.at += (low + int(random() * more)) * 1_000
                    source.seq += 1
                    event = Event(table, source.name, source.boot, source.seq, self.at, item)
                    source.recent.append(event)
                    yield event

    def numbered(self, body: Body) -> Event:
        """Number a body that its source will not deliver."""
        source = self.main
        source.seq += 1
        self.at += OTHER[0] * 1_000
        return Event(self.setup.table, source.name, source.boot, source.seq, self.at, body)
