"""The sender: publishes the spool in order, whatever becomes of the broker.

One turn, `step`, does in this order what there is to do; a thread repeats it:

    settle    what the broker acknowledged is done and saved; a failure loses the producer
    watch     a producer that got no acknowledgement for long is replaced, if the broker answers
    read      from the spool, while the window has room
    send      what may be sent, with a producer that is built for it

A producer is lost when it fails a record or must be replaced. Then everything of a lane from the
first entry that is not acknowledged waits again, in order, and goes out with the next producer.
Progress is saved before more is sent, so a kill repeats no more of a lane than was in flight.

Where it is a dead letter that cannot be sent, all of them rest for a while: that their topic is
missing or not allowed shows only when a device sends a bad line, and shall not hold up the events
behind it. While they cannot be sent and events can, the oldest are given up, and counted, once
there is room in the window for nothing else: it holds thousands, and reaches over 16 times as many.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, assert_never

from producers.gateway.deadletter import headers_of
from producers.gateway.entries import Accepted, Refused
from producers.gateway.publisher import BrokerAway, Producer, Record, Settled
from producers.gateway.spool import Spool, SpoolReader
from producers.gateway.window import Sendable, Window

RETRY_SECONDS: Final = 1.0
"""Between two attempts to reach a broker."""

REST_SECONDS: Final = 30.0
"""For which dead letters are not sent when one could not be."""

IDLE_SECONDS: Final = 0.5
"""The longest the thread sleeps; acknowledgements and new entries wake it at once."""

SYNC_SECONDS: Final = 1.0
"""How often the progress is synced: after a power cut at most so much is sent again."""

_log: Final = logging.getLogger(__name__)


class SenderMetrics(Protocol):
    """What the sender counts."""

    def published(self, events: int) -> None:
        """Count events that Kafka acknowledged."""

    def resent(self, entries: int) -> None:
        """Count entries that are sent again."""

    def given_up(self, letters: int) -> None:
        """Count dead letters that are not sent at all."""

    def spooled(self, entries: int) -> None:
        """Add to what is on the disk and not acknowledged."""


Headers = tuple[tuple[str, bytes], ...]


def untraced(_: Accepted) -> Headers:
    """Return no header: the event is not traced."""
    return ()


@dataclass(frozen=True, slots=True)
class Destination:
    """Where entries go, and what dead letters say of the sender.

    Args:
        deals: the topic of events.
        dead: the topic of dead letters.
        gateway: the name of this gateway.
        version: of the program.
        trace: returns the headers by which an event's trace goes on.
    """

    deals: str
    dead: str
    gateway: str
    version: str
    trace: Callable[[Accepted], Headers] = untraced

    def record(self, entry: Sendable) -> Record:
        """Return what is sent for an entry; its time is the gateway's, never the device's."""
        key = None if entry.table is None else entry.table.encode()
        timestamp = entry.received // 1000 or None
        match entry:
            case Accepted():
                return Record(self.deals, key, entry.value, self.trace(entry), timestamp)
            case Refused():
                headers = headers_of(entry, gateway=self.gateway, version=self.version)
                return Record(self.dead, key, entry.raw, headers, timestamp)
            case _:
                assert_never(entry)


class Sender:
    """Publishes a spool.

    Args:
        spool: only this object reads it and deletes what is done.
        connect: builds a producer that settles numbers with the function it is given.
        destination: where to.
        metrics: what is counted.
        monotonic: seconds of a clock that never goes back.
        stall_seconds: without an acknowledgement for so long the producer is replaced.
    """

    def __init__(
        self,
        spool: Spool,
        connect: Callable[[Settled], Producer],
        destination: Destination,
        metrics: SenderMetrics,
        *,
        monotonic: Callable[[], float],
        stall_seconds: float,
    ) -> None:
        self._spool = spool
        self._connect = connect
        self._destination = destination
        self._metrics = metrics
        self._monotonic = monotonic
        self._stall_seconds = stall_seconds
        self._wake = threading.Event()
        self._settled: deque[tuple[int, int, str | None]] = deque()
        self._producer: Producer | None = None
        self._generation = 0
        self._retry_at = self._stalled_at = self._synced_at = self._rest_until = monotonic()
        self._unsynced = False
        self._saved = True
        self._away = False
        self._passed: int | None = None
        self._given_up = 0
        self._fault: str | None = None
        self._stop_at: float | None = None
        self._thread = threading.Thread(target=self._run, name="sender", daemon=True)
        self._begin()
        self.oldest: int | None = spool.recovered.oldest
        """When the oldest entry that is not done was received, in microseconds."""
        self.oldest_event: int | None = spool.recovered.oldest
        """The same of events alone; before the first turn it may be a dead letter's."""

    def start(self) -> None:
        """Begin to publish."""
        self._thread.start()

    def wake(self) -> None:
        """Say that there are new entries; from any thread."""
        self._wake.set()

    def stop(self, seconds: float) -> None:
        """Publish what is left, for at most `seconds` and while a broker answers, and end."""
        stop_at = self._monotonic() + seconds
        self._stop_at = stop_at if self._stop_at is None else min(self._stop_at, stop_at)
        self._wake.set()
        self._thread.join()

    def hurry(self) -> None:
        """Let `stop` wait no longer; from any thread."""
        self._stop_at = self._monotonic()
        self._wake.set()

    @property
    def alive(self) -> bool:
        """Say whether the thread runs."""
        return self._thread.is_alive()

    def step(self) -> None:
        """Do one turn."""
        self._settle()
        self._watch()
        self._read()
        self.oldest = self._window.oldest
        self.oldest_event = self._window.oldest_event
        self._send()

    @property
    def drained(self) -> bool:
        """Say whether everything in the spool is published."""
        return self._window.empty and self._reader.next_position > self._spool.last_position

    def finish(self) -> None:
        """Give the producer up and make sure of the progress."""
        if self._producer is not None:
            self._producer.close()
        self._settle()
        self._save()
        self._sync()

    def _begin(self) -> None:
        self._window = Window()
        self._reader = SpoolReader(self._spool)
        self._before = self._spool.progress

    def _run(self) -> None:
        broken_until = self._monotonic()
        while not self._ended():
            self._wake.wait(IDLE_SECONDS)
            self._wake.clear()
            if self._monotonic() < broken_until:
                continue
            try:
                self.step()
            except Exception:
                # The spool has everything: to begin again from it is always right.
                _log.exception("publishing begins again")
                broken_until = self._monotonic() + RETRY_SECONDS
                self._lose()
                self._begin()
        self.finish()

    def _ended(self) -> bool:
        if self._stop_at is None:
            return False
        away = self._producer is None and self._retry_at > self._monotonic()
        return self.drained or away or self._monotonic() >= self._stop_at

    def _settle(self) -> None:
        events = entries = 0
        failure: str | None = None
        failed: Sendable | None = None
        while self._settled:
            generation, number, error = self._settled.popleft()
            if generation != self._generation:
                continue
            if error is not None:
                if failure is None:
                    failure, failed = error, self._window.entry(number)
            elif (entry := self._window.acknowledge(number)) is not None:
                entries += 1
                events += isinstance(entry, Accepted)
        if entries:
            self._metrics.published(events)
            self._metrics.spooled(-entries)
            self._fault = None
            self._pass(events, letters=entries - events)
            self._stalled_at = self._monotonic() + self._stall_seconds
            self._save()
        if self._unsynced and self._monotonic() - self._synced_at >= SYNC_SECONDS:
            self._sync()
        if failure is not None:
            self._fail(failure, failed)

    def _save(self) -> None:
        progress = self._window.progress(self._reader.next_position)
        try:
            # First, for a full disk may have no room for the progress until something is deleted.
            self._spool.drop_below(progress.low)
            self._spool.save_progress(progress)
            self._unsynced = True
        except OSError as error:
            # Publishing goes on: what is not saved is at worst sent again after a restart.
            if self._saved:
                _log.error("progress not saved", extra={"fault": str(error)})
            self._saved = False
        else:
            self._saved = True

    def _sync(self) -> None:
        self._synced_at = self._monotonic()
        self._unsynced = False
        try:
            self._spool.sync_progress()
        except OSError as error:
            _log.error("progress not synced", extra={"fault": str(error)})

    def _watch(self) -> None:
        if self._producer is None or not self._window.in_flight:
            return
        if self._monotonic() < self._stalled_at:
            return
        self._stalled_at = self._monotonic() + self._stall_seconds
        try:
            producer = self._connect(partial(self._note, self._generation + 1))
        except BrokerAway:
            # It cannot be told from a producer that waits for the broker, as it should.
            return
        _log.warning("producer replaced", extra={"seconds": self._stall_seconds})
        self._lose()
        self._producer = producer

    def _pass(self, events: int, letters: int) -> None:
        """Note how many events Kafka took since it did not take dead letters, or that it does."""
        if letters:
            if self._given_up:
                _log.warning("dead letters taken again", extra={"given_up": self._given_up})
            self._passed, self._given_up = None, 0
        elif self._passed is not None:
            self._passed += events

    def _roomy(self) -> bool:
        """Return whether there is room, and make it if Kafka takes events and not dead letters."""
        if self._passed and (letters := self._window.give_up()):
            if not self._given_up:
                # once until they are taken again: the metric says how many
                _log.error("dead letters given up")
            self._given_up += letters
            self._metrics.given_up(letters)
            self._metrics.spooled(-letters)
        return self._window.room

    def _read(self) -> None:
        while self._roomy() and (entries := self._reader.read()):
            for position, entry in entries:
                if position not in self._before:
                    self._window.offer(position, entry)

    def _send(self) -> None:
        if self._window.resting and self._monotonic() >= self._rest_until:
            self._window.rest(resting=False)
        if not self._window.ready or not self._connected():
            return
        producer = self._producer
        if producer is None:
            return
        if not self._window.in_flight:
            self._stalled_at = self._monotonic() + self._stall_seconds
        for number, entry in self._window.sendable():
            try:
                producer.send(number, self._destination.record(entry))
            except BrokerAway as fault:
                # where a record failed before, its reason says more
                self._settle()
                if self._producer is producer:
                    self._fail(str(fault), entry)
                return

    def _connected(self) -> bool:
        if self._producer is not None:
            return True
        if self._monotonic() < self._retry_at:
            return False
        try:
            self._producer = self._connect(partial(self._note, self._generation))
        except BrokerAway as fault:
            if not self._away:
                _log.warning("no broker answers", extra={"fault": str(fault)})
            self._away = True
            self._retry_at = self._monotonic() + RETRY_SECONDS
            return False
        if self._away:
            _log.info("a broker answers again")
        self._away = False
        return True

    def _fail(self, fault: str, entry: Sendable | None) -> None:
        # once for each reason: with a topic that is missing it is the same every second
        if fault != self._fault:
            _log.warning("producer failed", extra={"fault": fault})
        self._fault = fault
        if isinstance(entry, Refused):
            self._passed = self._passed or 0
            self._rest_until = self._monotonic() + REST_SECONDS
            self._window.rest(resting=True)
        self._lose()

    def _lose(self) -> None:
        """Give the producer up; what it had not brought to an end waits again."""
        producer, self._producer = self._producer, None
        self._generation += 1
        self._retry_at = self._monotonic() + RETRY_SECONDS
        self._metrics.resent(self._window.retract())
        if producer is not None:
            producer.abandon()

    def _note(self, generation: int, number: int, error: str | None) -> None:
        self._settled.append((generation, number, error))
        if not self._wake.is_set():
            self._wake.set()
