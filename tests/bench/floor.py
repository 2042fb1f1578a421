"""A floor to measure on, and what a worker takes of memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import psutil

from deploy.local.kafka import LocalKafka
from tests.bench.rows import Row, Sizes
from tests.bench.workload import floor_events
from tests.kafka_fixtures import make_floor
from tests.worker_harness import WorkerFloor

PARTITIONS: Final = 24
MEBIBYTE: Final = 1024 * 1024

PACE: Final = 500
"""Events a second of the latency run."""

PATIENCE: Final = 600.0
"""Seconds after which a measure that does not end is given up."""


@contextmanager
def bench_floor(name: str, sizes: Sizes) -> Iterator[WorkerFloor]:
    """Yield a floor's topics on a Kafka of their own, or on the one that runs."""
    with TemporaryDirectory() as folder:
        if sizes.bootstrap is not None:
            floor = make_floor(sizes.bootstrap, f"bench-{name}.", PARTITIONS)
            yield WorkerFloor(floor, Path(folder))
            return
        with LocalKafka(Path(folder) / "kafka") as kafka:
            yield WorkerFloor(make_floor(kafka.bootstrap, f"{name}.", PARTITIONS), Path(folder))


def memory(sizes: Sizes) -> list[Row]:
    """Return what a worker takes with a thousand tables, each in a round."""
    with bench_floor("memory", sizes) as floor, floor.worker() as running:
        running.wait_ready()
        process = psutil.Process(running.process.pid)
        empty = process.memory_info().rss / MEBIBYTE
        floor.write(floor_events(sizes.most_tables, sizes.most_tables * 60))
        floor.wait_judged()
        resident = process.memory_info().rss / MEBIBYTE
    name = f"worker memory with {sizes.most_tables:,} tables"
    limit = f"{empty:.0f} MiB are there before the first table"
    return [Row(name, resident, "MiB", 300, at_most=True, limit=limit)]
