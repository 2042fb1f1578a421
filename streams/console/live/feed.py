"""Reads the floor's topics into the model: a thread with a consumer, in no group.

| topic | from |
|---|---|
| ``tables.v1``, ``alarms.v1`` | the beginning: they are compacted |
| ``rounds.v1``, ``findings.v1`` | four hours before |
| ``deals.v1`` | nothing is read: where its partitions end tells the events a second |

The thread fetches and decodes; the event loop takes each batch in, one at a time, so that a slow
loop makes the thread wait and nothing piles up. Of a table's views in one fetch only the newest is
decoded. The consumer is ready when it has read up to the ends that it saw at its start. Once a
second it asks the broker for the ends of ``deals.v1``: an answer is the feed's sign of life, and
without one for 5 s the feed is lost. An error builds the consumer anew, where it was.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from schemas.codec import CODEC
from schemas.faults import CodecFault
from schemas.records import Alarm, Finding, Round, TableView
from streams.brokers.access import PLAINTEXT, KafkaAccess
from streams.brokers.reason import reason
from streams.console.live.floor import WINDOW, LiveFloor
from streams.serving.tracing import Tracing

TABLES: Final = "tables.v1"
ALARMS: Final = "alarms.v1"
ROUNDS: Final = "rounds.v1"
FINDINGS: Final = "findings.v1"
DEALS: Final = "deals.v1"
STRUCTS: Final[Mapping[str, type[TableView | Alarm | Round | Finding]]] = {
    TABLES: TableView,
    ALARMS: Alarm,
    ROUNDS: Round,
    FINDINGS: Finding,
}

LOST_SECONDS: Final = 5.0
PROBE_SECONDS: Final = 1.0
PROBE_TIMEOUT_MS: Final = 2_000
POLL_MS: Final = 200
AT_ONCE: Final = 500
"""Records of a batch while the topics are read at the start: whole rounds are most of them."""

AT_ONCE_LIVE: Final = 5_000
"""And from then on: of a table's views one is decoded, so that a backlog is soon made up for."""
BREATH_SECONDS: Final = 0.025
"""Between two batches while live: one for each record that comes takes a third of a core."""

RATE_SECONDS: Final = 10.0
"""The events a second are of the last ten seconds."""

PAUSES: Final = (0.5, 1.0, 2.0, 4.0)
"""Seconds before a consumer is built anew, the last one from then on."""

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Got:
    """One record as it was read: what it says, or the key that its tombstone takes away."""

    topic: str
    partition: int
    key: str
    record: TableView | Alarm | Round | Finding | None


class Feed:
    """The thread that reads.

    Args:
        bootstrap: Kafka's addresses.
        prefix: before the names of the topics.
        floor: the model, changed in the event loop alone.
        loop: the event loop.
        alarmed: called in the loop when an alarm was read after the start.
        begun: called in the loop when all is read that was there at the start.
        access: who the console is to Kafka.
        tracing: records when a finding or an alarm is shown, where that is wanted.
    """

    def __init__(
        self,
        bootstrap: str,
        prefix: str,
        floor: LiveFloor,
        loop: asyncio.AbstractEventLoop,
        alarmed: Callable[[], None],
        begun: Callable[[], None],
        access: KafkaAccess = PLAINTEXT,
        tracing: Tracing | None = None,
    ) -> None:
        self._bootstrap = bootstrap
        self._prefix = prefix
        self._floor = floor
        self._loop = loop
        self._alarmed = alarmed
        self._begun = begun
        self._access = access
        self._tracing = tracing
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feed", daemon=True)
        self._answered = time.monotonic()
        self._answered_at = time.time_ns() // 1000
        self._next: dict[Any, int] = {}
        """The next record of each partition that was read from."""
        self.ready = False
        self.records: Counter[str] = Counter()
        self.unreadable: Counter[str] = Counter()
        self.restarts = 0
        self.trouble: str | None = None
        """Why the last consumer came to nothing; nothing once one has read."""

    @property
    def alive(self) -> bool:
        """Return whether the thread runs."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Read no more, and wait for the thread; called from another thread than the loop's."""
        self._stopping.set()
        self._thread.join()

    def look(self) -> None:
        """Set in the model since when the feed is lost; called in the loop, with every frame."""
        silent = time.monotonic() - self._answered
        lost = silent > LOST_SECONDS
        if lost and self._floor.lost_since is None:
            _log.warning("feed lost", extra={"seconds": silent})
        if not lost and self._floor.lost_since is not None:
            _log.info("feed back")
        self._floor.lost_since = self._answered_at if lost else None

    def _run(self) -> None:
        pauses = 0
        while not self._stopping.is_set():
            try:
                self._read()
            except Exception as error:
                self.restarts += 1
                self.trouble = (
                    f"{self._bootstrap}: expected a Kafka that answers and has the topics, found: "
                    f"{reason(self._bootstrap, self._access, error)}; see whether it runs, "
                    "--bootstrap and --topic-prefix"
                )
                _log.warning(
                    "feed is connected anew",
                    extra={"found": self.trouble, "restarts": self.restarts},
                )
                self._stopping.wait(PAUSES[min(pauses, len(PAUSES) - 1)])
                pauses += 1
            else:
                return

    def _read(self) -> None:
        from kafka import KafkaConsumer  # noqa: PLC0415  takes 0.3 s, which a refusal need not wait for

        consumer: Any = KafkaConsumer(
            bootstrap_servers=self._bootstrap,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            max_poll_records=AT_ONCE_LIVE,
            request_timeout_ms=PROBE_TIMEOUT_MS * 2,
            reconnect_backoff_max_ms=1_000,
            **self._access.client(),
        )
        with contextlib.closing(consumer):
            missing, deals = self._assign(consumer)
            probed, rates = 0.0, _Rates()
            while not self._stopping.is_set():
                polled = consumer.poll(POLL_MS, max_records=AT_ONCE_LIVE if self.ready else AT_ONCE)
                if polled:
                    self.hand_over([record for batch in polled.values() for record in batch])
                    self._next |= {where: batch[-1].offset + 1 for where, batch in polled.items()}
                    if self.ready:
                        self._stopping.wait(BREATH_SECONDS)
                if missing:
                    missing = {
                        where: end for where, end in missing.items()
                        if consumer.position(where) < end
                    }  # fmt: skip
                if not missing and not self.ready:
                    self._call(self._begun)
                    self.ready = True
                    _log.info("feed ready", extra=dict(self.records))
                now = time.monotonic()
                if now - probed >= PROBE_SECONDS:
                    probed = now
                    ends = consumer.end_offsets(deals, timeout_ms=PROBE_TIMEOUT_MS)
                    self._answer(rates.add(now, sum(ends.values())))

    def _assign(self, consumer: Any) -> tuple[dict[Any, int], list[Any]]:  # noqa: ANN401  kafka-python ships no types
        """Go to where reading begins; return the ends of what is there, and the deals' partitions.

        Raises:
            KafkaError: the broker does not answer.
            LookupError: a topic is not there yet.
        """
        from kafka import TopicPartition  # noqa: PLC0415  as above

        parts = {}
        for topic in (*STRUCTS, DEALS):
            found = consumer.partitions_for_topic(self._prefix + topic)
            if not found:
                raise LookupError(f"expected the topic {self._prefix}{topic}, found none")
            parts[topic] = [TopicPartition(self._prefix + topic, each) for each in sorted(found)]
        whole = [where for topic in STRUCTS for where in parts[topic]]
        consumer.assign(whole)
        ends: dict[Any, int] = consumer.end_offsets(whole)
        begins = consumer.beginning_offsets(whole)
        since = time.time_ns() // 1_000_000 - WINDOW // 1000
        recent = [where for topic in (ROUNDS, FINDINGS) for where in parts[topic]]
        found_at = consumer.offsets_for_times(dict.fromkeys(recent, since))
        for where in whole:
            if where in self._next:
                consumer.seek(where, self._next[where])
            elif where in found_at:
                at = found_at[where]
                consumer.seek(where, ends[where] if at is None else at.offset)
            else:
                consumer.seek(where, begins[where])
        return {where: end for where, end in ends.items() if consumer.position(where) < end}, parts[
            DEALS
        ]

    def _answer(self, rate: float | None) -> None:
        self._answered = time.monotonic()
        self._answered_at = time.time_ns() // 1000
        self.trouble = None
        self._call(self._heard, rate, self._answered_at)

    def _heard(self, rate: float | None, at: int) -> None:
        self._floor.events_a_second = rate
        if self.ready:
            # Until all is read a page is not live: tables and alarms may be missing.
            self._floor.as_of = at

    def hand_over(self, records: Sequence[Any]) -> None:
        """Decode records, and wait until the loop has taken them in.

        Of the views of one table that wait together only the newest is decoded: the ones before
        it would be painted over before anybody saw them.
        """
        last_view = {record.key: record for record in records if record.topic.endswith(TABLES)}
        got = [
            each
            for record in records
            if not record.topic.endswith(TABLES) or last_view[record.key] is record
            if (each := self._decoded(record)) is not None
        ]
        self._call(self._take, got)
        if self._tracing is not None and self.ready:
            for record in records:
                if record.headers and record.topic.endswith((ALARMS, FINDINGS)):
                    self._tracing.go_on("show", record.headers, record.timestamp * 1000)

    def _decoded(self, record: Any) -> Got | None:  # noqa: ANN401  kafka-python ships no types
        topic = record.topic.removeprefix(self._prefix)
        self.records[topic] += 1
        key = (record.key or b"").decode("utf-8", "replace")
        if record.value is None:
            return Got(topic, record.partition, key, None)
        read = CODEC.decode(record.value, STRUCTS[topic])
        if isinstance(read, CodecFault):
            self.unreadable[topic] += 1
            _log.warning(
                "a record cannot be read",
                extra={"topic": topic, "key": key, "offset": record.offset, "fault": str(read)},
            )
            return None
        return Got(topic, record.partition, key, read)

    def _take(self, got: Sequence[Got]) -> None:
        alarmed = False
        for each in got:
            alarmed |= each.topic == ALARMS
            match each.record:
                case TableView() as view:
                    self._floor.view(view, each.partition)
                case Alarm() as alarm:
                    self._floor.alarm(alarm)
                case Round() as round_:
                    self._floor.round(round_)
                case Finding() as finding:
                    self._floor.finding(finding)
                case None if each.topic == TABLES:
                    self._floor.forget_table(each.key)
                case None if each.topic == ALARMS:
                    self._floor.forget_alarm(each.key)
                case None:
                    pass
        if alarmed and self.ready:
            self._alarmed()

    def _call(self, do: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401  passed on
        """Do something in the event loop, and return when it is done."""
        done = threading.Event()

        def run() -> None:
            try:
                do(*arguments)
            finally:
                done.set()

        self._loop.call_soon_threadsafe(run)
        while not done.wait(0.5):
            if self._stopping.is_set():
                return


class _Rates:
    """How many events a second were written, by where the topic ended and when."""

    def __init__(self) -> None:
        self._points: list[tuple[float, int]] = []

    def add(self, now: float, end: int) -> float | None:
        """Add where the topic ends; return the rate, nothing before there are two points."""
        self._points = [point for point in self._points if now - point[0] <= RATE_SECONDS]
        self._points.append((now, end))
        (first, begin), (last, _) = self._points[0], self._points[-1]
        return (end - begin) / (last - first) if last > first else None
