"""`pitwatch doctor` says whether the database answers, fits this version and is nobody else's."""

from pathlib import Path

from sqlalchemy import text

from deploy.cli.checkups import FAIL, OK, WARN
from deploy.cli.database_checkups import database
from streams.database import migrate, open_database, writing


def made(url: str) -> str:
    engine = open_database(url)
    migrate(engine)
    engine.dispose()
    return url


def test_a_database_in_order_is_told_so(database_url: str) -> None:
    found = list(database(made(database_url)))
    assert {each.verdict for each in found} == {OK}
    assert "answers, and is of this version" in found[-1].found


def test_a_database_without_tables_is_brought_to_this_version_later(database_url: str) -> None:
    open_database(database_url).dispose()
    found = list(database(database_url))
    assert found[-1].verdict == OK
    assert "the next start migrates it" in found[-1].found


def test_a_database_of_a_newer_version_fails(database_url: str) -> None:
    engine = open_database(made(database_url))
    with writing(engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    found = list(database(database_url))
    assert found[-1].verdict == FAIL
    assert "found 9999, of a newer Pitwatch" in found[-1].found


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "pitwatch.db"
    (found,) = database(f"sqlite:///{path}")
    assert (found.verdict, path.exists()) == (OK, False)


def test_a_file_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "pitwatch.db"
    made(f"sqlite:///{path}")
    path.chmod(0o644)
    verdicts = [each.verdict for each in database(f"sqlite:///{path}")]
    assert verdicts == [WARN, OK]


def test_a_server_that_is_away_fails_without_its_password(tmp_path: Path) -> None:
    (found,) = database(f"postgresql://u:secret@/x?host={tmp_path}")
    assert found.verdict == FAIL
    assert "secret" not in found.found


def test_what_is_no_database_fails() -> None:
    (found,) = database("pitwatch.db")
    assert found.verdict == FAIL
    assert "--database" in found.todo
