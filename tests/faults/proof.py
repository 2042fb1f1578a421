"""What a run must come to, and what its topics say it came to."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from itertools import pairwise

from kafka import KafkaConsumer, TopicPartition

from streams.core.advance import advance_all
from streams.core.events import Event
from streams.core.findings import (
    DUPLICATE,
    EventSetAside,
    FindingCleared,
    FindingRaised,
    RoundEnded,
)
from streams.core.table import new_table
from streams.shell.marks import MARK_KEY
from streams.shell.translate import Writer
from streams.wire.snapshot import decode_snapshot, encode_snapshot
from tests.shell_models import book, by_table
from tests.worker_harness import DEALS, WorkerFloor


@dataclass(frozen=True, slots=True)
class Expected:
    """The fold of events without Kafka, as bytes.

    ``states`` is by table, without offsets; ``letters`` is how many events are set aside.
    """

    states: Mapping[str, bytes]
    findings: frozenset[bytes]
    rounds: frozenset[bytes]
    letters: int


def fold(events: Iterable[Event]) -> Expected:
    """Return what events come to where nothing ever fails."""
    writer = Writer(book(), metadata.version("pitwatch"))
    states: dict[str, bytes] = {}
    findings: set[bytes] = set()
    rounds: set[bytes] = set()
    letters = 0
    for table, own in by_table(events).items():
        step = advance_all(new_table(table), own, book())
        states[table] = encode_snapshot(step.state, {})
        for effect in step.effects:
            match effect:
                case FindingRaised(finding) | FindingCleared(finding):
                    findings.add(writer.finding(finding))
                case RoundEnded(ended):
                    rounds.add(writer.round(ended))
                case EventSetAside(_, reason):
                    letters += reason != DUPLICATE
    return Expected(states, frozenset(findings), frozenset(rounds), letters)


class StateLog:
    """The state topic as far as it was read, each record once.

    Attributes:
        first: the first value of each table.
        last: the last value of each table.
        backwards: how many records had a lower offset than one before them.
        records: how many were read.
    """

    def __init__(self, floor: WorkerFloor) -> None:
        self._floor = floor
        self._read: dict[int, int] = {}
        self._applied: dict[bytes, int] = {}
        self._times: dict[int, list[float]] = defaultdict(list)
        self.first: dict[bytes, bytes] = {}
        self.last: dict[bytes, bytes] = {}
        self.backwards = 0
        self.records = 0

    def read(self) -> None:
        """Read what was written since the last time."""
        consumer = KafkaConsumer(
            bootstrap_servers=self._floor.floor.bootstrap,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
        )
        try:
            name = self._floor.name("changelog")
            partitions = [TopicPartition(name, p) for p in range(self._floor.floor.partitions)]
            consumer.assign(partitions)
            for partition in partitions:
                consumer.seek(partition, self._read.get(partition.partition, 0))
            ends = consumer.end_offsets(partitions)
            while any(consumer.position(p) < end for p, end in ends.items()):
                for records in consumer.poll(500).values():
                    for record in (each for each in records if each.key != MARK_KEY):
                        self.take(record.partition, record.timestamp, record.key, record.value)
            self._read = {p.partition: consumer.position(p) for p in partitions}
        finally:
            consumer.close()

    def take(self, partition: int, timestamp: int, key: bytes, value: bytes) -> None:
        """Take one record; its time is in milliseconds since 1970."""
        _, offsets = decode_snapshot(value)
        at = offsets[self._floor.name(DEALS)]
        self.backwards += at < self._applied.get(key, -1)
        self._applied[key] = max(at, self._applied.get(key, -1))
        self.first.setdefault(key, value)
        self.last[key] = value
        self._times[partition].append(timestamp / 1000)
        self.records += 1

    def again(self, partition: int, moment: float) -> float | None:
        """Return when the first state after a moment was written, or nothing."""
        return next((at for at in self._times[partition] if at > moment), None)

    def longest_pause(self, since: float) -> float:
        """Return the longest time without a state in any partition that ends after ``since``."""
        return max(
            (
                after - before
                for times in self._times.values()
                for before, after in pairwise(times)
                if after > since
            ),
            default=0.0,
        )

    def ahead(self, written: Sequence[Event], committed: Mapping[int, int]) -> dict[str, int]:
        """Return the tables of which more is committed than any acknowledged state has applied.

        Args:
            written: all events, in the order of their partitions.
            committed: the group's offsets, asked for before this log was last read.
        """
        offset: dict[int, int] = defaultdict(int)
        newest: dict[str, int] = {}
        for event in written:
            partition = self._floor.partition(event.table)
            if offset[partition] < committed.get(partition, 0):
                newest[event.table] = offset[partition]
            offset[partition] += 1
        return {
            table: at for table, at in newest.items() if self._applied.get(table.encode(), -1) < at
        }


@dataclass(frozen=True, slots=True)
class Outputs:
    """Findings and rounds by their bytes, dead letters by their record; with how often each."""

    findings: Counter[bytes]
    rounds: Counter[bytes]
    letters: Counter[tuple[bytes, bytes]]

    @property
    def repeated(self) -> int:
        """How many were written again."""
        kinds = (self.findings, self.rounds, self.letters)
        return sum(kind.total() - len(kind) for kind in kinds)


def outputs(floor: WorkerFloor) -> Outputs:
    """Return what the workers of a floor have written."""
    letters = [dict(letter.headers) for letter in floor.read("deals.dead.v1")]
    return Outputs(
        Counter(record.value for record in floor.read("findings.v1")),
        Counter(record.value for record in floor.read("rounds.v1")),
        Counter(
            (one["__connect.errors.partition"], one["__connect.errors.offset"]) for one in letters
        ),
    )


def problems(log: StateLog, written: Outputs, expected: Expected) -> list[str]:
    """Return every difference between what was written and the fold without Kafka."""
    found = []
    states = {}
    for key, value in log.last.items():
        state, _ = decode_snapshot(value)
        states[key.decode()] = encode_snapshot(state, {})
    tables = {**states, **expected.states}
    wrong = [table for table in tables if states.get(table) != expected.states.get(table)]
    if wrong:
        found.append(f"{len(wrong)} states differ, first that of {wrong[0]}")
    for name, values, wanted in (
        ("findings", written.findings.keys(), expected.findings),
        ("rounds", written.rounds.keys(), expected.rounds),
    ):
        if lost := len(wanted - values):
            found.append(f"{lost} {name} lost")
        if more := len(values - wanted):
            found.append(f"{more} {name} that are not due")
    if len(written.letters) != expected.letters:
        found.append(f"expected {expected.letters} letters, found {len(written.letters)}")
    return found
