"""What the findings of healthy tables wait for while one source sends nothing that can be read."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from kafka import KafkaProducer

from tests.bench.latency import PACE, measured, p99
from tests.bench.rows import Row, Sizes
from tests.bench.workload import floor_events
from tests.worker_harness import DEALS, WorkerFloor

SOURCE: Final = b"GARBAGE"
"""The key of a table that no floor has."""

TURN_SECONDS: Final = 0.1
"""Between two portions of garbage: as many records a second come of it as of all tables."""

MOST: Final = 1.5
"""Two runs without any garbage are at times so far apart."""


def garbage(sizes: Sizes) -> list[Row]:
    """Return the delay beside a source of garbage, and how much it is of the delay without one."""
    events = floor_events(sizes.paced_tables, PACE * sizes.paced_seconds)
    alone = p99(measured("alone", sizes, events, PACE).received)
    beside = p99(measured("garbage", sizes, events, PACE, one_sends_garbage).received)
    name = f"gateway's receipt to finding readable, {PACE} events/s and as many of garbage, p99"
    return [
        Row(name, beside, "ms"),
        Row(
            "findings' delay beside a source of garbage, p99",
            beside / alone,
            "x without",
            MOST,
            at_most=True,
            limit=f"{alone:.0f} ms without it",
        ),
    ]


@contextmanager
def one_sends_garbage(floor: WorkerFloor) -> Iterator[None]:
    """Have one source write what no schema reads, to one partition, until the block ends."""

    def write() -> None:
        producer = KafkaProducer(bootstrap_servers=floor.floor.bootstrap)
        try:
            while not ended.wait(TURN_SECONDS):
                for number in range(int(PACE * TURN_SECONDS)):
                    value = b"no event %d" % number
                    producer.send(floor.name(DEALS), key=SOURCE, value=value, partition=0)
        finally:
            producer.close()

    ended = threading.Event()
    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()
