"""The worker and the gateway on a real Kafka."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

import httpx
import psutil
from kafka import KafkaConsumer

from deploy.local.kafka import LocalKafka
from producers.simulator.lines import line
from schemas.codec import CODEC
from schemas.records import Finding
from streams.core.events import Event, StubPlaced
from tests.bench.rows import Row
from tests.bench.workload import floor_events
from tests.gateway_harness import running_gateway
from tests.kafka_fixtures import make_floor
from tests.worker_harness import WorkerFloor, until

PARTITIONS: Final = 24
BACKLOG: Final = 200_000
STOCK_BACKLOG: Final = 20_000
TABLES: Final = 200
MOST_TABLES: Final = 1_000
MEBIBYTE: Final = 1024 * 1024

PACE: Final = 500
"""Events a second of the latency run."""

PACED_TABLES: Final = 100
PACED_SECONDS: Final = 40
WARM_UP: Final = 5
"""Seconds of it that are not counted."""


@contextmanager
def bench_floor(name: str) -> Iterator[WorkerFloor]:
    """Run a Kafka with a floor's topics on it."""
    with TemporaryDirectory() as folder, LocalKafka(Path(folder) / "kafka") as kafka:
        yield WorkerFloor(make_floor(kafka.bootstrap, f"{name}.", PARTITIONS), Path(folder))


def worker() -> list[Row]:
    """Return how fast one worker judges a full topic, beside a stock Faust agent."""
    with bench_floor("speed") as floor:
        floor.write(floor_events(TABLES, BACKLOG))
        with floor.worker():
            speed = committed_speed(floor)
    stock = stock_speed()
    return [
        Row("worker, full job, one process", speed, "events/s", 25_000, limit="one core of Python"),
        Row("worker beside a stock Faust agent", speed / stock, "x stock", 8),
        Row("stock Faust agent, a table write per event", stock, "events/s"),
    ]


def committed_speed(floor: WorkerFloor) -> float:
    """Return the events a second between the first commit seen and the last.

    The worker itself is not asked: to answer /metrics many times a second would slow it.
    """
    marks: list[tuple[int, float]] = []
    while not marks or marks[-1][0] < BACKLOG:
        committed = sum(floor.committed().values())
        if committed and (not marks or committed > marks[-1][0]):
            marks.append((committed, time.monotonic()))
        time.sleep(0.25)
    (first, began), (last, ended) = marks[0], marks[-1]
    return (last - first) / (ended - began)


def stock_speed() -> float:
    """Return the events a second of `tests.bench.stock_agent`."""
    with bench_floor("stock") as floor:
        floor.write(floor_events(TABLES, STOCK_BACKLOG))
        place = floor.floor
        command = [sys.executable, "-m", "tests.bench.stock_agent"]
        command += [place.bootstrap, place.prefix, str(PARTITIONS)]
        with (floor.folder / "stock.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
            assert process.stdout is not None
            marks: list[tuple[int, float]] = []
            while not marks or marks[-1][0] < STOCK_BACKLOG:
                text = process.stdout.readline()
                if not text:
                    raise RuntimeError((floor.folder / "stock.log").read_text()[-2000:])
                count, _, moment = text.partition(" ")
                if count.isdigit():  # Faust has a banner
                    marks.append((int(count), float(moment)))
            process.send_signal(signal.SIGKILL)
            process.wait()
    (first, began), (last, ended) = marks[0], marks[-1]
    return (last - first) / (ended - began)


def memory() -> list[Row]:
    """Return what a worker takes with a thousand tables, each in a round."""
    with bench_floor("memory") as floor:
        events = floor_events(MOST_TABLES, MOST_TABLES * 60)
        floor.write(events)
        with floor.worker() as running:
            floor.wait_judged()
            resident = psutil.Process(running.process.pid).memory_info().rss
    name = f"worker memory with {MOST_TABLES:,} tables"
    return [Row(name, resident / MEBIBYTE, "MiB", 300, at_most=True, limit="states are kept twice")]


def latency() -> list[Row]:
    """Return how long a finding takes from the gateway's 202 until it can be read."""
    with bench_floor("latency") as floor:
        place = floor.floor
        with (
            floor.worker() as running,
            running_gateway(floor.folder / "gateway", place.bootstrap, place.prefix) as gateway,
        ):
            running.wait_ready()
            accepted: dict[str, float] = {}
            readable: dict[str, float] = {}
            stop = threading.Event()
            reader = threading.Thread(
                target=read_findings,
                args=(place.bootstrap, floor.name("findings.v1"), readable, stop),
            )
            reader.start()
            send_paced(gateway.client, accepted)
            due = {identity for identity in accepted if identity in EXPOSED}
            until("all findings", lambda: due <= readable.keys(), 30)
            stop.set()
            reader.join()
    began = min(accepted.values())
    delays = [
        readable[identity] - moment
        for identity, moment in accepted.items()
        if identity in due and moment > began + WARM_UP
    ]
    ninety_ninth = quantiles(delays, n=100)[98]
    name = f"gateway's 202 to finding readable, {PACE} events/s, {PACED_TABLES} tables"
    return [
        Row(f"{name}, p99", ninety_ninth * 1000, "ms", 250, at_most=True, limit="fetch and commit"),
        Row(f"{name}, p50", median(delays) * 1000, "ms"),
        Row("findings measured", len(delays), "findings"),
    ]


EXPOSED: Final[set[str]] = set()
"""Identities of the events that cause a finding: a stub put down with its cards exposed."""


def paced_events() -> list[Event]:
    """Return legal events of which every stub is exposed."""
    events = []
    for event in floor_events(PACED_TABLES, PACE * PACED_SECONDS):
        if isinstance(event.body, StubPlaced):
            EXPOSED.add(event.identity)
            events.append(replace(event, body=StubPlaced(exposed=True)))
        else:
            events.append(event)
    return events


def send_paced(client: httpx.Client, accepted: dict[str, float]) -> None:
    """Post events at an even pace, each as soon as it is due, and note when they are accepted."""
    events = paced_events()
    began = time.monotonic()
    sent = 0
    while sent < len(events):
        due = min(len(events), int((time.monotonic() - began) * PACE) + 1)
        if due <= sent:
            time.sleep(1 / PACE)
            continue
        answer = client.post("/v1/events", content=b"".join(map(line, events[sent:due])))
        moment = time.monotonic()
        assert answer.status_code == httpx.codes.ACCEPTED, answer.text
        for event in events[sent:due]:
            accepted[event.identity] = moment
        sent = due


def read_findings(
    bootstrap: str, topic: str, readable: dict[str, float], stop: threading.Event
) -> None:
    """Note when each finding can be read, by the identity of the event that caused it."""
    consumer = KafkaConsumer(
        topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest", fetch_max_wait_ms=10
    )
    try:
        while not stop.is_set():
            for records in consumer.poll(20).values():
                moment = time.monotonic()
                for record in records:
                    finding = CODEC.decode(record.value, Finding)
                    assert isinstance(finding, Finding), finding
                    readable.setdefault(finding.events[-1], moment)
    finally:
        consumer.close()
