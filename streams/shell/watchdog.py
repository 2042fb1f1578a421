"""Ends a worker that has something to judge and does not come forward.

Faust's tasks can die while its process looks well, and its start can wait for ever. This runs in a
thread of its own from the very start, so that it also sees a loop that is blocked:

| the worker | is | then |
|---|---|---|
| came forward, or has nothing to judge | well | |
| has lag, or has not read its states back, for half the limit | stalled | not ready |
| for the whole limit | dead | ended, to be started again |
"""

import enum
import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from streams.shell.ending import STALLED

log = logging.getLogger(__name__)

ASK_SECONDS: Final = 1.0


class Verdict(enum.Enum):
    """How a worker is."""

    WELL = "well"
    STALLED = "stalled"
    DEAD = "dead"


def verdict(seconds: float, limit: float) -> Verdict:
    """Return how a worker is that has not come forward for ``seconds``."""
    if seconds >= limit:
        return Verdict.DEAD
    return Verdict.STALLED if seconds >= limit / 2 else Verdict.WELL


class Watchdog:
    """The thread that watches.

    Args:
        idle: seconds since the worker came forward; 0 if it has nothing to judge.
        limit: after how many it is ended.
        end: ends the process.
    """

    def __init__(
        self, idle: Callable[[], float], limit: float, end: Callable[[int], object]
    ) -> None:
        self._idle = idle
        self._limit = limit
        self._end = end
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no more; a worker that is stopping comes forward no more."""
        self._stop.set()

    def verdict(self) -> Verdict:
        """Return how the worker is now."""
        return verdict(self._idle(), self._limit)

    def _watch(self) -> None:
        while not self._stop.wait(min(ASK_SECONDS, self._limit / 4)):
            idle = self._idle()
            if verdict(idle, self._limit) is Verdict.DEAD:
                log.critical("no progress, the worker ends", extra={"seconds": round(idle)})
                self._end(STALLED)
                return


class Beat:
    """When a loop last ran; ``age`` is asked from other threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._at = now()

    def mark(self) -> None:
        """Note that the loop runs."""
        self._at = self._now()

    def age(self) -> float:
        """Return seconds since it last ran."""
        return self._now() - self._at
