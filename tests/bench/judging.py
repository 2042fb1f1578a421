"""The core and `pitwatch check`, on one core and without Kafka."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

import fastavro

from schemas.catalog import BY_STRUCT
from schemas.codec import CODEC
from schemas.records import DealEvent
from streams.core.advance import advance_all
from streams.core.events import Event
from streams.core.table import TableState, new_table
from streams.rulebooks import load
from streams.wire.inbound import to_event, to_record
from tests.bench.rows import Row
from tests.bench.workload import floor_events, write_lines

TABLES: Final = 100
EVENTS: Final = 100_000
BATCH: Final = 10_000
"""Events judged at once: a partition's batch of a worker that has a backlog."""

TURNS: Final = 5
HEADER: Final = 10
"""Bytes of single-object encoding before the record."""


def core() -> list[Row]:
    """Return how fast events are advanced, beside how fast fastavro decodes them."""
    events = floor_events(TABLES, EVENTS)
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
    for _ in range(TURNS):
        rates["advance"].append(rate(lambda: advance(events)))
        rates["decode"].append(rate(decode))
        rates["read"].append(rate(decode_to_events))
    ratio = median(
        judged / decoded for judged, decoded in zip(rates["advance"], rates["decode"], strict=True)
    )
    return [
        Row("advance alone", ratio, "x fastavro decode", 0.5, limit="Python's own calls"),
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


def rate(work: Callable[[], None]) -> float:
    """Return how many of the events a second of processor time takes."""
    began = time.process_time()
    work()
    return EVENTS / (time.process_time() - began)


def check() -> list[Row]:
    """Return how fast `pitwatch check` judges a file, its start counted."""
    with TemporaryDirectory() as folder:
        path = write_lines(Path(folder) / "floor.ndjson", floor_events(TABLES, 2 * EVENTS))
        command = [sys.executable, "-m", "deploy.cli", "check", str(path)]
        took = []
        for _ in range(3):
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            took.append(time.perf_counter() - began)
    fastest = 2 * EVENTS / min(took)
    return [
        Row("pitwatch check on a file", fastest, "events/s", 45_000, limit="advance, then decoding")
    ]
