"""The worker and the gateway on a real Kafka."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
from schemas.records import DealEvent, Finding
from streams.core.events import Event, StubPlaced
from tests.bench.rows import Row, Sizes
from tests.bench.workload import floor_events
from tests.gateway_harness import running_gateway
from tests.kafka_fixtures import make_floor
from tests.worker_harness import DEALS, RunningWorker, WorkerFloor, until

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


def worker(sizes: Sizes) -> list[Row]:
    """Return how fast one worker judges a full topic, beside a stock Faust agent."""
    with bench_floor("speed", sizes) as floor:
        floor.write(floor_events(sizes.backlog_tables, sizes.backlog))
        with floor.worker() as running:
            speed, busy = committed_speed(floor, running, sizes.backlog)
    stock = stock_speed(sizes)
    limit = f"the worker used {busy:.0%} of one core"
    return [
        Row("worker, full job, one process", speed, "events/s", 25_000, limit=limit),
        Row("worker beside a stock Faust agent", speed / stock, "x stock", 8),
        Row("stock Faust agent, a table write per event", stock, "events/s"),
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


def stock_speed(sizes: Sizes) -> float:
    """Return the events a second of `tests.bench.stock_agent`."""
    with bench_floor("stock", sizes) as floor:
        floor.write(floor_events(sizes.backlog_tables, sizes.stock_backlog))
        place = floor.floor
        command = [sys.executable, "-m", "tests.bench.stock_agent"]
        command += [place.bootstrap, place.prefix, str(PARTITIONS)]
        with (floor.folder / "stock.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
            # A killed agent ends its output, and with it the loop below.
            patience = threading.Timer(PATIENCE, process.kill)
            patience.start()
            assert process.stdout is not None
            marks: list[tuple[int, float]] = []
            while not marks or marks[-1][0] < sizes.stock_backlog:
                text = process.stdout.readline()
                if not text:
                    raise RuntimeError((floor.folder / "stock.log").read_text()[-2000:])
                count, _, moment = text.partition(" ")
                if count.isdigit():  # Faust has a banner
                    marks.append((int(count), float(moment)))
            patience.cancel()
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
    (first, began), (last, ended) = marks[0], marks[-1]
    return (last - first) / (ended - began)


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


@dataclass(frozen=True, slots=True)
class Told:
    """When a finding was written by the worker's clock, and when it was read; Unix seconds."""

    written: float
    read: float


def latency(sizes: Sizes) -> list[Row]:
    """Return how long a finding takes from the gateway's 202 until it can be read."""
    events, due = paced_events(sizes)
    with bench_floor("latency", sizes) as floor:
        place = floor.floor
        with (
            floor.worker() as running,
            running_gateway(floor.folder / "gateway", place.bootstrap, place.prefix) as gateway,
        ):
            running.wait_ready()
            told: dict[str, Told] = {}
            stop = threading.Event()
            reader = threading.Thread(
                target=read_findings,
                args=(place.bootstrap, floor.name("findings.v1"), told, stop),
            )
            reader.start()
            try:
                accepted = send_paced(gateway.client, events)
                until("all findings", lambda: due <= told.keys(), 60)
            finally:
                stop.set()
                reader.join()
        received = received_at(floor)
    began = min(accepted.values()) + sizes.warm_up
    counted = [identity for identity in due if accepted[identity] > began]
    delays = [told[each].read - accepted[each] for each in counted]
    whole = [told[each].read - received[each] for each in counted]
    written = median(told[each].written - received[each] for each in counted) * 1000
    limit = f"of {median(whole) * 1000:.0f} ms, {written:.0f} until the worker has judged"
    name = f"to finding readable, {PACE} events/s, {sizes.paced_tables} tables"
    return [
        Row(f"gateway's 202 {name}, p99", p99(delays), "ms", 250, at_most=True, limit=limit),
        Row(f"gateway's 202 {name}, p50", median(delays) * 1000, "ms"),
        Row(f"gateway's receipt {name}, p99", p99(whole), "ms"),
        Row(f"gateway's receipt {name}, p50", median(whole) * 1000, "ms"),
        Row("findings measured", len(delays), "findings"),
    ]


def p99(delays: list[float]) -> float:
    """Return the milliseconds that 99 of 100 delays in seconds do not pass."""
    return quantiles(delays, n=100, method="inclusive")[98] * 1000


def paced_events(sizes: Sizes) -> tuple[list[Event], set[str]]:
    """Return legal events of which every stub is exposed, and the identities of those stubs."""
    events: list[Event] = []
    exposed: set[str] = set()
    for event in floor_events(sizes.paced_tables, PACE * sizes.paced_seconds):
        if isinstance(event.body, StubPlaced):
            exposed.add(event.identity)
            events.append(replace(event, body=StubPlaced(exposed=True)))
        else:
            events.append(event)
    return events, exposed


def send_paced(client: httpx.Client, events: list[Event]) -> dict[str, float]:
    """Post events at an even pace, each as soon as it is due; return when each was accepted."""
    accepted: dict[str, float] = {}
    began = time.monotonic()
    sent = 0
    while sent < len(events):
        due = min(len(events), int((time.monotonic() - began) * PACE) + 1)
        if due <= sent:
            time.sleep(1 / PACE)
            continue
        answer = client.post("/v1/events", content=b"".join(map(line, events[sent:due])))
        moment = time.time()
        assert answer.status_code == httpx.codes.ACCEPTED, answer.text
        for event in events[sent:due]:
            accepted[event.identity] = moment
        sent = due
    return accepted


def received_at(floor: WorkerFloor) -> dict[str, float]:
    """Return when each event came to the gateway, by the event's identity, in Unix seconds.

    The 202 is read later than that, at times even later than the finding: what is synced is
    published and answered at once.
    """
    received: dict[str, float] = {}
    for record in floor.read(DEALS):
        event = CODEC.decode(record.value, DealEvent)
        assert isinstance(event, DealEvent), event
        assert event.received is not None
        received[event.identity] = event.received / 1_000_000
    return received


def read_findings(bootstrap: str, topic: str, told: dict[str, Told], stop: threading.Event) -> None:
    """Note when each finding can be read, by the identity of the event that caused it."""
    consumer = KafkaConsumer(
        topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest", fetch_max_wait_ms=10
    )
    try:
        while not stop.is_set():
            for records in consumer.poll(20).values():
                moment = time.time()
                for record in records:
                    finding = CODEC.decode(record.value, Finding)
                    assert isinstance(finding, Finding), finding
                    told.setdefault(finding.events[-1], Told(record.timestamp / 1000, moment))
    finally:
        consumer.close()
