"""Copy a floor's deals to a topic of another number of partitions, each table in its order.

A table's partition follows from its name and how many partitions there are, so more of them means
other topics. All of a table's deals stand in one partition of the old topic and in one of the new,
and one idempotent producer writes them as they are read: their order stays. Key, value, headers
and time are kept, so what is judged of them, and for how long they are kept, is the same.

| the copy | then |
|---|---|
| is told to end | reads up to what is the end then, compares the counts and ends |
| fails, or is killed | the new topic is made anew, and the copy begun anew |
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError

from streams.brokers.access import PLAINTEXT, KafkaAccess
from streams.shell.partitioning import partition_of

ANSWER_MS: Final = 10_000
"""How long the cluster may take to be found at all."""

POLL_MS: Final = 200
AT_ONCE: Final = 5_000
"""Records that are read before all of them are acknowledged."""

LARGEST: Final = 2 * 1024 * 1024
SENT_SECONDS: Final = 60.0
LINGER_MS: Final = 5


class CopyFault(Exception):
    """The deals cannot be copied, or were not; the text says what to do."""


@contextmanager
def deal_copy(
    bootstrap: str, source: str, target: str, access: KafkaAccess = PLAINTEXT
) -> Iterator["DealCopy"]:
    """Connect to a cluster while the context lasts.

    Args:
        bootstrap: addresses of some brokers, ``host:port``, with commas between them.
        source: the topic with the deals.
        target: the topic that is to have them, which is empty.
        access: who reads and writes.

    Raises:
        CopyFault: no broker answers, a topic is absent, the target has records, or one was not
            written.
    """
    try:
        with ExitStack() as stack:
            yield DealCopy(bootstrap, source, target, stack, access)
    except KafkaError as error:
        found = str(error) or type(error).__name__
        raise CopyFault(
            f"{bootstrap}: expected a Kafka cluster that answers, found: {found}; "
            f"make {target} anew and begin again"
        ) from error


class DealCopy:
    """One copy.

    Args:
        bootstrap: addresses of some brokers.
        source: the topic with the deals.
        target: the topic that is to have them.
        stack: closes what is opened.
        access: who reads and writes.
    """

    def __init__(
        self, bootstrap: str, source: str, target: str, stack: ExitStack, access: KafkaAccess
    ) -> None:
        how = {
            "bootstrap_servers": bootstrap.split(","),
            "bootstrap_timeout_ms": ANSWER_MS,
            **access.client(),
        }
        self._consumer: Any = KafkaConsumer(
            **how,
            enable_auto_commit=False,
            auto_offset_reset="none",
            max_poll_records=AT_ONCE,
            max_partition_fetch_bytes=LARGEST,
        )
        stack.callback(self._consumer.close)
        self._target = target
        self._parts = self._partitions(source)
        self._targets = self._partitions(target)
        self._consumer.assign(self._parts)
        if found := self._written():
            raise CopyFault(
                f"{target}: expected no records, found {found}; make it anew and begin again"
            )
        self._producer: Any = KafkaProducer(
            **how,
            acks="all",
            enable_idempotence=True,
            linger_ms=LINGER_MS,
            max_request_size=LARGEST,
            allow_auto_create_topics=False,
        )
        stack.callback(self._producer.close, timeout=1)

    def begin(self, since: int | None = None) -> int:
        """Go to where copying begins; return how many records there are from there on.

        Args:
            since: the earliest time of a record, microseconds since 1970-01-01 UTC; all without.
        """
        starts = dict(self._consumer.beginning_offsets(self._parts))
        ends = self._consumer.end_offsets(self._parts)
        if since is not None:
            at = self._consumer.offsets_for_times(dict.fromkeys(self._parts, since // 1000))
            starts = {part: at[part].offset if at[part] else ends[part] for part in starts}
        for part, offset in starts.items():
            self._consumer.seek(part, offset)
        return sum(ends[part] - offset for part, offset in starts.items())

    def run(self, moved: Callable[[int], None], ending: Callable[[], bool]) -> int:
        """Copy until it is told to end, and then up to what is the end; return how many.

        Args:
            moved: told how many more were written.
            ending: says whether to end.

        Raises:
            CopyFault: a record was not written, or somebody else wrote to the target.
        """
        count = 0
        ends: dict[Any, int] | None = None
        while ends is None or any(self._consumer.position(part) < ends[part] for part in ends):
            if ends is None and ending():
                ends = self._consumer.end_offsets(self._parts)
            if written := self._step():
                count += written
                moved(written)
        if (found := self._written()) != count:
            raise CopyFault(
                f"{self._target}: expected {count} records, found {found}: somebody else wrote "
                "there; make it anew and begin again"
            )
        return count

    def _step(self) -> int:
        """Copy what comes next, until all of it is acknowledged."""
        sent = [
            self._producer.send(
                self._target,
                record.value,
                key=record.key,
                headers=list(record.headers),
                partition=partition_of(record.key or b"", len(self._targets)),
                timestamp_ms=record.timestamp,
            )
            for records in self._consumer.poll(POLL_MS).values()
            for record in records
        ]
        for future in sent:
            future.get(SENT_SECONDS)
        return len(sent)

    def _written(self) -> int:
        starts = self._consumer.beginning_offsets(self._targets)
        ends = self._consumer.end_offsets(self._targets)
        return sum(ends[part] - starts[part] for part in self._targets)

    def _partitions(self, topic: str) -> list[Any]:
        numbers = self._consumer.partitions_for_topic(topic)
        if not numbers:
            raise CopyFault(
                f"{topic}: expected the topic to exist, found none; run `pitwatch topics`"
            )
        return [TopicPartition(topic, number) for number in sorted(numbers)]
