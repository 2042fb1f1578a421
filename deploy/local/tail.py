"""What is written to a topic from now on, for a person who looks on: no group, no commits."""

from collections.abc import Iterator
from typing import Any, Final

from kafka import KafkaConsumer, TopicPartition

from streams.brokers.access import PLAINTEXT, KafkaAccess

RECORDS_AT_ONCE: Final = 500


class Tail:
    """Reads all partitions of a topic from where they end when it is made.

    Args:
        bootstrap: Kafka's address.
        topic: the topic's full name; it exists.
        access: who reads.
    """

    def __init__(self, bootstrap: str, topic: str, access: KafkaAccess = PLAINTEXT) -> None:
        self._consumer: Any = KafkaConsumer(
            bootstrap_servers=bootstrap,
            enable_auto_commit=False,
            # After Kafka was away: nothing that is still there is left out.
            auto_offset_reset="earliest",
            max_poll_records=RECORDS_AT_ONCE,
            **access.client(),
        )
        parts = sorted(self._consumer.partitions_for_topic(topic) or ())
        whole = [TopicPartition(topic, part) for part in parts]
        self._consumer.assign(whole)
        for partition, end in self._consumer.end_offsets(whole).items():
            self._consumer.seek(partition, end)

    def poll(self, seconds: float) -> Iterator[bytes]:
        """Yield the values that come within so many seconds, at most 500, without waiting on."""
        for records in self._consumer.poll(timeout_ms=int(seconds * 1000)).values():
            for record in records:
                if record.value is not None:
                    yield record.value

    def close(self) -> None:
        """Leave the topic."""
        self._consumer.close()
