"""Group commit: one thread writes what all requests hand in, and syncs once for all of them.

While the disk syncs, the next requests gather; so the number of syncs follows the disk's speed and
not the number of requests. Each request learns what became of its entries when that is certain.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from producers.gateway.entries import Entry, encode_entry
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
    payloads: Sequence[bytes]
    size: int
    done: Callable[[Outcome], None]


class Committer:
    """Writes entries to the spool in a thread of its own.

    Args:
        spool: only this thread appends to it.
        bounds: beyond them requests are told that it is full.
        oldest: when the oldest unpublished event was received, in microseconds.
        clock: microseconds since 1970-01-01 UTC.
        stored: told after each commit how many entries it had, and the seconds it took.
    """

    def __init__(
        self,
        spool: Spool,
        bounds: Bounds,
        *,
        oldest: Callable[[], int | None],
        clock: Callable[[], int],
        stored: Callable[[int, float], None],
    ) -> None:
        self._spool = spool
        self._bounds = bounds
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
            self._requests.append(_Request(payloads, size, done))
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

    def _run(self) -> None:
        while not self._closing or self._requests:
            if batch := self._next_batch():
                self._commit(batch)
            elif self.fault is not None:
                self._probe()

    def _probe(self) -> None:
        """Look whether the disk is good again, so that it is known without a request."""
        try:
            self._spool.probe()
        except OSError as error:
            self.fault = str(error)
        else:
            self.fault = None
            _log.warning("spool writable again")

    def _next_batch(self) -> list[_Request]:
        with self._changed:
            timeout = None if self.fault is None else PROBE_SECONDS
            self._changed.wait_for(lambda: self._requests or self._closing, timeout)
            batch: list[_Request] = []
            size = 0
            while self._requests and size < LARGEST_COMMIT:
                request = self._requests.popleft()
                size += request.size
                batch.append(request)
            return batch

    def _commit(self, batch: Sequence[_Request]) -> None:
        taken: list[_Request] = []
        size = 0
        for request in batch:
            reason = self.full(size + request.size)
            if reason is None:
                taken.append(request)
                size += request.size
            else:
                request.done(Full(reason))
        payloads = [payload for request in taken for payload in request.payloads]
        if not payloads:
            return
        outcome: Outcome = Stored()
        began = time.monotonic()
        try:
            self._spool.append(payloads)
            self.fault = None
            self._stored(len(payloads), time.monotonic() - began)
        except OSError as error:
            self.fault = str(error)
            outcome = DiskFault(self.fault)
            _log.error("spool not written", extra={"fault": self.fault})
        for request in taken:
            request.done(outcome)
