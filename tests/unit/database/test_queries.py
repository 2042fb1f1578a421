"""What the operators' page asks of the history is answered right, in pages that nothing moves."""

import pytest
from sqlalchemy import Engine

from streams.database import DatabaseFault, open_database
from streams.database.figures import (
    ClauseCount,
    HourCount,
    findings_by_clause,
    findings_by_hour,
)
from streams.database.queries import (
    round_in_full,
    rounds_of,
    search_findings,
    search_rounds,
)
from streams.database.search import Cursor, Search
from tests.history_database import fill
from tests.history_records import (
    HOUR,
    MINUTE,
    SECOND,
    START,
    a_command,
    a_finding,
    a_round,
    an_act,
    an_alarm,
    an_answer,
    digest,
)

ALL = Search(START, START + 24 * HOUR)


@pytest.fixture
def history(engine: Engine) -> Engine:
    """Three tables: five findings in rounds, one between rounds, two alarms and three acts."""
    fill(
        engine,
        a_round("CS-01", 1, findings=[("deal_order", digest(1)), ("burn_missed", digest(2))]),
        a_round("CS-01", 2, dealer="D2", findings=[("deal_order", digest(3))]),
        a_round("CS-02", 1, findings=[("deal_order", digest(4))], opened_at=START + 65 * MINUTE),
        a_round("BJ-01", 1, dealer="D3", game="blackjack"),
        a_finding(1),
        a_finding(2, code="burn_missed", clause="16.8(b)2i", severity="low"),
        a_finding(3, round=2, at=START + 2 * MINUTE + 5 * SECOND, class_="irregularity"),
        a_finding(4, table="CS-02", at=START + 66 * MINUTE, severity="high"),
        a_finding(5, code="stub_missed", clause="16.8(e)", at=START + 2 * MINUTE - SECOND),
        a_finding(4, table="CS-02", at=START + 70 * MINUTE, state="cleared"),
        an_alarm(1, acts=(an_act("c1"),), answer=an_answer("c1"), state="normal"),
        an_alarm(4, table="CS-02", raised_at=START + 66 * MINUTE, last_at=START + 66 * MINUTE),
        a_command("c2", 1, by="bob", at=START + 3 * MINUTE),
        a_command("c3", 4, table="CS-02", at=START + 67 * MINUTE),
    )
    return engine


def found(engine: Engine, **wanted: object) -> list[int]:
    """Return the numbers of the findings that a search finds, the newest first."""
    search = Search(**{"since": ALL.since, "until": ALL.until, **wanted})  # type: ignore[arg-type]  # named by the tests
    return [int(row.id, 16) for row in search_findings(engine, search).rows]


def test_findings_are_found_by_everything_that_is_asked(history: Engine) -> None:
    assert found(history) == [4, 3, 5, 2, 1]
    assert found(history, table="CS-02") == [4]
    assert found(history, dealer="D1") == [4, 2, 1]
    assert found(history, dealer="D2") == [3]
    assert found(history, clause="16.8(c)") == [4, 3, 1]
    assert found(history, clause="16.8(b)") == [2]
    assert found(history, clause="16.8(B)") == []
    assert found(history, code="stub_missed") == [5]
    assert found(history, severity="high") == [4]
    assert found(history, class_="irregularity") == [3]
    assert found(history, game="caribbean_stud") == [4, 3, 5, 2, 1]
    assert found(history, game="blackjack") == []
    assert found(history, game="caribbean_stud", dealer="D1", severity="low") == [2]
    assert found(history, since=START + 3 * MINUTE) == [4]
    assert found(history, until=START + 66 * MINUTE) == [3, 5, 2, 1]
    assert found(history, tables=frozenset({"CS-02", "BJ-01"})) == [4]
    assert found(history, tables=frozenset()) == []
    assert found(history, tables=frozenset({"CS-02"}), table="CS-01") == []


def test_a_finding_says_its_round_and_when_it_was_cleared(history: Engine) -> None:
    rows = {int(row.id, 16): row for row in search_findings(history, ALL).rows}
    assert rows[4].cleared_at == START + 70 * MINUTE
    assert rows[4].opened_by == "CS-02/shoe/1/100"
    assert (rows[5].cleared_at, rows[5].dealer, rows[5].opened_by) == (None, None, None)
    assert rows[1].record == a_finding(1)


def test_pages_follow_each_other_whatever_is_written_meanwhile(history: Engine) -> None:
    same = [a_finding(number, at=START + 10 * MINUTE) for number in range(20, 27)]
    fill(history, *same)
    seen: list[str] = []
    page = search_findings(history, ALL, size=3)
    for number in range(30, 40):
        seen += [row.id for row in page.rows]
        assert len(page.rows) == 3 or page.next is None
        if page.next is None:
            break
        fill(history, a_finding(number, at=START + 23 * HOUR))
        after = Cursor.parsed(str(page.next))
        page = search_findings(history, ALL, after=after, size=3)
    assert seen == [digest(n) for n in (4, 26, 25, 24, 23, 22, 21, 20, 3, 5, 2, 1)]


@pytest.mark.parametrize("text", ["", "1", "x.1", "-1.a", "1²3.a", "9" * 30 + ".a"])
def test_what_is_no_cursor_is_none(text: str) -> None:
    assert Cursor.parsed(text) is None


def test_rounds_are_found_by_their_findings_too(history: Engine) -> None:
    def rounds(search: Search) -> list[tuple[str, int]]:
        return [(row.table, row.number) for row in search_rounds(history, search).rows]

    assert rounds(ALL) == [("CS-02", 1), ("CS-01", 2), ("CS-01", 1), ("BJ-01", 1)]
    only = Search(ALL.since, ALL.until, code="burn_missed")
    assert rounds(only) == [("CS-01", 1)]
    assert rounds(Search(ALL.since, ALL.until, severity="high")) == [("CS-02", 1)]
    assert rounds(Search(ALL.since, ALL.until, dealer="D3")) == [("BJ-01", 1)]
    assert rounds(Search(ALL.since, ALL.until, game="blackjack")) == [("BJ-01", 1)]
    first = search_rounds(history, ALL, size=3)
    rest = search_rounds(history, ALL, size=3, after=first.next)
    assert [row.table for row in rest.rows] == ["BJ-01"]


def test_a_round_in_full_has_what_was_said_and_done_of_it(history: Engine) -> None:
    whole = round_in_full(history, "CS-01/shoe/1/100")
    assert whole is not None
    assert whole.round.number == 1
    assert [int(row.id, 16) for row in whole.findings] == [1, 2, 5], "the stub was missed after it"
    assert [int(row.id, 16) for row in whole.alarms] == [1]
    assert [act.command for act in whole.acts] == ["c1", "c2"]
    following = round_in_full(history, "CS-01/shoe/1/200")
    assert following is not None
    assert [int(row.id, 16) for row in following.findings] == [3]


def test_an_alarm_of_many_findings_belongs_to_the_rounds_of_all(engine: Engine) -> None:
    """An alarm keeps the ids of its last findings alone."""
    fill(
        engine,
        a_round("CS-01", 1, findings=[("deal_order", digest(1))]),
        a_round("CS-01", 2, findings=[("deal_order", digest(30))]),
        a_finding(1),
        a_finding(30, round=2, at=START + 2 * MINUTE + SECOND),
        an_alarm(1, count=2, findings=(digest(30),), last_at=START + 2 * MINUTE + SECOND),
    )
    for opened_by in ("CS-01/shoe/1/100", "CS-01/shoe/1/200"):
        whole = round_in_full(engine, opened_by)
        assert whole is not None
        assert [row.id for row in whole.alarms] == [digest(1)]


def test_rounds_of_one_number_are_told_apart_by_their_openings(history: Engine) -> None:
    fill(history, a_round("CS-01", 1, opened_at=START + HOUR, opened_by="CS-01/shoe/2/1"))
    assert [row.opened_by for row in rounds_of(history, "CS-01", 1)] == [
        "CS-01/shoe/2/1",
        "CS-01/shoe/1/100",
    ]


def test_findings_are_counted_by_clause_and_by_hour(history: Engine) -> None:
    assert findings_by_clause(history, ALL)[:2] == (
        ClauseCount("16.8(c)", "deal_order", "medium", 2),
        ClauseCount("16.8(b)2i", "burn_missed", "low", 1),
    )
    hour = START // HOUR * HOUR
    assert findings_by_hour(history, ALL) == (
        HourCount(hour, "low", 1),
        HourCount(hour, "medium", 3),
        HourCount(hour + HOUR, "high", 1),
    )
    of_dealer = Search(ALL.since, ALL.until, dealer="D2")
    assert [each.count for each in findings_by_clause(history, of_dealer)] == [1]


def test_a_hostile_search_finds_nothing(history: Engine) -> None:
    for text in ("' OR 1=1 --", "%", "_", "\0", "\\", "16.8%"):
        assert found(history, table=text) == []
        assert found(history, clause=text) == []
        assert found(history, dealer=text) == []


def test_a_database_that_is_away_is_told(tmp_path: object) -> None:
    engine = open_database(f"postgresql://pitwatch@/x?host={tmp_path}")
    with pytest.raises(DatabaseFault, match="expected a database that answers"):
        search_findings(engine, ALL)
