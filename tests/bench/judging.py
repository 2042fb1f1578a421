"""The core and `pitwatch check`, on one core and without Kafka."""

import cProfile
import pstats
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

import fastavro

from schemas.catalog import BY_STRUCT
from schemas.codec import CODEC
from schemas.ndjson import decode_line
from schemas.records import DealEvent
from streams.core.advance import advance_all
from streams.core.events import Event
from streams.core.table import TableState, new_table
from streams.rulebooks import load
from streams.wire.inbound import to_event, to_record
from tests.bench.rows import Row, Sizes
from tests.bench.workload import floor_events, write_lines

BATCH: Final = 10_000
"""Events judged at once: a partition's batch of a worker that has a backlog."""

HEADER: Final = 10
"""Bytes of single-object encoding before the record."""

BUILT_IN: Final = ("~", "<string>")
"""Where a profile says that functions of Python itself and of dataclasses are."""


def core(sizes: Sizes) -> list[Row]:
    """Return how fast events are advanced, beside how fast fastavro decodes them."""
    events = floor_events(sizes.tables, sizes.events)
    encoded = [CODEC.encode(to_record(event)) for event in events]
    schema = fastavro.parse_schema(BY_STRUCT[DealEvent].newest.schema)

    def decode() -> None:
        for data in encoded:
            fastavro.schemaless_reader(BytesIO(data[HEADER:]), schema, None)

    def decode_to_events() -> None:
        for data in encoded:
            record = CODEC.decode(data, DealEvent)
            assert isinstance(record, DealEvent)
            to_event(record)

    rates: dict[str, list[float]] = {"advance": [], "decode": [], "read": []}
    for _ in range(sizes.turns):
        rates["advance"].append(len(events) / seconds(lambda: advance(events)))
        rates["decode"].append(len(events) / seconds(decode))
        rates["read"].append(len(events) / seconds(decode_to_events))
    ratio = median(
        judged / decoded for judged, decoded in zip(rates["advance"], rates["decode"], strict=True)
    )
    limit = shares(lambda: advance(events[:BATCH]))
    return [
        Row("advance alone", ratio, "x fastavro decode", 0.5, limit=limit),
        Row("advance alone, absolute", median(rates["advance"]), "events/s"),
        Row("fastavro decode, absolute", median(rates["decode"]), "events/s"),
        Row("decode, check and build events", median(rates["read"]), "events/s"),
    ]


def advance(events: Sequence[Event]) -> None:
    """Advance a floor's tables by its events, a batch at a time, each table at once."""
    book = load()
    states: dict[str, TableState] = {}
    for start in range(0, len(events), BATCH):
        own: dict[str, list[Event]] = {}
        for event in events[start : start + BATCH]:
            own.setdefault(event.table, []).append(event)
        for table, batch in own.items():
            states[table] = advance_all(states.get(table) or new_table(table), batch, book).state


def seconds(work: Callable[[], None]) -> float:
    """Return the processor time that work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def shares(work: Callable[[], None]) -> str:
    """Return the three modules in which a profile finds most of the time of work."""
    profile = cProfile.Profile()
    profile.runcall(work)
    functions: dict[tuple[str, int, str], Any] = pstats.Stats(profile).stats  # type: ignore[attr-defined]  # typeshed has only its methods
    spent: Counter[str] = Counter()
    for (file, _, _), (_, _, own, _, _) in functions.items():
        spent["Python's own" if file in BUILT_IN else Path(file).stem] += own
    total = sum(spent.values())
    return ", ".join(f"{name} {own / total:.0%}" for name, own in spent.most_common(3))


def check(sizes: Sizes) -> list[Row]:
    """Return how fast `pitwatch check` judges a file, its start counted."""
    events = floor_events(sizes.tables, sizes.lines)
    with TemporaryDirectory() as folder:
        path = write_lines(Path(folder) / "floor.ndjson", events)
        command = [sys.executable, "-m", "deploy.cli", "check", str(path)]
        took = []
        for _ in range(min(3, sizes.turns)):
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            took.append(time.perf_counter() - began)
        lines = path.read_bytes().splitlines()
    fastest = min(took)
    reading = seconds(lambda: read(lines))
    judging = seconds(lambda: advance(events))
    limit = f"reading lines {reading / fastest:.0%}, advance {judging / fastest:.0%} of the time"
    return [Row("pitwatch check on a file", len(events) / fastest, "events/s", 45_000, limit=limit)]


def read(lines: Sequence[bytes]) -> None:
    """Read lines into the core's events."""
    for line in lines:
        record = decode_line(line)
        assert isinstance(record, DealEvent)
        to_event(record)
