"""Writes operators' commands: signed, to the partition of the command's table, acknowledged.

A command that is not acknowledged in time may have been written all the same: it is carried out
once by its id, and what became of it is told by the alarm's new record.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Final

import msgspec

from schemas.codec import CODEC, Codec
from schemas.keys import NamedKey
from schemas.records import OperatorCommand
from schemas.signing import sign
from streams.brokers.access import PLAINTEXT, KafkaAccess

ACKNOWLEDGE_SECONDS: Final = 10.0
REQUEST_MS: Final = 5_000


class CommandFault(Exception):
    """Kafka has not acknowledged a command in time; it may have been written or not."""


class CommandWriter:
    """Signs and writes commands.

    Args:
        bootstrap: Kafka's addresses.
        topic: the topic of commands.
        key: returns what they are signed with at this moment.
        partition_of: the partition that a table's records are in, nothing where none is known;
            then Kafka's own rule chooses it by the table, as it does for gateways.
        codec: writes the records, in the versions that it was told.
        access: who the console is to Kafka.
    """

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        key: Callable[[], NamedKey],
        partition_of: Callable[[str], int | None],
        codec: Codec = CODEC,
        access: KafkaAccess = PLAINTEXT,
    ) -> None:
        self._bootstrap = bootstrap
        self._topic = topic
        self._key = key
        self._partition_of = partition_of
        self._access = access
        self._codec = codec
        self._lock = threading.Lock()
        self._producer: Any = None

    async def write(self, command: OperatorCommand) -> OperatorCommand:
        """Return a command as it was signed and written, when Kafka has acknowledged it.

        Args:
            command: what is asked for; ``key`` and ``signature`` are filled in here.

        Raises:
            CommandFault: there was no acknowledgement in time.
            RecordFault: a value of it is out of range.
        """
        key = self._key()
        signed = sign(msgspec.structs.replace(command, key=key.name), key.key)
        partition = self._partition_of(command.table)
        await asyncio.to_thread(self._send, signed, partition)
        return signed

    def close(self) -> None:
        """End the connection."""
        with self._lock:
            if self._producer is not None:
                self._producer.close(timeout=1)
                self._producer = None

    def _send(self, command: OperatorCommand, partition: int | None) -> None:
        from kafka.errors import KafkaError  # noqa: PLC0415  takes 0.3 s, which pages need not wait for

        try:
            sent = self._connected().send(
                self._topic,
                value=self._codec.encode(command),
                key=command.table.encode(),
                partition=partition,
            )
            sent.get(timeout=ACKNOWLEDGE_SECONDS)
        except KafkaError as error:
            self.close()
            raise CommandFault(
                f"expected Kafka to acknowledge the command within {ACKNOWLEDGE_SECONDS:.0f} s, "
                f"found {type(error).__name__}; look whether it was carried out, then ask again"
            ) from error

    def _connected(self) -> Any:  # noqa: ANN401  kafka-python ships no types
        from kafka import KafkaProducer  # noqa: PLC0415  as above

        with self._lock:
            if self._producer is None:
                self._producer = KafkaProducer(
                    bootstrap_servers=self._bootstrap,
                    acks="all",
                    request_timeout_ms=REQUEST_MS,
                    delivery_timeout_ms=int(ACKNOWLEDGE_SECONDS * 1000),
                    max_block_ms=int(ACKNOWLEDGE_SECONDS * 1000),
                    **self._access.client(),
                )
            return self._producer
