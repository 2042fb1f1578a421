"""Group commit: one thread writes what all requests hand in, and syncs once for all of them.

While the disk syncs, the next requests gather; so the number of syncs follows the disk's speed and
not the number of requests. Each request learns what became of its entries when that is certain.
"""

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from producers.gateway.entries import Accepted, Entry, encode_entry
from producers.gateway.merge import Merger
from producers.gateway.segment import HEADER_SIZE
from producers.gateway.spool import Spool

LARGEST_COMMIT: Final = 4 * 1024 * 1024
"""Bytes after which a commit takes no further request."""
PROBE_SECONDS: Final = 1.0
"""How often a disk that failed is tried while no request comes."""

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stored:
    """All entries are on the disk."""


@dataclass(frozen=True, slots=True)
class Full:
    """Nothing was written: the spool has reached its bound of bytes or of age."""

    reason: str


@dataclass(frozen=True, slots=True)
class DiskFault:
    """Nothing was written, or nothing that counts: the disk is full or failing."""

    reason: str


Outcome = Stored | Full | DiskFault


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much the spool may hold.

    Args:
        size: bytes of all segments.
        age: seconds since the oldest unpublished event was received.
    """

    size: int
    age: float


@dataclass(frozen=True, slots=True)
class _Request:
    entries: Sequence[Entry]
    payloads: Sequence[bytes]
    size: int
    done: Callable[[Outcome], None]


class Committer:
    """Writes entries to the spool in a thread of its own.

    Args:
        spool: only this thread appends to it.
        bounds: beyond them requests are told that it is full.
        merger: decides the order of tables with several sources; only this thread asks it.
        oldest: when the oldest unpublished event was received, in microseconds.
        clock: microseconds since 1970-01-01 UTC.
        stored: told after each commit how many entries of requests it had, and its seconds.
    """

    def __init__(
        self,
        spool: Spool,
        bounds: Bounds,
        merger: Merger,
        *,
        oldest: Callable[[], int | None],
        clock: Callable[[], int],
        stored: Callable[[int, float], None],
    ) -> None:
        self._spool = spool
        self._bounds = bounds
        self._merger = merger
        self._oldest = oldest
        self._clock = clock
        self._stored = stored
        self._requests: deque[_Request] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="committer", daemon=True)
        self.fault: str | None = None

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def submit(self, entries: Sequence[Entry], done: Callable[[Outcome], None]) -> None:
        """Hand in the entries of one request.

        Args:
            entries: at least one.
            done: told the outcome, from the committer's thread; it must not raise.
        """
        payloads = [encode_entry(entry) for entry in entries]
        size = sum(map(len, payloads)) + HEADER_SIZE * len(payloads)
        with self._changed:
            if self._closing:
                raise RuntimeError("expected a running committer, found it closed")
            self._requests.append(_Request(entries, payloads, size, done))
            self._changed.notify()

    def close(self) -> None:
        """Return when everything that was handed in is written."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def full(self, size: int = 0) -> str | None:
        """Return why `size` more bytes are not taken now, or nothing where they are."""
        held = self._spool.size
        if held + size > self._bounds.size:
            return f"the spool may hold {self._bounds.size} bytes and holds {held}"
        oldest = self._oldest()
        if oldest is not None and self._clock() - oldest > self._bounds.age * 1_000_000:
            return f"the oldest event in the spool is older than {self._bounds.age:.0f} s"
        return None

    @property
    def alive(self) -> bool:
        """Say whether the thread runs."""
        return self._thread.is_alive()

    def turn(self, now: float) -> None:
        """Write what was handed in and the decisions that are due.

        Args:
            now: seconds of the clock that events are held by.
        """
        with self._changed:
            batch = self._gathered()
        self._commit(batch, now)

    def _run(self) -> None:
        while not self._closing or self._requests:
            with self._changed:
                self._changed.wait_for(lambda: self._requests or self._closing, self._patience())
            if self._requests or self._decision_due():
                self.turn(time.monotonic())
            elif self.fault is not None:
                self._probe()
        # What is held shall be published before the end, if there is time for it.
        self.turn(math.inf)

    def _decision_due(self) -> bool:
        deadline = self._merger.deadline
        return deadline is not None and deadline <= time.monotonic()

    def _patience(self) -> float | None:
        """Return how many seconds to wait for a request."""
        if self.fault is not None:
            return PROBE_SECONDS
        deadline = self._merger.deadline
        return None if deadline is None else max(0.0, deadline - time.monotonic())

    def _probe(self) -> None:
        """Look whether the disk is good again, so that it is known without a request."""
        try:
            self._spool.probe()
        except OSError as error:
            self.fault = str(error)
        else:
            self.fault = None
            _log.warning("spool writable again")

    def _gathered(self) -> list[_Request]:
        batch: list[_Request] = []
        size = 0
        while self._requests and size < LARGEST_COMMIT:
            request = self._requests.popleft()
            size += request.size
            batch.append(request)
        return batch

    def _commit(self, batch: Sequence[_Request], now: float) -> None:
        taken = self._taken(batch)
        self._merger.begin()
        entries = self._merged(taken, now)
        decisions = [encode_entry(decision) for decision in self._merger.due(now)]
        if not entries and not decisions:
            return
        outcome: Outcome = Stored()
        began = time.monotonic()
        try:
            self._spool.append([*entries, *decisions])
            self.fault = None
            self._stored(len(entries), time.monotonic() - began)
        except OSError as error:
            self._merger.undo()
            self.fault = str(error)
            outcome = DiskFault(self.fault)
            _log.error("spool not written", extra={"fault": self.fault})
        for request in taken:
            request.done(outcome)

    def _taken(self, batch: Sequence[_Request]) -> list[_Request]:
        """Return the requests for which there is room; the others are told that there is none."""
        taken: list[_Request] = []
        size = 0
        for request in batch:
            reason = self.full(size + request.size)
            if reason is None:
                taken.append(request)
                size += request.size
            else:
                request.done(Full(reason))
        return taken

    def _merged(self, requests: Sequence[_Request], now: float) -> list[bytes]:
        """Return the payloads of the requests' entries, each marked whether it is held."""
        payloads: list[bytes] = []
        for request in requests:
            for entry, payload in zip(request.entries, request.payloads, strict=True):
                written = entry
                if isinstance(entry, Accepted):
                    position = self._spool.next_position + len(payloads)
                    written = self._merger.arrive(position, entry, now)
                payloads.append(payload if written is entry else encode_entry(written))
        return payloads
