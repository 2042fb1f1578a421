"""One historian writes at a time; a lost session loses its right, and nothing that is committed."""

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError

from streams.database import history, open_database
from streams.historian.seat import SeatTaken, seat
from streams.historian.topics import Start, start_of
from tests.database_fixtures import new_postgresql
from tests.history_database import rows_in


def test_a_second_one_is_told_of_the_first(engine: Engine) -> None:
    with (
        seat(engine),
        pytest.raises(SeatTaken, match="expected to be its only historian") as told,
        seat(engine, wait=0),
    ):
        raise AssertionError("two at once")
    assert "give this one another --database" in str(told.value)


def test_the_right_is_given_back(engine: Engine) -> None:
    for _ in range(2):
        with seat(engine, wait=0) as own, own.transaction() as connection:
            assert connection.execute(text("SELECT 1")).scalar_one() == 1


def test_a_transaction_is_whole_or_nothing(engine: Engine) -> None:
    row = {"topic": "t", "partition": 0, "next": 1}
    with seat(engine) as own:
        with own.transaction() as connection:
            connection.execute(history.offsets.insert().values(**row))
        with pytest.raises(ZeroDivisionError), own.transaction() as connection:
            connection.execute(history.offsets.insert().values(**{**row, "next": 1 // 0}))
        with own.transaction() as connection:
            connection.execute(history.offsets.insert().values(**{**row, "partition": 1}))
    assert [each["partition"] for each in rows_in(engine, history.offsets)] == [0, 1]


def test_a_session_that_was_lost_is_taken_anew_with_its_lock(postgresql: str) -> None:
    engine = open_database(new_postgresql(postgresql))
    with seat(engine) as own:
        with own.transaction() as connection:
            pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        with engine.connect() as other:
            other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
        with pytest.raises(OperationalError), own.transaction() as connection:
            connection.execute(text("SELECT 1"))
        with own.transaction() as connection:
            assert connection.execute(text("SELECT pg_backend_pid()")).scalar_one() != pid
        with pytest.raises(SeatTaken), seat(engine, wait=0):
            raise AssertionError("two at once")
    engine.dispose()


@pytest.mark.parametrize(
    ("known", "first", "end", "start"),
    [
        (None, 0, 9, Start(0)),
        (None, 5, 9, Start(5)),
        (7, 5, 9, Start(7)),
        (9, 5, 9, Start(9)),
        (3, 5, 9, Start(5, missed=2)),
        (10, 0, 9, Start(0, anew=True)),
        (10, 5, 5, Start(5, anew=True)),
    ],
)
def test_where_the_reading_begins(known: int | None, first: int, end: int, start: Start) -> None:
    assert start_of(known, first, end) == start
