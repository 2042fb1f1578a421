"""A download has exactly what the page's search finds, whatever is searched."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import Engine

from schemas.records import AnyRecord
from streams.database.export import WHAT, What, export
from streams.database.queries import search_findings, search_rounds
from streams.database.search import LARGEST_PAGE, Search
from tests.history_database import fill
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

BURN = {"code": "burn_missed", "clause": "16.8(b)2i", "severity": "low", "class_": "irregularity"}

NIGHT: Sequence[AnyRecord] = (
    a_round("CS-01", 1, findings=[("deal_order", digest(1)), ("burn_missed", digest(2))]),
    a_round("CS-01", 2, dealer="D2", findings=[("deal_order", digest(3))]),
    a_round("BJ-01", 5, dealer="D2", game="blackjack", findings=[("deal_order", digest(4))]),
    a_finding(1),
    a_finding(2, **BURN),
    a_finding(3, round=2, at=START + 2 * MINUTE + 1),
    a_finding(4, table="BJ-01", game="blackjack", at=START + 5 * MINUTE + 1),
    an_alarm(1, acts=(an_act("c1"),)),
    an_alarm(2, **BURN, acts=(an_act("c2"),)),
    an_alarm(3, raised_at=START + 2 * MINUTE + 1, acts=(an_act("c3"),)),
    an_alarm(
        4,
        table="BJ-01",
        game="blackjack",
        raised_at=START + 5 * MINUTE + 1,
        acts=(an_act("c4", at=START + 6 * MINUTE),),
    ),
    a_command("c5", None, code="burn_missed", at=START + 7 * MINUTE),
)

SEARCHES: Sequence[tuple[dict[str, Any], dict[What, list[object]]]] = (
    (
        {"dealer": "D1"},
        {"findings": [1, 2], "rounds": [1], "alarms": [1, 2], "acts": ["c1", "c2"]},
    ),
    (
        {"dealer": "D2", "game": "blackjack"},
        {"findings": [4], "rounds": [5], "alarms": [4], "acts": ["c4"]},
    ),
    (
        {"game": "caribbean_stud"},
        {
            "findings": [1, 2, 3],
            "rounds": [1, 2],
            "alarms": [1, 2, 3],
            "acts": ["c1", "c2", "c3"],
        },
    ),
    (
        {"code": "burn_missed"},
        {"findings": [2], "rounds": [1], "alarms": [2], "acts": ["c2", "c5"]},
    ),
    (
        {"clause": "16.8(c)", "severity": "medium", "dealer": "D2", "table": "CS-01"},
        {"findings": [3], "rounds": [2], "alarms": [3], "acts": ["c3"]},
    ),
    (
        {"class_": "irregularity", "dealer": "D2"},
        {"findings": [], "rounds": [], "alarms": [], "acts": []},
    ),
    (
        {"since": START + 5 * MINUTE},
        {"findings": [4], "rounds": [5], "alarms": [4], "acts": ["c4", "c5"]},
    ),
)


@pytest.fixture
def night(engine: Engine) -> Engine:
    """Two dealers at two tables of two games: a round, a finding, an alarm and an act of each."""
    fill(engine, *NIGHT)
    return engine


def told(row: dict[str, Any], what: What) -> object:
    """Return what a row is called in the searches above."""
    match what:
        case "rounds":
            return row["number"]
        case "acts":
            return row["command"]
        case _:
            return int(row["id"], 16)


@pytest.mark.parametrize(("wanted", "due"), SEARCHES, ids="-".join)
def test_an_export_has_what_is_asked_and_the_page_finds_the_same(
    night: Engine, wanted: dict[str, Any], due: dict[What, list[object]]
) -> None:
    search = Search(**{"since": START, "until": START + HOUR, **wanted})
    for what in WHAT:
        lines = [json.loads(line) for line in export(night, what, search, "ndjson")]
        assert [told(row, what) for row in lines] == due[what], what
        assert len(list(export(night, what, search, "csv"))) == 1 + len(lines)
    page = search_findings(night, search, size=LARGEST_PAGE)
    assert [int(row.id, 16) for row in page.rows][::-1] == due["findings"]
    of_rounds = search_rounds(night, search, size=LARGEST_PAGE)
    assert [row.number for row in of_rounds.rows][::-1] == due["rounds"]
