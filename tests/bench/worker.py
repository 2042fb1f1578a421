"""One worker with a full topic, beside others that do the same job or only a part of it.

| other | what it does |
|---|---|
| `bare_reader` | reads with aiokafka, decodes with fastavro, and does nothing else |
| `stock_agent` | the whole job in a stock Faust agent, a table write for each event |
| `quix_agent` | the whole job in Quix Streams with its state store, in an environment of its own |
"""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final

import psutil

from tests.bench.floor import PARTITIONS, PATIENCE, bench_floor
from tests.bench.quix import NotInstalled, quix_python
from tests.bench.rows import Row, Sizes
from tests.bench.workload import floor_events
from tests.worker_harness import RunningWorker, WorkerFloor

ROOT: Final = Path(__file__).parents[2]


def worker(sizes: Sizes) -> list[Row]:
    """Return how fast one worker judges a full topic, beside the others."""
    rows = []
    speeds = {}
    for tables in (sizes.backlog_tables, sizes.most_tables):
        with bench_floor(f"speed-{tables}", sizes) as floor:
            floor.write(floor_events(tables, sizes.backlog))
            with floor.worker() as running:
                speed, busy = committed_speed(floor, running, sizes.backlog)
            bare = told_speed(floor, "bare_reader", sizes.backlog)
        speeds[tables] = speed
        of = f"{tables:,} tables"
        limit = f"the worker used {busy:.0%} of one core"
        rows += [
            Row(f"worker, full job, one process, {of}", speed, "events/s", 35_000, limit=limit),
            Row(f"worker beside reading and decoding alone, {of}", speed / bare, "x bare", 0.25),
            Row(f"aiokafka getmany and fastavro decode alone, {of}", bare, "events/s"),
        ]
    speed = speeds[sizes.backlog_tables]
    stock = stock_speed(sizes)
    return [
        *rows,
        Row("worker beside a stock Faust agent", speed / stock, "x stock", 8),
        Row("stock Faust agent, a table write per event", stock, "events/s"),
        *quix_rows(sizes, speed),
    ]


def stock_speed(sizes: Sizes) -> float:
    """Return the events a second of `tests.bench.stock_agent`."""
    with bench_floor("stock", sizes) as floor:
        floor.write(floor_events(sizes.backlog_tables, sizes.stock_backlog))
        return told_speed(floor, "stock_agent", sizes.stock_backlog)


def quix_rows(sizes: Sizes, speed: float) -> list[Row]:
    """Return the worker's speed beside `tests.bench.quix_agent`; 0 where there is none."""
    beside = "worker beside Quix Streams with its store"
    try:
        python = quix_python()
    except NotInstalled as why:
        return [Row(beside, 0, "x Quix", 1.2, limit=str(why))]
    with bench_floor("quix", sizes) as floor:
        floor.write(floor_events(sizes.backlog_tables, sizes.quix_backlog))
        quix = told_speed(floor, "quix_agent", sizes.quix_backlog, python, "quix-state")
    return [
        Row(beside, speed / quix, "x Quix", 1.2),
        Row("Quix Streams, our codec and core, its store", quix, "events/s"),
    ]


def committed_speed(floor: WorkerFloor, running: RunningWorker, count: int) -> tuple[float, float]:
    """Return the events a second between the first commit seen and the last, and the cores used.

    The worker itself is not asked: to answer /metrics many times a second would slow it.
    """
    process = psutil.Process(running.process.pid)
    deadline = time.monotonic() + PATIENCE
    began = (0, time.monotonic(), processor_time(process))
    marks: list[tuple[int, float, float]] = []
    while not marks or marks[-1][0] < count:
        assert running.running, running.tail()
        committed = sum(floor.committed().values())
        moment = time.monotonic()
        if moment > deadline:
            raise TimeoutError(f"expected {count} events committed, found {committed}")
        if committed and (not marks or committed > marks[-1][0]):
            marks.append((committed, moment, processor_time(process)))
        time.sleep(0.25)
    # A backlog so short that all of it came at once is measured from the worker's start.
    first = marks[0] if len(marks) > 1 else began
    last = marks[-1]
    took = last[1] - first[1]
    return (last[0] - first[0]) / took, (last[2] - first[2]) / took


def processor_time(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def told_speed(
    floor: WorkerFloor,
    program: str,
    count: int,
    python: str | Path = sys.executable,
    *arguments: str,
) -> float:
    """Return the events a second of a program beside this one, between two of its own marks.

    It is started with broker, prefix, partitions and more arguments in the floor's folder, and
    prints how many events it has done and the monotonic clock.
    """
    place = floor.floor
    command = [python, "-m", f"tests.bench.{program}", place.bootstrap, place.prefix]
    command += [str(PARTITIONS), *arguments]
    said = floor.folder / f"{program}.log"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with (
        said.open("wb") as log,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=floor.folder,
            env=environment,
        ) as process,
    ):
        # A killed program ends its output, and with it the loop below.
        patience = threading.Timer(PATIENCE, process.kill)
        patience.start()
        assert process.stdout is not None
        marks: list[tuple[int, float]] = []
        try:
            while not marks or marks[-1][0] < count:
                text = process.stdout.readline()
                if not text:
                    raise RuntimeError(said.read_text()[-2000:])
                done, _, moment = text.partition(" ")
                if done.isdigit():  # Faust has a banner
                    marks.append((int(done), float(moment)))
        finally:
            patience.cancel()
            process.kill()
    (first, began), (last, ended) = marks[0], marks[-1]
    return (last - first) / (ended - began)
