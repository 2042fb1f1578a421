"""What is older than it has to be kept is deleted in small steps, and nothing that is held."""

import pytest
from sqlalchemy import Engine

from streams.database import history, writing
from streams.database.holds import add_hold, lift_hold, list_holds
from streams.historian import retention
from streams.historian.retention import delete_step
from tests.history_database import fill, rows_in
from tests.history_records import (
    HOUR,
    MINUTE,
    START,
    a_command,
    a_finding,
    a_round,
    an_act,
    an_alarm,
    digest,
)

OLD = START
NEW = START + 48 * HOUR
BEFORE = START + 24 * HOUR


def delete_all(engine: Engine) -> list[int]:
    """Delete what is due; return how many rows each step deleted."""
    steps = []
    while True:
        with writing(engine) as connection:
            steps.append(sum(delete_step(connection, BEFORE).values()))
        if not steps[-1]:
            return steps


def left(engine: Engine) -> dict[str, list[object]]:
    return {
        "rounds": [row["opened_by"] for row in rows_in(engine, history.rounds)],
        "links": [row["opened_by"] for row in rows_in(engine, history.round_findings)],
        "findings": [int(row["id"], 16) for row in rows_in(engine, history.findings)],
        "alarms": [int(row["id"], 16) for row in rows_in(engine, history.alarms)],
        "acts": [row["command"] for row in rows_in(engine, history.acts)],
    }


@pytest.fixture
def filled(engine: Engine) -> Engine:
    """Something old and new of each kind, at two tables; alarm 3 is old and open."""
    fill(
        engine,
        a_round("CS-01", 1, findings=[("deal_order", digest(1))]),
        a_round("CS-02", 2, findings=[("deal_order", digest(2))]),
        a_round("CS-01", 3, opened_at=NEW, findings=[("deal_order", digest(9))]),
        a_finding(1),
        a_finding(2, table="CS-02"),
        a_finding(9, at=NEW),
        an_alarm(1, closed_at=OLD + HOUR, acts=(an_act("c1"),)),
        an_alarm(2, table="CS-02", closed_at=OLD + HOUR, acts=(an_act("c2"),)),
        an_alarm(3, acts=(an_act("c3"),)),
        an_alarm(9, raised_at=NEW, last_at=NEW, closed_at=NEW + HOUR, acts=(an_act("c9", at=NEW),)),
        a_command("c4", None, table="CS-01", code="deal_order"),
    )
    return engine


def test_the_old_goes_and_what_belongs_together_stays_together(filled: Engine) -> None:
    delete_all(filled)
    assert left(filled) == {
        "rounds": ["CS-01/shoe/1/300"],
        "links": ["CS-01/shoe/1/300"],
        "findings": [9],
        "alarms": [3, 9],
        "acts": ["c3", "c9"],
    }


def test_what_is_held_stays_until_the_hold_is_lifted(filled: Engine) -> None:
    name = add_hold(filled, "CS-02", OLD, OLD + 12 * HOUR, "case 26-118", "ann", NEW)
    delete_all(filled)
    assert left(filled) == {
        "rounds": ["CS-01/shoe/1/300", "CS-02/shoe/1/200"],
        "links": ["CS-01/shoe/1/300", "CS-02/shoe/1/200"],
        "findings": [2, 9],
        "alarms": [2, 3, 9],
        "acts": ["c2", "c3", "c9"],
    }
    assert [hold.reason for hold in list_holds(filled)] == ["case 26-118"]
    assert lift_hold(filled, name)
    delete_all(filled)
    assert left(filled)["rounds"] == ["CS-01/shoe/1/300"]


def test_a_hold_of_all_tables_without_an_end_keeps_everything_since(filled: Engine) -> None:
    before = left(filled)
    add_hold(filled, None, OLD, None, "audit", "ann", NEW)
    assert delete_all(filled) == [0]
    assert left(filled) == before


def test_a_step_is_small(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "STEP_ROWS", 4)
    fill(engine, *(a_finding(number, at=OLD + number * MINUTE) for number in range(10)))
    assert delete_all(engine) == [4, 4, 2, 0]
