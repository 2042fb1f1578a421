"""One soak: a gateway and two workers under an even load, restarted in turn.

| third | what happens |
|---|---|
| first | nothing but the load |
| middle | a worker, the other worker, the gateway: each told to stop and started again, in turn |
| last | nothing but the load |

Then the load ends, all is judged, and the findings are compared with those of `pitwatch check` on
the recording of what was sent. Children are started from the thread that lives longest: they die
with it.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psutil

from schemas.codec import CODEC
from schemas.records import Finding
from tests.gateway_harness import RunningGateway, start_gateway
from tests.kafka_fixtures import make_floor
from tests.soak.flat import Sample, flatness
from tests.soak.load import Load
from tests.worker_harness import DEALS, RunningWorker, WorkerFloor, until

if TYPE_CHECKING:
    from tests.soak.flat import Flatness

PARTITIONS: Final = 24
WORKERS: Final = ("worker a", "worker b")
GATEWAY: Final = "gateway"

UNRECORDED: Final = "clock_skew"
"""Needs the time of receipt, which a recording has not: a request sent again is seconds old."""

SILENCE: Final = "3600"
"""Seconds until a silent round is told the time: ticks are not in the recording either."""

ROLLS: Final = 4
"""How often each process is restarted."""

SAMPLES: Final = 300
"""Looks at each process in a run."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Restart:
    """One restart: how the process ended, and after how many seconds it was ready again."""

    process: str
    at: float
    status: int
    ready: float


@dataclass
class Soak:
    """A soak's parts and what was seen of them.

    Args:
        bootstrap: a Kafka that serves, for this run alone.
        folder: for logs, spool and recording.
        seconds: how long the load lasts.
        rate: events a second.
        tables: how many tables send.
        say: told what happens.
    """

    bootstrap: str
    folder: Path
    seconds: float
    rate: float
    tables: int
    say: Say
    prefix: str = "soak."
    samples: dict[str, list[Sample]] = field(default_factory=lambda: defaultdict(list))
    restarts: list[Restart] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def run(self) -> dict[str, Any]:
        """Do it, and return the report."""
        self.floor = WorkerFloor(make_floor(self.bootstrap, self.prefix, PARTITIONS), self.folder)
        self.workers = {name: self._worker(name) for name in WORKERS}
        self.gateway = self._gateway()
        load = Load(self.gateway, self.folder / "sent.ndjson", self.rate, self.tables)
        try:
            for worker in self.workers.values():
                worker.wait_ready()
            load.start()
            took = self._soak(load)
            load.over.set()
            load.join()
            drained = self._drain()
            said = self._compare()
        finally:
            load.over.set()
            self.gateway.client.close()
            parts: list[RunningGateway | RunningWorker] = [self.gateway, *self.workers.values()]
            for part in parts:
                if part.process.poll() is None:
                    part.kill()
        if load.failure:
            self.problems.append(load.failure)
        flat = [
            each for name, taken in self.samples.items() for each in flatness(name, taken, took)
        ]
        self.problems += [problem for each in flat for problem in each.problems]
        return self._report(load, flat, took, drained, said)

    def _soak(self, load: Load) -> float:
        """Look and restart until the time is over; return the seconds it took."""
        began = time.monotonic()
        names = [*WORKERS, GATEWAY]
        third = self.seconds / 3
        rolls = [third + third * n / (ROLLS * len(names)) for n in range(ROLLS * len(names))]
        looked = told = 0.0
        # On a busy machine a short run lasts until each has been restarted once.
        while not load.failure and (
            (at := time.monotonic() - began) < self.seconds or len(self.restarts) < len(names)
        ):
            self._assert_running()
            if at >= looked:
                self._look(at)
                looked = at + self.seconds / SAMPLES
            if at >= told:
                self._tell(at, load)
                told = at + 15
            first_round = len(self.restarts) < len(names)
            if rolls and rolls[0] <= at and (first_round or at < 2 * third):
                rolls.pop(0)
                self._restart(names[len(self.restarts) % len(names)], load, at)
            time.sleep(0.1)
        return time.monotonic() - began

    def _restart(self, name: str, load: Load, at: float) -> None:
        began = time.monotonic()
        if name == GATEWAY:
            status = self.gateway.terminate()
            self.gateway = load.gateway = self._gateway()
        else:
            status = self.workers[name].terminate()
            self.workers[name] = self._worker(name)
            self.workers[name].wait_ready()
        done = Restart(name, round(at, 1), status, round(time.monotonic() - began, 1))
        self.restarts.append(done)
        if status != 0:
            self.problems.append(f"{name}: expected to end with 0 when told to, found {status}")
        self.say(f"restarted {name}, ready after {done.ready} s")

    def _worker(self, name: str) -> RunningWorker:
        return self.floor.start("--instance-id", name[-1], "--tick", SILENCE)

    def _gateway(self) -> RunningGateway:
        return start_gateway(self.folder / "gateway", self.bootstrap, self.prefix)

    def _pids(self) -> dict[str, int]:
        found = {name: worker.process.pid for name, worker in self.workers.items()}
        return found | {GATEWAY: self.gateway.process.pid}

    def _assert_running(self) -> None:
        for name, worker in self.workers.items():
            assert worker.running, f"{name} ended: {worker.tail()}"
        assert self.gateway.process.poll() is None, self.gateway.log.read_text()[-4000:]

    def _look(self, at: float) -> None:
        for name, pid in self._pids().items():
            process = psutil.Process(pid)
            taken = Sample(at, process.memory_info().rss, process.num_fds())
            self.samples[name].append(taken)

    def _tell(self, at: float, load: Load) -> None:
        last = ", ".join(
            f"{name} {taken[-1].resident >> 20} MiB {taken[-1].descriptors} open"
            for name, taken in self.samples.items()
        )
        self.say(f"{at:.0f} of {self.seconds:.0f} s: {load.sent:,} events; {last}")

    def _drain(self) -> float:
        """Wait until all is published and judged; return the seconds it took."""
        began = time.monotonic()
        until("the gateway to publish all", self.gateway.drained, 300)
        ends: Counter[int] = Counter(record.partition for record in self.floor.read(DEALS))
        until("all to be judged", lambda: self._judged(ends), 300)
        return time.monotonic() - began

    def _judged(self, ends: Counter[int]) -> bool:
        self._assert_running()
        committed = self.floor.committed()
        return all(committed.get(partition) == end for partition, end in ends.items())

    def _compare(self) -> dict[str, Any]:
        """Compare the findings with those of `pitwatch check`; return how many there were."""
        found: Counter[tuple[str, str]] = Counter()
        unrecorded = 0
        for record in self.floor.read("findings.v1"):
            finding = CODEC.decode(record.value, Finding)
            assert isinstance(finding, Finding), finding
            if finding.code == UNRECORDED:
                unrecorded += 1
            else:
                found[finding.id, finding.state] += 1
        due = checked(self.folder / "sent.ndjson")
        missing, more = due - found.keys(), found.keys() - due
        if missing or more:
            self.problems.append(
                f"expected the {len(due)} findings of pitwatch check, "
                f"found {len(missing)} missing and {len(more)} more"
            )
        return {
            "due": len(due),
            "found": len(found),
            "missing": len(missing),
            "more": len(more),
            "written_again": found.total() - len(found),
            UNRECORDED: unrecorded,
        }

    def _report(
        self, load: Load, flat: "list[Flatness]", took: float, drained: float, said: dict[str, Any]
    ) -> dict[str, Any]:
        return {
            "seconds": round(took, 1),
            "rate_asked": self.rate,
            "rate_accepted": round(load.sent / took, 1),
            "tables": self.tables,
            "events": load.sent,
            "requests_sent_again": load.again,
            "drained_seconds": round(drained, 1),
            "load_average": [round(each, 1) for each in os.getloadavg()],
            "restarts": [
                {"process": r.process, "at": r.at, "status": r.status, "ready_seconds": r.ready}
                for r in self.restarts
            ],
            "flat": [each.as_json() for each in flat],
            "findings": said,
            "problems": self.problems,
            "ok": not self.problems,
        }


def checked(recording: Path) -> set[tuple[str, str]]:
    """Return identity and state of each finding that `pitwatch check` prints for a recording."""
    command = [sys.executable, "-m", "deploy.cli", "check", str(recording)]
    found = set()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for text in process.stdout:
            finding = json.loads(text)
            found.add((finding["id"], finding["state"]))
    # 1 says that there are breaches.
    assert process.returncode in {0, 1}, process.returncode
    return found
