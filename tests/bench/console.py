"""How long an alarm takes from the gateway's 202 to a live page, and what the console takes for it.

500 tables with one device each send 2,000 events a second; 200 live pages are connected, without
browsers. Once in the run a table's stub is exposed, so that it has one new alarm; its time is taken
at every page.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

import httpx
import psutil

from schemas.codec import CODEC
from schemas.records import Alarm
from streams.core.events import Event, StubPlaced
from tests.bench.floor import MEBIBYTE, bench_floor
from tests.bench.latency import BRISK, one_source, p99, send_paced
from tests.bench.rows import Row, Sizes
from tests.bench.workload import floor_events
from tests.console_harness import RunningConsole, running_console, sign_in
from tests.gateway_harness import running_gateway
from tests.worker_harness import WorkerFloor, until

CLIENTS: Final = (sys.executable, "-m", "tests.bench.sse_clients")


@dataclass(frozen=True, slots=True)
class Taken:
    """What one run took: seconds of each alarm at each page, cores and MiB of the console.

    ``delays`` are from the gateway's 202, ``after`` from when the worker wrote the alarm.
    """

    delays: list[float]
    after: list[float]
    alarms: int
    cores: float
    memory: float


def console(sizes: Sizes) -> list[Row]:
    """Return the delays of alarms at live pages, and the console's share of the machine."""
    sent = one_source(floor_events(sizes.live_tables, BRISK * sizes.paced_seconds))
    events, due = exposed_once(sent, BRISK * sizes.warm_up)
    with bench_floor("console", sizes) as floor:
        taken = measured(sizes, floor, events, due)
    name = f"{sizes.live_tables} tables, {BRISK:,} events/s, {sizes.clients} live pages"
    limit = (
        f"{taken.alarms} alarms, each at every page; at the median "
        f"{1000 * median(taken.after):.0f} ms after the worker wrote them"
    )
    return [
        Row(
            f"gateway's 202 to alarm frame, {name}, p99",
            1000 * p99(taken.delays),
            "ms",
            500,
            at_most=True,
            limit=limit,
        ),
        Row(f"gateway's 202 to alarm frame, {name}, p50", 1000 * median(taken.delays), "ms"),
        Row(f"alarm written to alarm frame, {name}, p99", 1000 * p99(taken.after), "ms"),
        Row(f"console, {name}", taken.cores, "cores", 1, at_most=True, limit="one event loop"),
        Row(f"console memory, {name}", taken.memory, "MiB", 300, at_most=True, limit="rounds"),
    ]


def exposed_once(sent: Iterable[Event], after: int) -> tuple[list[Event], dict[str, str]]:
    """Return events of which each table's first stub after so many events is exposed.

    Returns:
        The events, and each such table with the identity of the event.
    """
    events: list[Event] = []
    due: dict[str, str] = {}
    for number, event in enumerate(sent):
        if isinstance(event.body, StubPlaced) and number > after and event.table not in due:
            due[event.table] = event.identity
            events.append(replace(event, body=StubPlaced(exposed=True)))
        else:
            events.append(event)
    return events, due


def measured(sizes: Sizes, floor: WorkerFloor, events: list[Event], due: dict[str, str]) -> Taken:
    """Send events at their pace to a floor with live pages, and take times."""
    place = floor.floor
    with (
        floor.worker() as worker,
        running_gateway(floor.folder / "gateway", place.bootstrap, place.prefix) as gateway,
        running_console(place.bootstrap, place.prefix, floor.folder / "console") as console,
    ):
        worker.wait_ready()
        with pages(console, sizes.clients) as connected:
            until("the pages to be live", lambda: clients_of(console) == sizes.clients, 60)
            process = psutil.Process(console.pid)
            before, began = process.cpu_times(), time.monotonic()
            accepted = send_paced(gateway.client, events, BRISK)
            until("all judged", lambda: worker.metric("pitwatch_partition_lag_events") == 0, 60)
            written = alarms_on(floor)
            raised = written.keys() & due.keys()
            until("its alarms", lambda: alarms_of(console) >= len(raised), 60)
            after, seconds = process.cpu_times(), time.monotonic() - began
            memory = process.memory_info().rss / MEBIBYTE
            told: list[dict[str, float]] = json.loads(
                connected.communicate(json.dumps(sorted(raised)).encode(), timeout=120)[0]
            )
    missing = [table for table in raised for page in told if table not in page]
    assert missing == [], f"{len(missing)} times an alarm did not come to a page"
    delays = [page[table] - accepted[due[table]] for page in told for table in raised]
    since = [page[table] - written[table] for page in told for table in raised]
    used = after.user + after.system - before.user - before.system
    return Taken(delays, since, len(raised), used / seconds, memory)


def pages(console: RunningConsole, number: int) -> "subprocess.Popen[bytes]":
    """Return a process of so many live pages."""
    with httpx.Client(base_url=console.url, trust_env=False) as client:
        sign_in(client)
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    return subprocess.Popen(
        [*CLIENTS, console.url, cookie, str(number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def clients_of(console: RunningConsole) -> int:
    """Return how many live pages the console has."""
    return figure(console, "pitwatch_console_clients")


def alarms_on(floor: WorkerFloor) -> dict[str, float]:
    """Return the tables that have an alarm, with when the worker wrote it first; Unix seconds."""
    written: dict[str, float] = {}
    for record in floor.read("alarms.v1"):
        alarm = CODEC.decode(record.value, Alarm)
        assert isinstance(alarm, Alarm), alarm
        written.setdefault(alarm.table, record.timestamp / 1000)
    return written


def alarms_of(console: RunningConsole) -> int:
    """Return how many records of alarms the console has read."""
    return figure(console, 'pitwatch_console_records_total{topic="alarms.v1"}')


def figure(console: RunningConsole, series: str) -> int:
    """Return what one of the console's series says."""
    lines = console.get("/metrics").splitlines()
    return next(int(float(line.split()[1])) for line in lines if line.startswith(f"{series} "))
