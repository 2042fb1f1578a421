"""Every query of the history answers on a database that has no rows yet."""

from sqlalchemy import Engine

from schemas.times import MICROS_IN_DAY, MICROS_IN_SECOND
from streams.database import figures, queries
from streams.database.search import Search

NOW = 1_700_000_000 * MICROS_IN_SECOND
ALL = Search(NOW - MICROS_IN_DAY, NOW + MICROS_IN_DAY)
NARROW = Search(
    NOW - MICROS_IN_DAY,
    NOW + MICROS_IN_DAY,
    frozenset({"CS-01", "CS-02"}),
    "CS-01",
    "D1",
    "16.8",
    "deal_order",
    "high",
    "breach",
    "caribbean_stud",
)


def test_nothing_is_found_where_nothing_is(engine: Engine) -> None:
    for search in (ALL, NARROW):
        assert queries.search_findings(engine, search).rows == ()
        assert queries.search_rounds(engine, search).rows == ()
        assert figures.findings_by_clause(engine, search) == ()
        assert figures.findings_by_hour(engine, search) == ()
        assert figures.figures(engine, search, "table") == ()
        assert figures.figures(engine, search, "dealer") == ()
        assert figures.figures(engine, search, "shift") == ()
        told = figures.alarm_figures(engine, search, NOW)
        assert (told.raised, told.standing, told.stale, told.in_flood) == (0, 0, 0, 0)
        assert told.an_hour == 0
    assert queries.rounds_of(engine, "CS-01", 1) == ()
    assert queries.round_in_full(engine, "CS-01/shoe/1/1") is None
