"""A floor while something is done to it: workers that are started again, and events that come.

A worker that ends by itself is started again at once, as its supervisor does. Time passes only in
`Scene.until`, which looks after the workers, so that a fault reads as a plain list of steps.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from kafka import KafkaProducer
from kafka.errors import KafkaError

from deploy.local.kafka import LocalKafka
from streams.core.events import Event
from streams.shell.ending import BATCH_FAILED, SEAT_LOST, STALLED
from streams.shell.translate import event_bytes
from tests.faults.proof import StateLog
from tests.faults.proxy import Proxy
from tests.worker_harness import DEALS, RunningWorker, WorkerFloor

PATIENCE: Final = 180.0
"""How long an effect is waited for; a busy machine takes long, a broken floor for ever."""

POLL: Final = 0.05
SELDOM: Final = 0.3
"""For what a client of its own has to ask the broker."""

RESTARTS: Final = 30
"""Restarts of one seat beyond which it is a crash loop."""

SMALL_FETCHES: Final = ("--fetch", "2000")
"""So that a fault strikes with a backlog left."""

LAST_LINES: Final = 5

ASKS_FOR_RESTART: Final = {SEAT_LOST, BATCH_FAILED, STALLED}


def last_words(worker: RunningWorker) -> str:
    """Return the end of a worker's log without the findings."""
    lines = worker.log.read_text().splitlines()
    return "\n".join([line for line in lines if '"message":"finding"' not in line][-LAST_LINES:])


class Feed:
    """Writes events in a thread: a backlog as fast as it can, the others evenly over a time.

    Args:
        floor: where they are written.
        events: what is written.
        backlog: how many of them are at once.
        seconds: how long the others take.
    """

    def __init__(
        self, floor: WorkerFloor, events: Sequence[Event], *, backlog: int, seconds: float
    ) -> None:
        self._floor = floor
        self._events = events
        self._backlog = backlog
        self._seconds = seconds
        self._error: BaseException | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feed", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether there is something left to write; raises what went wrong."""
        if self._error is not None:
            raise self._error
        return self._thread.is_alive()

    def stop(self) -> None:
        """Write no more."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._write()
        except BaseException as error:  # it is raised where the feed is asked
            self._error = error

    def _write(self) -> None:
        floor = self._floor
        # A frozen broker must not make it give a record up: what was written must be known.
        producer = KafkaProducer(
            bootstrap_servers=floor.floor.bootstrap, linger_ms=5, delivery_timeout_ms=3_600_000
        )
        pace = (len(self._events) - self._backlog) / self._seconds
        began: float | None = None
        try:
            for number, event in enumerate(self._events):
                if self._stop.is_set():
                    break
                if number >= self._backlog:
                    began = time.monotonic() if began is None else began
                    due = began + (number - self._backlog) / pace
                    self._stop.wait(max(0.0, due - time.monotonic()))
                floor.written.append(event)
                producer.send(
                    floor.name(DEALS),
                    event_bytes(event),
                    key=event.table.encode(),
                    partition=floor.partition(event.table),
                )
            producer.flush(PATIENCE)
        finally:
            producer.close(timeout=5)


@dataclass(slots=True)
class Seat:
    """A place for a worker: its options, who sits there, and how those before ended."""

    options: tuple[str, ...]
    worker: RunningWorker
    kept: bool = True
    statuses: list[int] = field(default_factory=list)


@dataclass
class Scene:
    """A floor under a fault; a context manager that leaves no worker and a serving broker.

    Attributes:
        floor: the topics.
        kafka: their broker.
        proxy: between the workers and the broker, if the fault needs one.
        options: the options of every worker.
        static: whether workers keep their seat while they restart.
        log: the state topic as far as it was read.
        seats: the workers by name.
        problems: what was seen that must not be.
        struck: when the fault began, in seconds since 1970; endless before it did.
    """

    floor: WorkerFloor
    kafka: LocalKafka
    proxy: Proxy | None
    options: tuple[str, ...]
    static: bool
    log: StateLog = field(init=False)
    seats: dict[str, Seat] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    struck: float = float("inf")

    def __post_init__(self) -> None:
        self.log = StateLog(self.floor)

    def start(self, name: str, seat: str | None = None) -> None:
        """Start a worker and start it again whenever it ends by itself.

        Args:
            name: what it is called here.
            seat: its place in the group if it is a static member; its name where none is given.
        """
        options = (*self.options, *SMALL_FETCHES)
        if self.static:
            options += ("--instance-id", seat or name)
        if self.proxy is not None:
            options += ("--bootstrap", self.proxy.address)
        before = self.seats.get(name)
        worker = self.floor.start(*options)
        self.seats[name] = Seat(options, worker, statuses=before.statuses if before else [])

    def worker(self, name: str) -> RunningWorker:
        """Return who sits at a place now."""
        return self.seats[name].worker

    def ready(self, name: str) -> bool:
        """Return whether who sits at a place does its work."""
        return self.worker(name).running and self.worker(name).ready()

    def leave(self, name: str) -> RunningWorker:
        """Return who sits at a place; nobody is started there any more when it ends."""
        self.seats[name].kept = False
        return self.seats[name].worker

    def statuses(self) -> list[int]:
        """Return how workers ended by themselves."""
        return [status for seat in self.seats.values() for status in seat.statuses]

    def until(
        self,
        what: str,
        holds: Callable[[], Any],
        seconds: float = PATIENCE,
        poll: float = POLL,
    ) -> None:
        """Look after the workers until something holds, which is asked every ``poll`` seconds."""
        deadline = time.monotonic() + seconds
        while True:
            self._look_after()
            if holds():
                return
            if time.monotonic() > deadline:
                said = "\n".join(last_words(seat.worker) for seat in self.seats.values())
                raise AssertionError(f"waited {seconds:.0f} s for {what}:\n{said}")
            time.sleep(poll)

    def pass_time(self, seconds: float, unless: Callable[[], bool] = lambda: False) -> None:
        """Look after the workers while a fault of a given length lasts, unless something holds."""
        end = time.monotonic() + seconds
        self.until("time to pass", lambda: time.monotonic() >= end or unless(), seconds + PATIENCE)

    def committed(self) -> dict[int, int]:
        """Return the group's offset by partition, as soon as the broker tells it."""
        found: list[dict[int, int]] = []

        def told() -> bool:
            try:
                found.append(self.floor.committed())
            except KafkaError:
                return False
            return True

        self.until("the group's offsets", told)
        return found[0]

    def audit(self) -> None:
        """Note every table of which more is committed than was acknowledged."""
        committed = self.committed()
        self.log.read()
        for table, at in self.log.ahead(list(self.floor.written), committed).items():
            self.problems.append(f"{table}: offset {at} is committed, its state has less")

    def _look_after(self) -> None:
        for seat in self.seats.values():
            if not seat.kept or seat.worker.running:
                continue
            status = seat.worker.process.wait()
            seat.statuses.append(status)
            if status not in ASKS_FOR_RESTART:
                self.problems.append(f"ended with status {status}: {last_words(seat.worker)}")
            if len(seat.statuses) > RESTARTS:
                raise AssertionError(f"{RESTARTS} restarts: {last_words(seat.worker)}")
            seat.worker = self.floor.start(*seat.options)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kafka.resume()
        for worker in self.floor.workers:
            worker.resume()
            worker.kill()
