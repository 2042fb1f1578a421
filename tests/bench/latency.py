"""How long a finding takes from the gateway until it can be read, at an even pace."""

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from statistics import median, quantiles
from typing import Final

import httpx
from kafka import KafkaConsumer

from producers.simulator.lines import line
from schemas.codec import CODEC
from schemas.records import DealEvent, Finding
from streams.core.events import Event, StubPlaced
from tests.bench.floor import bench_floor
from tests.bench.rows import Row, Sizes
from tests.bench.workload import floor_events
from tests.gateway_harness import running_gateway
from tests.worker_harness import DEALS, WorkerFloor, until

PACE: Final = 500
"""Events a second of tables with all their devices."""

AT_ONCE: Final = 2_000
"""Events of one request at most, where the machine does not keep up: a gateway takes a mebibyte."""

BRISK: Final = 2_000
"""Events a second of tables with one device each, which the gateway holds nothing back for."""


Beside = Callable[[WorkerFloor], AbstractContextManager[None]]
"""What goes on at a floor while it is measured."""


@dataclass(frozen=True, slots=True)
class Told:
    """When a finding was written by the worker's clock, and when it was read; Unix seconds."""

    written: float
    read: float


@dataclass(frozen=True, slots=True)
class Delays:
    """What one run measured, in milliseconds.

    ``accepted`` is from the gateway's 202 and ``received`` from its receipt until a finding could
    be read; ``written`` from receipt until the worker wrote it, at the median.
    """

    accepted: list[float]
    received: list[float]
    written: float

    @property
    def limit(self) -> str:
        """Say where the time goes."""
        whole = median(self.received)
        return f"of {whole:.0f} ms, {self.written:.0f} until the worker has judged"


def latency(sizes: Sizes) -> list[Row]:
    """Return the delays of tables with all their devices."""
    events = floor_events(sizes.paced_tables, PACE * sizes.paced_seconds)
    delays = measured("latency", sizes, events, PACE)
    name = f"to finding readable, {PACE} events/s, {sizes.paced_tables} tables"
    return [
        Row(
            f"gateway's 202 {name}, p99",
            p99(delays.accepted),
            "ms",
            250,
            at_most=True,
            limit=delays.limit,
        ),
        Row(f"gateway's 202 {name}, p50", median(delays.accepted), "ms"),
        Row(f"gateway's receipt {name}, p99", p99(delays.received), "ms"),
        Row(f"gateway's receipt {name}, p50", median(delays.received), "ms"),
        Row("findings measured", len(delays.accepted), "findings"),
    ]


def brisk(sizes: Sizes) -> list[Row]:
    """Return the delays of tables with one device each, four times as fast."""
    events = one_source(floor_events(sizes.paced_tables, BRISK * sizes.paced_seconds))
    delays = measured("brisk", sizes, events, BRISK)
    name = f"to finding readable, {BRISK:,} events/s, one source per table"
    half, most = f"gateway's 202 {name}, p50", f"gateway's 202 {name}, p99"
    limit = delays.limit
    return [
        Row(half, median(delays.accepted), "ms", 60, at_most=True, limit=limit),
        Row(most, p99(delays.accepted), "ms", 150, at_most=True, limit=limit),
        Row(f"gateway's receipt {name}, p99", p99(delays.received), "ms"),
    ]


def one_source(events: Iterable[Event]) -> list[Event]:
    """Return events as if each table had a single device that sends them all."""
    seqs: dict[str, int] = {}
    changed = []
    for event in events:
        seq = seqs[event.table] = seqs.get(event.table, 0) + 1
        changed.append(replace(event, source=f"{event.table}/device", boot=1, seq=seq))
    return changed


def measured(
    name: str,
    sizes: Sizes,
    sent: Iterable[Event],
    pace: int,
    beside: Beside = lambda _: nullcontext(),
) -> Delays:
    """Send events at a pace and return how long the findings took that they cause.

    Args:
        name: of the run's topics.
        sizes: of the run.
        sent: the events.
        pace: events a second.
        beside: what goes on at the floor meanwhile.
    """
    events, due = exposing(sent)
    with bench_floor(name, sizes) as floor:
        place = floor.floor
        with (
            floor.worker() as running,
            running_gateway(floor.folder / "gateway", place.bootstrap, place.prefix) as gateway,
            beside(floor),
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
                accepted = send_paced(gateway.client, events, pace)
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
    return Delays([1000 * each for each in delays], [1000 * each for each in whole], written)


def p99(delays: list[float]) -> float:
    """Return what 99 of 100 delays do not pass."""
    return quantiles(delays, n=100, method="inclusive")[98]


def exposing(sent: Iterable[Event]) -> tuple[list[Event], set[str]]:
    """Return events of which every stub is exposed, and the identities of those stubs."""
    events: list[Event] = []
    exposed: set[str] = set()
    for event in sent:
        if isinstance(event.body, StubPlaced):
            exposed.add(event.identity)
            events.append(replace(event, body=StubPlaced(exposed=True)))
        else:
            events.append(event)
    return events, exposed


def send_paced(client: httpx.Client, events: list[Event], pace: int) -> dict[str, float]:
    """Post events at an even pace, each as soon as it is due; return when each was accepted."""
    accepted: dict[str, float] = {}
    began = time.monotonic()
    sent = 0
    while sent < len(events):
        due = min(len(events), sent + AT_ONCE, int((time.monotonic() - began) * pace) + 1)
        if due <= sent:
            time.sleep(1 / pace)
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
        if not isinstance(event, DealEvent):
            # what went on beside may have written no event at all
            continue
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
