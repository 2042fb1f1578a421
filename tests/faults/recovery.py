"""How long a killed worker takes to judge again: a static member, started again at once."""

import math
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from deploy.local.kafka import LocalKafka
from streams.wire.topics import PARTITIONS
from tests.faults.proof import fold, outputs, problems
from tests.faults.scene import SELDOM, Feed, Scene
from tests.faults.steps import all_judged, kill, start
from tests.kafka_fixtures import make_floor
from tests.shell_models import floor_events
from tests.worker_harness import WorkerFloor

TABLES: Final = 200
RATE: Final = 500
"""Events a second, several times what 200 tables send."""

KILLS: Final = 20
MOST_SECONDS: Final = 20 * KILLS
LIMIT: Final = 7.0
"""Seconds at the 95th percentile."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was measured over all kills, in seconds from the kill on.

    Attributes:
        first: until the first table was judged again.
        all: until every partition was.
        states: how many records of the state topic were written until the last kill.
        problems: what must not be; none where all is exact.
    """

    first: tuple[float, ...]
    all: tuple[float, ...]
    states: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was lost and all was judged again in time."""
        return not self.problems and percentile(self.all, 95) <= LIMIT

    def as_json(self) -> dict[str, Any]:
        """Return it as ``build/faults.json`` has it."""
        return {
            "kills": len(self.all),
            "tables": TABLES,
            "events_a_second": RATE,
            "state_records": self.states,
            "first_seconds": _summary(self.first),
            "all_seconds": _summary(self.all),
            "limit_seconds": LIMIT,
            "ok": self.ok,
            "problems": list(self.problems),
        }


def percentile(values: tuple[float, ...], percent: int) -> float:
    """Return the smallest value that ``percent`` of all do not exceed."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def _summary(values: tuple[float, ...]) -> dict[str, float]:
    return {
        "p50": round(percentile(values, 50), 2),
        "p95": round(percentile(values, 95), 2),
        "most": round(max(values), 2),
    }


def measure(kafka: LocalKafka, folder: Path) -> Recovery:
    """Kill a worker again and again while events come, and return how long it was away."""
    chance = random.Random(7)
    folder.mkdir(parents=True)
    floor = WorkerFloor(make_floor(kafka.bootstrap, f"{folder.name}.", PARTITIONS), folder)
    events = floor_events(TABLES, RATE * MOST_SECONDS)
    feed = Feed(floor, events, backlog=0, seconds=MOST_SECONDS)
    scene = Scene(floor, kafka, None, ("--tick", "3600"), static=True)
    first: list[float] = []
    everywhere: list[float] = []
    with scene:
        scene.start("a")
        scene.until("the worker to be ready", lambda: scene.ready("a"))
        feed.start()
        try:
            while feed.running and len(first) < KILLS:
                scene.pass_time(chance.uniform(1, 3))
                moment = time.time()
                kill("a")(scene)
                start("a")(scene)
                all_judged(scene)
                scene.log.read()
                again = [scene.log.again(p, moment) for p in range(PARTITIONS)]
                if delays := [at - moment for at in again if at is not None]:
                    first.append(min(delays))
                    everywhere.append(max(delays))
        finally:
            feed.stop()
        ends = floor.ends()
        scene.until("all to be judged", lambda: scene.committed() == ends, poll=SELDOM)
        scene.audit()
        scene.problems += problems(scene.log, outputs(floor), fold(floor.written))
        return Recovery(tuple(first), tuple(everywhere), scene.log.records, tuple(scene.problems))
