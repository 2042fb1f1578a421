"""The topics that keep the last of each key are compacted with the settings they ship with.

Kafka goes by the times that records carry, so an hour of a floor is written at once and looked at
some seconds later.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from kafka import KafkaProducer

from streams.core.advance import advance_all
from streams.core.events import Event
from streams.core.table import new_table
from streams.wire.snapshot import encode_snapshot
from tests.kafka_fixtures import CreateFloor
from tests.shell_models import book, by_table, floor_events
from tests.worker_harness import DEALS, WorkerFloor, until

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

TABLES: Final = 40
EVENTS: Final = 16_000
HOUR: Final = 3600
COMPACTED: Final = ("changelog", "tables.v1")


@pytest.fixture
def floor(create_floor: CreateFloor, tmp_path: Path) -> WorkerFloor:
    return WorkerFloor(create_floor(partitions=2), tmp_path)


def states(floor: WorkerFloor, events: list[Event]) -> Iterator[tuple[str, bytes]]:
    """Yield the state of each table in turn after every ten of its events, as a worker does."""
    ends: Counter[int] = Counter()
    placed: dict[str, list[tuple[int, Event]]] = defaultdict(list)
    for event in events:
        partition = floor.partition(event.table)
        placed[event.table].append((ends[partition], event))
        ends[partition] += 1
    state = {table: new_table(table) for table in placed}
    for start in range(0, EVENTS // TABLES, 10):
        for table, own in placed.items():
            batch = own[start : start + 10]
            state[table] = advance_all(state[table], [event for _, event in batch], book()).state
            yield table, encode_snapshot(state[table], {floor.name(DEALS): batch[-1][0]})


def write(floor: WorkerFloor, values: list[tuple[str, bytes]], times: Mapping[int, float]) -> None:
    """Write values of tables to all compacted topics, each with its time."""
    producer = KafkaProducer(bootstrap_servers=floor.floor.bootstrap, linger_ms=5)
    sent = [
        producer.send(
            floor.name(topic),
            value,
            key=table.encode(),
            partition=floor.partition(table),
            timestamp_ms=int(times[number] * 1000),
        )
        for number, (table, value) in enumerate(values)
        for topic in COMPACTED
    ]
    producer.flush()
    for future in sent:
        future.get(30)
    producer.close()


def old_ones_are_one_a_table(floor: WorkerFloor, topic: str, before: float) -> bool:
    """Return whether of all old records of a topic only the last of each table is left."""
    return len(kept(floor, topic, 0, before)) == TABLES


def kept(floor: WorkerFloor, topic: str, since: float, before: float) -> list[Any]:
    """Return the records of a time that a topic still has."""
    return [r for r in floor.read(topic) if since <= r.timestamp / 1000 < before]


@pytest.mark.timeout(240)
def test_old_states_go_and_young_ones_stay_and_a_worker_reads_them_back(floor: WorkerFloor) -> None:
    """A worker that was paused may write an old state: the newer one must not be gone by then."""
    events = floor_events(TABLES, EVENTS)
    floor.write(events)
    values = list(states(floor, events))
    old, young = values[: -2 * TABLES], values[-2 * TABLES :]
    now = time.time()
    hour_ago = now - HOUR
    step = HOUR / 2 / len(old)
    write(floor, old, {number: hour_ago + number * step for number in range(len(old))})
    write(floor, young, dict.fromkeys(range(len(young)), now))

    for topic in COMPACTED:
        compacted = partial(old_ones_are_one_a_table, floor, topic, now - 1)
        until(f"the old records of {topic} to be compacted", compacted, 120)
    assert len(kept(floor, "changelog", now - 1, now + HOUR)) == len(young)
    last = {record.key.decode(): record.value for record in floor.read("changelog")}
    assert last == dict(young[-TABLES:])

    with floor.worker("--instance-id", "worker-0", "--tick", "3600") as worker:
        floor.wait_judged()
        assert {table: state for table, (state, _) in floor.states().items()} == {
            table: encode_snapshot(advance_all(new_table(table), own, book()).state, {})
            for table, own in by_table(events).items()
        }
        (said,) = worker.said("states read back")
        assert said["partitions"] == 2
        assert floor.finding_ids() == []
