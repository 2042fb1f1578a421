"""Historian and console read what is written by a real registry's ids, and it may be away."""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from deploy.cli.main import main
from deploy.cli.registries import use_registry
from schemas.codec import CODEC
from streams.database import history
from tests.apicurio import API, apicurio
from tests.console_harness import RunningConsole, running_console
from tests.faults.proxy import Proxy
from tests.gateway_harness import running_gateway, until
from tests.historian_harness import HistorianFloor, RunningHistorian
from tests.history_database import rows_in
from tests.kafka_fixtures import CreateFloor
from tests.shell_models import RECORDINGS, recorded
from tests.worker_harness import WorkerFloor

RECORDING = "cs-overdue-then-counted-between-rounds"
TOPICS = ("findings.v1", "rounds.v1", "tables.v1", "alarms.v1")
AWAY = "registry away, ids taken from disk"

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.timeout(400)]
"""The registry takes 5 s to start on an idle core, and most of a minute on a busy machine."""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """A registry behind a proxy, named to all processes; ids are kept in the test's own folder."""
    with Proxy() as proxy, apicurio(tmp_path, proxy.target):
        monkeypatch.setenv("PITWATCH_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("PITWATCH_REGISTRY", f"http://{proxy.address}{API}")
        yield proxy
    CODEC.learn({}, confluent=False)


@dataclass
class Readers:
    """A historian and a console on one floor."""

    floor: WorkerFloor
    histories: HistorianFloor
    historian: RunningHistorian
    console: RunningConsole

    def have_all(self) -> None:
        """Wait until both have read every record, and find none that they could not read."""
        written = {topic: len(self.floor.read(topic)) for topic in TOPICS}
        self.historian.wait_done()
        # Of a table's views that it fetches together it reads the newest alone.
        written["tables.v1"] = 1
        until(
            "the console to read all",
            lambda: all(self.read().get(topic, 0) >= count for topic, count in written.items()),
        )
        assert self.historian.metric("pitwatch_historian_skipped_events_total") == 0
        page = self.console.get("/metrics")
        unread = [line for line in page.splitlines() if "unreadable_records_total{" in line]
        assert all(line.endswith(" 0.0") for line in unread), unread

    def read(self) -> dict[str, int]:
        """Return how many records of each topic the console has read."""
        said = re.findall(
            r'^pitwatch_console_records_total{topic="(\S+)"} (\S+)$',
            self.console.get("/metrics"),
            re.MULTILINE,
        )
        return {topic: int(float(count)) for topic, count in said}


@contextmanager
def reading(floor: WorkerFloor, folder: Path, life: int) -> Iterator[Readers]:
    where = floor.floor.bootstrap, floor.floor.prefix
    histories = HistorianFloor(floor.floor, f"sqlite:///{folder / 'history.db'}", folder, [], life)
    with ExitStack() as stack:
        historian = stack.enter_context(histories.historian())
        # A database of its own for each life: accounts are made anew.
        console = stack.enter_context(running_console(*where, folder / f"console-{life}"))
        yield Readers(floor, histories, historian, console)


def test_historian_and_console_read_confluents_format_while_the_registry_goes_and_stays_away(
    registry: Proxy, create_floor: CreateFloor, tmp_path: Path
) -> None:
    floor = WorkerFloor(create_floor(partitions=1), tmp_path)
    prefix, bootstrap = floor.floor.prefix, floor.floor.bootstrap
    registered = CliRunner().invoke(main, ["schemas", "register", "--topic-prefix", prefix])
    assert registered.exit_code == 0, registered.output
    lines = (RECORDINGS / f"{RECORDING}.ndjson").read_bytes().splitlines()
    events = recorded(RECORDING)
    half = len(lines) // 2
    with (
        running_gateway(tmp_path / "gateway", bootstrap, prefix) as gateway,
        floor.worker() as worker,
    ):
        worker.wait_ready()
        for life, part in enumerate((slice(half), slice(half, None))):
            with reading(floor, tmp_path, life) as readers:
                if life == 0:
                    until("the historian to begin", readers.historian.ready)
                    registry.refuse()  # in flight
                else:  # away at the start
                    assert readers.historian.said(AWAY)
                    assert readers.console.said(AWAY)
                answer = gateway.post(b"\n".join(lines[part]))
                assert answer is not None
                assert answer.status_code == 202
                floor.written += events[part]
                floor.wait_judged()
                until("views to be shown", lambda: floor.read("tables.v1"))
                readers.have_all()
    for topic in TOPICS:
        values = [record.value for record in floor.read(topic) if record.value is not None]
        assert {value[0] for value in values} == {0}, topic
    use_registry(os.environ["PITWATCH_REGISTRY"], prefix)  # by the ids on disk
    with readers.histories.opened() as engine:
        kept = {row["id"] for row in rows_in(engine, history.findings)}
        rounds = rows_in(engine, history.rounds)
    assert kept == {id_ for id_, _ in floor.finding_ids()}
    assert len(rounds) == len(floor.read("rounds.v1"))
