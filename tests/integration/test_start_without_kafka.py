"""Historian and console that start while Kafka is away wait, say for what, and go on with it."""

import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from deploy.local.leash import spawn
from deploy.local.ports import free_port
from tests.console_harness import KEY, RunningConsole, make_accounts
from tests.gateway_harness import until
from tests.historian_harness import HistorianFloor
from tests.history_records import a_finding
from tests.kafka_fixtures import Broker, Floor, make_floor

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

PREFIX = "late."


def health(port: int) -> Callable[[str], tuple[int, str]]:
    """Return what asks a process for its health: the status and the text, 0 without an answer."""

    def ask(path: str) -> tuple[int, str]:
        try:
            answer = httpx.get(f"http://127.0.0.1:{port}{path}", timeout=10)
        except httpx.TransportError:
            return 0, ""
        return answer.status_code, answer.text

    return ask


def waits(ask: Callable[[str], tuple[int, str]], for_what: str) -> bool:
    """Say whether a process is alive, and not ready for want of something."""
    status, text = ask("/readyz")
    return ask("/healthz")[0] == 200 and status == 503 and for_what in text


def test_a_historian_goes_on_when_kafka_comes_and_then_has_the_topics(
    own_kafka: Broker, tmp_path: Path
) -> None:
    own_kafka.kill()
    there = Floor(own_kafka.bootstrap, PREFIX, "late.worker", 1)
    floor = HistorianFloor(there, f"sqlite:///{tmp_path / 'history.db'}", tmp_path)
    with floor.historian() as historian:
        ask = health(historian.port)
        until("it to wait", lambda: waits(ask, "expected a Kafka cluster that answers"))
        own_kafka.start()
        until("it to miss a topic", lambda: waits(ask, "expected the topic to exist"))
        make_floor(there.bootstrap, PREFIX, there.partitions)
        floor.write([a_finding(1)])
        historian.wait_done()
        historian.wait_rows(1)
        assert historian.said("it goes on")


def test_a_console_goes_on_when_kafka_comes_and_then_has_the_topics(
    own_kafka: Broker, tmp_path: Path
) -> None:
    own_kafka.kill()
    database = f"sqlite:///{tmp_path / 'console.db'}"
    make_accounts(database)
    port, health_port = free_port(), free_port()
    arguments = ["--bootstrap", own_kafka.bootstrap, "--topic-prefix", PREFIX]
    arguments += ["--database", database, "--command-key", KEY]
    arguments += ["--port", str(port), "--health-port", str(health_port)]
    log = tmp_path / "console.log"
    console = RunningConsole(arguments, log, port, health_port)
    with log.open("wb") as output:
        command = [sys.executable, "-m", "deploy.cli", "console", *arguments]
        console.process = spawn(command, output=output)
    ask = health(health_port)
    try:
        until("it to wait", lambda: waits(ask, "expected a Kafka that answers"))
        own_kafka.start()
        until("it to miss a topic", lambda: waits(ask, f"topic {PREFIX}"))
        make_floor(own_kafka.bootstrap, PREFIX, 1)
        until("it to be ready", console.ready)
        assert console.said("feed is connected anew")[0]["restarts"] == 1
    finally:
        console.process.kill()
        console.process.wait()
