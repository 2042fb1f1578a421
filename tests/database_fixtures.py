"""Databases for the tests: a SQLite file, and a real PostgreSQL of the run's own.

A test that takes `database_url` runs on both, each time on a new and empty database.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine

from streams.database import migrate, open_database
from tests.require import absent

NOBODY = "nobody"
"""Whom PostgreSQL runs as where the tests run as root: it refuses to run as root itself."""


def programs() -> Path:
    """Return the folder of PostgreSQL's server programs, which Debian does not put on the path."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    absent("initdb", "PostgreSQL's server is not installed")
    raise AssertionError  # absent always raises; this tells the type checker


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The run's PostgreSQL, as the part of a URL before a database's name is filled in."""
    bin_ = programs()
    # A socket's path has at most 107 bytes, so not below pytest's own folder.
    folder = Path(tempfile.mkdtemp(prefix="pw-pg-", dir="/tmp"))
    owner = NOBODY if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    if os.getuid() == 0:
        os.chown(folder, pwd.getpwnam(owner).pw_uid, pwd.getpwnam(owner).pw_gid)

    def run(*arguments: str | Path) -> None:
        as_owner: dict[str, Any] = {"user": owner, "group": pwd.getpwnam(owner).pw_gid}
        result = subprocess.run(
            [str(each) for each in arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            **(as_owner if os.getuid() == 0 else {}),
        )
        log = folder / "log"
        said = log.read_text() if log.exists() else ""
        assert result.returncode == 0, result.stdout + result.stderr + said

    data = folder / "data"
    options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=60"
    try:
        run(bin_ / "initdb", "--auth=trust", "--username=pitwatch", "--no-sync", data)
        run(bin_ / "pg_ctl", "start", "-w", "-D", data, "-l", folder / "log", "-o", options)
        try:
            yield f"postgresql://pitwatch@/{{}}?host={folder}"
        finally:
            run(bin_ / "pg_ctl", "stop", "-w", "-m", "immediate", "-D", data)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_postgresql(server: str, options: str = "") -> str:
    """Return the URL of a new, empty database of the run's PostgreSQL."""
    name = f"t{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.format("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 {options}")
    return server.format(name)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new, empty database: of SQLite, then of PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'pitwatch.db'}"
    return new_postgresql(request.getfixturevalue("postgresql"))


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A database with all tables, of each kind."""
    opened = open_database(database_url)
    migrate(opened)
    yield opened
    opened.dispose()


def columns(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Return rows as plain values by their columns' names."""
    return [dict(row._mapping) for row in rows]
