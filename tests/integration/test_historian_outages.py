"""A historian whose database or Kafka is away waits, says so, and goes on without a loss."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url, text

from deploy.local.ports import free_port
from streams.database import history, writing
from tests.database_fixtures import new_postgresql
from tests.historian_harness import HistorianFloor, RunningHistorian
from tests.history_database import rows_in
from tests.history_records import a_finding
from tests.kafka_fixtures import CreateFloor, Floor
from tests.worker_harness import until

pytestmark = [pytest.mark.kafka, pytest.mark.slow]


@pytest.fixture
def on_server(create_floor: CreateFloor, postgresql: str, tmp_path: Path) -> HistorianFloor:
    return HistorianFloor(create_floor(partitions=2), new_postgresql(postgresql), tmp_path)


@contextmanager
def shut(server: str, database: str) -> Iterator[None]:
    """Take a database's sessions away and let nobody in while the context lasts."""
    name = make_url(database).database
    with psycopg.connect(server.format("postgres"), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
        )
        try:
            yield
        finally:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


def not_ready(historian: RunningHistorian) -> str | None:
    answer = historian.get("/readyz")
    return answer.text if answer is not None and answer.status_code == 503 else None


def test_a_database_that_was_away_has_all_in_the_end(
    on_server: HistorianFloor, postgresql: str
) -> None:
    on_server.write([a_finding(number) for number in range(1, 20)])
    with on_server.historian() as historian:
        historian.wait_done()
        with shut(postgresql, on_server.database):
            on_server.write([a_finding(number) for number in range(20, 40)])
            said = until("it to say what it lacks", lambda: not_ready(historian))
            assert "expected a database that answers" in said
            assert historian.get("/healthz").status_code == 200  # type: ignore[union-attr]  # it answers
        historian.wait_done()
        assert historian.said("it cannot go on and tries again")
        assert historian.said("it goes on")
        with on_server.opened() as engine:
            # It may not have heard yet of what came while its database was away.
            until("all rows", lambda: len(rows_in(engine, history.findings)) == 39)


def test_a_session_that_was_taken_away_is_replaced(
    on_server: HistorianFloor, postgresql: str
) -> None:
    on_server.write([a_finding(1)])
    with on_server.historian() as historian:
        historian.wait_done()
        with shut(postgresql, on_server.database):
            pass
        on_server.write([a_finding(2)])
        historian.wait_rows(2)
        historian.wait_done()


def test_a_database_that_stays_away_ends_it_with_the_reason(
    on_server: HistorianFloor, postgresql: str
) -> None:
    with on_server.opened():
        pass
    with shut(postgresql, on_server.database):
        historian = on_server.start("--away", "1")
        assert historian.process.wait(60) == 1
    assert "expected a database that answers, found: " in historian.tail()
    assert "pitwatch@" in historian.tail()


def test_a_kafka_that_stays_away_ends_it_with_the_reason(tmp_path: Path) -> None:
    nobody = Floor(f"127.0.0.1:{free_port()}", "none.", "none", 1)
    floor = HistorianFloor(nobody, f"sqlite:///{tmp_path / 'x.db'}", tmp_path)
    historian = floor.start("--away", "1")
    assert historian.process.wait(90) == 1
    assert "expected a Kafka cluster that answers" in historian.tail()


def test_topics_that_are_not_there_end_it_with_the_reason(
    create_floor: CreateFloor, tmp_path: Path
) -> None:
    there = create_floor(partitions=1)
    other = Floor(there.bootstrap, "never-made.", "none", 1)
    floor = HistorianFloor(other, f"sqlite:///{tmp_path / 'x.db'}", tmp_path)
    historian = floor.start("--away", "1")
    assert historian.process.wait(90) == 1
    assert "never-made.rounds.v1: expected the topic to exist, found none" in historian.tail()


REFUSES = {
    "postgresql": ["ALTER TABLE findings ADD CONSTRAINT no CHECK (code <> 'refused')"],
    "sqlite": [
        "CREATE TRIGGER no BEFORE INSERT ON findings WHEN new.code = 'refused' "
        "BEGIN SELECT RAISE(ABORT, 'no such code'); END"
    ],
}


def test_a_record_that_the_database_refuses_is_skipped_and_the_others_kept(
    create_floor: CreateFloor, database_url: str, tmp_path: Path
) -> None:
    floor = HistorianFloor(create_floor(partitions=2), database_url, tmp_path)
    with floor.opened() as engine:
        for statement in REFUSES[engine.dialect.name]:
            with writing(engine) as connection:
                connection.execute(text(statement))
        floor.write([a_finding(n, code="refused" if n == 5 else "deal_order") for n in range(10)])
        with floor.historian() as historian:
            historian.wait_done()
            (said,) = historian.said("a record makes no row and is skipped")
            assert (said["reason"], said["offset"]) == ("refused_by_database", 5)
            assert len(rows_in(engine, history.findings)) == 9
            floor.write([a_finding(11)])
            until("the next one", lambda: len(rows_in(engine, history.findings)) == 10)
