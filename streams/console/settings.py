"""What the console is told at its start, with the values it has otherwise."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Final

from schemas.keys import NamedKey
from streams.brokers.access import PLAINTEXT, KafkaAccess
from streams.core.book import Book
from streams.wire.topics import PREFIX

HOST: Final = "127.0.0.1"
PORT: Final = 7303
HEALTH_PORT: Final = 7313
BOOTSTRAP: Final = "127.0.0.1:9092"
DATABASE: Final = "sqlite:///pitwatch.db"


@dataclass(frozen=True, slots=True)
class ConsoleSettings:
    """The settings of one console.

    Args:
        book: the rulebook, for titles and what to do.
        version: of the program.
        bootstrap: Kafka's addresses, `host:port` with commas between.
        access: who the console is to Kafka.
        prefix: before the names of the topics.
        host: the address to listen on.
        port: of the pages; 0 takes a free one.
        health_port: of health and metrics, which a thread of their own serves; 0 takes a free one.
        database: the address of the database with accounts and history.
        floor: the inventory, ``floor.toml``; nothing where there is none.
        command_key: signs commands, and workers have it under the same name; without one no act
            can be asked for.
        command_keys: a file of such keys, of which the first signs; it is read again when it
            changes, and stands before ``command_key``.
        secure_cookie: whether browsers send the session's cookie over HTTPS alone.
        proxies: addresses and networks whose word is believed of where a request came from; the
            limits of signing in count that.
        zone: the floor's time zone, in which pages say times.
        clients: live pages at once; one more is told to come back.
        metrics_ca: who signed the certificates of those of them that speak TLS, PEM.
        metrics: where workers, gateways and historians serve theirs, for the diagnostics page.
        gateway: where devices post, as the empty floor page says it.
        collector: where spans are sent by OTLP over HTTP, if they are.
        versions: the version to write of a record, by its name, where it is not the newest.
    """

    book: Book
    version: str = "0"
    bootstrap: str = BOOTSTRAP
    access: KafkaAccess = PLAINTEXT
    prefix: str = PREFIX
    host: str = HOST
    port: int = PORT
    health_port: int = HEALTH_PORT
    database: str = field(default=DATABASE, repr=False)
    floor: Path | None = None
    command_key: NamedKey | None = None
    command_keys: Path | None = None
    secure_cookie: bool = False
    proxies: tuple[str, ...] = ()
    zone: tzinfo = UTC
    clients: int = 500
    gateway: str = "http://127.0.0.1:7301"
    metrics: tuple[str, ...] = ()
    metrics_ca: Path | None = None
    collector: str | None = None
    versions: Mapping[str, int] = field(default_factory=dict)
