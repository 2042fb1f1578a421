"""The gateway under many devices, all on this machine."""

import asyncio
import time
from collections.abc import Sequence
from statistics import quantiles
from typing import Final

import h11
import psutil

from producers.simulator.lines import line
from tests.bench.floor import bench_floor
from tests.bench.rows import Row, Sizes
from tests.bench.workload import floor_events
from tests.gateway_harness import RunningGateway, running_gateway, until

CONNECTIONS: Final = 50
TABLES: Final = 100
LINES: Final = 10
"""Lines in a request of the busy devices."""

SINGLES: Final = 300
"""Requests of one line a second, of all devices together."""

ACCEPTED: Final = 202


class Device:
    """One connection that stays open, and requests on it one after the other.

    It is no more than h11 on a socket, for it shares the machine with the gateway that it measures.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.CLIENT)

    async def post(self, body: bytes) -> None:
        """Post lines and wait until all of them are accepted."""
        headers = [("Host", "gateway"), ("Content-Length", str(len(body)))]
        request = h11.Request(method="POST", target="/v1/events", headers=headers)
        for part in (request, h11.Data(data=body), h11.EndOfMessage()):
            self._writer.write(self._http.send(part) or b"")
        said = b""
        status = 0
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                self._http.receive_data(await self._reader.read(65_536))
            elif isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                said += event.data
            else:
                break
        if status != ACCEPTED:
            raise RuntimeError(f"expected 202, found {status} {said[:500]!r}")
        self._http.start_next_cycle()

    def close(self) -> None:
        """Hang up."""
        self._writer.close()


def shares(count: int) -> list[list[bytes]]:
    """Return each connection's lines: so many in all, a table's always on the same one."""
    tables: dict[str, int] = {}
    lines: list[list[bytes]] = [[] for _ in range(CONNECTIONS)]
    for event in floor_events(TABLES, count):
        table = tables.setdefault(event.table, len(tables))
        lines[table % CONNECTIONS].append(line(event))
    return lines


async def connected(port: int) -> list[Device]:
    """Connect all devices to a gateway."""
    pairs = [await asyncio.open_connection("127.0.0.1", port) for _ in range(CONNECTIONS)]
    return [Device(*pair) for pair in pairs]


async def busy(port: int, lines: Sequence[Sequence[bytes]]) -> list[float]:
    """Post all lines, each device as fast as it is answered; return the seconds of each request."""

    async def post(device: Device, own: Sequence[bytes]) -> None:
        for start in range(0, len(own), LINES):
            began = time.monotonic()
            await device.post(b"".join(own[start : start + LINES]))
            took.append(time.monotonic() - began)

    took: list[float] = []
    devices = await connected(port)
    await asyncio.gather(*map(post, devices, lines))
    for device in devices:
        device.close()
    return took


async def singles(port: int, lines: Sequence[Sequence[bytes]], count: int) -> list[float]:
    """Post one line a request at an even pace; return the seconds from when each was due."""

    async def post(number: int, device: Device) -> None:
        mine = range(number, count, CONNECTIONS)
        for turn, data in zip(mine, lines[number], strict=False):
            due = began + turn / SINGLES
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            await device.post(data)
            took.append(time.monotonic() - due)

    took: list[float] = []
    devices = await connected(port)
    began = time.monotonic() + 0.2
    await asyncio.gather(*(post(number, device) for number, device in enumerate(devices)))
    for device in devices:
        device.close()
    return took


def gateway(sizes: Sizes) -> list[Row]:
    """Return what the gateway accepts and publishes of many devices, and how soon it answers."""
    count = SINGLES * sizes.single_seconds
    lines = shares(sizes.posted + count)
    # Tables are not equally busy, but each device has as many single lines.
    kept = count // CONNECTIONS
    first = [own[:-kept] for own in lines]
    rest = [own[-kept:] for own in lines]
    sent = sum(map(len, first))
    with bench_floor("gateway", sizes) as floor:
        place = floor.floor
        with running_gateway(floor.folder / "gateway", place.bootstrap, place.prefix) as running:
            process = psutil.Process(running.process.pid)
            used, began = spent(process), time.monotonic()
            took = asyncio.run(busy(running.port, first))
            accepted = time.monotonic() - began
            until("all to be published", running.drained, 300)
            published = time.monotonic() - began
            used = (spent(process) - used) / published
            single = asyncio.run(singles(running.port, rest, count))
            assert_all_published(running, sent + len(single))
    return [
        Row(
            f"gateway, {CONNECTIONS} connections, {LINES} lines a request, {TABLES} tables",
            sent / published,
            "events/s",
            5_000,
            limit=f"the gateway used {used:.0%} of one core, {sent / accepted:,.0f}/s accepted",
        ),
        Row(f"202 of {LINES} lines, {CONNECTIONS} connections at once, p99", p99(took), "ms"),
        Row(
            f"202 of one line, {SINGLES} requests/s, p99",
            p99(single),
            "ms",
            50,
            at_most=True,
            limit=f"p50 {quantiles(single, n=2)[0] * 1000:.1f} ms, of {len(single):,} requests",
        ),
    ]


def assert_all_published(gateway: RunningGateway, count: int) -> None:
    """Assert that what was measured is in Kafka."""
    until("all to be published", gateway.drained, 300)
    published = gateway.metric("pitwatch_gateway_published_total")
    assert published == count, f"expected {count} events published, found {published:.0f}"


def p99(seconds: list[float]) -> float:
    """Return the milliseconds that 99 of 100 do not pass."""
    return quantiles(seconds, n=100, method="inclusive")[98] * 1000


def spent(process: psutil.Process) -> float:
    """Return the processor seconds of a process so far."""
    times = process.cpu_times()
    return float(times.user + times.system)
