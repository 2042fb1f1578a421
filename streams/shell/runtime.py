"""Between Faust and the pipeline: takes batches, marks them done, counts them, tells the time."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, assert_never

from schemas.codec import CODEC, Codec
from streams.core.events import Event
from streams.core.findings import LATE_EVENT
from streams.shell.config import WorkerSettings
from streams.shell.contiguity import Drop, Partition, Progress, ReadAgain, Take
from streams.shell.deadletters import shown_key
from streams.shell.display import Display
from streams.shell.finding_log import RAISED, log_finding
from streams.shell.judged import Judged, JudgeFailed
from streams.shell.marks import CAREFUL_RECORDS, MARK_KEY, MOST_DEATHS, Mark
from streams.shell.metrics import NO_GAME, WorkerMetrics
from streams.shell.pipeline import Pipeline
from streams.shell.poison import Poison
from streams.shell.ports import Clock, OutputRecord, Publisher, SourceRecord
from streams.shell.store import TableStore
from streams.shell.ticks import Ticker
from streams.shell.translate import event_bytes

log = logging.getLogger(__name__)

SEQUENCE_GAP: Final = "sequence_gap"
START_OVER_SECONDS: Final = 5.0
"""How long nothing may come though something is due. A fetch waits half a second at the broker."""


class SourceConsumer(Protocol):
    """What the runtime asks of the consumer."""

    async def read_again(self, partition: Partition, offset: int) -> None:
        """Read a partition again from an offset."""

    async def rewind(self, topic: str, floors: Mapping[int, int]) -> Mapping[int, int]:
        """Commit earlier offsets of a topic, by partition; return those that were earlier."""

    async def start_over(self) -> None:
        """Read all owned partitions of the source topics again from what is committed."""

    def lag(self, topic: str) -> dict[int, int]:
        """Return how many records of each owned partition of a topic are not finished."""


class WallClock:
    """The machine's clock."""

    def now(self) -> int:
        """Return microseconds since 1970-01-01 UTC."""
        return time.time_ns() // 1000


class Runtime:
    """One worker's judging, from batches to done marks.

    Attributes:
        owned: the partitions of the last assignment.
        judging: whether states were read back and batches are taken.
    """

    def __init__(
        self,
        settings: WorkerSettings,
        *,
        store: TableStore,
        progress: Progress,
        pipeline: Pipeline,
        publisher: Publisher,
        metrics: WorkerMetrics,
        poison: Poison,
        clock: Clock,
        codec: Codec = CODEC,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._topics = settings.topics
        self._store = store
        self._progress = progress
        self._pipeline = pipeline
        self._publisher = publisher
        self._metrics = metrics
        self._poison = poison
        self._clock = clock
        self._codec = codec
        self._now = now
        self._consumer: SourceConsumer | None = None
        self._reading_since = now()
        self._ticker = Ticker(store, settings.tick_seconds)
        self._display = Display(store, publisher, pipeline.view_records, metrics.tables.show)
        self._begun: set[int] = set()
        self._careful: dict[Partition, int] = {}
        self._taking = False
        self._heard_at = now()
        self.owned: frozenset[int] = frozenset()
        self.judging = False
        self.came_forward_at = now()

    def connect(self, consumer: SourceConsumer) -> None:
        """Use this consumer from now on."""
        self._consumer = consumer

    @property
    def consumer(self) -> SourceConsumer:
        """Return the consumer; nothing is judged before there is one."""
        if self._consumer is None:
            raise RuntimeError("expected a consumer before the first batch, found none")
        return self._consumer

    async def take(self, fetch: Mapping[tuple[str, int], Sequence[SourceRecord]]) -> None:
        """Judge what is due of one fetch and mark it done, and have read again what is missing.

        Args:
            fetch: the records by topic and partition, none empty.
        """
        self._taking = True
        try:
            await self._take(fetch)
        finally:
            self._taking = False
            self._heard_at = self._now()

    async def _take(self, fetch: Mapping[tuple[str, int], Sequence[SourceRecord]]) -> None:
        due: dict[Partition, Sequence[SourceRecord]] = {}
        for place, records in ((Partition(*each), fetched) for each, fetched in fetch.items()):
            match self._progress.check(place, records):
                case Drop():
                    continue
                case ReadAgain(offset):
                    log.info(
                        "batch begins above what is due, reading again",
                        extra=place._asdict() | {"due": offset, "found": records[0].offset},
                    )
                    await self.consumer.read_again(place, offset)
                case Take(wanted, missing):
                    if missing:
                        log.error(
                            "offsets are missing from the log",
                            extra=place._asdict() | {"missing": missing},
                        )
                    due[place] = wanted
                case verdict:
                    assert_never(verdict)
        await self._begin(due)
        careful = {place for place in due if due[place][0].offset < self._careful.get(place, 0)}
        await self._judge({place: due[place] for place in due.keys() - careful})
        for place in careful:
            await self._judge_carefully(place, due[place])

    async def _judge(self, due: Mapping[Partition, Sequence[SourceRecord]]) -> None:
        """Judge what is due and mark it done; note which record cannot be judged.

        Raises:
            Exception: something was not acknowledged, or a record ended this worker.
        """
        while due:
            try:
                judged = await self._pipeline.process(due.values())
            except JudgeFailed as failed:
                await self._strike(failed)
            else:
                for place, records in due.items():
                    self._progress.finish(place, records[-1].offset)
                self._count(judged)
                return

    async def _strike(self, failed: JudgeFailed) -> None:
        """Note that a record cannot be judged; spare it if it has ended enough workers."""
        partition, offset = failed.record.partition, failed.record.offset
        mark = self._store.mark(partition).ending(offset)
        await self._write_marks({partition: mark})
        if mark.deaths[offset] <= MOST_DEATHS:
            raise failed
        log.critical(
            "a record cannot be judged and is set aside",
            extra={"partition": partition, "offset": offset},
        )
        self._pipeline.spare(partition, offset)

    async def _begin(self, due: Mapping[Partition, Sequence[SourceRecord]]) -> None:
        """Note where judging of partitions starts, before the first of them is judged."""
        starts = {
            place.partition: (place, records[0].offset)
            for place, records in due.items()
            if place.topic == self._topics.deals and place.partition not in self._begun
        }
        self._begun.update(starts)
        marks = {
            partition: self._store.mark(partition).started(first)
            for partition, (_, first) in starts.items()
        }
        await self._write_marks(marks)
        for partition, (place, first) in starts.items():
            mark = marks[partition]
            for offset in mark.spared():
                self._pipeline.spare(partition, offset)
            if mark.careful:
                self._careful[place] = first + CAREFUL_RECORDS
                log.warning(
                    "workers ended at this offset before, judging record by record",
                    extra=place._asdict() | {"offset": first, "starts": mark.starts},
                )

    async def _judge_carefully(self, place: Partition, records: Sequence[SourceRecord]) -> None:
        """Judge records one by one, each noted before it is judged: it may end this worker."""
        for record in records:
            mark = self._store.mark(place.partition).ending(record.offset)
            await self._write_marks({place.partition: mark})
            deaths = mark.deaths[record.offset]
            if deaths > MOST_DEATHS:
                self._pipeline.spare(
                    place.partition, record.offset, unjudged=deaths > MOST_DEATHS + 1
                )
            self._count(await self._pipeline.process([[record]]))
            self._progress.finish(place, record.offset)
            self._store.put_mark(place.partition, mark.survived(record.offset))

    async def _write_marks(self, marks: Mapping[int, Mark]) -> None:
        """Keep what is noted of partitions, here and in the state log."""
        for partition, mark in marks.items():
            self._store.put_mark(partition, mark)
        await self._publish(
            [
                OutputRecord(self._topics.changelog, partition, MARK_KEY, mark.encoded())
                for partition, mark in marks.items()
            ]
        )

    def _count(self, judged: Judged) -> None:
        metrics = self._metrics
        for (game, kind), count in judged.events.items():
            metrics.events.labels(game, kind).inc(count)
        for finding in judged.findings:
            if finding.state == RAISED:
                if finding.code == SEQUENCE_GAP:
                    metrics.gaps.inc()
                metrics.findings.labels(
                    finding.game or NO_GAME, finding.code, finding.class_, finding.severity
                ).inc()
            log_finding(finding)
        for game, count in judged.rounds.items():
            metrics.rounds.labels(game).inc(count)
        for reason, count in judged.dead_letters.items():
            metrics.dead_letters.labels(reason).inc(count)
        for reason, count in judged.withheld.items():
            metrics.withheld.labels(reason).inc(count)
        metrics.quarantined.set(self._poison.quarantined)
        metrics.duplicates.inc(judged.duplicates)
        metrics.late.inc(judged.dead_letters[LATE_EVENT])
        metrics.age.observe(judged.ages)
        metrics.delay.observe(judged.delays)
        metrics.judge.observe((judged.seconds,))
        self._display.changed(judged.changed)
        metrics.alarms.show(judged.alarms)
        self.come_forward()

    def come_forward(self) -> None:
        """Note that judging came forward, or that there is nothing to judge."""
        self.came_forward_at = self._now()
        self._metrics.came_forward()

    def lag(self) -> dict[int, int]:
        """Return how many deal records of each owned partition are not judged."""
        return {} if self._consumer is None else self._consumer.lag(self._topics.deals)

    def idle(self) -> float:
        """Return for how many seconds judging did not come forward though there was a reason.

        Having nothing to judge is coming forward; reading states back is not.
        """
        if self.judging and not any(self.lag().values()):
            self.come_forward()
        return self._now() - self.came_forward_at

    async def show(self) -> None:
        """Show the tables that changed, unless states are being read back.

        Raises:
            Exception: a view was not acknowledged.
        """
        if self.judging:
            await self._display.show()

    async def start_over_if_unheard(self) -> None:
        """Read again from what is committed if records are due and none come.

        Around a change of the group Faust lets go of records that it has fetched. A later record
        shows the hole and has it read again; where none follows, this does.
        """
        if not self.judging or self._taking or self._now() - self._heard_at < START_OVER_SECONDS:
            return
        lag = {partition: count for partition, count in self.lag().items() if count}
        if lag:
            log.warning(
                "records are due and none come, reading again from what is committed",
                extra={"partitions": sorted(lag), "records": sum(lag.values())},
            )
            await self.consumer.start_over()
        self._heard_at = self._now()

    def _tick(self, partition: int, event: Event) -> OutputRecord:
        value = event_bytes(event, self._codec)
        headers = self._pipeline.tick_headers(partition, value)
        return OutputRecord(self._topics.deals, partition, event.table.encode(), value, headers)

    def reading(self, partitions: set[int]) -> None:
        """Note a new assignment: states are read back, no batch is taken meanwhile."""
        self.owned = frozenset(partitions)
        self.judging = False
        self._begun.clear()
        self._careful.clear()
        self._pipeline.spare_none()
        self._display.clear()
        self._reading_since = self._now()
        self._metrics.tables.keep(partitions)
        self._metrics.alarms.keep(partitions)
        self._metrics.enter("recovering")

    async def read(self, partitions: set[int]) -> None:
        """Put right what was wrong with the states read back, then show all tables again.

        A table whose state cannot be read is judged again from its deals, and all of a partition
        whose log was lost: the group's offset is taken back first, for once a table has a state,
        nothing would remember that its deals were not judged. Others skip what they have applied.
        """
        await self._rebuild(partitions)
        await self._heal(partitions)
        for partition in sorted(partitions):
            self._store.settle(partition)
            tables = list(self._store.tables(partition))
            self._display.changed((partition, key) for key, _ in tables)
            self._metrics.alarms.read_back(((partition, key), each.alarms) for key, each in tables)
        await self._display.show()
        self._ticker.begin(self._clock.now() // 1_000_000)
        seconds = self._now() - self._reading_since
        self._metrics.recovery.set(seconds)
        self._metrics.enter("judging")
        self.judging = True
        self._heard_at = self._now()
        self.come_forward()
        log.info(
            "states read back",
            extra={"partitions": len(partitions), "seconds": round(seconds, 3)},
        )

    async def lost(self, partition: int, first: int, last: int) -> None:
        """Raise, for each table of a partition, that its deals may be among those deleted."""
        judged = await self._pipeline.lose(partition, (first, last))
        self._metrics.alarms.show(judged.alarms)

    async def _rebuild(self, partitions: set[int]) -> None:
        unknown = {partition for partition in partitions if not self._store.has_log(partition)}
        floors = dict.fromkeys(unknown, 0)
        for partition in partitions:
            for key, offsets in self._store.unreadable(partition):
                floor = offsets.get(self._topics.deals, -1) + 1
                floors[partition] = min(floor, floors.get(partition, floor))
                self._metrics.judged_again.inc()
                log.error(
                    "state cannot be read, the table is judged again from its deals",
                    extra={"table": shown_key(key), "partition": partition, "offset": floor},
                )
        back = await self.consumer.rewind(self._topics.deals, floors)
        for partition in sorted(unknown & back.keys()):
            log.error(
                "no state is there of what was judged, all is judged again from its deals",
                extra={"partition": partition, "offset": back[partition]},
            )

    async def _heal(self, partitions: set[int]) -> None:
        stale = [
            self._pipeline.state_record(partition, key, stored)
            for partition in partitions
            for key, stored in self._store.stale(partition)
        ]
        if stale:
            await self._publish(stale)
            log.warning(
                "older states stood over newer ones and were replaced", extra={"tables": len(stale)}
            )

    async def _publish(self, records: list[OutputRecord]) -> None:
        if records:
            await self._publisher.publish(records)

    async def tell_time(self) -> None:
        """Write the ticks that are due, in partitions without lag."""
        if not self.judging:
            return
        now = self._clock.now()
        ticks = [
            self._tick(partition, event)
            for partition, lag in self.lag().items()
            if not lag
            for event in self._ticker.due(partition, now)
        ]
        await self._publish(ticks)
