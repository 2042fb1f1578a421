"""The producer as the sender needs it, and the real one: kafka-python's, told what it must be told.

The real one's settings come from runs against a broker that was killed and frozen:

- it never gives a record up by itself (`delivery_timeout_ms` of days), for after that it sends
  nothing more on any partition, and says nothing;
- it is built only when there is something to send, for its constructor needs a broker;
- it reconnects within a second, for its own back-off grows to half a minute;
- its buffer is unbounded, so the sender bounds what it hands over.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from kafka import KafkaProducer
from kafka.errors import KafkaError, KafkaTimeoutError
from kafka.partitioner.default import DefaultPartitioner

from producers.gateway.settings import PublishSettings
from producers.gateway.signer import Signer
from streams.brokers.reason import reason

BOOTSTRAP_MS: Final = 3_000
MAX_BLOCK_MS: Final = 2_000
RECONNECT_MS: Final = 1_000
LARGEST_REQUEST: Final = 2 * 1024 * 1024
CLOSE_SECONDS: Final = 5.0

MOST_KEYS: Final = 4096
"""Tables whose partition is remembered."""


class BrokerAway(Exception):
    """No broker answers, or it does not take what it is sent."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record for Kafka; `timestamp` is in milliseconds since 1970-01-01 UTC."""

    topic: str
    key: bytes | None
    value: bytes
    headers: Sequence[tuple[str, bytes]]
    timestamp: int | None


Settled = Callable[[int, str | None], None]
"""Told a record's number, and why it was not written or nothing; from any thread."""


class Producer(Protocol):
    """Sends records; those of one key are written in the order they were sent in.

    One that has failed a record writes nothing more, for what it wrote would stand before it.
    """

    def send(self, number: int, record: Record) -> None:
        """Send a record and settle its number later, once.

        Raises:
            BrokerAway: it was not sent, and its number is not settled.
        """

    def abandon(self) -> None:
        """Stop at once; nothing is sent any more, and numbers may stay unsettled."""

    def close(self) -> None:
        """Stop when everything sent is settled, or in CLOSE_SECONDS."""


class KeptPartitions(DefaultPartitioner):  # type: ignore[misc]  # kafka-python has no types
    """Kafka's own partitioner, which remembers where a key goes.

    Its hash is written in Python and takes a quarter of the time that sending a record takes.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes, int], int] = {}

    def partition(
        self,
        topic: str,
        key: object,
        serialized_key: bytes | None,
        value: object,
        serialized_value: object,
        cluster: Any,  # noqa: ANN401  kafka-python has no types
    ) -> int:
        """Return the partition of a record; the same as every other client's for the same key."""
        of_topic = cluster.partitions_for_topic(topic) or ()
        place = (topic, serialized_key or b"", len(of_topic))
        known = self._known.get(place)
        if known is None or serialized_key is None:
            if len(self._known) >= MOST_KEYS:
                self._known.clear()
            chosen: int = super().partition(
                topic, key, serialized_key, value, serialized_value, cluster
            )
            known = self._known[place] = chosen
        return known


class KafkaPublisher:
    """A kafka-python producer.

    Args:
        settings: how it publishes.
        name: the gateway's.
        settled: told what became of each record.
        signer: signs events; nothing where they are not signed.

    Raises:
        BrokerAway: no broker answers within BOOTSTRAP_MS.
    """

    def __init__(
        self,
        settings: PublishSettings,
        name: str,
        settled: Settled,
        signer: Signer | None = None,
    ) -> None:
        self._settled = settled
        self._signed = settings.deals
        self._signer = signer
        self._partitions = KeptPartitions()
        try:
            self._producer: Any = KafkaProducer(
                bootstrap_servers=settings.bootstrap.split(","),
                client_id=name,
                acks="all",
                enable_idempotence=True,
                delivery_timeout_ms=int(settings.delivery_seconds * 1000),
                request_timeout_ms=int(settings.request_seconds * 1000),
                linger_ms=int(settings.linger_seconds * 1000),
                max_request_size=LARGEST_REQUEST,
                max_block_ms=MAX_BLOCK_MS,
                bootstrap_timeout_ms=BOOTSTRAP_MS,
                reconnect_backoff_max_ms=RECONNECT_MS,
                allow_auto_create_topics=False,
                metrics_enabled=False,
                partitioner=self._partitions,
                **settings.access.client(),
            )
        except (KafkaError, OSError) as error:
            raise BrokerAway(reason(settings.bootstrap, settings.access, error)) from error

    def send(self, number: int, record: Record) -> None:
        """Send a record and settle its number later, once."""
        try:
            headers, partition = list(record.headers), None
            if self._signer is not None and record.topic == self._signed:
                partition = self._partition_of(record)
                headers += self._signer.headers(record.topic, partition, record.value)
            future = self._producer.send(
                record.topic,
                key=record.key,
                value=record.value,
                headers=headers,
                partition=partition,
                timestamp_ms=record.timestamp,
            )
        except (KafkaError, ValueError) as error:
            raise BrokerAway(_text(error)) from error
        future.add_callback(self._written, number)
        future.add_errback(self._failed, number)

    def _partition_of(self, record: Record) -> int:
        """Return where a record goes: what is signed says it.

        Raises:
            KafkaError: no broker says within MAX_BLOCK_MS which partitions there are.
        """
        self._producer.partitions_for(record.topic)
        return self._partitions.partition(
            record.topic, record.key, record.key, None, None, self._producer._metadata
        )

    def abandon(self) -> None:
        """Stop at once.

        `close` waits for the records to be flushed before it stops anything and raises when they
        are not, so the producer's thread is stopped by its own `force_close` first. Otherwise an
        old producer would go on and write behind the new one's back.
        """
        self._producer._sender.force_close()
        self._producer._sender.join(CLOSE_SECONDS)
        with suppress(KafkaError, OSError):
            self._producer.close(timeout=0)

    def close(self) -> None:
        """Stop when everything sent is settled, or in CLOSE_SECONDS."""
        try:
            self._producer.close(timeout=CLOSE_SECONDS)
        except KafkaTimeoutError:
            self.abandon()

    def _written(self, number: int, _metadata: object) -> None:
        self._settled(number, None)

    def _failed(self, number: int, error: BaseException) -> None:
        # This is the producer's own thread, between two of its turns: while a batch of a partition
        # is unanswered it sends none that follows, so nothing later is written after this.
        self._producer._sender.force_close()
        self._settled(number, _text(error))


def _text(error: BaseException) -> str:
    return str(error) or type(error).__name__
