"""However the events of tables are mixed and cut into batches, each table is judged as if alone."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from deploy.cli.judging import Judge
from streams.core.advance import Step, advance_all
from streams.core.events import Event
from streams.core.findings import Effect, EventSetAside, FindingCleared, FindingRaised, RoundEnded
from streams.core.table import new_table
from streams.shell.store import TableStore
from streams.wire.snapshot import encode_snapshot
from tests.shell_models import (
    TOPICS,
    MemoryLog,
    as_records,
    book,
    pipeline,
)
from tests.wandering import recorded, wander

RECORDED = list(recorded())
LONGEST = 60
"""Events of a table: two rounds or more, so that mixing and not length is what is tried."""

PARTITIONS = 2


@cache
def walk(number: int, table: str) -> tuple[Event, ...]:
    """Return events of a recording, wandered from, as those of a table of that name."""
    rng = Random(f"mixed/{number}")
    events = list(wander(RECORDED[number % len(RECORDED)], rng))
    start = rng.randrange(max(1, len(events) - LONGEST))
    opening = [event for event in events[:start] if event.body.kind == "table_opened"][-1:]
    return tuple(
        replace(event, table=table) for event in [*opening, *events[start : start + LONGEST]]
    )


@cache
def alone(number: int, table: str) -> Step:
    return advance_all(new_table(table), walk(number, table), book())


def mixed(tables: dict[str, tuple[Event, ...]], rng: Random) -> list[Event]:
    """Return all events, each table's in its own order and the tables in any."""
    order = [table for table, events in tables.items() for _ in events]
    rng.shuffle(order)
    streams = {table: iter(events) for table, events in tables.items()}
    return [next(streams[table]) for table in order]


def cut(events: Sequence[Event], rng: Random) -> list[list[Event]]:
    """Return events in batches of any size."""
    batches: list[list[Event]] = []
    start = 0
    while start < len(events):
        end = start + rng.choice((1, 2, 7, 40, 300))
        batches.append(list(events[start:end]))
        start = end
    return batches


def table_of(effect: Effect) -> str:
    match effect:
        case FindingRaised(finding) | FindingCleared(finding):
            return finding.table
        case RoundEnded(ended):
            return ended.table
        case EventSetAside(event, _):
            return event.table


NUMBERS = st.lists(st.integers(0, 3 * len(RECORDED) - 1), min_size=2, max_size=5)
CHANCE = st.randoms(use_true_random=False)


@settings(max_examples=40)
@given(NUMBERS, CHANCE)
def test_a_recording_of_tables_gives_each_tables_effects_in_the_order_of_their_causes(
    numbers: list[int], rng: Random
) -> None:
    steps = {f"T-{place}": alone(number, f"T-{place}") for place, number in enumerate(numbers)}
    tables = {f"T-{place}": walk(number, f"T-{place}") for place, number in enumerate(numbers)}
    events = mixed(tables, rng)
    judge = Judge(book())
    effects = [effect for batch in cut(events, rng) for effect in judge.judge(batch)]

    due: list[Effect] = []
    place = dict.fromkeys(tables, 0)
    for event in events:
        step = steps[event.table]
        due += [
            effect
            for cause, effect in zip(step.causes, step.effects, strict=True)
            if cause == place[event.table]
        ]
        place[event.table] += 1
    assert effects == due
    for table, step in steps.items():
        assert [each for each in effects if table_of(each) == table] == list(step.effects)
        assert encode_snapshot(judge.tables[table], {}) == encode_snapshot(step.state, {})


@settings(max_examples=25)
@given(NUMBERS, CHANCE)
def test_a_worker_writes_for_each_table_what_it_would_write_for_it_alone(
    numbers: list[int], rng: Random
) -> None:
    tables = {f"T-{place}": walk(number, f"T-{place}") for place, number in enumerate(numbers)}
    log, store = MemoryLog(), TableStore()
    judge = pipeline(log, store)
    offsets = [0] * PARTITIONS
    for batch in cut(mixed(tables, rng), rng):
        fetch = []
        for partition in range(PARTITIONS):
            own = [event for event in batch if partition_of(event.table) == partition]
            fetch.append(as_records(own, first=offsets[partition], partition=partition))
            offsets[partition] += len(own)
        asyncio.run(judge.process([records for records in fetch if records]))
    for table, events in tables.items():
        single = MemoryLog()
        partition = partition_of(table)
        asyncio.run(pipeline(single).process([as_records(events, partition=partition)]))
        for topic in (TOPICS.findings, TOPICS.rounds):
            assert written(log, topic, table) == written(single, topic, table)
        assert letters(log, table) == letters(single, table)
        stored = store.get(partition, table.encode())
        assert stored is not None
        state = advance_all(new_table(table), events, book()).state
        assert encode_snapshot(stored.state, {}) == encode_snapshot(state, {})


def partition_of(table: str) -> int:
    return int(table.removeprefix("T-")) % PARTITIONS


def written(log: MemoryLog, topic: str, table: str) -> list[tuple[int, bytes | None]]:
    return [
        (record.partition, record.value) for record in log.of(topic) if record.key == table.encode()
    ]


def letters(log: MemoryLog, table: str) -> list[tuple[bytes | None, str]]:
    """Return a table's dead letters: the bytes set aside and the reason."""
    return [
        (record.value, dict(record.headers)["pitwatch.reason"].decode())
        for record in log.of(TOPICS.dead)
        if record.key == table.encode()
    ]
