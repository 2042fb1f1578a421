"""A runtime over models of the broker, the clock and the consumer, for tests of what it does."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from prometheus_client import generate_latest

from streams.core.book import Book
from streams.shell.config import WorkerSettings
from streams.shell.contiguity import Partition, Progress
from streams.shell.deadletters import shown_key
from streams.shell.marks import MARK_KEY
from streams.shell.metrics import WorkerMetrics
from streams.shell.poison import Poison
from streams.shell.ports import OutputRecord
from streams.shell.runtime import Runtime
from streams.shell.store import TableStore
from tests.shell_models import MemoryLog, Record, StillClock, as_records, book, recorded
from tests.shell_models import pipeline as make_pipeline

EVENTS = recorded("cs-overdue-then-counted-between-rounds")
KEY = EVENTS[0].table.encode()


@dataclass(slots=True)
class MemoryConsumer:
    """A consumer that only remembers what it was asked."""

    seeks: list[tuple[Partition, int]] = field(default_factory=list)
    rewinds: list[dict[int, int]] = field(default_factory=list)
    lags: dict[int, int] = field(default_factory=dict)
    started_over: int = 0

    async def read_again(self, partition: Partition, offset: int) -> None:
        self.seeks.append((partition, offset))

    async def rewind(self, topic: str, floors: Mapping[int, int]) -> Mapping[int, int]:
        assert topic == "pitwatch.deals.v1"
        self.rewinds.append(dict(floors))
        return floors

    async def start_over(self) -> None:
        self.started_over += 1

    def lag(self, topic: str) -> dict[int, int]:
        assert topic == "pitwatch.deals.v1"
        return self.lags


class Bench:
    """A runtime over models.

    Args:
        fails_at: the number of the written record that is not acknowledged.
        judged_by: the rulebook.
        after: the worker before it, whose state log this one reads back.
    """

    def __init__(
        self,
        fails_at: int | None = None,
        judged_by: Book | None = None,
        after: "Bench | None" = None,
    ) -> None:
        rules = book() if judged_by is None else judged_by
        settings = WorkerSettings(bootstrap="nowhere:1", book=rules, version="test")
        self.topics = settings.topics
        self.deals = Partition(self.topics.deals, 0)
        self.log = MemoryLog(fails_at=fails_at)
        self.store = TableStore()
        self.progress = Progress()
        self.clock = StillClock()
        self.seconds = 50.0
        self.metrics = WorkerMetrics(book(), "test", ())
        self.consumer = MemoryConsumer()
        self.poison = Poison(lambda: self.seconds, shown_key)
        self.runtime = Runtime(
            settings,
            store=self.store,
            progress=self.progress,
            pipeline=make_pipeline(self.log, self.store, self.topics, rules, self.poison),
            publisher=self.log,
            metrics=self.metrics,
            poison=self.poison,
            clock=self.clock,
            now=lambda: self.seconds,
        )
        self.runtime.connect(self.consumer)
        for record in [] if after is None else after.log.of(self.topics.changelog):
            self.store.absorb(record.partition, record.key, record.value)
            self.log.taken.append(record)

    def start(self, due: int = 0) -> None:
        self.progress.start({self.deals: due})

    def take(self, records: Sequence[Record]) -> None:
        asyncio.run(self.runtime.take({self.deals: records}))

    def read(self, *partitions: int) -> None:
        self.runtime.reading(set(partitions))
        asyncio.run(self.runtime.read(set(partitions)))

    def records(self, events: Sequence[object] = EVENTS, first: int = 0) -> list[Record]:
        return as_records(events, first=first, topic=self.topics.deals)  # type: ignore[arg-type]  # events

    def states(self) -> list[OutputRecord]:
        """Return the states written, without the marks that stand among them."""
        return [r for r in self.log.of(self.topics.changelog) if r.key != MARK_KEY]

    def page(self) -> str:
        return generate_latest(self.metrics.registry).decode()
