"""Several sources of a table, merged, through crashes between any two steps and in the middle.

Whatever happens: each source's events are published in its order, all that was accepted arrives,
and what was published is at every moment the beginning of the order that the disk has.
"""

import errno
import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from producers.gateway.committer import Bounds, Committer, Outcome, Stored
from producers.gateway.entries import Accepted, Entry, Merged
from producers.gateway.merge import Merger
from producers.gateway.publisher import Record, Settled
from producers.gateway.sender import Destination, Sender
from producers.gateway.spool import Spool
from tests.crashing_files import Crash, CrashingFiles

HOLD = 0.15
TABLES = ("A", "B")
SOURCES = ("x", "y", "z")


@dataclass
class Broker:
    """Writes what it is told to, when the test lets it."""

    log: list[Record] = field(default_factory=list)
    pending: list[tuple[int, Record, Settled]] = field(default_factory=list)

    def connect(self, settled: Settled) -> "Producer":
        return Producer(self, settled)

    def write(self, count: int) -> None:
        for number, record, settled in self.pending[:count]:
            self.log.append(record)
            settled(number, None)
        del self.pending[:count]

    def first_times(self, table: str) -> list[bytes]:
        key = table.encode()
        return list(dict.fromkeys(record.value for record in self.log if record.key == key))


@dataclass
class Producer:
    broker: Broker
    settled: Settled

    def send(self, number: int, record: Record) -> None:
        self.broker.pending.append((number, record, self.settled))

    def abandon(self) -> None:
        self.broker.pending.clear()

    def close(self) -> None:
        self.broker.write(len(self.broker.pending))


class Counts:
    def published(self, events: int) -> None:
        del events

    def resent(self, entries: int) -> None:
        del entries

    def given_up(self, letters: int) -> None:
        del letters

    def spooled(self, entries: int) -> None:
        del entries


class Floor:
    """A gateway's spool, committer and sender without their threads; devices; and a broker."""

    def __init__(self) -> None:
        self.files = CrashingFiles()
        self.broker = Broker()
        self.now = 1000.0
        self.seqs: dict[tuple[str, str], int] = defaultdict(int)
        self.promised: dict[tuple[str, str], list[bytes]] = defaultdict(list)
        self.decided: dict[str, list[bytes]] = {table: [] for table in TABLES}
        self.start()

    def start(self) -> None:
        merger = Merger(HOLD)

        def recall(position: int, entry: Entry) -> None:
            merger.recall(position, entry, self.now)

        self.spool = Spool(self.files, segment_bytes=10_000_000, on_entry=recall)
        self.committer = Committer(
            self.spool,
            Bounds(1_000_000_000, 1e9),
            merger,
            oldest=lambda: None,
            clock=lambda: 0,
            stored=lambda _entries, _seconds: None,
        )
        self.sender = Sender(
            self.spool,
            self.broker.connect,
            Destination("deals", "dead", "gateway-7", "1.2.3"),
            Counts(),
            monotonic=lambda: self.now,
            stall_seconds=30.0,
        )

    def post(self, table: str, source: str, lag: int) -> None:
        """Let a device send its next event, `lag` milliseconds after it happened by its clock."""
        self.seqs[table, source] += 1
        seq = self.seqs[table, source]
        value = f"{table} {source} {seq}".encode()
        at = int(self.now * 1_000_000) - lag * 1000
        entry = Accepted(table, source, 1, seq, at, 1, b"", value)
        self.committer.submit([entry], self.noting(table, source, value))

    def noting(self, table: str, source: str, value: bytes) -> Callable[[Outcome], None]:
        def note(outcome: Outcome) -> None:
            if isinstance(outcome, Stored):
                self.promised[table, source].append(value)

        return note

    def turn(self) -> None:
        self.committer.turn(self.now)
        self.sender.step()

    def crash(self, chance: random.Random, *, power: bool) -> None:
        self.broker.pending.clear()
        self.files = self.files.crash(chance, power=power)
        self.start()

    def check(self) -> None:
        order = order_on_disk(self.files)
        for table in TABLES:
            mine = order.get(table, [])
            known = self.decided[table]
            assert mine[: len(known)] == known, "the order on the disk was changed"
            self.decided[table] = mine
            sent = self.broker.first_times(table)
            assert mine[: len(sent)] == sent, "what was published is no beginning of the order"


def order_on_disk(files: CrashingFiles) -> dict[str, list[bytes]]:
    """Return each table's order as far as the disk has ever decided it."""
    order: dict[str, list[bytes]] = defaultdict(list)
    held: dict[int, Accepted] = {}

    def read(position: int, entry: Entry) -> None:
        match entry:
            case Accepted(held=True):
                held[position] = entry
            case Accepted(table=table, value=value):
                order[table].append(value)
            case Merged(positions=positions):
                for event in (held.pop(each) for each in positions if each in held):
                    order[event.table].append(event.value)
            case _:
                raise AssertionError(f"expected no refused line, found {entry}")

    Spool(files.history(), segment_bytes=10_000_000, on_entry=read)
    return order


STEP = st.one_of(
    st.tuples(
        st.just("post"), st.sampled_from(TABLES), st.sampled_from(SOURCES), st.integers(0, 400)
    ),
    st.tuples(st.just("wait"), st.integers(1, 250)),
    st.tuples(st.just("turn")),
    st.tuples(st.just("write"), st.integers(1, 20)),
    st.tuples(st.just("fault"), st.sampled_from(["append", "sync"])),
    st.tuples(st.just("crash"), st.integers(0, 8), st.booleans()),
)


@settings(deadline=None, max_examples=300)
@given(steps=st.lists(STEP, min_size=10, max_size=80), chance=st.randoms(use_true_random=False))
def test_what_was_published_stays_the_beginning_of_the_order_and_no_source_is_reordered(
    steps: list[tuple[object, ...]], chance: random.Random
) -> None:
    floor = Floor()
    for step in steps:
        match step:
            case ("post", str(table), str(source), int(lag)):
                floor.post(table, source, lag)
            case ("wait", int(milliseconds)):
                floor.now += milliseconds / 1000
            case ("write", int(count)):
                floor.broker.write(count)
            case ("fault", "append"):
                floor.files.fault = OSError(errno.EIO, "input/output error")
                floor.now += HOLD
                floor.turn()
            case ("fault", _):
                floor.files.sync_fault = OSError(errno.EIO, "input/output error")
                floor.now += HOLD
                floor.turn()
            case ("crash", int(after), bool(power)):
                floor.files.steps = after
                try:
                    for _ in range(10):
                        floor.now += 0.05
                        floor.turn()
                        floor.broker.write(3)
                except Crash:
                    pass
                floor.crash(chance, power=power)
                floor.check()
            case _:
                floor.turn()
                floor.check()
    floor.files.fault = floor.files.sync_fault = None
    for _ in range(50):
        floor.now += HOLD
        floor.turn()
        floor.broker.write(1000)
    floor.check()
    published = [value for table in TABLES for value in floor.broker.first_times(table)]
    for (table, source), promised in floor.promised.items():
        mine = [each for each in published if each.startswith(f"{table} {source} ".encode())]
        assert set(promised) <= set(mine)
        assert mine == sorted(mine, key=lambda each: int(each.split()[2]))
