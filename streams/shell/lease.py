"""The right to write: a worker that was paused past its session must not write any more.

The group coordinator keeps a member for one session after its last heartbeat. The lease counts
from the moment an accepted heartbeat was sent, so it ends before the coordinator can have given
the partitions away; it is read from a clock that goes on during a suspend. Each request that
would write is checked just before it is sent:

| generation and member | left of the lease | answer |
|---|---|---|
| those of the last assignment | at least the margin | write |
| those of the last assignment | less | wait for the next heartbeat |
| others | any | the seat is lost: end the process before anything leaves it |

A static member's seat can be taken at any moment, by another process with its id, and it hears of
it with its next heartbeat only. Its lease is therefore as short as ``STATIC_SECONDS``, and a
process that takes a seat waits as long before it reads states back: by then whoever had the seat
has written its last.
"""

import enum
import time
from collections.abc import Callable
from typing import Final, NamedTuple

MARGIN: Final = 0.5
"""Seconds of the session that must be left; a stop of this length after the check is not seen."""

STATIC_SECONDS: Final = 1.5
"""A static member's lease: three of its heartbeats. A restart waits for it once."""


def boot_seconds() -> float:
    """Return seconds of a clock that also goes on while the machine is suspended."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Seat(NamedTuple):
    """A member's place in its group."""

    generation: int
    member: str


class Answer(enum.Enum):
    """Whether a request may leave the process."""

    WRITE = "write"
    WAIT = "wait"
    LOST = "lost"


class Lease:
    """How long this worker may still write.

    Args:
        session: the session timeout in seconds.
        clock: seconds of a clock that never stops.
        static: whether another process can take the seat.
    """

    def __init__(
        self, session: float, clock: Callable[[], float] = boot_seconds, *, static: bool = False
    ) -> None:
        self._session = session
        self._static = static
        self._length = min(session, STATIC_SECONDS) if static else session
        self._clock = clock
        self._renewed: float | None = None
        self._seat: Seat | None = None

    def now(self) -> float:
        """Return the clock; the moment before a heartbeat is sent is what ``renew`` takes."""
        return self._clock()

    def renew(self, sent: float) -> None:
        """Count the session from ``sent``: a heartbeat sent then was accepted."""
        self._renewed = sent

    def assign(self, seat: Seat) -> None:
        """Take the seat of a new assignment."""
        self._seat = seat

    def take_over(self) -> float:
        """Return for how many seconds whoever had this member's seat may still write."""
        return self._length if self._static and self._seat is None else 0.0

    def left(self) -> float:
        """Return the seconds left of the session; negative when it is over."""
        if self._renewed is None:
            return -self._session
        return self._renewed + self._session - self._clock()

    def check(self, seat: Seat) -> Answer:
        """Return whether a member that sits at ``seat`` may write now."""
        if seat != self._seat:
            return Answer.LOST
        left = self.left() - (self._session - self._length)
        return Answer.WRITE if left >= MARGIN else Answer.WAIT
