"""Open a database by its URL: a SQLite file for one machine, or PostgreSQL.

| | SQLite | PostgreSQL |
|---|---|---|
| readers beside a writer | by the write-ahead log | by itself |
| a second writer | waits up to ``BUSY_SECONDS`` | by itself |
| a commit is on the disk | ``synchronous=FULL`` | as its server is set |
| who may read | the file's owner alone: mode 0600 | as its server says |
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

BUSY_SECONDS: Final = 20
"""How long a SQLite writer waits for another one."""

AGAIN_SECONDS: Final = 0.01
"""How long a connection waits before it asks anew for what SQLite refused without waiting."""

CONNECT_SECONDS: Final = 10
SERVER: Final = {
    "connect_timeout": CONNECT_SECONDS,
    # A server without an encoding of its own (SQL_ASCII) would otherwise send bytes for texts.
    "client_encoding": "utf8",
    # A server whose machine is gone says nothing: without these a query waits for a quarter of an
    # hour, and an idle session for two hours.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""What libpq is told."""

POOLED: Final = 8
"""Connections that a process keeps; as many more may be open for a moment."""

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"
DRIVERS: Final = {SQLITE: SQLITE, POSTGRESQL: "postgresql+psycopg"}
"""What SQLAlchemy calls each kind of database, with the driver that is installed."""

_BEGIN: Final = "begins"


class DatabaseFault(Exception):
    """The database cannot be opened or used; the text says what to do."""


class DatabaseAway(DatabaseFault):
    """The database does not answer, or refuses; it may answer again."""


def open_database(url: str) -> Engine:
    """Return an engine for a database; nothing is created in it but an empty SQLite file.

    Args:
        url: ``sqlite:///FILE`` (a relative path), ``sqlite:////FILE`` (an absolute one) or
            ``postgresql://USER@HOST/NAME``.

    Raises:
        DatabaseFault: the URL is none of these, or a SQLite file cannot be made.
    """
    wanted = parsed(url)
    if wanted.get_backend_name() == POSTGRESQL:
        return create_engine(
            wanted,
            pool_pre_ping=True,
            pool_size=POOLED,
            max_overflow=POOLED,
            connect_args=dict(SERVER),
        )
    make_private(Path(wanted.database or ""))
    engine = create_engine(
        wanted, pool_size=POOLED, max_overflow=POOLED, connect_args={"timeout": BUSY_SECONDS}
    )
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def parsed(url: str) -> URL:
    """Return a URL that names one of the two kinds of database, with its driver.

    Raises:
        DatabaseFault: it does not.
    """
    expected = "expected sqlite:///FILE or postgresql://USER@HOST/NAME"
    try:
        wanted = make_url(url)
    except ArgumentError as error:
        raise DatabaseFault(f"database: {expected}, found no URL") from error
    driver = DRIVERS.get(wanted.get_backend_name())
    if driver is None or wanted.drivername not in {wanted.get_backend_name(), driver}:
        raise DatabaseFault(f"database: {expected}, found {wanted.drivername}://")
    if driver == SQLITE and wanted.database in {None, "", ":memory:"}:
        raise DatabaseFault(f"database: {expected}, found a SQLite URL without a file")
    return wanted.set(drivername=driver)


def make_private(path: Path) -> None:
    """Make a file that its owner alone can read, where there is none.

    SQLite gives its log, and the log's index, the mode of the database.

    Raises:
        DatabaseFault: it cannot be made.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise DatabaseFault(
            f"{path}: expected a file that can be written, found: {error.strerror}; "
            "choose a folder that Pitwatch's user can write"
        ) from error


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Give a transaction that will write, committed at the end of the context.

    SQLite refuses, without waiting, to let a transaction write that has read before another one
    wrote; so one that will write says so at its beginning.
    """
    with (
        engine.connect() as connection,
        connection.execution_options(**{_BEGIN: "IMMEDIATE"}).begin(),
    ):
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection that only reads.

    Raises:
        DatabaseFault: the database does not answer.
    """
    try:
        with engine.connect() as connection:
            yield connection
    except DBAPIError as error:
        raise away(engine, error) from error


def said(engine: Engine) -> str:
    """Return the database's URL as it may be shown: without a password."""
    return engine.url.render_as_string(hide_password=True)


def away(engine: Engine, error: DBAPIError) -> DatabaseAway:
    """Return the fault that a database does not answer."""
    return DatabaseAway(
        f"{said(engine)}: expected a database that answers, found: {error.orig}; "
        "check the URL, and whether it runs"
    )


def _set_up(connection: Any, _record: object) -> None:  # noqa: ANN401  the driver's own
    # Without its own ideas of when a transaction begins the driver leaves that to `_begin`.
    connection.isolation_level = None
    cursor = connection.cursor()
    _write_ahead(cursor)
    for pragma in ("synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _write_ahead(cursor: sqlite3.Cursor) -> None:
    # Of two connections that bring one new file to a write-ahead log at a time SQLite refuses one
    # at once, for each holds the lock that the other waits for (1 in 800 tries of eight threads).
    deadline = monotonic() + BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > deadline:
                raise
            sleep(AGAIN_SECONDS)
        else:
            return


def _begin(connection: Connection) -> None:
    how = connection.get_execution_options().get(_BEGIN, "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {how}")
