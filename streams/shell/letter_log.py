"""Dead letters, places and replayed deals on a real Kafka.

kafka-python does it, as for the topics: the commands that use it are synchronous. Every reading
has an end that is asked for first, so a floor that goes on writing keeps nobody waiting.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError

from schemas.keys import NamedKey
from schemas.record_signing import RecordSigner
from streams.brokers.access import PLAINTEXT, KafkaAccess
from streams.brokers.reason import reason
from streams.shell.letters import Letter, own_event, read_letter
from streams.shell.partitioning import partition_of
from streams.shell.ports import Headers, Topics
from streams.shell.replay import Places, Replayed
from streams.shell.store import TableStore

ANSWER_MS: Final = 10_000
"""How long the cluster may take to be found at all."""

REQUEST_MS: Final = 30_000
POLL_MS: Final = 500
POLL_RECORDS: Final = 2000
LARGEST_LETTER: Final = 2 * 1024 * 1024
CLOSE_SECONDS: Final = 5.0
SENT_SECONDS: Final = 30.0
"""How long the broker may take to acknowledge a replayed deal."""


class LogUnavailable(Exception):
    """The cluster does not answer, has not the topics, or refuses; the text says what to do."""


Window = tuple[int, int]
"""The first offset of a partition that is read, and the first that is not."""


@contextmanager
def letter_log(
    bootstrap: str, topics: Topics, application: str, access: KafkaAccess = PLAINTEXT
) -> Iterator["LetterLog"]:
    """Connect to a cluster while the context lasts.

    Args:
        bootstrap: addresses of some brokers, ``host:port``, with commas between them.
        topics: the floor's topics.
        application: the workers' group.
        access: who reads and replays.

    Raises:
        LogUnavailable: no broker answers, a topic is absent, or a request is refused.
    """
    try:
        with ExitStack() as stack:
            yield LetterLog(bootstrap, topics, application, stack, access)
    except KafkaError as error:
        found = reason(bootstrap, access, error)
        raise LogUnavailable(
            f"{bootstrap}: expected a Kafka cluster that answers, found: {found}; "
            f"check the address, and whether the brokers run"
        ) from error


class LetterLog:
    """The topics of one floor as replaying needs them.

    Args:
        bootstrap: addresses of some brokers.
        topics: the floor's topics.
        application: the workers' group.
        stack: closes what is opened.
        access: who reads and replays.
    """

    def __init__(
        self,
        bootstrap: str,
        topics: Topics,
        application: str,
        stack: ExitStack,
        access: KafkaAccess = PLAINTEXT,
    ) -> None:
        self._brokers = bootstrap.split(",")
        self._topics = topics
        self._application = application
        self._stack = stack
        self._access = access
        self._consumer = self._new_consumer()
        self._follower: Any = None
        self._producer: Any = None
        self._deals: dict[TopicPartition, int] = {}

    def _new_consumer(self) -> Any:  # noqa: ANN401  kafka-python has no types
        return self._open(
            KafkaConsumer(
                bootstrap_servers=self._brokers,
                bootstrap_timeout_ms=ANSWER_MS,
                enable_auto_commit=False,
                auto_offset_reset="earliest",
                max_poll_records=POLL_RECORDS,
                max_partition_fetch_bytes=LARGEST_LETTER,
                **self._access.client(),
            )
        )

    def _open(self, client: Any, **how: object) -> Any:  # noqa: ANN401  kafka-python has no types
        self._stack.callback(client.close, **how)
        return client

    def windows(self, since: int | None = None, until: int | None = None) -> dict[int, Window]:
        """Return what there is now of each partition of the dead letters, by partition.

        Args:
            since: only letters written at or after this time, microseconds since 1970-01-01 UTC.
            until: only letters written before it.

        Raises:
            LogUnavailable: there is no such topic.
        """
        partitions = self._partitions(self._topics.dead)
        begins = self._consumer.beginning_offsets(partitions)
        ends = self._consumer.end_offsets(partitions)
        first = begins if since is None else self._at(partitions, since, ends)
        last = ends if until is None else self._at(partitions, until, ends)
        return {each.partition: (first[each], last[each]) for each in partitions}

    def _at(
        self, partitions: Sequence[Any], time: int, ends: Mapping[Any, int]
    ) -> Mapping[Any, int]:
        found = self._consumer.offsets_for_times(dict.fromkeys(partitions, -(-time // 1000)))
        return {each: ends[each] if found[each] is None else found[each].offset for each in ends}

    def _partitions(self, topic: str) -> list[Any]:
        numbers = self._consumer.partitions_for_topic(topic)
        if not numbers:
            raise LogUnavailable(
                f"{topic}: expected the topic to exist, found none; "
                "check --topic-prefix, or run `pitwatch topics`"
            )
        return [TopicPartition(topic, number) for number in sorted(numbers)]

    def letters(
        self, windows: Mapping[int, Window], moved: Callable[[int], None] = lambda _records: None
    ) -> Iterator[Letter]:
        """Yield the letters of some windows, partition after partition, each in its order.

        Args:
            windows: what to read, by partition.
            moved: told how many records further the reading has come.
        """
        for number, (first, last) in sorted(windows.items()):
            partition = TopicPartition(self._topics.dead, number)
            at = first
            for record in _records(self._consumer, partition, first, last):
                moved(record.offset + 1 - at)
                at = record.offset + 1
                yield read_letter(record)
            moved(last - at)

    def read_places(self) -> Places:
        """Return where every source stands by the states; deals beyond them are not read yet.

        One partition's states are in memory at a time.
        """
        self._follower = self._follower or self._new_consumer()
        places = Places(self._topics.deals)
        for partition in self._partitions(self._topics.changelog):
            store = TableStore()
            for record in _records(self._follower, partition, *self._whole(partition)):
                store.absorb(partition.partition, record.key, record.value)
            places.take_states(partition.partition, store)
        committed = self._committed()
        for partition in self._partitions(self._topics.deals):
            first = self._whole(partition)[0]
            self._deals[partition] = max(first, committed.get(partition.partition, first))
        return places

    def _whole(self, partition: Any) -> Window:  # noqa: ANN401  as above
        return (
            self._follower.beginning_offsets([partition])[partition],
            self._follower.end_offsets([partition])[partition],
        )

    def _committed(self) -> dict[int, int]:
        """Return the offset of the deals below which the workers have judged all, by partition."""
        admin = KafkaAdminClient(
            bootstrap_servers=self._brokers,
            bootstrap_timeout_ms=ANSWER_MS,
            request_timeout_ms=REQUEST_MS,
            **self._access.client(),
        )
        try:
            found = admin.list_group_offsets({self._application: None})[self._application]
        finally:
            admin.close()
        return {
            partition.partition: at.offset
            for partition, at in found.items()
            if partition.topic == self._topics.deals and at.offset >= 0
        }

    def follow(self, places: Places) -> None:
        """Take the deals that stand in the log by now and that were not taken before."""
        ends = self._follower.end_offsets(list(self._deals))
        for partition, end in ends.items():
            for record in _records(self._follower, partition, self._deals[partition], end):
                event = own_event(record.key, record.value)
                if event is not None:
                    places.take_deal(record.offset, event)
            self._deals[partition] = max(end, self._deals[partition])

    def publish(self, deals: Sequence[Replayed], key: NamedKey | None = None) -> None:
        """Write deals where every client writes their table's, and wait for all of them.

        Args:
            deals: what to write.
            key: a gateway's key, that its lines are signed with.

        Raises:
            LogUnavailable: one was not acknowledged; any of the others may have been.
        """
        if self._producer is None:
            self._producer = self._open(
                KafkaProducer(
                    bootstrap_servers=self._brokers,
                    bootstrap_timeout_ms=ANSWER_MS,
                    acks="all",
                    enable_idempotence=True,
                    request_timeout_ms=REQUEST_MS,
                    max_request_size=LARGEST_LETTER,
                    allow_auto_create_topics=False,
                    **self._access.client(),
                ),
                timeout=CLOSE_SECONDS,
            )
        sent = [
            self._producer.send(
                self._topics.deals,
                key=deal.event.table.encode(),
                value=deal.value,
                partition=self._partition_of(deal),
                headers=[*deal.headers, *self._signature(deal, key)],
            )
            for deal in deals
        ]
        for future in sent:
            future.get(SENT_SECONDS)

    def _partition_of(self, deal: Replayed) -> int:
        partitions = self._partitions(self._topics.deals)
        place = partition_of(deal.event.table.encode(), len(partitions))
        number: int = partitions[place].partition
        return number

    def _signature(self, deal: Replayed, key: NamedKey | None) -> Headers:
        if key is None or deal.gateway is None:
            return ()
        partition = self._partition_of(deal)
        signer = RecordSigner(self._topics.deals, partition, deal.gateway, key)
        return signer.headers(deal.value)


def _records(consumer: Any, partition: Any, first: int, last: int) -> Iterator[Any]:  # noqa: ANN401  as above
    """Yield a partition's records from an offset up to another; one consumer, one at a time.

    Raises:
        LogUnavailable: the broker sends none for REQUEST_MS.
    """
    if first >= last:
        return
    consumer.assign([partition])
    consumer.seek(partition, first)
    at, came = first, time.monotonic()
    while at < last:
        records = consumer.poll(POLL_MS).get(partition, ())
        yield from (record for record in records if record.offset < last)
        now, before = time.monotonic(), at
        at = consumer.position(partition)
        if at > before:
            came = now
        elif now - came > REQUEST_MS / 1000:
            raise LogUnavailable(
                f"{partition.topic}/{partition.partition}: expected offset {last} to be reached, "
                f"found nothing after {at} for {REQUEST_MS // 1000} s; check the broker"
            )
