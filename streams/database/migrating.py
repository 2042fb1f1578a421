"""Bring a database's tables to this program's version.

The revisions are in ``migrations/versions``, one line of them. A database of a newer revision is
refused: an older program would write what the newer one no longer understands.
"""

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from streams.database.opening import POSTGRESQL, DatabaseFault, away, said, writing

MIGRATIONS: Final = Path(__file__).parent / "migrations"

LOCK: Final = 0x50575F4D
"""PostgreSQL's advisory lock for migrations; SQLite's writers wait for each other anyway."""


def migrate(engine: Engine) -> None:
    """Bring a database to the newest revision; one that is there already is left as it is.

    Several processes may do it at once. A revision is applied whole or not at all.

    Raises:
        DatabaseFault: the database does not answer, or is of a newer version.
    """
    try:
        with writing(engine) as connection:
            if engine.dialect.name == POSTGRESQL:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
            if not behind(engine, connection):
                return
            config = Config()
            config.set_main_option("script_location", str(MIGRATIONS))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except DBAPIError as error:
        raise away(engine, error) from error


def behind(engine: Engine, connection: Connection) -> bool:
    """Return whether the database lacks a revision that this program has.

    Raises:
        DatabaseFault: the database has one that this program does not know.
    """
    known = ScriptDirectory(str(MIGRATIONS))
    found = set(MigrationContext.configure(connection).get_current_heads())
    newer = found - {revision.revision for revision in known.walk_revisions()}
    if newer:
        raise DatabaseFault(
            f"{said(engine)}: expected a revision up to {known.get_current_head()}, found "
            f"{', '.join(sorted(newer))}, of a newer Pitwatch; run that version or a newer one"
        )
    return found != set(known.get_heads())
