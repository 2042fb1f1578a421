"""Read the floor's topics by assign and seek, in no group: the database says from where.

kafka-python does it, as everything here is synchronous: nothing is read while a batch is being
written, so what a slow database cannot take stays in Kafka.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError

from streams.brokers.reason import reason
from streams.historian.rows import RECORDS, Message
from streams.historian.settings import FETCH_BYTES, HistorianSettings
from streams.historian.writer import Place

BOOTSTRAP_MS: Final = 3_000
"""How long the cluster may take to be found; it is looked for again."""

ANSWER_MS: Final = 10_000
"""How long it may take to answer a question."""

POLL_MS: Final = 250
RECONNECT_MS: Final = 1_000
PARTITION_BYTES: Final = 1024 * 1024


class LogAway(Exception):
    """The cluster does not answer, or has not the topics; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where the reading of a partition begins.

    Attributes:
        offset: the first record that is read.
        missed: how many records were deleted before they were read.
        anew: whether the topic was made anew, so that what is known of its offsets is void.
    """

    offset: int
    missed: int = 0
    anew: bool = False


def start_of(known: int | None, first: int, end: int) -> Start:
    """Return where to begin with a partition.

    Args:
        known: the next record by the database, if it knows one.
        first: the first record that Kafka has.
        end: the one that Kafka will write next.
    """
    if known is None:
        return Start(first)
    if known > end:
        return Start(first, anew=True)
    return Start(max(known, first), missed=max(0, first - known))


@contextmanager
def open_log(settings: HistorianSettings, known: Mapping[Place, int]) -> Iterator["FloorLog"]:
    """Give the floor's topics while the context lasts.

    Args:
        settings: where they are.
        known: the next record of each partition by the database.

    Raises:
        LogAway: no broker answers, a topic is absent, or what is to be read is there no more.
    """
    consumer: Any = None
    try:
        consumer = KafkaConsumer(
            bootstrap_servers=settings.bootstrap.split(","),
            bootstrap_timeout_ms=BOOTSTRAP_MS,
            enable_auto_commit=False,
            # An offset that is out of range is an error: records were missed, and that is told.
            auto_offset_reset="none",
            max_poll_records=settings.batch_records,
            max_partition_fetch_bytes=PARTITION_BYTES,
            fetch_max_bytes=FETCH_BYTES,
            reconnect_backoff_max_ms=RECONNECT_MS,
            allow_auto_create_topics=False,
            **settings.access.client(),
        )
        yield FloorLog(consumer, settings.prefix, known)
    except KafkaError as error:
        found = reason(settings.bootstrap, settings.access, error)
        raise LogAway(
            f"{settings.bootstrap}: expected a Kafka cluster that answers, found: {found}; "
            "check the address, and whether the brokers run"
        ) from error
    finally:
        if consumer is not None:
            consumer.close(autocommit=False)


class FloorLog:
    """The topics of one floor.

    Attributes:
        starts: where the reading of each partition begins.
    """

    def __init__(self, consumer: Any, prefix: str, known: Mapping[Place, int]) -> None:  # noqa: ANN401  kafka-python has no types
        self._consumer = consumer
        self._names = {prefix + name: name for name in RECORDS}
        partitions = [part for topic in self._names for part in self._partitions(topic)]
        consumer.assign(partitions)
        firsts = consumer.beginning_offsets(partitions, timeout_ms=ANSWER_MS)
        self._ends: dict[Any, int] = consumer.end_offsets(partitions, timeout_ms=ANSWER_MS)
        self.starts: dict[Place, Start] = {}
        self._next: dict[Any, int] = {}
        for part in partitions:
            start = start_of(known.get(tuple(part)), firsts[part], self._ends[part])
            self.starts[part.topic, part.partition] = start
            self._next[part] = start.offset
            consumer.seek(part, start.offset)

    def read(self) -> tuple[list[Message], dict[Place, int]]:
        """Return the records that come next, and from where to read on; none where none come.

        Raises:
            LogAway: an offset is out of range.
        """
        messages: list[Message] = []
        ends: dict[Place, int] = {}
        for part, records in self._consumer.poll(POLL_MS).items():
            name = self._names[part.topic]
            messages += [
                Message(
                    name,
                    part.partition,
                    record.offset,
                    record.value,
                    record.key,
                    record.timestamp * 1000,
                )
                for record in records
            ]
            self._next[part] = ends[part.topic, part.partition] = records[-1].offset + 1
            self._ends[part] = max(self._ends[part], self._consumer.highwater(part) or 0)
        return messages, ends

    def ask_ends(self) -> None:
        """Ask Kafka where the topics end, which also shows that it answers.

        Raises:
            LogAway: it does not.
        """
        self._ends = self._consumer.end_offsets(list(self._next), timeout_ms=ANSWER_MS)

    def lag(self) -> dict[str, int]:
        """Return how many records of each topic are not read, by its name without the prefix."""
        found = dict.fromkeys(self._names.values(), 0)
        for part, following in self._next.items():
            found[self._names[part.topic]] += max(0, self._ends[part] - following)
        return found

    def _partitions(self, topic: str) -> list[Any]:
        numbers = self._consumer.partitions_for_topic(topic)
        if not numbers:
            raise LogAway(
                f"{topic}: expected the topic to exist, found none; "
                "check --topic-prefix, or run `pitwatch topics`"
            )
        return [TopicPartition(topic, number) for number in sorted(numbers)]
