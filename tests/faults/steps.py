"""What a fault is made of: each function returns a step that does one thing to a scene."""

from collections.abc import Callable
from typing import Final

from streams.shell.ending import BATCH_FAILED, SEAT_LOST
from tests.faults.scene import SELDOM, Scene, last_words
from tests.worker_harness import RunningWorker

Step = Callable[[Scene], None]

STATES_READ: Final = "states read back"
FREEZES: Final = 6
FREEZE_MARGIN: Final = 4.0
"""Seconds after the timeout in which a worker with a write on its way has ended."""


def audit(scene: Scene) -> None:
    """Compare what is committed with what is acknowledged."""
    scene.audit()


def start(name: str, seat: str | None = None) -> Step:
    """Start a worker, at another's seat if one is given."""
    return lambda scene: scene.start(name, seat)


def ready(name: str) -> Step:
    """Wait until a worker has its share of the partitions and has read their states back."""
    return lambda scene: scene.until(f"{name} to be ready", lambda: scene.ready(name))


def all_judged(scene: Scene) -> None:
    """Wait until every partition came forward, or has nothing left."""
    before = scene.committed()

    def forward() -> bool:
        ends = scene.floor.ends()
        now = scene.committed()
        return all(now.get(p, 0) > before.get(p, 0) or now.get(p) == ends[p] for p in ends)

    scene.until("every partition to come forward", forward, poll=SELDOM)


def batches(worker: RunningWorker) -> float:
    """Return how many batches a worker has judged."""
    return worker.metric("pitwatch_judge_seconds_count") if worker.running else 0.0


def kill(name: str) -> Step:
    """SIGKILL a worker."""
    return lambda scene: scene.leave(name).kill()


def terminate(name: str) -> Step:
    """SIGTERM a worker and wait for its clean end."""

    def step(scene: Scene) -> None:
        status = scene.leave(name).terminate()
        if status != 0:
            scene.problems.append(f"told to stop, a worker ended with status {status}")

    return step


def pause(name: str) -> Step:
    """SIGSTOP a worker."""
    return lambda scene: scene.worker(name).pause()


def wake(name: str) -> Step:
    """SIGCONT a worker whose seat is lost, and wait until it knows.

    With something to write it ends itself, and is started again; without it joins again.
    """

    def step(scene: Scene) -> None:
        worker = scene.worker(name)
        joins = len(worker.said(STATES_READ))
        worker.resume()
        scene.until(
            f"{name} to know that its seat is lost",
            lambda: (
                SEAT_LOST in scene.seats[name].statuses or len(worker.said(STATES_READ)) > joins
            ),
        )

    return step


def taken_over(name: str) -> Step:
    """Wait until a worker owns all partitions."""

    def step(scene: Scene) -> None:
        tables = {event.table for event in list(scene.floor.written)}
        scene.until(
            f"{name} to own all tables",
            lambda: scene.worker(name).tables_shown() == tables,
        )

    return step


def ended(name: str, status: int) -> Step:
    """Wait until a worker has ended by itself with a status; it is not started again."""

    def step(scene: Scene) -> None:
        worker = scene.leave(name)
        scene.until(f"{name} to end", lambda: not worker.running)
        scene.seats[name].statuses.append(worker.process.wait())
        if worker.process.wait() != status:
            scene.problems.append(
                f"expected {name} to end with {status}, found {worker.process.wait()}: "
                f"{last_words(worker)}"
            )

    return step


def said(name: str, message: str) -> Step:
    """Wait until a worker has logged a message."""
    return lambda scene: scene.until(message, lambda: scene.worker(name).said(message))


def write_old_states(scene: Scene) -> None:
    """Write the first state of every table over its last."""
    scene.log.read()
    scene.floor.write_raw(
        ("changelog", scene.floor.partition(key.decode()), key, value)
        for key, value in scene.log.first.items()
    )


def kill_broker(scene: Scene) -> None:
    """SIGKILL the broker."""
    scene.kafka.kill()


def start_broker(scene: Scene) -> None:
    """Start the broker again."""
    scene.kafka.start()


def freeze_broker(scene: Scene) -> None:
    """SIGSTOP the broker."""
    scene.kafka.pause()


def freeze_broker_under_a_write(name: str, timeout: float) -> Step:
    """SIGSTOP the broker while a worker writes, until it ends for want of an acknowledgement.

    A worker that happens not to write just waits; then the broker goes on and is frozen again.
    """

    def step(scene: Scene) -> None:
        statuses = scene.seats[name].statuses
        for _ in range(FREEZES):
            scene.kafka.pause()
            scene.pass_time(timeout + FREEZE_MARGIN, unless=lambda: BATCH_FAILED in statuses)
            if BATCH_FAILED in statuses:
                return
            scene.kafka.resume()
            all_judged(scene)
        raise AssertionError(f"froze the broker {FREEZES} times and never under a write")

    return step


def thaw_broker(scene: Scene) -> None:
    """SIGCONT the broker."""
    scene.kafka.resume()


def refuse(scene: Scene) -> None:
    """Break the workers' connections to the broker and refuse new ones."""
    assert scene.proxy is not None
    scene.proxy.refuse()


def accept(scene: Scene) -> None:
    """Let workers connect again."""
    assert scene.proxy is not None
    scene.proxy.accept()


def seconds(length: float) -> Step:
    """Let the fault last."""
    return lambda scene: scene.pass_time(length)
