"""The right to write a history: one historian at a time, by a lock that ends with its process.

| | SQLite | PostgreSQL |
|---|---|---|
| the lock | ``flock`` on a file beside the database | an advisory lock of one session |
| it ends with | the process, kill -9 included | the session, which the rows are written in too |
| another historian | is told who has it | is told so |

A PostgreSQL session that is lost has lost its lock with whatever it had not committed, so nothing
is ever written beside another historian; the next write takes a new session and the lock anew.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Final, Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from streams.database.opening import POSTGRESQL, DatabaseFault, said, writing

KEY: Final = 0x50575F48
"""PostgreSQL's advisory lock of the historian."""

WAIT_SECONDS: Final = 5.0
"""How long the lock is waited for: a server notices the end of a killed historian in less."""

ASK_SECONDS: Final = 0.2


class SeatTaken(DatabaseFault):
    """Another historian writes to this database."""


class Seat(Protocol):
    """The right to write."""

    def transaction(self) -> AbstractContextManager[Connection]:
        """Give a transaction that is committed at the end of the context.

        Raises:
            SeatTaken: the right was lost with a session, and another historian has it now.
            sqlalchemy.exc.DBAPIError: the database does not answer; nothing was written, or all.
        """

    def close(self) -> None:
        """Give the right back."""


@contextmanager
def seat(engine: Engine, wait: float = WAIT_SECONDS) -> Iterator[Seat]:
    """Give the right to write while the context lasts.

    Args:
        engine: the database.
        wait: how long another historian may take to end, in seconds.

    Raises:
        SeatTaken: another one has the right.
        sqlalchemy.exc.DBAPIError: the database does not answer.
    """
    server = engine.dialect.name == POSTGRESQL
    own = ServerSeat(engine, wait) if server else FileSeat(engine, wait)
    try:
        own.take()
        yield own
    finally:
        own.close()


def _wait_for(engine: Engine, wait: float, taken: Callable[[], bool], holder: str = "") -> None:
    deadline = time.monotonic() + wait
    while not taken():
        if time.monotonic() >= deadline:
            raise SeatTaken(
                f"{said(engine)}: expected to be its only historian, found another one{holder}; "
                "stop that one, or give this one another --database"
            )
        time.sleep(ASK_SECONDS)


class FileSeat:
    """The right to write a SQLite file."""

    def __init__(self, engine: Engine, wait: float) -> None:
        self._engine = engine
        self._wait = wait
        self._path = Path(f"{engine.url.database}.historian")
        self._file: IO[str] = self._path.open("a+", encoding="ascii")
        self._path.chmod(0o600)

    def take(self) -> None:
        """Take the lock.

        Raises:
            SeatTaken: another process holds it.
        """
        self._file.seek(0)
        pid = self._file.read(20).strip()
        holder = f" (process {pid})" if pid else ""
        _wait_for(self._engine, self._wait, self._taken, holder)
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def transaction(self) -> AbstractContextManager[Connection]:
        """Give a transaction."""
        return writing(self._engine)

    def close(self) -> None:
        """Give the lock back."""
        self._file.close()

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class ServerSeat:
    """The right to write a PostgreSQL database: a session of its own, and its lock."""

    def __init__(self, engine: Engine, wait: float) -> None:
        self._engine = engine
        self._wait = wait
        self._session: Connection | None = None

    def take(self) -> None:
        """Take a session and its lock, if they are not there.

        Raises:
            SeatTaken: another session holds the lock.
        """
        if self._session is None:
            self._session = self._engine.connect()
            # Closed it is gone, lock and all; a pool would keep both.
            self._session.detach()
            _wait_for(self._engine, self._wait, self._taken)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Give a transaction of the session that has the lock."""
        try:
            self.take()
            assert self._session is not None  # noqa: S101  `take` made it; this is for mypy
            with self._session.begin():
                yield self._session
        except Exception:
            # Whatever failed may have taken the session with it, and no lock is sure any more.
            self.close()
            raise

    def close(self) -> None:
        """End the session, and with it the lock."""
        session, self._session = self._session, None
        if session is not None:
            with suppress(DBAPIError):
                session.close()

    def _taken(self) -> bool:
        if self._session is None:
            return False
        taken = self._session.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": KEY})
        self._session.commit()
        return bool(taken)
