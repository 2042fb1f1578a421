"""What `pitwatch doctor` looks at in the database: that it answers, its version, its readers."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import URL

from deploy.cli.checkups import FAIL, OK, WARN, Checkup
from streams.database.migrating import behind
from streams.database.opening import (
    SQLITE,
    DatabaseFault,
    open_database,
    parsed,
    reading,
    said,
)

NAME: Final = "database"


def database(url: str) -> Iterator[Checkup]:
    """Look at a database; none is made where there is none.

    Args:
        url: ``sqlite:///FILE`` or ``postgresql://USER@HOST/NAME``.
    """
    try:
        named = parsed(url)
    except DatabaseFault as fault:
        yield Checkup(NAME, FAIL, str(fault), "say --database as the historian and console have it")
        return
    if named.get_backend_name() == SQLITE:
        path = Path(named.database or "")
        if not path.exists():
            yield Checkup(NAME, OK, f"{path} is not there yet; the first start makes it")
            return
        yield readers(path)
    yield revision(named)


def readers(path: Path) -> Checkup:
    """Look at who can read a SQLite file: it has accounts, and the cards of closed rounds."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        todo = f"accounts and history are for Pitwatch's user alone: chmod 600 {path}*"
        return Checkup(NAME, WARN, f"{path} has mode {mode:04o}: others may read it", todo)
    return Checkup(NAME, OK, f"{path} has mode {mode:04o}")


def revision(named: URL) -> Checkup:
    """Look at whether a database answers, and whether this version can use it."""
    try:
        engine = open_database(named.render_as_string(hide_password=False))
        try:
            with reading(engine) as connection:
                old = behind(engine, connection)
        finally:
            engine.dispose()
    except DatabaseFault as fault:
        return Checkup(NAME, FAIL, str(fault), "put it right: no console or historian starts so")
    where = said(engine)
    if old:
        return Checkup(NAME, OK, f"{where} is of an older version; the next start migrates it")
    return Checkup(NAME, OK, f"{where} answers, and is of this version")
