"""Small models of what the pipeline is connected to, and floors cut from the recordings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import cycle, islice
from pathlib import Path

from schemas.faults import LineFault
from schemas.ndjson import decode_line
from streams.core.book import Book
from streams.core.events import Event
from streams.rulebooks import load
from streams.shell.deadletters import shown_key
from streams.shell.pipeline import Pipeline
from streams.shell.poison import Poison
from streams.shell.ports import OutputRecord, Topics
from streams.shell.rights import FixedRights, Rights, RightsSource
from streams.shell.store import TableStore
from streams.shell.traced import Trace
from streams.shell.translate import event_bytes
from streams.wire.inbound import to_event

RECORDINGS = Path(__file__).with_name("recordings")
TOPICS = Topics("deals", "commands", "findings", "rounds", "tables", "alarms", "dead", "changelog")
NOW = 1_800_000_000_000_000
KEYS = {"console": bytes(range(32))}


@cache
def book() -> Book:
    return load()


@dataclass(frozen=True, slots=True)
class Record:
    """A record as a consumer hands it out."""

    offset: int
    key: bytes | None
    value: bytes | None
    topic: str = TOPICS.deals
    partition: int = 0
    headers: tuple[tuple[str, bytes], ...] = ()
    timestamp: int = 0


class Unacknowledged(Exception):
    """The log did not take a record."""


@dataclass(slots=True)
class MemoryLog:
    """A broker: keeps what it acknowledges, and fails the record of that number, once."""

    taken: list[OutputRecord] = field(default_factory=list)
    fails_at: int | None = None
    seen: int = 0
    published: int = 0

    async def publish(self, records: Sequence[OutputRecord]) -> None:
        self.published += 1
        for record in records:
            self.seen += 1
            if self.seen - 1 == self.fails_at:
                raise Unacknowledged
            self.taken.append(record)

    def of(self, topic: str) -> list[OutputRecord]:
        return [record for record in self.taken if record.topic == topic]


class StillClock:
    def __init__(self, now: int = NOW) -> None:
        self.at = now

    def now(self) -> int:
        return self.at


def still_poison() -> Poison:
    """Return counts of the unreadable for which no time passes."""
    return Poison(lambda: 0.0, shown_key)


def pipeline(
    log: MemoryLog,
    store: TableStore | None = None,
    topics: Topics = TOPICS,
    rules: Book | None = None,
    poison: Poison | None = None,
    rights: RightsSource | None = None,
    trace: Trace | None = None,
) -> Pipeline:
    return Pipeline(
        book=book() if rules is None else rules,
        topics=topics,
        store=TableStore() if store is None else store,
        publisher=log,
        clock=StillClock(),
        version="test",
        poison=still_poison() if poison is None else poison,
        rights=FixedRights(Rights(command_keys=KEYS)) if rights is None else rights,
        trace=trace,
    )


@cache
def recorded(name: str) -> tuple[Event, ...]:
    """Return the readable events of a recording, in the order of its lines."""
    events = []
    for line in (RECORDINGS / f"{name}.ndjson").read_bytes().splitlines():
        record = decode_line(line)
        if not isinstance(record, LineFault):
            events.append(to_event(record))
    return tuple(events)


def as_records(
    events: Iterable[Event], *, first: int = 0, partition: int = 0, topic: str = TOPICS.deals
) -> list[Record]:
    return [
        Record(offset, event.table.encode(), event_bytes(event), topic, partition)
        for offset, event in enumerate(events, first)
    ]


FLOOR = (
    "cs-legal-12-rounds",
    "cs-overdue-then-counted-between-rounds",
    "cs-stub-count-wrong-cleared-by-shuffler",
    "fc-deal-order",
    "dup-conflicting-event",
    "late-event-set-aside",
    "gap-in-round-silences-counts-and-orders",
)
"""Recordings of one table each, with legal rounds, breaches, duplicates, gaps and late events."""


def table_events(name: str, recording: str, first_boot: int = 1) -> Iterator[Event]:
    """Yield a recording for ever as the events of one table: each time its devices restarted."""
    events = recorded(recording)
    boots = max(event.boot for event in events)
    turn = 0
    while True:
        for event in events:
            yield replace(event, table=name, boot=event.boot + first_boot - 1 + turn * boots)
        turn += 1


def floor_events(tables: int, count: int) -> list[Event]:
    """Return ``count`` events of ``tables`` tables in turn, each in its own order."""
    streams = [
        table_events(f"T-{number:03}", recording)
        for number, recording in zip(range(tables), cycle(FLOOR), strict=False)
    ]
    return list(islice((next(stream) for stream in cycle(streams)), count))


def by_table(events: Iterable[Event]) -> Mapping[str, list[Event]]:
    groups: dict[str, list[Event]] = {}
    for event in events:
        groups.setdefault(event.table, []).append(event)
    return groups
