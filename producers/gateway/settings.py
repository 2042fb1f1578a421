"""What the gateway is told at its start, with the values it has otherwise."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from streams.brokers.access import PLAINTEXT, KafkaAccess

HOST: Final = "127.0.0.1"
PORT: Final = 7301
BOOTSTRAP: Final = "127.0.0.1:9092"
PREFIX: Final = "pitwatch."

MEBIBYTE: Final = 1024 * 1024
DAY: Final = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """What one client, and all of them together, may take of the gateway.

    Args:
        body: bytes of a request's body.
        head: bytes of a request's line and headers.
        connections: open at once.
        bodies: bytes of all bodies that are being received or judged.
        head_seconds: until a request's headers are complete, from its first byte.
        body_seconds: until its body is complete.
        request_seconds: until its answer is taken; then the connection is cut.
        idle_seconds: between two requests of a connection.
    """

    body: int = MEBIBYTE
    head: int = 16 * 1024
    connections: int = 512
    bodies: int = 64 * MEBIBYTE
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    request_seconds: float = 60.0
    idle_seconds: float = 75.0


@dataclass(frozen=True, slots=True)
class Admission:
    """Who may speak to the gateway, and how.

    Args:
        devices: the file of devices; without it everyone may speak, for any table.
        certificate: the gateway's own; without it there is no TLS.
        key: the certificate's.
        authorities: who signs devices' certificates; without it devices have tokens alone.
        lines_a_second: what one device may say, in the long run: a table says some ten. Bytes are
            paid as lines of 1 KiB where that is more.
        at_once: requests of one device.
    """

    devices: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    authorities: Path | None = None
    lines_a_second: float = 500.0
    at_once: int = 8


@dataclass(frozen=True, slots=True)
class PublishSettings:
    """How the gateway publishes.

    Args:
        bootstrap: Kafka's addresses, `host:port` with commas between.
        prefix: before the names of the topics.
        access: who the gateway is to Kafka.
        delivery_seconds: after which the producer gives a record up. kafka-python's producer sends
            nothing more after it has given one up, so this is longer than any outage; the spool,
            not the producer, decides what is sent again.
        request_seconds: after which a request to the broker is repeated.
        linger_seconds: how long a record waits for others to make a batch.
        stall_seconds: without an acknowledgement for this long the producer is built anew, if the
            broker answers.
        flush_seconds: how long the end of the program waits for what is still to be published.
    """

    bootstrap: str = BOOTSTRAP
    prefix: str = PREFIX
    access: KafkaAccess = PLAINTEXT
    delivery_seconds: float = 7 * DAY
    request_seconds: float = 10.0
    linger_seconds: float = 0.005
    stall_seconds: float = 30.0
    flush_seconds: float = 10.0

    @property
    def deals(self) -> str:
        """Return the topic of events."""
        return f"{self.prefix}deals.v1"

    @property
    def dead(self) -> str:
        """Return the topic of dead letters."""
        return f"{self.prefix}deals.dead.v1"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one gateway.

    Args:
        spool: the folder of its spool, which is its own.
        name: stamped on every event that it receives.
        signing_key: the file of the keys that it signs events with: with the first; nothing where
            events are not signed.
        version: of the program, said in dead letters and metrics.
        host: the address to listen on.
        port: 0 takes a free one.
        spool_bytes: how much the spool may hold; then it takes no more (429).
        spool_seconds: how old an unpublished event may be; then it takes no more (429).
        segment_bytes: the size at which a segment of the spool is followed by another.
        hold_seconds: how long an event of a table with several sources waits for others that stand
            before it by their devices' clocks; nought turns merging off.
        versions: the version to write of a record, by its name, where it is not the newest: an
            older worker cannot read a newer event, so the newest is written when all are upgraded.
    """

    spool: Path
    name: str = "gateway"
    signing_key: Path | None = None
    version: str = "0"
    host: str = HOST
    port: int = PORT
    spool_bytes: int = 1024 * MEBIBYTE
    spool_seconds: float = 7 * DAY
    segment_bytes: int = 4 * MEBIBYTE
    hold_seconds: float = 0.15
    versions: Mapping[str, int] = field(default_factory=dict)
    http: HttpLimits = HttpLimits()
    admission: Admission = Admission()
    publish: PublishSettings = PublishSettings()
