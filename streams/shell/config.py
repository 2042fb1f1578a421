"""What a worker is told at its start. The timeouts are measured; change one and measure again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from streams.brokers.access import PLAINTEXT, KafkaAccess
from streams.core.book import Book
from streams.shell.ports import Topics
from streams.shell.rights import FixedRights, RightsSource
from streams.wire.topics import APPLICATION, PREFIX, changelog

SESSION_SECONDS: Final = 10.0
"""Without a heartbeat for this long the group gives the worker's partitions away."""

HEARTBEAT_SECONDS: Final = 2.5
COMMIT_SECONDS: Final = 0.5

FETCH_RECORDS: Final = 8000
"""The largest fetch. A table is encoded and acknowledged once in it: with 1,000 tables an event of
a fetch of 2,000 costs 174 µs of processor time, of 8,000 it costs 100. More only repeats more."""

FETCH_BYTES: Final = 131_072
"""What is fetched of one partition at once; larger lets one partition run far ahead of others."""

PRODUCE_SECONDS: Final = 60.0
"""Longer than a broker may pause; a write not acknowledged by then ends the worker."""

REQUEST_SECONDS: Final = 30.0

BATCH_BYTES: Final = 512 * 1024
"""What is sent to one partition at once. aiokafka's 16 KiB hold six states, and each further batch
of a partition waits for the one before it. A broker takes up to 1 MiB as it is installed."""

WRITE_BYTES: Final = 2 * 1024 * 1024
"""A dead letter holds a record of the largest size, and why it is one."""

BUFFERED_BATCHES: Final = 2
"""Batches that wait for the judge; more only delay what comes after."""

TICK_SECONDS: Final = 30.0
"""How often a table with an open round and nothing to judge is told the time."""

STALLED_SECONDS: Final = 60.0
"""A worker with a backlog that has not come forward for this long ends itself."""

AWAY_SECONDS: Final = 600.0
"""How long Kafka may be away at the start before the worker ends, to be started again."""

PORT: Final = 7302


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """One worker's settings.

    ``bootstrap`` is ``host:port,…``, and ``access`` who the worker is there; ``instance_id`` makes
    it a static member, whose seat is kept for a session while it restarts; ``prefix`` and
    ``application`` name the topics and the group.
    ``rights`` are who may do what: whose records are taken, whose commands are carried out where.
    ``versions`` are the versions to write of records, by name, where they are not the newest.
    ``host`` and ``port`` are where health and metrics are served; port 0 takes a free one.
    ``fetch_records`` is the most that is judged at once.
    ``away_seconds`` is how long Kafka may be away at the start.
    ``collector`` is where spans are sent by OTLP over HTTP, if they are.
    ``data`` is where Faust may keep files of its own (it keeps none of ours).
    """

    bootstrap: str
    book: Book
    version: str
    access: KafkaAccess = PLAINTEXT
    prefix: str = PREFIX
    application: str = APPLICATION
    instance_id: str | None = None
    host: str = "127.0.0.1"
    port: int = PORT
    session_seconds: float = SESSION_SECONDS
    produce_seconds: float = PRODUCE_SECONDS
    tick_seconds: float = TICK_SECONDS
    stalled_seconds: float = STALLED_SECONDS
    away_seconds: float = AWAY_SECONDS
    fetch_records: int = FETCH_RECORDS
    rights: RightsSource = field(default_factory=FixedRights, repr=False)
    versions: Mapping[str, int] = field(default_factory=dict)
    collector: str | None = None
    data: Path = field(default_factory=lambda: Path("/tmp"))  # noqa: S108  nothing is written

    @property
    def topics(self) -> Topics:
        """Return the full names of the topics."""
        return topics_of(self.prefix, self.application)


def topics_of(prefix: str, application: str) -> Topics:
    """Return the full names of a floor's topics."""
    return Topics(
        deals=f"{prefix}deals.v1",
        commands=f"{prefix}commands.v1",
        findings=f"{prefix}findings.v1",
        rounds=f"{prefix}rounds.v1",
        tables=f"{prefix}tables.v1",
        alarms=f"{prefix}alarms.v1",
        dead=f"{prefix}deals.dead.v1",
        changelog=changelog(application),
    )
