"""A worker as a process of its own on a real broker, fed and compared with the plain fold."""

import os
import re
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

from deploy.local.leash import spawn
from deploy.local.ports import free_port
from schemas import records
from schemas.codec import CODEC
from streams.core.advance import advance_all
from streams.core.alarms.table_alarms import NO_ALARMS, fold
from streams.core.events import Event
from streams.core.findings import FindingCleared, FindingRaised
from streams.core.table import new_table
from streams.shell.marks import MARK_KEY
from streams.shell.partitioning import partition_of
from streams.shell.translate import event_bytes
from streams.wire.snapshot import decode_snapshot, encode_snapshot
from tests.alarm_records import written
from tests.kafka_fixtures import Floor
from tests.log_lines import log_lines, said_in
from tests.shell_models import book, by_table

if TYPE_CHECKING:
    from subprocess import Popen

DEALS = "deals.v1"
VERSION = metadata.version("pitwatch")
WORKER = (sys.executable, "-m", "deploy.cli", "worker")
PATIENCE = 60.0
"""How long an effect is waited for; a busy machine takes long, a broken worker for ever."""


def until(what: str, holds: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Return the first true value of ``holds``."""
    deadline = time.monotonic() + seconds
    while not (value := holds()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:.0f} s for {what}")
        time.sleep(0.02)
    return value


@dataclass
class RunningWorker:
    """One worker process and its log."""

    process: "Popen[bytes]"
    log: Path
    port: int

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def tail(self) -> str:
        return self.log.read_text()[-4000:]

    def lines(self) -> list[dict[str, Any]]:
        return log_lines(self.log)

    def said(self, message: str) -> list[dict[str, Any]]:
        return said_in(self.log, message)

    def get(self, path: str) -> httpx.Response | None:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}{path}", timeout=10)
        except httpx.TransportError:
            return None

    def ready(self) -> bool:
        if not self.running:
            raise AssertionError(f"the worker ended: {self.tail()}")
        answer = self.get("/readyz")
        return answer is not None and answer.status_code == 200

    def wait_ready(self) -> None:
        until("the worker to be ready", self.ready)

    def metric(self, series: str) -> float:
        """Return a series' value, ``name{label="x"}`` as it is exposed; all labels summed."""
        answer = self.get("/metrics")
        if answer is None:
            assert self.running, self.tail()
            return 0.0
        pattern = re.compile(rf"^{re.escape(series)}(?:{{[^}}]*}})? (\S+)$", re.MULTILINE)
        return sum(map(float, pattern.findall(answer.text)))

    def exact(self, series: str) -> float:
        """Return one series' value; 0 until the worker answers."""
        answer = self.get("/metrics")
        lines = [] if answer is None else answer.text.splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(series))

    def tables_shown(self) -> set[str]:
        """Return the tables that its metrics name."""
        answer = self.get("/metrics")
        assert answer is not None
        return set(
            re.findall(r'^pitwatch_table_open{.*table="([^"]+)"}', answer.text, re.MULTILINE)
        )

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def terminate(self) -> int:
        """End it as a supervisor does; return its status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


@dataclass
class WorkerFloor:
    """A floor's topics with what was written to them."""

    floor: Floor
    folder: Path
    written: list[Event] = field(default_factory=list)
    workers: list[RunningWorker] = field(default_factory=list)
    acts: bool = False
    """Whether persons acted on alarms, so that these do not follow from the deals alone."""

    @contextmanager
    def worker(self, *options: str) -> Iterator[RunningWorker]:
        """Start a worker that is killed at the end, if it still runs."""
        running = self.start(*options)
        try:
            yield running
        finally:
            running.kill()

    def start(self, *options: str, program: Sequence[str] = WORKER) -> RunningWorker:
        log = self.folder / f"worker-{len(self.workers)}.log"
        port = free_port()
        arguments = [
            *program,
            *("--bootstrap", self.floor.bootstrap, "--topic-prefix", self.floor.prefix),
            *("--application", self.floor.application, "--port", str(port), *options),
        ]
        with log.open("wb") as output:
            process = spawn(arguments, output=output, environment=os.environ)
        self.workers.append(RunningWorker(process, log, port))
        return self.workers[-1]

    def partition(self, table: str) -> int:
        """Return a table's partition; any rule will do, if it is always the same."""
        return sum(table.encode()) % self.floor.partitions

    def write(self, events: Sequence[Event]) -> None:
        """Write events as a gateway does and wait until the broker has them."""
        self.write_raw(
            [(DEALS, self.partition(e.table), e.table.encode(), event_bytes(e)) for e in events]
        )
        self.written += events

    def write_raw(self, values: Iterable[tuple[str, int, bytes | None, bytes | None]]) -> list[Any]:
        """Write records of (topic without prefix, partition, key, value)."""
        producer = KafkaProducer(bootstrap_servers=self.floor.bootstrap, linger_ms=5)
        try:
            sent = [
                producer.send(self.name(topic), value, key=key, partition=partition)
                for topic, partition, key, value in values
            ]
            producer.flush()
            return [future.get(30) for future in sent]
        finally:
            producer.close()

    def name(self, topic: str) -> str:
        return self.floor.changelog if topic == "changelog" else self.floor.topic(topic)

    def read(self, topic: str) -> list[Any]:
        """Return all records of a topic, each partition in its order."""
        consumer = KafkaConsumer(
            bootstrap_servers=self.floor.bootstrap,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
        )
        try:
            name = self.name(topic)
            partitions = [TopicPartition(name, p) for p in range(self.floor.partitions)]
            consumer.assign(partitions)
            ends = consumer.end_offsets(partitions)
            found: list[Any] = []
            while any(consumer.position(p) < end for p, end in ends.items()):
                for fetched in consumer.poll(500).values():
                    found += fetched
            return found
        finally:
            consumer.close()

    def committed(self) -> dict[int, int]:
        """Return the group's offset of the deal topic, by partition."""
        admin = KafkaAdminClient(bootstrap_servers=self.floor.bootstrap)
        try:
            group = self.floor.application
            found = admin.list_group_offsets({group: None})[group]
            return {
                tp.partition: at.offset
                for tp, at in found.items()
                if tp.topic == self.name(DEALS) and at.offset >= 0
            }
        finally:
            admin.close()

    def ends(self) -> dict[int, int]:
        ends: dict[int, int] = defaultdict(int)
        for event in self.written:
            ends[self.partition(event.table)] += 1
        return dict(ends)

    def wait_judged(self, ends: Mapping[int, int] | None = None) -> None:
        """Wait until the group has committed all that was written."""
        wanted = self.ends() if ends is None else ends

        def judged() -> bool:
            assert any(worker.running for worker in self.workers), self.workers[-1].tail()
            return self.committed() == wanted

        until("all to be judged", judged, 120)

    def states(self) -> dict[str, tuple[bytes, dict[str, int]]]:
        """Return each table's last state, without its offsets, and the offsets."""
        last = {record.key: record.value for record in self.read("changelog") if record.key}
        last.pop(MARK_KEY, None)
        states = {}
        for key, value in last.items():
            if value is None:
                continue
            table = key.decode()
            state, offsets = decode_snapshot(value)
            states[table] = (encode_snapshot(state, {}), dict(offsets))
        return states

    def finding_ids(self) -> list[tuple[str, str]]:
        """Return (id, state) of every finding written, repeated ones too."""
        found = []
        for record in self.read("findings.v1"):
            finding = CODEC.decode(record.value, records.Finding)
            assert isinstance(finding, records.Finding), finding
            found.append((finding.id, finding.state))
        return found

    def assert_commits_covered(self) -> None:
        """Assert that no offset was committed ahead of the acknowledged states."""
        committed = self.committed()
        covered = {table: offsets for table, (_, offsets) in self.states().items()}
        offset: dict[int, int] = defaultdict(int)
        newest: dict[str, int] = {}
        for event in self.written:
            partition = self.partition(event.table)
            if offset[partition] < committed.get(partition, 0):
                newest[event.table] = offset[partition]
            offset[partition] += 1
        ahead = {
            table: (at, covered.get(table))
            for table, at in newest.items()
            if covered.get(table, {}).get(self.name(DEALS), -1) < at
        }
        assert ahead == {}

    def assert_exact(self) -> None:
        """Assert that all is judged, to the states and findings of the fold without Kafka."""
        self.assert_judged()
        # A busy broker may just be loading the group's offsets again and know none of them.
        until("the group's offsets to be the ends", lambda: self.committed() == self.ends())

    def assert_judged(self) -> None:
        """Assert that states, findings and alarms are those of the fold without Kafka."""
        states = self.states()
        expected: set[tuple[str, str]] = set()
        alarms: list[tuple[bytes, bytes | None]] = []
        wrong = []
        for table, events in by_table(self.written).items():
            step = advance_all(new_table(table), events, book())
            if states[table][0] != encode_snapshot(step.state, {}):
                wrong.append(table)
            for effect in step.effects:
                if isinstance(effect, FindingRaised | FindingCleared):
                    expected.add((effect.finding.id, effect.finding.state))
            caused = zip(step.effects, step.causes, strict=True)
            alarms += written(fold(NO_ALARMS, events, caused)[1], book(), VERSION)
        assert wrong == []
        assert set(self.finding_ids()) == expected
        if not self.acts:
            self.assert_alarms(alarms)

    def assert_alarms(self, expected: Sequence[tuple[bytes, bytes | None]]) -> None:
        """Assert that no alarm told is another, and the last of each is the last due.

        What was told before it may be compacted away, which begins a minute after it was written.
        """
        found = [(record.key, record.value) for record in self.read("alarms.v1")]
        assert set(found) <= set(expected)
        assert dict(found) == dict(expected)

    def assert_never_backwards(self) -> None:
        """Assert that no state in the log has a lower offset than one before it."""
        newest: dict[bytes, int] = {}
        for record in self.read("changelog"):
            if record.key == MARK_KEY:
                continue
            _, offsets = decode_snapshot(record.value)
            at = offsets[self.name(DEALS)]
            assert at >= newest.get(record.key, -1), record
            newest[record.key] = at

    def delete_state(self, table: str) -> None:
        """Let the state log forget a table, as if only what comes next had been written."""
        self.write_raw([("changelog", self.partition(table), table.encode(), None)])


class KeyedFloor(WorkerFloor):
    """A floor whose tables are where every client of Kafka writes them."""

    def partition(self, table: str) -> int:
        return partition_of(table.encode(), self.floor.partitions)
