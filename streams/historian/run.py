"""The historian's one loop: read a batch, write it with its offsets in one transaction, again.

| what fails | then |
|---|---|
| a record cannot be decoded | it is counted by its reason and skipped |
| the database refuses a record | each of its batch is written alone; that one is skipped |
| Kafka or the database is away | not ready; tried again after 0.5 to 15 s, without reading on |
| for ten minutes | the historian ends, to be started again |
| records were deleted before they were read | counted, and told as an error; reading goes on |
| a topic was made anew | told as an error; it is read from its beginning |
| a topic with another prefix was read | it is read from its beginning, over those rows |
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, InterfaceError, InternalError, OperationalError

from schemas.times import MICROS_IN_DAY
from streams.database import migrate
from streams.database.opening import DatabaseAway, away
from streams.historian.metrics import REFUSED, HistorianMetrics
from streams.historian.retention import delete_step
from streams.historian.rows import Message, Rows, Skipped, rows_of
from streams.historian.seat import Seat, seat
from streams.historian.settings import HistorianSettings
from streams.historian.topics import FloorLog, LogAway, open_log
from streams.historian.writer import Place, begin_anew, positions, write

log = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS: Final = 0.5
LONGEST_PAUSE_SECONDS: Final = 15.0

ASK_SECONDS: Final = 5.0
"""How often Kafka is asked where its topics end while nothing comes."""

TELL_SECONDS: Final = 30.0
"""How often it is told that Kafka or the database still is away."""

DELETE_SECONDS: Final = 60.0
"""How long after all is deleted that was due it is looked for again."""

SHOWN: Final = 10
"""Skipped records of a batch that are told one by one."""

STUCK_SECONDS: Final = 300.0
"""A loop that has not turned for so long is not alive; the longest wait in it is a minute."""

DATABASE_AWAY: Final = (OperationalError, InterfaceError, InternalError)
"""What a database raises that is away, full or locked; what it raises of a row is none of these."""

T = TypeVar("T")


class GaveUp(Exception):
    """Kafka or the database was away for too long; the text says which and what to do."""


class Historian:
    """One historian.

    Args:
        settings: what it was told.
        engine: its database.
        metrics: what it tells Prometheus.
    """

    def __init__(
        self, settings: HistorianSettings, engine: Engine, metrics: HistorianMetrics
    ) -> None:
        self._settings = settings
        self._engine = engine
        self._metrics = metrics
        self._stop = threading.Event()
        self._trouble: str | None = "it is starting"
        self._turned = time.monotonic()
        self._away_since: float | None = None
        self._told_at = 0.0
        self._tries = 0
        self._pause = FIRST_PAUSE_SECONDS
        self._delete_at = time.monotonic()

    def stop(self) -> None:
        """Finish the batch and end; from any thread or signal handler."""
        self._stop.set()

    def alive(self) -> str | None:
        """Return why it is not alive, or nothing."""
        stuck = time.monotonic() - self._turned
        return f"no turn of its loop for {stuck:.0f} s" if stuck > STUCK_SECONDS else None

    def ready(self) -> str | None:
        """Return why it does not do its work, or nothing."""
        return self._trouble

    def run(self) -> None:
        """Write history until it is told to stop.

        Raises:
            SeatTaken: another historian writes to the database.
            DatabaseFault: the database is of a newer version.
            GaveUp: Kafka or the database was away for too long.
        """
        while not self._stop.is_set():
            try:
                with seat(self._engine) as own:
                    migrate(self._engine)
                    self._work(own)
            except DATABASE_AWAY as error:
                self._wait(str(away(self._engine, error)))
            except DatabaseAway as fault:
                self._wait(str(fault))

    def _work(self, own: Seat) -> None:
        while not self._stop.is_set():
            try:
                known = self._tried(partial(self._known, own))
                if known is None:
                    return
                with open_log(self._settings, known) as floor:
                    self._begin(own, floor, known)
                    self._follow(own, floor)
            except LogAway as error:
                self._wait(str(error))

    def _known(self, own: Seat) -> dict[Place, int]:
        with own.transaction() as connection:
            return positions(connection)

    def _begin(self, own: Seat, floor: FloorLog, known: Mapping[Place, int]) -> None:
        """Tell of what Kafka has no more, and forget offsets that say nothing."""
        for (topic, partition), start in sorted(floor.starts.items()):
            where = {"topic": topic, "partition": partition, "offset": start.offset}
            stood = known.get((topic, partition))
            if start.missed:
                self._metrics.missed(self._name(topic), start.missed)
                log.error(
                    "records were deleted before they were read",
                    extra={**where, "expected": stood, "missed": start.missed},
                )
                reached = {(topic, partition): start.offset}
                self._tried(partial(self._written, own, Rows(), reached))
            if start.anew:
                log.error(
                    "a topic was made anew, it is read from its beginning",
                    extra={**where, "expected": stood},
                )
            if start.anew or (stood is None and self._moved(topic, known)):
                self._tried(partial(self._anew, own, topic, partition))

    def _moved(self, topic: str, known: Mapping[Place, int]) -> bool:
        """Say whether rows of a topic's name were read from one with another prefix."""
        name = self._name(topic)
        return any(other.endswith(name) and other != topic for other, _ in known)

    def _anew(self, own: Seat, topic: str, partition: int) -> None:
        with own.transaction() as connection:
            begin_anew(connection, topic, self._name(topic), partition)

    def _follow(self, own: Seat, floor: FloorLog) -> None:
        asked = time.monotonic()
        while not self._stop.is_set():
            self._turned = time.monotonic()
            messages, ends = floor.read()
            if messages:
                self._keep(own, messages, ends)
            elif time.monotonic() - asked >= ASK_SECONDS:
                floor.ask_ends()
                asked = time.monotonic()
            self._well()
            for name, records in floor.lag().items():
                self._metrics.lag(name, records)
            self._delete(own)

    def _keep(self, own: Seat, messages: Sequence[Message], ends: Mapping[Place, int]) -> None:
        """Write a batch and its offsets, whole or not at all."""
        rows = rows_of(messages)
        try:
            written = self._tried(partial(self._written, own, rows, ends))
        except DBAPIError as error:
            self._keep_each(own, messages, ends, str(error.orig))
            return
        if written is not None:
            self._metrics.committed(written)
            self._tell(rows.skipped)

    def _keep_each(
        self, own: Seat, messages: Sequence[Message], ends: Mapping[Place, int], why: str
    ) -> None:
        """Write a batch record by record, and skip what the database takes by no means."""
        if len(messages) > 1:
            topics = {(self._name(topic), partition): topic for topic, partition in ends}
            for message in messages:
                topic = topics[message.topic, message.partition]
                self._keep(own, [message], {(topic, message.partition): message.offset + 1})
            return
        skipped = [Skipped(each, REFUSED, "what the database takes", why) for each in messages]
        written = self._tried(partial(self._written, own, Rows(), ends))
        if written is not None:
            self._tell(skipped)

    def _name(self, topic: str) -> str:
        return topic.removeprefix(self._settings.prefix)

    def _written(self, own: Seat, rows: Rows, ends: Mapping[Place, int]) -> dict[str, int]:
        with own.transaction() as connection:
            return write(connection, rows, ends)

    def _tell(self, skipped: Sequence[Skipped]) -> None:
        for number, each in enumerate(skipped):
            self._metrics.skipped(each.message.topic, each.reason)
            if number < SHOWN:
                log.warning(
                    "a record makes no row and is skipped",
                    extra={
                        "topic": each.message.topic,
                        "partition": each.message.partition,
                        "offset": each.message.offset,
                        "reason": each.reason,
                        "expected": each.expected,
                        "found": each.found,
                    },
                )

    def _delete(self, own: Seat) -> None:
        if not self._settings.keep_days or time.monotonic() < self._delete_at:
            return
        before = time.time_ns() // 1000 - self._settings.keep_days * MICROS_IN_DAY
        gone = self._tried(partial(self._deleted, own, before))
        if gone is not None:
            self._metrics.deleted(gone)
            if not any(gone.values()):
                self._delete_at = time.monotonic() + DELETE_SECONDS

    def _deleted(self, own: Seat, before: int) -> dict[str, int]:
        with own.transaction() as connection:
            return delete_step(connection, before)

    def _tried(self, act: Callable[[], T]) -> T | None:
        """Do something with the database until it answers; nothing where told to stop meanwhile.

        Raises:
            GaveUp: it was away for too long.
            sqlalchemy.exc.DBAPIError: it answers, and refuses.
        """
        while True:
            try:
                return act()
            except DATABASE_AWAY as error:
                self._wait(str(away(self._engine, error)))
            if self._stop.is_set():
                return None

    def _wait(self, trouble: str) -> None:
        """Be not ready for a moment.

        Raises:
            GaveUp: this lasts for too long.
        """
        now = time.monotonic()
        if self._away_since is None:
            self._away_since = self._told_at = now
            self._tries = 0
            log.error("it cannot go on and tries again", extra={"found": trouble})
        self._tries += 1
        if now - self._told_at >= TELL_SECONDS:
            self._told_at = now
            log.warning(
                "it still cannot go on",
                extra={
                    "found": trouble,
                    "seconds": round(now - self._away_since),
                    "tries": self._tries,
                    "ends_after": self._settings.away_seconds,
                },
            )
        if now - self._away_since > self._settings.away_seconds:
            raise GaveUp(trouble)
        self._trouble = trouble
        self._turned = now
        self._stop.wait(self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)

    def _well(self) -> None:
        if self._away_since is not None:
            log.info("it goes on", extra={"seconds": round(time.monotonic() - self._away_since)})
        self._trouble = None
        self._away_since = None
        self._pause = FIRST_PAUSE_SECONDS
