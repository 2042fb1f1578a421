"""The order of a table that several devices speak of: by their clocks, within a short hold.

A lock-out that was pressed before a card was dealt shall stand before it, though the two devices'
requests came the other way round. So the events of a table with several sources are held for a
moment and then merged by ``at``. The order is decided here and written to the spool as a `Merged`
entry; an event is published only when the decision that names it is on the disk. So what was
published stays the beginning of whatever order comes of it, also after a crash.

| an event | is |
|---|---|
| of a table with one source | not held: its place is where it stands |
| before one that is released already, its source having none held | not held, and counted as late |
| any other | held until it has waited for the hold; then merged with all that is there |

One source's events keep their order: while one is held, those after it are held too, and a clock
that goes back counts as standing still. The merge is a pure state machine; what it is told and
decides after `begin` is taken back by `undo`, for the disk may fail.
"""

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Final

import msgspec

from producers.gateway.entries import Accepted, Entry, Merged

MOST_HELD: Final = 4096
"""Events held at once, of all tables; beyond that all are released."""

MOST_SOURCES: Final = 64
"""Sources known of a table; beyond that the one that was silent longest is forgotten."""

MOST_TABLES: Final = 4096
"""Tables known; beyond that the one known longest that holds nothing is forgotten."""

SOURCE_SECONDS: Final = 600.0
"""A source that was silent for so long is none of its table any more."""


@dataclass(frozen=True, slots=True)
class Held:
    """An event that waits: its place in the spool, its place in time, and when it came."""

    position: int
    key: int
    came: float


@dataclass(slots=True)
class _Table:
    """Args: sources' last times heard, their queues and latest keys, the latest released key."""

    heard: OrderedDict[str, float] = field(default_factory=OrderedDict)
    queues: dict[str, deque[Held]] = field(default_factory=dict)
    latest: dict[str, int] = field(default_factory=dict)
    released: int = 0

    def copy(self) -> "_Table":
        queues = {source: queue.copy() for source, queue in self.queues.items()}
        return _Table(self.heard.copy(), queues, self.latest.copy(), self.released)


class Merger:
    """Decides the order of tables with several sources.

    Args:
        hold: seconds for which an event is held; nought holds none.
    """

    def __init__(self, hold: float) -> None:
        self._hold = hold
        self._tables: dict[str, _Table] = {}
        self._holding: dict[str, _Table] = {}
        self._before: dict[str, _Table | None] = {}
        self.late = 0
        """Events that came too late for their place, since the start."""
        self._late_before = 0

    @property
    def held(self) -> int:
        """Return how many events are held."""
        return sum(
            len(queue) for table in self._holding.values() for queue in table.queues.values()
        )

    @property
    def deadline(self) -> float | None:
        """Return when the next decision is due, on the clock that `arrive` is told."""
        heads = [
            queue[0].came for table in self._holding.values() for queue in table.queues.values()
        ]
        return min(heads) + self._hold if heads else None

    def begin(self) -> None:
        """Begin what `undo` takes back."""
        self._before.clear()
        self._late_before = self.late

    def undo(self) -> None:
        """Take back everything since `begin`."""
        for name, table in self._before.items():
            self._holding.pop(name, None)
            if table is None:
                self._tables.pop(name, None)
                continue
            self._tables[name] = table
            if table.queues:
                self._holding[name] = table
        self._before.clear()
        self.late = self._late_before

    def arrive(self, position: int, entry: Accepted, now: float) -> Accepted:
        """Take an event; return it as it is to be written, held or not.

        Args:
            position: where it will stand in the spool; positions only grow.
            entry: the event.
            now: seconds of a clock that never goes back.
        """
        if not self._hold:
            return entry
        table = self._touched(entry.table)
        self._hear(table, entry.source, now)
        waits = entry.source in table.queues
        if len(table.heard) == 1 and not waits:
            table.released = max(table.released, entry.at)
            return entry
        if entry.at < table.released and not waits:
            self.late += 1
            return entry
        self._queue(table, position, entry, now)
        return msgspec.structs.replace(entry, held=True)

    def due(self, now: float) -> list[Merged]:
        """Return the decisions that are due, one a table, and release what they name."""
        every = self.held > MOST_HELD
        decisions: list[Merged] = []
        until = now if every else now - self._hold
        for name, table in list(self._holding.items()):
            if any(queue[0].came <= until for queue in table.queues.values()):
                released = _release(self._touched(name), until)
                decisions.append(Merged(tuple(each.position for each in released)))
                if not table.queues:
                    del self._holding[name]
        return decisions

    def recall(self, position: int, entry: Entry, now: float) -> None:
        """Take an entry that the spool has from before the start, in its order.

        A held event that no decision names was never published, and is decided on anew.
        """
        match entry:
            case Accepted(held=True):
                table = self._touched(entry.table)
                self._hear(table, entry.source, now)
                self._queue(table, position, entry, now)
            case Accepted():
                table = self._touched(entry.table)
                self._hear(table, entry.source, now)
                table.released = max(table.released, entry.at)
            case Merged(positions=positions):
                self._decided(frozenset(positions))
            case _:
                pass

    def _touched(self, name: str) -> _Table:
        table = self._tables.get(name)
        if name not in self._before:
            self._before[name] = None if table is None else table.copy()
        if table is None:
            table = self._tables[name] = _Table()
            self._forget()
        return table

    def _forget(self) -> None:
        if len(self._tables) > MOST_TABLES:
            idle = next((name for name in self._tables if name not in self._holding), None)
            if idle is not None:
                del self._tables[idle]

    def _hear(self, table: _Table, source: str, now: float) -> None:
        table.heard[source] = now
        table.heard.move_to_end(source)
        while True:
            silent, last = next(iter(table.heard.items()))
            known = len(table.heard) <= MOST_SOURCES and now - last <= SOURCE_SECONDS
            if known or silent in table.queues:
                return
            del table.heard[silent]
            table.latest.pop(silent, None)

    def _queue(self, table: _Table, position: int, entry: Accepted, now: float) -> None:
        key = max(entry.at, table.latest.get(entry.source, 0))
        table.latest[entry.source] = key
        table.queues.setdefault(entry.source, deque()).append(Held(position, key, now))
        self._holding[entry.table] = table

    def _decided(self, positions: frozenset[int]) -> None:
        for name, table in list(self._holding.items()):
            for source, queue in list(table.queues.items()):
                while queue and queue[0].position in positions:
                    table.released = max(table.released, queue.popleft().key)
                if not queue:
                    del table.queues[source]
            if not table.queues:
                del self._holding[name]


def _release(table: _Table, until: float) -> list[Held]:
    """Take out all that came by `until`, and before each of them all that stands before it."""
    released: list[Held] = []
    while any(queue[0].came <= until for queue in table.queues.values()):
        source, queue = min(
            table.queues.items(), key=lambda each: (each[1][0].key, each[1][0].position)
        )
        released.append(queue.popleft())
        if not queue:
            del table.queues[source]
    table.released = max([table.released, *(each.key for each in released)])
    return released
