"""A device's client: events go on disk at once, and from there to the gateway in their order.

    record() → line → queue on disk → one request at a time → answer → forgotten

A thread sends: the next lines go out when those before have their answer, so nothing overtakes.
What is killed between an answer and its note on disk sends that request once more at its next
start; the gateway knows its lines. `producers.client.answers` says what each answer means.
"""

import json
import logging
import random
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Self

from producers.client.answers import (
    Judged,
    Later,
    Outcome,
    RefusedLine,
    TooLong,
    outcome_of,
)
from producers.client.connection import Connection, Unanswered
from producers.client.disk import Folder
from producers.client.disk_queue import (
    DISK_FAILED,
    QUEUE_FULL,
    REFUSED,
    TOO_LONG,
    Batch,
    DiskQueue,
)
from producers.client.identity import next_boot
from producers.client.refusals import Refusals
from producers.client.settings import LONGEST_LINE, Settings

ENVELOPE: Final = ("table", "source", "boot", "seq")
"""What the client itself says of each event."""

END_SECONDS: Final = 2.0
"""How long the sending thread has to end, which takes no time but where a request hangs."""

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of an event: its number, and why it was dropped if it was."""

    seq: int
    dropped: str | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """How a client stands.

    Args:
        boot: of this start.
        seq: of the last event.
        waiting: events on disk that have no answer yet, those of earlier starts too.
        accepted: events that the gateway has taken since this start.
        duplicates: events that it had already.
        drops: how many events were dropped since the folder was made, by reason.
        trouble: why the last request is to be sent again; nothing where it was answered.
        sending: whether the thread that sends lives; it ends by ``close`` alone.
    """

    boot: int
    seq: int
    waiting: int
    accepted: int
    duplicates: int
    drops: Mapping[str, int]
    trouble: str | None
    sending: bool


class Client:
    """One source of one table; for several threads at once.

    Args:
        settings: what it is told.

    Raises:
        FolderInUse: another client has the folder.
        OSError: the disk does not read or write.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        with ExitStack() as undo:
            self._folder = Folder(settings.folder)
            undo.callback(self._folder.close)
            self._boot = next_boot(settings.folder)
            self._queue = DiskQueue(settings.folder, settings.queue_bytes)
            undo.pop_all()
        self._refusals = Refusals(settings.folder)
        self._connection = Connection(settings)
        self._changed = threading.Condition()
        self._seq = 0
        self._accepted = 0
        self._duplicates = 0
        self._trouble: str | None = None
        self._stopping = False
        self._pause = settings.least_pause
        self._most_lines = settings.request_lines
        self._thread = threading.Thread(target=self._send, name="events", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def record(self, kind: str, at: datetime | None = None, **fields: object) -> Recorded:
        """Put an event on the disk, to be sent; it survives a kill once this returns.

        Args:
            kind: the event's kind.
            at: when it happened, with a time zone; now where it is not said.
            fields: the kind's own; one that is ``None`` is left out.

        Returns:
            Its number, and why it was dropped, if there was no room or the disk does not write.
            A dropped event has a number all the same, so that the judge learns of the gap.

        Raises:
            ValueError: a field is one that the client itself gives, a time has no zone, or the
                client is closed.
            TypeError: a field is nothing that JSON has.
        """
        theirs = [name for name in ENVELOPE if name in fields]
        if theirs:
            raise ValueError(f"{theirs[0]}: expected none, for the client gives it, found one")
        own = {name: value for name, value in fields.items() if value is not None}
        when = moment(at)
        with self._changed:
            if self._stopping:
                raise ValueError("expected a client that is open, found a closed one")
            event = {
                "table": self._settings.table,
                "source": self._settings.source,
                "boot": self._boot,
                "seq": self._seq + 1,
                "at": when,
                "kind": kind,
                **own,
            }
            text = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            line = text.encode()
            self._seq += 1
            dropped = self._keep(line)
            self._changed.notify_all()
            return Recorded(self._seq, dropped)

    def status(self) -> Status:
        """Return how it stands."""
        with self._changed:
            return Status(
                self._boot,
                self._seq,
                self._queue.waiting,
                self._accepted,
                self._duplicates,
                self._queue.drops,
                self._trouble,
                self._thread.is_alive(),
            )

    def flush(self, seconds: float) -> bool:
        """Wait until all events have their answer; return false where that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._queue.waiting, seconds)

    def close(self, seconds: float = 5.0) -> None:
        """Send for so long what waits, then end; what is left is sent after the next start."""
        with self._changed:
            if self._stopping:
                return
            self._changed.wait_for(lambda: not self._queue.waiting, seconds)
            self._stopping = True
            self._changed.notify_all()
        self._thread.join(max(seconds, END_SECONDS))
        if self._thread.is_alive():
            # A request hangs: its lines are in the queue, and until the process ends no other
            # client may have the folder, whose lines could overtake them.
            return
        self._connection.close()
        self._queue.close()
        self._folder.close()

    def _keep(self, line: bytes) -> str | None:
        """Put a line in the queue; return why it was dropped instead, if it was."""
        if len(line) > LONGEST_LINE:
            return self._drop(TOO_LONG)
        try:
            kept = self._queue.append(line)
        except OSError as error:
            _log.error("event not kept", extra={"error": str(error)})
            return self._drop(DISK_FAILED)
        return None if kept else self._drop(QUEUE_FULL)

    def _drop(self, reason: str) -> str:
        _log.warning("event dropped", extra={"reason": reason, "seq": self._seq})
        try:
            self._queue.drop(reason)
        except OSError as error:
            _log.error("drop not noted", extra={"error": str(error)})
        return reason

    def _send(self) -> None:
        while (batch := self._next()) is not None:
            outcome = self._outcome(batch)
            with self._changed:
                try:
                    pause = self._settle(batch, outcome)
                except OSError as error:
                    _log.error("progress not noted", extra={"error": str(error)})
                    pause = self._settings.most_pause
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._stopping, pause)

    def _next(self) -> Batch | None:
        """Wait for lines and return the next ones; nothing at the end."""
        with self._changed:
            while not self._stopping:
                try:
                    batch = self._queue.batch(self._most_lines, self._settings.request_bytes)
                except OSError as error:
                    self._note(f"the queue cannot be read: {error}")
                    self._changed.wait(self._settings.most_pause)
                    continue
                if batch is not None:
                    return batch
                self._changed.wait()
            return None

    def _outcome(self, batch: Batch) -> Outcome:
        if not batch.lines:
            return Judged(0, 0, ())
        try:
            answer = self._connection.post(batch.lines)
        except Unanswered as error:
            return Later(str(error))
        return outcome_of(answer, len(batch.lines))

    def _settle(self, batch: Batch, outcome: Outcome) -> float:
        """Do what an answer asks for; return for how long nothing is to be sent."""
        match outcome:
            case Judged(accepted, duplicates, refused):
                self._accepted += accepted
                self._duplicates += duplicates
                for each in refused:
                    said = {"field": each.field, "expected": each.expected, "found": each.found}
                    _log.warning("event refused", extra=said)
                    self._keep_refusal(batch.lines[each.line - 1], each)
                self._forget(batch, Counter({REFUSED: len(refused)}))
            case TooLong() if len(batch.lines) > 1:
                self._most_lines = len(batch.lines) // 2
            case TooLong():
                _log.warning("event dropped", extra={"reason": TOO_LONG})
                self._forget(batch, Counter({TOO_LONG: 1}))
            case Later(why, seconds, steady):
                return self._later(why, seconds, steady)
        return 0

    def _keep_refusal(self, line: bytes, why: RefusedLine) -> None:
        try:
            self._refusals.keep(line, why)
        except OSError as error:
            _log.error("refusal not kept", extra={"error": str(error)})

    def _forget(self, batch: Batch, dropped: Counter[str]) -> None:
        self._trouble = None
        self._pause = self._settings.least_pause
        self._most_lines = self._settings.request_lines
        self._queue.delivered(batch, dropped)

    def _later(self, why: str, seconds: float | None, steady: bool) -> float:
        """Return the pause before the same lines are sent again."""
        self._note(why)
        # Of all devices that lost one gateway, or were put off by it, not two come back at once.
        spread = random.uniform(0.5, 1)  # noqa: S311  nothing secret
        if seconds is not None:
            return seconds + spread * self._settings.least_pause
        pause = self._settings.most_pause if steady else self._pause
        self._pause = min(2 * self._pause, self._settings.most_pause)
        return pause * spread

    def _note(self, why: str) -> None:
        if why != self._trouble:
            _log.warning("events wait", extra={"why": why})
        self._trouble = why


def moment(at: datetime | None) -> str:
    """Return a time as the contract writes it: UTC, microseconds, ``Z``.

    Raises:
        ValueError: it has no time zone.
    """
    if at is not None and at.tzinfo is None:
        raise ValueError("at: expected a time with its zone, found one without")
    when = datetime.now(UTC) if at is None else at.astimezone(UTC)
    return f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond:06d}Z"
