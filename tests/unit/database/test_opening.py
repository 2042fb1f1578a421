"""A database is opened by its URL, brought to this version, and refused where it is newer."""

import importlib
import pkgutil
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Timer

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import IntegrityError

import streams.database
from streams.database import (
    DatabaseFault,
    history,
    metadata,
    migrate,
    open_database,
    writing,
)
from streams.database.opening import BUSY_SECONDS
from tests.database_fixtures import new_postgresql


def test_the_migrations_make_the_tables_that_the_program_has(engine: Engine) -> None:
    for module in pkgutil.iter_modules(streams.database.__path__, "streams.database."):
        importlib.import_module(module.name)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_a_server_without_an_encoding_gives_texts(postgresql: str) -> None:
    without = "ENCODING 'SQL_ASCII' LC_CTYPE 'C' LC_COLLATE 'C'"
    engine = open_database(new_postgresql(postgresql, without))
    migrate(engine)
    with writing(engine) as connection:
        connection.execute(history.offsets.insert().values(topic="té", partition=0, next=7))
    with engine.connect() as connection:
        assert connection.execute(text("SELECT topic FROM offsets")).scalar_one() == "té"
    engine.dispose()


def test_a_second_migration_changes_nothing(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(history.offsets.insert().values(topic="t", partition=0, next=7))
    migrate(engine)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT next FROM offsets")).scalar_one() == 7


def test_a_database_of_a_newer_version_is_refused(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseFault, match="found 9999, of a newer Pitwatch; run that version"):
        migrate(engine)


def write_twice(connection: Connection, row: dict[str, object]) -> None:
    for _ in range(2):
        connection.execute(history.offsets.insert().values(**row))


def test_a_failed_write_leaves_nothing(engine: Engine) -> None:
    row = {"topic": "t", "partition": 0, "next": 1}
    with pytest.raises(IntegrityError), writing(engine) as connection:
        write_twice(connection, row)
    with engine.connect() as connection:
        assert connection.execute(history.offsets.select()).all() == []


def test_a_sqlite_file_is_its_owners_alone(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'own.db'}")
    migrate(engine)
    with engine.connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar_one() == "wal"
        assert connection.execute(text("PRAGMA foreign_keys")).scalar_one() == 1
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("own.db*")}
    assert modes == dict.fromkeys(("own.db", "own.db-wal", "own.db-shm"), 0o600)
    engine.dispose()


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("pitwatch.db", "found no URL"),
        ("mysql://localhost/x", "found mysql://"),
        ("postgresql+asyncpg://localhost/x", r"found postgresql\+asyncpg://"),
        ("sqlite://", "a SQLite URL without a file"),
        ("sqlite:///:memory:", "a SQLite URL without a file"),
    ],
)
def test_a_url_of_another_kind_is_refused(url: str, found: str) -> None:
    with pytest.raises(DatabaseFault, match=found):
        open_database(url)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(DatabaseFault, match="expected a file that can be written"):
        open_database(f"sqlite:///{tmp_path / 'none' / 'x.db'}")


def test_a_server_that_is_away_is_told_without_its_password(tmp_path: Path) -> None:
    engine = open_database(f"postgresql://u:secret@/x?host={tmp_path}")
    with pytest.raises(DatabaseFault, match="expected a database that answers") as fault:
        migrate(engine)
    assert "secret" not in str(fault.value)


def test_a_new_file_that_another_process_writes_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pitwatch.db"
    engine = open_database(f"sqlite:///{path}")
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="database is locked"):
        # What the wait is for: SQLite itself refuses this at once, whatever its timeout is.
        sqlite3.connect(path, timeout=BUSY_SECONDS).execute("PRAGMA journal_mode=WAL")
    release = Timer(0.3, other.execute, ("COMMIT",))
    release.start()
    migrate(engine)
    assert release.finished.is_set()
    release.join()
    other.close()
    engine.dispose()


def test_several_processes_may_migrate_at_once(database_url: str) -> None:
    engines = [open_database(database_url) for _ in range(4)]
    with ThreadPoolExecutor(len(engines)) as threads:
        list(threads.map(migrate, engines))
    with engines[0].connect() as connection:
        assert connection.execute(history.rounds.select()).all() == []
    for engine in engines:
        engine.dispose()
