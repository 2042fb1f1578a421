"""What the console is told at its start, with the values it has otherwise."""

from dataclasses import dataclass
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Final

from streams.core.book import Book
from streams.wire.topics import PREFIX

HOST: Final = "127.0.0.1"
PORT: Final = 7303
HEALTH_PORT: Final = 7313
BOOTSTRAP: Final = "127.0.0.1:9092"
DATABASE: Final = "sqlite:///pitwatch.db"


@dataclass(frozen=True, slots=True)
class CommandKey:
    """The key that operators' commands are signed with; workers have it under the same name."""

    name: str
    key: bytes


@dataclass(frozen=True, slots=True)
class ConsoleSettings:
    """The settings of one console.

    Args:
        book: the rulebook, for titles and what to do.
        version: of the program.
        bootstrap: Kafka's addresses, `host:port` with commas between.
        prefix: before the names of the topics.
        host: the address to listen on.
        port: of the pages; 0 takes a free one.
        health_port: of health and metrics, which a thread of their own serves; 0 takes a free one.
        database: the address of the database with accounts and history.
        floor: the inventory, ``floor.toml``; nothing where there is none.
        command_key: signs commands; without one no act can be asked for.
        secure_cookie: whether browsers send the session's cookie over HTTPS alone.
        proxies: addresses and networks whose word is believed of where a request came from; the
            limits of signing in count that.
        zone: the floor's time zone, in which pages say times.
        clients: live pages at once; one more is told to come back.
        metrics: where workers, gateways and historians serve theirs, for the diagnostics page.
        gateway: where devices post, as the empty floor page says it.
    """

    book: Book
    version: str = "0"
    bootstrap: str = BOOTSTRAP
    prefix: str = PREFIX
    host: str = HOST
    port: int = PORT
    health_port: int = HEALTH_PORT
    database: str = DATABASE
    floor: Path | None = None
    command_key: CommandKey | None = None
    secure_cookie: bool = False
    proxies: tuple[str, ...] = ()
    zone: tzinfo = UTC
    clients: int = 500
    gateway: str = "http://127.0.0.1:7301"
    metrics: tuple[str, ...] = ()
