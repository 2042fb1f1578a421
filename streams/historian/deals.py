"""Read the deals of one partition back, from some time before a round."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError

from streams.brokers.access import PLAINTEXT, KafkaAccess
from streams.brokers.reason import reason
from streams.historian.topics import ANSWER_MS, PARTITION_BYTES, LogAway

DEALS: Final = "deals.v1"

POLL_MS: Final = 500
SILENT_SECONDS: Final = 30.0
"""How long the broker may send nothing before an end that is known."""


@contextmanager
def deals_of(
    bootstrap: str, topic: str, partition: int, since: int, access: KafkaAccess = PLAINTEXT
) -> Iterator[Iterator[bytes]]:
    """Give the values of a partition from a time on, up to where it ends now.

    Args:
        bootstrap: addresses of some brokers, ``host:port``, with commas between them.
        topic: the deals' full name.
        partition: which of its partitions.
        since: microseconds since 1970-01-01 UTC, by the gateway's clock.
        access: who reads; an administrator, for the deals hold cards that lie face down.

    Raises:
        LogAway: no broker answers, or there is no such topic.
    """
    consumer: Any = None
    try:
        consumer = KafkaConsumer(
            bootstrap_servers=bootstrap.split(","),
            bootstrap_timeout_ms=ANSWER_MS,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            max_partition_fetch_bytes=PARTITION_BYTES,
            allow_auto_create_topics=False,
            **access.client(),
        )
        if partition not in (consumer.partitions_for_topic(topic) or ()):
            raise LogAway(
                f"{topic}: expected a partition {partition}, found none; check --topic-prefix"
            )
        yield _values(consumer, TopicPartition(topic, partition), since)
    except KafkaError as error:
        found = reason(bootstrap, access, error)
        raise LogAway(
            f"{bootstrap}: expected a Kafka cluster that answers, found: {found}; check the "
            "address, or say --without-deals for what the database has alone"
        ) from error
    finally:
        if consumer is not None:
            consumer.close(autocommit=False)


def _values(consumer: Any, partition: Any, since: int) -> Iterator[bytes]:  # noqa: ANN401  kafka-python has no types
    end = consumer.end_offsets([partition], timeout_ms=ANSWER_MS)[partition]
    found = consumer.offsets_for_times({partition: since // 1000})[partition]
    at = end if found is None else found.offset
    consumer.assign([partition])
    consumer.seek(partition, at)
    came = time.monotonic()
    while at < end:
        for record in consumer.poll(POLL_MS).get(partition, ()):
            if record.value is not None and record.offset < end:
                yield record.value
        now, before = time.monotonic(), at
        at = consumer.position(partition)
        if at > before:
            came = now
        elif now - came > SILENT_SECONDS:
            raise LogAway(
                f"{partition.topic}/{partition.partition}: expected offset {end} to be reached, "
                f"found nothing after {at} for {SILENT_SECONDS:.0f} s; check the broker"
            )
