"""What a history page's query asks for."""

from datetime import timedelta, timezone
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from streams.console import history_search as hs
from streams.database.search import Cursor

UTC = ZoneInfo("UTC")
EST = timezone(timedelta(hours=-5), "EST")
NOW = 1_796_000_000_000_000


def test_nothing_said_is_the_last_day_of_everything() -> None:
    asked = hs.asked({}, NOW, UTC)
    assert asked.search.until == NOW + 1
    assert asked.search.since == NOW + 1 - hs.USUAL_SPAN
    assert asked.search.table is None
    assert asked.show == "findings"
    assert asked.by == "table"
    assert asked.faults == ()


def test_a_code_is_told_from_a_clause() -> None:
    assert hs.asked({"q": "stub_count_overdue"}, NOW, UTC).search.code == "stub_count_overdue"
    clause = hs.asked({"q": "16.8(b)"}, NOW, UTC).search
    assert clause.code is None
    assert clause.clause == "16.8(b)"


def test_a_game_is_searched_and_stays_in_every_address() -> None:
    asked = hs.asked({"game": "blackjack", "dealer": "D-7"}, NOW, UTC)
    assert asked.search.game == "blackjack"
    assert "game=blackjack" in asked.address(show="rounds")
    assert "dealer=D-7" in asked.address(show="rounds")


def test_times_are_read_in_the_floors_zone() -> None:
    query = {"from": "2026-11-23T00:00", "to": "2026-11-30 14:32"}
    asked = hs.asked(query, NOW, EST)
    assert hs.local(asked.search.since, EST) == "2026-11-23T00:00"
    assert hs.local(asked.search.until, EST) == "2026-11-30T14:32"
    assert hs.local(asked.search.since, UTC) == "2026-11-23T05:00"


def test_what_cannot_be_read_is_said_and_left_out() -> None:
    texts = {"from": "soon", "to": "2026-02-31T00:00", "severity": "odd", "game": "whist"}
    odd = hs.asked(texts, NOW, UTC)
    assert len(odd.faults) == 2
    assert odd.search.until == NOW + 1
    assert (odd.search.severity, odd.search.game) == (None, None)
    turned = hs.asked({"from": "2026-11-30T00:00", "to": "2026-11-29T00:00"}, NOW, UTC)
    assert turned.search.since == turned.search.until - hs.USUAL_SPAN
    assert turned.faults
    long = hs.asked({"from": "2020-01-01T00:00", "to": "2026-01-01T00:00"}, NOW, UTC)
    assert long.search.until - long.search.since == hs.LONGEST_SPAN
    assert long.faults


def test_a_round_and_a_page_are_asked_for() -> None:
    asked = hs.asked(
        {"opened_by": "CS-03/gw/1/1", "number": "131", "after": "17.abc", "show": "rounds"},
        NOW,
        UTC,
    )
    assert asked.opened_by == "CS-03/gw/1/1"
    assert asked.number == 131
    assert asked.after == Cursor(17, "abc")
    assert asked.show == "rounds"
    assert hs.asked({"number": "x"}, NOW, UTC).number is None


def test_an_address_keeps_what_was_asked_and_begins_anew() -> None:
    asked = hs.asked({"table": "CS-03", "q": "16.8(e)", "after": "17.abc"}, NOW, UTC)
    address = asked.address(show="rounds", q=None)
    assert "table=CS-03" in address
    assert "show=rounds" in address
    assert "q=" not in address
    assert "after" not in address
    assert "after=18.x" in asked.address(after="18.x")


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "table",
                "q",
                "dealer",
                "severity",
                "game",
                "from",
                "to",
                "show",
                "by",
                "after",
                "number",
                "opened_by",
            ]
        ),
        st.text(max_size=80),
    )
)
def test_any_query_is_a_search(query: dict[str, str]) -> None:
    asked = hs.asked(query, NOW, UTC)
    assert asked.search.since < asked.search.until
    assert asked.search.until - asked.search.since <= hs.LONGEST_SPAN
    assert asked.address().startswith("/history?")
