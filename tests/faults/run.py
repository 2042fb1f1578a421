"""Does one fault to a floor of its own and says what came of it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from deploy.local.kafka import LocalKafka
from deploy.local.ports import free_port
from streams.core.events import Event
from streams.shell.config import SESSION_SECONDS
from tests.faults.proof import Expected, fold, outputs, problems
from tests.faults.proxy import Proxy
from tests.faults.scene import SELDOM, Feed, Scene
from tests.faults.steps import batches
from tests.faults.table import Fault
from tests.kafka_fixtures import make_floor
from tests.shell_models import floor_events
from tests.worker_harness import WorkerFloor

TABLES: Final = 120
PARTITIONS: Final = 8
BACKLOG: Final = 0.6
"""The part of the events that is written at once; the others come while the fault is done."""

NO_TICKS: Final = ("--tick", "3600")
"""A tick is an event of the worker's own, which the plain fold does not have."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a run is.

    Attributes:
        events: how many are judged.
        seconds: how long the part of them takes that comes while the fault is done.
        session: the workers' session in seconds.
    """

    events: int
    seconds: float
    session: float


WHOLE: Final = Size(100_000, seconds=20, session=SESSION_SECONDS)
SMALL: Final = Size(12_000, seconds=6, session=3)
"""What `make test` has time for."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a fault.

    Attributes:
        name: the fault's.
        events: how many were judged.
        duplicates: findings, rounds and dead letters that were written again.
        again: the longest time in seconds that a partition was not judged, from the fault on.
        statuses: how workers ended by themselves.
        seconds: what the whole run took.
        problems: what must not be; none where all is exact.
    """

    name: str
    events: int
    duplicates: int
    again: float
    statuses: tuple[int, ...]
    seconds: float
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the floor came to what it would have without the fault."""
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        """Return it as ``build/faults.json`` has it."""
        return {
            "fault": self.name,
            "events": self.events,
            "duplicates": self.duplicates,
            "judging_again_seconds": round(self.again, 2),
            "statuses": list(self.statuses),
            "ok": self.ok,
            "problems": list(self.problems),
        }


@cache
def workload(count: int) -> tuple[tuple[Event, ...], Expected]:
    """Return the events of a run and what they come to."""
    events = tuple(floor_events(TABLES, count))
    return events, fold(events)


@contextmanager
def broker(folder: Path) -> Iterator[tuple[LocalKafka, Proxy]]:
    """Run a broker of its own that is also reached through a proxy."""
    with Proxy() as proxy:
        port = free_port()
        settings = proxy.broker_settings(port)
        with LocalKafka(folder / "kafka", port=port, settings=settings) as kafka:
            yield kafka, proxy


def run(fault: Fault, size: Size, kafka: LocalKafka, proxy: Proxy, folder: Path) -> Outcome:
    """Do a fault and return what came of it.

    Args:
        fault: what is done.
        size: to how large a run.
        kafka: the broker; it serves again afterwards.
        proxy: what stands before it.
        folder: where the workers' logs go; the topics are named after it.
    """
    began = time.monotonic()
    events, expected = workload(size.events)
    folder.mkdir(parents=True)
    floor = WorkerFloor(make_floor(kafka.bootstrap, f"{folder.name}.", PARTITIONS), folder)
    options = (*NO_TICKS, "--session", str(size.session), *fault.options)
    feed = Feed(floor, events, backlog=int(size.events * BACKLOG), seconds=size.seconds)
    scene = Scene(floor, kafka, proxy if fault.proxied else None, options, fault.static)
    with scene:
        try:
            _do(fault, scene, feed)
        except AssertionError as error:
            scene.problems.append(str(error))
        finally:
            feed.stop()
        if not scene.problems:
            scene.problems += _differences(fault, scene, expected)
        scene.log.read()
        return Outcome(
            fault.name,
            len(floor.written),
            outputs(floor).repeated,
            scene.log.longest_pause(scene.struck),
            tuple(scene.statuses()),
            time.monotonic() - began,
            tuple(scene.problems),
        )


def _do(fault: Fault, scene: Scene, feed: Feed) -> None:
    for name in fault.workers:
        scene.start(name)
    scene.until("workers to be ready", _all(scene, scene.ready))
    feed.start()
    scene.until("all to judge", _all(scene, lambda name: batches(scene.worker(name)) >= 2))
    scene.struck = time.time()
    for step in fault.steps:
        step(scene)
    scene.until("all to be written", lambda: not feed.running)
    ends = scene.floor.ends()
    scene.until("all to be judged", lambda: scene.committed() == ends, poll=SELDOM)
    scene.until("no lag", lambda: lag(scene) == 0)
    scene.audit()


def lag(scene: Scene) -> float:
    """Return what the running workers say is not judged."""
    running = [seat.worker for seat in scene.seats.values() if seat.worker.running]
    return sum(worker.metric("pitwatch_partition_lag_events") for worker in running)


def _all(scene: Scene, holds: Callable[[str], Any]) -> Callable[[], bool]:
    return lambda: all(holds(name) for name in list(scene.seats))


def _differences(fault: Fault, scene: Scene, expected: Expected) -> list[str]:
    written = outputs(scene.floor)
    found = problems(scene.log, written, expected)
    if scene.log.backwards and not fault.backwards:
        found.append(f"{scene.log.backwards} states were written over newer ones")
    if written.repeated and not fault.repeats:
        found.append(f"{written.repeated} effects were written again")
    return found
