"""A gateway as a process of its own, devices that speak to it, and what Kafka has of them."""

import json
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from kafka import KafkaConsumer, TopicPartition

from deploy.local.leash import spawn
from deploy.local.ports import free_port
from schemas.codec import CODEC
from schemas.records import DealEvent
from tests.log_lines import said_in

if TYPE_CHECKING:
    from subprocess import Popen

GATEWAY = (sys.executable, "-m", "deploy.cli", "gateway")
PATIENCE = 60.0
"""How long an effect is waited for; a busy machine takes long, a broken gateway for ever."""


def until(what: str, holds: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Return the first true value of ``holds``."""
    deadline = time.monotonic() + seconds
    while not (value := holds()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:.0f} s for {what}")
        time.sleep(0.02)
    return value


def line(seq: int, table: str = "CS-01", source: str = "gw-1/shoe", **changes: object) -> bytes:
    """Return a line that is an event."""
    event = {
        "table": table,
        "source": source,
        "boot": 1,
        "seq": seq,
        "at": "2026-11-30T12:00:00.000Z",
        "kind": "no_more_bets",
    }
    return json.dumps(event | changes).encode()


@dataclass
class RunningGateway:
    """One gateway process and its log."""

    process: "Popen[bytes]"
    log: Path
    port: int
    client: httpx.Client

    def said(self, message: str) -> list[dict[str, Any]]:
        """Return the lines of its log that say something."""
        return said_in(self.log, message)

    def get(self, path: str) -> httpx.Response | None:
        """Get a page; nothing where no one answers."""
        try:
            return self.client.get(path, timeout=10)
        except httpx.TransportError:
            return None

    def post(self, body: bytes) -> httpx.Response | None:
        """Post lines; nothing where no one answers."""
        try:
            return self.client.post("/v1/events", content=body, timeout=30)
        except httpx.TransportError:
            return None

    def ready(self) -> bool:
        """Say whether it accepts."""
        assert self.process.poll() is None, self.log.read_text()[-4000:]
        answer = self.get("/readyz")
        return answer is not None and answer.status_code == 200

    def metric(self, name: str) -> float:
        """Return a series' value."""
        answer = self.get("/metrics")
        assert answer is not None
        (value,) = [
            float(row.split()[-1]) for row in answer.text.splitlines() if row.startswith(f"{name} ")
        ]
        return value

    def drained(self) -> bool:
        """Say whether all that it has accepted is published."""
        return self.metric("pitwatch_gateway_spooled_events") == 0

    def kill(self) -> None:
        """Kill it at once."""
        self.process.kill()
        self.process.wait()

    def terminate(self) -> int:
        """End it as a supervisor does; return its status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(40)


def start_gateway(
    folder: Path,
    bootstrap: str,
    prefix: str,
    *options: str,
    program: Sequence[str] = GATEWAY,
) -> RunningGateway:
    """Start a gateway over the spool in a folder and wait until it accepts."""
    folder.mkdir(exist_ok=True)
    port = free_port()
    log = folder / f"gateway-{port}.log"
    command = [*program, "--spool", str(folder / "spool")]
    command += ["--bootstrap", bootstrap, "--topic-prefix", prefix, "--port", str(port)]
    with log.open("wb") as output:
        process = spawn([*command, *options], output=output)
    gateway = RunningGateway(process, log, port, httpx.Client(base_url=f"http://127.0.0.1:{port}"))
    until("the gateway to accept", gateway.ready)
    return gateway


@contextmanager
def running_gateway(
    folder: Path,
    bootstrap: str,
    prefix: str,
    *options: str,
    program: Sequence[str] = GATEWAY,
) -> Iterator[RunningGateway]:
    """Run a gateway that is killed at the end, if it still runs."""
    gateway = start_gateway(folder, bootstrap, prefix, *options, program=program)
    try:
        yield gateway
    finally:
        gateway.client.close()
        with suppress(ProcessLookupError):
            gateway.kill()


@dataclass(frozen=True)
class Published:
    """One record of a topic."""

    key: bytes | None
    value: bytes
    headers: dict[str, bytes]
    timestamp: int

    @property
    def event(self) -> DealEvent:
        """Return the event of a record of the deal topic."""
        event = CODEC.decode(self.value, DealEvent)
        assert isinstance(event, DealEvent), event
        return event


def published(bootstrap: str, topic: str) -> list[Published]:
    """Return all that a topic has now; each partition in its order."""
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    try:
        partitions = [
            TopicPartition(topic, each) for each in sorted(consumer.partitions_for_topic(topic))
        ]
        ends = consumer.end_offsets(partitions)
        consumer.assign(partitions)
        consumer.seek_to_beginning(*partitions)
        records: dict[TopicPartition, list[Published]] = defaultdict(list)
        while any(consumer.position(each) < ends[each] for each in partitions):
            for partition, batch in consumer.poll(timeout_ms=200).items():
                records[partition] += [
                    Published(each.key, each.value, dict(each.headers), each.timestamp)
                    for each in batch
                ]
        return [record for partition in partitions for record in records[partition]]
    finally:
        consumer.close()


def seqs_by_table(records: list[Published]) -> dict[str, list[int]]:
    """Return the sequence numbers of each table in the order of the topic."""
    tables: dict[str, list[int]] = defaultdict(list)
    for record in records:
        event = record.event
        assert record.key == event.table.encode()
        tables[event.table].append(event.seq)
    return dict(tables)
