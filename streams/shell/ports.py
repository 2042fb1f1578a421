"""What the pipeline needs of the world: records in, records out, a clock. No Kafka library here.

The runtime fills these with Faust and aiokafka, the tests with small models that fail on demand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

Headers = tuple[tuple[str, bytes], ...]


class SourceRecord(Protocol):
    """One record of a source topic, as aiokafka hands it out; ``timestamp`` in milliseconds."""

    @property
    def topic(self) -> str:
        """Return the topic it was read from."""

    @property
    def partition(self) -> int:
        """Return the partition it was read from."""

    @property
    def offset(self) -> int:
        """Return its place in the partition."""

    @property
    def timestamp(self) -> int:
        """Return when it was written, in milliseconds since 1970-01-01 UTC."""

    @property
    def key(self) -> bytes | None:
        """Return its key."""

    @property
    def value(self) -> bytes | None:
        """Return its value."""

    @property
    def headers(self) -> Sequence[tuple[str, bytes]]:
        """Return its headers in order."""


@dataclass(frozen=True, slots=True)
class OutputRecord:
    """One record to write; a table has the same partition on all topics, so it is named."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


class Publisher(Protocol):
    """Writes records to the log."""

    async def publish(self, records: Sequence[OutputRecord]) -> None:
        """Write all records and return when the log has acknowledged every one.

        Raises:
            Exception: at least one was not acknowledged; any of the others may have been.
        """


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> int:
        """Return microseconds since 1970-01-01 UTC."""


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics a worker reads and writes, by their full names."""

    deals: str
    commands: str
    findings: str
    rounds: str
    tables: str
    alarms: str
    dead: str
    changelog: str

    @property
    def sources(self) -> frozenset[str]:
        """Return the topics that are read as batches."""
        return frozenset((self.deals, self.commands))
