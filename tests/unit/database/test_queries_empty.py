"""Every query of the history answers on a database that has no rows yet."""

from sqlalchemy import Engine

from streams.database import figures, queries
from streams.database.search import Search

DAY = figures.DAY
NOW = 1_700_000_000 * figures.MICROS
ALL = Search(NOW - DAY, NOW + DAY)
NARROW = Search(
    NOW - DAY,
    NOW + DAY,
    frozenset({"CS-01", "CS-02"}),
    "CS-01",
    "D1",
    "16.8",
    "deal_order",
    "high",
    "breach",
)


def test_nothing_is_found_where_nothing_is(engine: Engine) -> None:
    for search in (ALL, NARROW):
        assert queries.search_findings(engine, search).rows == ()
        assert queries.search_rounds(engine, search, with_findings=True).rows == ()
        assert queries.search_alarms(engine, search).rows == ()
        assert queries.search_acts(engine, search, by="ann").rows == ()
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
    assert queries.alarm_in_full(engine, "0" * 32) is None
