"""Whatever is killed of a floor comes back and says so; nothing is lost, and all is kept."""

import json
import time
from functools import partial
from pathlib import Path

import httpx
import psutil
import pytest
from kafka import KafkaConsumer, TopicPartition

from deploy.local.ports import answers
from schemas.codec import CODEC
from schemas.records import DealEvent
from tests.floor_process import DEADLINE_SECONDS, UP, FloorProcess

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.timeout(400)]

TABLE = "OWN-1"
PARTITIONS = 2
PROCESSES = 7
"""The floor's own, Kafka, worker, gateway, historian, console and the simulated tables."""

CHILDREN = {
    "gateway": "gateway",
    "simulated tables": "deploy.local.floor",
    "worker": "worker",
    "Kafka": "kafka.Kafka",
}
"""What each child is called, and a word of its command line that no other has."""


def child(floor: FloorProcess, name: str) -> psutil.Process | None:
    for each in floor.processes()[1:]:
        try:
            if CHILDREN[name] in each.cmdline():
                return each
        except psutil.NoSuchProcess:
            continue
    return None


def kill(floor: FloorProcess, name: str) -> None:
    """Kill a child once it is there, and wait until there is another."""
    victim = floor.until(partial(child, floor, name), name)
    victim.kill()

    def another() -> psutil.Process | None:
        found = child(floor, name)
        return found if found is not None and found.pid != victim.pid else None

    floor.until(another, f"a new {name}")


class Device:
    """A device of the test's own: it sends again until it is told 202."""

    def __init__(self, floor: FloorProcess) -> None:
        self._floor = floor
        self.sent = 0

    def send(self, count: int) -> None:
        rows = [
            {
                "table": TABLE,
                "source": "own/1",
                "boot": 1,
                "seq": self.sent + place,
                "at": "2026-11-30T12:00:00.000Z",
                "kind": "supervisor_called",
            }
            for place in range(1, count + 1)
        ]
        body = "\n".join(map(json.dumps, rows))
        self._floor.until(lambda: self._taken(body), "an answer of 202")
        self.sent += count

    def _taken(self, body: str) -> bool | None:
        try:
            url = f"http://127.0.0.1:{self._floor.gateway}/v1/events"
            return httpx.post(url, content=body, trust_env=False).status_code == 202 or None
        except httpx.TransportError:
            return None


def read(floor: FloorProcess, topic: str) -> list[bytes]:
    """Return all values of a topic, each partition in its order."""
    consumer = KafkaConsumer(bootstrap_servers=f"127.0.0.1:{floor.kafka}", enable_auto_commit=False)
    try:
        partitions = [TopicPartition(topic, number) for number in range(PARTITIONS)]
        consumer.assign(partitions)
        consumer.seek_to_beginning()
        ends = consumer.end_offsets(partitions)
        found: list[bytes] = []
        while any(consumer.position(each) < end for each, end in ends.items()):
            for records in consumer.poll(500).values():
                found += [record.value for record in records]
        return found
    finally:
        consumer.close()


def own(floor: FloorProcess) -> list[int]:
    """Return the sequence numbers of the device's events as they came, without repetitions."""
    events = [CODEC.decode(value, DealEvent) for value in read(floor, "pitwatch.deals.v1")]
    numbers = [each.seq for each in events if isinstance(each, DealEvent) and each.table == TABLE]
    return list(dict.fromkeys(numbers))


def ready(floor: FloorProcess) -> bool | None:
    try:
        return (
            all(
                httpx.get(f"http://127.0.0.1:{port}/readyz", trust_env=False).status_code == 200
                for port in (floor.gateway, floor.worker)
            )
            or None
        )
    except httpx.TransportError:
        return None


def test_each_child_killed_comes_back_and_nothing_is_lost_nor_with_the_floor_itself(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    command = [*UP, "--partitions", str(PARTITIONS), "--data", str(data)]
    command += ["--tables", "3", "--speed", "30"]
    floor = FloorProcess(command)
    try:
        device = Device(floor)
        device.send(50)
        for name in CHILDREN:
            kill(floor, name)
            floor.said(rf"{name} ended by signal 9; started again in 0\.5 s \(1 of 5\)")
            device.send(50)
        floor.until(lambda: ready(floor), "a gateway and a worker that are ready")
        floor.until(
            lambda: own(floor) == list(range(1, device.sent + 1)) or None, "all of the device"
        )
        before = len(floor.stdout)
        floor.until(lambda: len(floor.stdout) > before or None, "a finding after all that")
        gateway, worker = floor.gateway, floor.worker
        processes = floor.processes()

        floor.kill()

        gone, alive = psutil.wait_procs(processes, timeout=DEADLINE_SECONDS)
        assert (len(gone), alive) == (PROCESSES, [])
        assert not answers(gateway)
        assert not answers(worker)
    finally:
        floor.close()

    again = FloorProcess([*command, "--no-simulator"])
    try:
        assert again.data == data
        assert own(again) == list(range(1, device.sent + 1))
        assert read(again, "pitwatch.findings.v1")
        began = time.monotonic()
        assert again.interrupt() == 0
        assert time.monotonic() - began < DEADLINE_SECONDS
        assert "ended" not in "".join(again.stderr)
    finally:
        again.close()


def test_a_floor_killed_while_it_starts_starts_again_on_the_same_data(tmp_path: Path) -> None:
    data = tmp_path / "data"
    command = [*UP, "--partitions", str(PARTITIONS), "--data", str(data), "--no-simulator"]
    starting = FloorProcess(command)
    try:
        starting.until(
            lambda: (data / "kafka" / "log" / "meta.properties").exists() or None, "its storage"
        )
        processes = starting.processes()
        starting.kill()
        assert psutil.wait_procs(processes, timeout=DEADLINE_SECONDS)[1] == []
        assert starting.stdout == []
    finally:
        starting.close()

    again = FloorProcess(command)
    try:
        Device(again).send(1)
        assert again.until(lambda: own(again) or None, "the event") == [1]
        assert again.interrupt() == 0
    finally:
        again.close()
