"""One fetch from records to acknowledged state; knows no Kafka library.

A fetch is a batch of each partition that had records. In each batch: records → grouped by table in
their order → those the table has applied skipped → read → advanced → effects as records, and the
new states. Nothing is kept before it is acknowledged, and all batches wait together:

    1. the effects of the whole fetch are written and acknowledged
    2. the new states are written to the state log and acknowledged
    3. only then they are kept in memory

A failure in 1 or 2 leaves the memory as it was, and the fetch is judged again to the same effects
with the same ids: they come from the events, never from a counter.
"""

import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Final, assert_never

from schemas.codec import CODEC, Codec
from streams.core.advance import Step, advance_all
from streams.core.book import Book
from streams.core.events import Event
from streams.core.findings import (
    DUPLICATE,
    EventSetAside,
    FindingCleared,
    FindingRaised,
    RoundEnded,
)
from streams.core.notices import judge_error
from streams.core.receipts import told_at
from streams.core.table import new_table
from streams.core.views import TableView
from streams.shell.alarming import JUDGING, READING, Alarming
from streams.shell.deadletters import JUDGE_ERROR, NOT_FRESH, Refusal, dead_letter
from streams.shell.judged import Judged, JudgeFailed, NothingRead
from streams.shell.metrics import NO_GAME
from streams.shell.noticing import Noticing
from streams.shell.poison import Poison
from streams.shell.ports import Clock, Headers, OutputRecord, Publisher, SourceRecord, Topics
from streams.shell.reading import Reader
from streams.shell.rights import RightsSource
from streams.shell.store import Stored, TableStore
from streams.shell.traced import Trace, Traced, traced
from streams.shell.translate import Writer

_KIND: Final = attrgetter("body.kind")
_TIMES: Final = attrgetter("at", "received")

ENDED: Final = "the worker ended while it judged this record, each time without an error of its own"
STACK_FRAMES: Final = 20
"""The innermost frames of an error that its letter tells."""

UNJUDGED: Final = Refusal(
    JUDGE_ERROR, "value", "an event that can be judged", "one that ended the worker three times"
)


class Pipeline:
    """Judges batches of one worker.

    Args:
        book: the rulebook.
        topics: the names of the topics.
        store: the states of the tables owned.
        publisher: writes records and waits for their acknowledgement.
        clock: tells when a batch was judged.
        version: the program's version, which findings and dead letters name.
        poison: counts what cannot be read, and bounds its dead letters.
        rights: whose records and commands are taken.
        codec: writes the records, in the versions that it was told.
        trace: records that a deal was judged which causes something, where that is wanted.
    """

    def __init__(
        self,
        *,
        book: Book,
        topics: Topics,
        store: TableStore,
        publisher: Publisher,
        clock: Clock,
        version: str,
        poison: Poison,
        rights: RightsSource,
        codec: Codec = CODEC,
        trace: Trace | None = None,
    ) -> None:
        self._book = book
        self._topics = topics
        self._store = store
        self._publisher = publisher
        self._clock = clock
        self._version = version
        self._writer = Writer(book, version, codec)
        self._alarming = Alarming(topics.alarms, self._writer)
        self._noticing = Noticing(book, topics, self._writer, self._alarming)
        self._reader = Reader(topics.deals, rights, poison)
        self._poison = poison
        self._trace = trace
        self._spared: dict[int, dict[int, bool]] = {}

    def spare(self, partition: int, offset: int, *, unjudged: bool = False) -> None:
        """Set a deal record aside, instead of failing, if it cannot be judged.

        Args:
            partition: its partition.
            offset: its offset.
            unjudged: whether it is not even tried.
        """
        self._spared.setdefault(partition, {})[offset] = unjudged

    def spare_none(self) -> None:
        """Forget which records were to be spared: the assignment is changing."""
        self._spared.clear()

    async def lose(self, partition: int, lost: tuple[int, int]) -> Judged:
        """Find that records of a partition's tables were deleted before they were judged.

        Returns once all of it is acknowledged.
        """
        judged = Judged()
        for _, stored in self._store.tables(partition):
            self._noticing.lost(judged, partition, stored, lost)
        await self._acknowledge(judged)
        return judged

    async def process(self, fetch: Iterable[Sequence[SourceRecord]]) -> Judged:
        """Judge one fetch and return once all of it is acknowledged.

        Args:
            fetch: batches, none empty, each of another partition, in the order of their offsets.

        Raises:
            NothingRead: nothing of any source can be read; nothing of the fetch was written.
            JudgeFailed: a record cannot be judged; nothing of the fetch was written.
            Exception: something was not acknowledged; the memory is as it was.
        """
        began = time.perf_counter()
        judged = self.judge(fetch)
        if self._poison.hopeless:
            raise NothingRead
        await self._acknowledge(judged)
        now = self._clock.now()
        judged.ages = [(now - at) / 1e6 for at, _ in judged.times]
        judged.delays = [(now - at) / 1e6 for _, at in judged.times if at is not None]
        judged.seconds = time.perf_counter() - began
        return judged

    async def _acknowledge(self, judged: Judged) -> None:
        """Write effects, then states, and keep the states once both are acknowledged."""
        if judged.effects:
            await self._publisher.publish(judged.effects)
        if judged.states:
            await self._publisher.publish(list(self.state_records(judged)))
        for (partition, key), stored in judged.states.items():
            self._store.put(partition, key, stored)

    def judge(self, fetch: Iterable[Sequence[SourceRecord]]) -> Judged:
        """Return what a fetch comes to; nothing is written and no state in memory changes."""
        judged = Judged()
        self._reader.begin()
        for batch in fetch:
            work = self._commands if batch[0].topic == self._topics.commands else self._table
            groups: dict[bytes | None, list[SourceRecord]] = {}
            for record in batch:
                group = groups.get(record.key)
                if group is None:
                    groups[record.key] = [record]
                else:
                    group.append(record)
            for key, group in groups.items():
                work(judged, batch[0].partition, key, group)
        return judged

    def tick_headers(self, partition: int, value: bytes) -> Headers:
        """Return the headers of a tick that this worker writes."""
        return self._reader.tick_headers(partition, value)

    def state_records(self, judged: Judged) -> Iterator[OutputRecord]:
        """Return the records of the state log that a fetch writes."""
        for (partition, key), stored in judged.states.items():
            yield self.state_record(partition, key, stored)

    def state_record(self, partition: int, key: bytes, stored: Stored) -> OutputRecord:
        """Return the record of the state log for one table."""
        return OutputRecord(self._topics.changelog, partition, key, stored.value)

    def view_records(self, partition: int, views: Iterable[TableView]) -> list[OutputRecord]:
        """Return the records that show tables of a partition."""
        return [
            OutputRecord(
                self._topics.tables, partition, shown.table.encode(), self._writer.view(shown)
            )
            for shown in views
        ]

    def _stored(self, judged: Judged, partition: int, key: bytes | None) -> Stored | None:
        """Return a table's state after what was judged of the fetch so far."""
        if key is None:
            return None
        return judged.states.get((partition, key)) or self._store.get(partition, key)

    def _table(
        self, judged: Judged, partition: int, key: bytes | None, group: list[SourceRecord]
    ) -> None:
        topic = group[0].topic
        stored = self._stored(judged, partition, key)
        if stored is not None:
            # At or below this offset all was acknowledged together with the state, also letters.
            applied = stored.offsets.get(topic, -1)
            if group[-1].offset <= applied:
                return
            if group[0].offset <= applied:
                group = [record for record in group if record.offset > applied]
        group_read = self._reader.read(partition, key, group)
        for record, refusal in group_read.refused:
            self._refuse(judged, record, refusal, READING)
        judged.withheld.update(group_read.withheld)
        events, read, last = group_read.events, group_read.records, group[-1].offset
        if key is not None and events and partition in self._spared:
            self._singly(judged, stored, events, read)
        elif key is not None and events:
            try:
                self._events(judged, stored, events, read, last)
            except Exception:
                self._blame(stored, events, read)
                raise
        if group_read.stranger is not None:
            after = self._stored(judged, partition, key)
            self._noticing.stranger(judged, after, group_read.stranger, last, self._clock.now())

    def _events(
        self,
        judged: Judged,
        stored: Stored | None,
        events: list[Event],
        records: Sequence[SourceRecord],
        last: int,
    ) -> Stored:
        """Judge events of one table; return its state, which holds all up to offset ``last``."""
        topic, partition = records[0].topic, records[0].partition
        state = new_table(events[0].table) if stored is None else stored.state
        step = advance_all(state, events, self._book)
        setup = step.state.setup
        game = NO_GAME if setup is None else setup.game
        context = traced(step, records, self._trace)
        alarmed = self._alarming.after(partition, stored, events, step, context)
        aside = self._effects(judged, partition, step, game, records, context)
        if aside:
            events = [event for place, event in enumerate(events) if place not in aside]
        for kind, count in Counter(map(_KIND, events)).items():
            judged.events[game, kind] += count
        judged.times += map(_TIMES, events)
        offsets = {**(stored.offsets if stored is not None else {}), topic: last}
        key = state.table.encode()
        after = judged.keep(partition, key, step.state, offsets, alarmed)
        judged.changed[partition, key] = None
        return after

    def _blame(
        self, stored: Stored | None, events: list[Event], records: list[SourceRecord]
    ) -> None:
        """Judge a table's events again one by one, to no effect, to learn which cannot be judged.

        Raises:
            JudgeFailed: one cannot.
        """
        scratch = Judged()
        for event, record in zip(events, records, strict=True):
            try:
                stored = self._events(scratch, stored, [event], [record], record.offset)
            except Exception as error:
                raise JudgeFailed(record) from error

    def _singly(
        self,
        judged: Judged,
        stored: Stored | None,
        events: list[Event],
        records: list[SourceRecord],
    ) -> None:
        """Judge a table's events one by one; of those to be spared none can fail."""
        for event, record in zip(events, records, strict=True):
            unjudged = self._spared[record.partition].get(record.offset)
            if unjudged is not None:
                why = ENDED if unjudged else self._stack(stored, event, record)
                if why is not None:
                    stored = self._give_up(judged, stored, event, record, why)
                    continue
            try:
                stored = self._events(judged, stored, [event], [record], record.offset)
            except Exception as error:
                raise JudgeFailed(record) from error

    def _stack(self, stored: Stored | None, event: Event, record: SourceRecord) -> str | None:
        """Return the stack of the error that judging an event raises, if it raises one."""
        try:
            self._events(Judged(), stored, [event], [record], record.offset)
        except Exception:  # whatever it is: it has ended two workers
            return traceback.format_exc(limit=STACK_FRAMES)
        return None

    def _give_up(
        self, judged: Judged, stored: Stored | None, event: Event, record: SourceRecord, why: str
    ) -> Stored:
        """Set a record aside that cannot be judged, and say so; return the table's state.

        A table of which nothing was judged before is known from here on: its alarm has to stand
        somewhere, and who works it looks for the table.
        """
        if stored is None:
            heard = new_table(event.table)
            heard.last_event_at, heard.last_received = event.at, event.received
            stored = Stored(b"", heard, {})
            judged.changed[record.partition, event.table.encode()] = None
        state = stored.state
        place = (record.partition, record.offset)
        finding = judge_error(state, event, place, self._book)
        judged.findings.append(finding)
        self._noticing.write(judged, record.partition, finding)
        self._refuse(judged, record, UNJUDGED, JUDGING, why)
        offsets = {**stored.offsets, record.topic: record.offset}
        now = told_at(event)
        return self._noticing.told(judged, record.partition, stored, finding, now, offsets)

    def _effects(
        self,
        judged: Judged,
        partition: int,
        step: Step,
        game: str,
        records: Sequence[SourceRecord],
        context: Traced,
    ) -> set[int]:
        """Write a table's effects; return the indices of the events that were set aside."""
        aside: set[int] = set()
        topics = self._topics
        for effect, cause in zip(step.effects, step.causes, strict=True):
            match effect:
                case FindingRaised(finding) | FindingCleared(finding):
                    judged.findings.append(finding)
                    key, value = finding.table.encode(), self._writer.finding(finding)
                    record = OutputRecord(topics.findings, partition, key, value, context.of(cause))
                    judged.effects.append(record)
                case RoundEnded(ended):
                    judged.rounds[game if ended.game is None else ended.game] += 1
                    key, value = ended.table.encode(), self._writer.round(ended)
                    record = OutputRecord(topics.rounds, partition, key, value, context.of(cause))
                    judged.effects.append(record)
                case EventSetAside(reason=reason):
                    aside.add(cause)
                    if reason == DUPLICATE:
                        judged.duplicates += 1
                    else:
                        self._refuse(judged, records[cause], NOT_FRESH[reason], JUDGING)
                case _:
                    assert_never(effect)
        return aside

    def _commands(
        self, judged: Judged, partition: int, key: bytes | None, group: list[SourceRecord]
    ) -> None:
        carried = self._alarming.carry_out(
            self._stored(judged, partition, key), group, self._reader.rights
        )
        for record, refusal, stage in carried.refused:
            self._refuse(judged, record, refusal, stage)
        judged.effects += carried.records
        if key is not None and carried.stored is not None:
            judged.states[partition, key] = carried.stored

    def _refuse(
        self,
        judged: Judged,
        record: SourceRecord,
        refusal: Refusal,
        stage: str,
        stack: str | None = None,
    ) -> None:
        judged.dead_letters[refusal.reason] += 1
        letter = dead_letter(self._topics.dead, record, refusal, stage, self._version, stack)
        judged.effects.append(letter)
