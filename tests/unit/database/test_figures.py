"""The figures of tables, dealers, shifts and alarms are what their definitions say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine

from schemas.records import AnyRecord
from schemas.times import MICROS_IN_DAY
from streams.database.figures import (
    CodeCount,
    DispositionCount,
    Shifts,
    alarm_figures,
    figures,
)
from streams.database.floods import FLOOD_BEGINS, FLOOD_ENDS, FLOOD_SPAN, flood
from streams.database.search import Search
from tests.history_database import fill
from tests.history_records import HOUR, MINUTE, SECOND, START, a_round, an_alarm

MIDNIGHT = START // MICROS_IN_DAY * MICROS_IN_DAY
ALL = Search(MIDNIGHT, MIDNIGHT + MICROS_IN_DAY)
EIGHT = MIDNIGHT + 8 * HOUR


def rounds_of(table: str, dealer: str, first: int, count: int, opened: int) -> list[AnyRecord]:
    """Return rounds of a table, one a minute, the first of them with two findings."""
    return [
        a_round(
            table,
            first + number,
            dealer=dealer,
            opened_at=opened + number * MINUTE,
            findings=[("deal_order", f"{first:031x}{n}") for n in (1, 2)] if number == 0 else (),
        )
        for number in range(count)
    ]


@pytest.fixture
def night(engine: Engine) -> Engine:
    """Two tables: 30 rounds in half an hour, and 20 on each side of 14:00 with another dealer."""
    acknowledged = {"acknowledged_at": EIGHT + 90 * SECOND, "state": "normal"}
    fill(
        engine,
        *rounds_of("CS-01", "D1", 1, 30, EIGHT),
        *rounds_of("CS-02", "D1", 1, 20, EIGHT + 5 * HOUR + 40 * MINUTE),
        *rounds_of("CS-02", "D2", 21, 20, EIGHT + 6 * HOUR),
        an_alarm(1, raised_at=EIGHT + 30 * SECOND, last_at=EIGHT, **acknowledged),
        an_alarm(
            2,
            table="CS-02",
            raised_at=EIGHT + 6 * HOUR + 10 * SECOND,
            last_at=EIGHT,
            acknowledged_at=EIGHT + 6 * HOUR + 130 * SECOND,
        ),
        an_alarm(3, raised_at=EIGHT + 20 * SECOND, last_at=EIGHT),
    )
    return engine


def test_figures_by_table(night: Engine) -> None:
    first, second = figures(night, ALL, "table")
    assert (first.name, first.rounds, first.quarters, first.findings) == ("CS-01", 30, 2, 2)
    assert first.rounds_an_hour == 60
    assert first.findings_a_hundred_rounds == pytest.approx(6.67, abs=0.01)
    assert (first.acknowledged, first.seconds_to_acknowledge) == (1, 60)
    assert (second.name, second.rounds, second.quarters) == ("CS-02", 40, 4)
    assert second.seconds_to_acknowledge == 120
    assert second.longest == 120 * SECOND


def test_figures_by_dealer(night: Engine) -> None:
    first, second = figures(night, ALL, "dealer")
    assert (first.name, first.rounds, first.findings) == ("D1", 50, 4)
    assert (second.name, second.rounds, second.findings) == ("D2", 20, 2)
    assert (first.acknowledged, first.seconds_to_acknowledge) == (1, 60)
    assert (second.acknowledged, second.seconds_to_acknowledge) == (1, 120)


def test_figures_by_shift(night: Engine) -> None:
    first, second = figures(night, ALL, "shift", Shifts(first=6 * HOUR, length=8 * HOUR))
    assert (first.start, second.start) == (MIDNIGHT + 6 * HOUR, MIDNIGHT + 14 * HOUR)
    assert (first.rounds, second.rounds) == (50, 20)
    assert (first.seconds_to_acknowledge, second.seconds_to_acknowledge) == (60, 120)


def test_figures_keep_to_what_is_asked(night: Engine) -> None:
    of_pit = Search(ALL.since, ALL.until, frozenset({"CS-02"}))
    assert [each.name for each in figures(night, of_pit, "table")] == ["CS-02"]
    of_dealer = Search(ALL.since, ALL.until, dealer="D2")
    (only,) = figures(night, of_dealer, "table")
    assert (only.rounds, only.acknowledged) == (20, 1)
    assert figures(night, Search(ALL.since, ALL.since), "table") == ()


def test_the_figures_of_alarms(engine: Engine) -> None:
    now = EIGHT + 2 * HOUR
    fill(
        engine,
        *(an_alarm(n, raised_at=EIGHT + n * SECOND, last_at=EIGHT, count=3) for n in range(12)),
        an_alarm(
            20,
            code="burn_missed",
            severity="critical",
            raised_at=EIGHT + HOUR,
            last_at=EIGHT,
            closed_at=EIGHT + HOUR + 1,
            disposition="confirmed",
        ),
        an_alarm(21, raised_at=now - 25 * HOUR, last_at=EIGHT),
    )
    told = alarm_figures(engine, Search(EIGHT, now), now)
    assert (told.raised, told.standing, told.stale) == (13, 13, 1)
    assert told.an_hour == pytest.approx(6.5)
    assert told.shares == {"medium": 12, "critical": 1}
    assert told.noisiest == (CodeCount("deal_order", 12, 36), CodeCount("burn_missed", 1, 1))
    assert told.dispositions == (DispositionCount("burn_missed", "confirmed", 1),)
    # The eleventh of them begins it, and eight have left the last ten minutes when it ends.
    assert told.in_flood == FLOOD_SPAN + 7 * SECOND - 10 * SECOND
    assert alarm_figures(engine, Search(EIGHT, now, frozenset()), now).standing == 0


def test_a_flood_that_began_before_counts_from_then_on() -> None:
    raised = [EIGHT + number for number in range(30)]
    since = EIGHT + 5 * MINUTE
    assert flood(raised, since, since + MINUTE) == MINUTE
    assert flood(raised, since, since + HOUR) == EIGHT + FLOOD_SPAN + 25 - since


@given(
    st.lists(st.integers(0, 60), max_size=80).map(sorted), st.integers(0, 30), st.integers(0, 60)
)
def test_time_in_flood_is_what_a_look_at_every_minute_counts(
    minutes: list[int], since: int, length: int
) -> None:
    """Alarms at whole minutes: between two of them nothing changes."""
    in_flood, total = False, 0
    for minute in range(-FLOOD_SPAN // MINUTE, 200):
        recent = sum(minute - FLOOD_SPAN // MINUTE < at <= minute for at in minutes)
        in_flood = recent > FLOOD_BEGINS or (in_flood and recent >= FLOOD_ENDS)
        total += in_flood and since <= minute < since + length
    raised = [at * MINUTE for at in minutes]
    assert flood(raised, since * MINUTE, (since + length) * MINUTE) == total * MINUTE
