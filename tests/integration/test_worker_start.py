"""A worker that cannot begin waits, says for what, and ends only at its start-up deadline."""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.local.leash import spawn
from deploy.local.ports import free_port
from streams.shell.ending import STALLED
from tests.kafka_fixtures import Broker, Floor, make_floor
from tests.shell_models import recorded
from tests.worker_harness import RunningWorker, WorkerFloor, until

pytestmark = pytest.mark.slow

RECORDING = "cs-legal-12-rounds"


@contextmanager
def started(bootstrap: str, log: Path, *options: str) -> Iterator[RunningWorker]:
    """Start a worker; it is killed at the end, if it still runs."""
    port = free_port()
    arguments = [
        *(sys.executable, "-m", "deploy.cli", "worker", "--bootstrap", bootstrap),
        *("--port", str(port), *options),
    ]
    with log.open("wb") as output:
        process = spawn(arguments, output=output, environment=os.environ)
    worker = RunningWorker(process, log, port)
    try:
        yield worker
    finally:
        worker.kill()


def waits(worker: RunningWorker) -> str:
    """Return why a living worker is not ready, once it has said that it waits."""
    until("the worker to say that it waits", lambda: worker.running and said_waiting(worker))
    alive, ready = worker.get("/healthz"), worker.get("/readyz")
    assert alive is not None
    assert alive.status_code == 200
    assert ready is not None
    assert ready.status_code == 503
    return ready.text


def said_waiting(worker: RunningWorker) -> bool:
    return b"waiting for Kafka" in worker.log.read_bytes()


def test_a_broker_that_accepts_and_says_nothing_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        bootstrap = f"127.0.0.1:{silent.getsockname()[1]}"
        with started(bootstrap, tmp_path / "worker.log", "--away", "4") as worker:
            assert worker.process.wait(120) == STALLED, worker.tail()
    (told,) = worker.said("Kafka is away for too long, the worker ends")
    assert f"{bootstrap}: expected a Kafka that answers" in told["found"]
    assert "--bootstrap" in told["found"]


def test_a_broker_that_is_not_there_is_waited_for_and_the_worker_can_be_stopped(
    tmp_path: Path,
) -> None:
    bootstrap = f"127.0.0.1:{free_port()}"
    with started(bootstrap, tmp_path / "worker.log") as worker:
        assert f"{bootstrap}: expected a Kafka that answers, found: " in waits(worker)
        assert worker.metric("pitwatch_log_messages_total") >= 1
        worker.process.send_signal(signal.SIGTERM)
        assert worker.process.wait(30) == 0, worker.tail()


@pytest.mark.kafka
def test_it_goes_on_when_kafka_comes_back_and_then_has_the_topics(
    own_kafka: Broker, tmp_path: Path
) -> None:
    own_kafka.kill()
    floor = Floor(own_kafka.bootstrap, "late.", "late.worker", 1)
    options = ("--topic-prefix", floor.prefix, "--application", floor.application)
    with started(own_kafka.bootstrap, tmp_path / "worker.log", *options) as worker:
        assert "expected a Kafka that answers" in waits(worker)
        own_kafka.start()
        until(
            "the worker to ask for its topics",
            lambda: "late.deals.v1" in getattr(worker.get("/readyz"), "text", ""),
        )
        make_floor(floor.bootstrap, floor.prefix, floor.partitions)
        worker.wait_ready()
        assert worker.said("Kafka answers")
        written = WorkerFloor(floor, tmp_path, workers=[worker])
        written.write(recorded(RECORDING))
        written.wait_judged()
