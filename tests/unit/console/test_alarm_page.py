"""The alarms page as values: rows, buttons, the flood's line, one alarm in detail."""

from zoneinfo import ZoneInfo

from schemas.records import AlarmAct, AlarmAnswer, Finding
from streams.console import alarm_page as ap
from streams.console.access.roles import User
from streams.console.alarm_list import Chosen
from streams.console.inventory import GatewayEntry, Inventory, Pit, PlannedTable
from streams.console.live.floor import LiveFloor
from streams.rulebooks import load
from tests.unit.console.alarm_records import BOOK as NAME
from tests.unit.console.alarm_records import alarm

T0 = 1_796_000_000_000_000
MINUTE = 60_000_000
BOOK = load()
FLOOR = Inventory(
    (Pit("1", (PlannedTable("CS-03"),)), Pit("2", (PlannedTable("BJ-01"),))),
    (GatewayEntry("gw-1", ("CS-03", "BJ-01")),),
    listed=True,
)


def looking(role: str = "operator", pits: tuple[str, ...] = ()) -> ap.Looking:
    return ap.Looking(User("op-27", role, pits), BOOK, FLOOR, ZoneInfo("UTC"), T0 + 5 * MINUTE)


def finding(**detail: int | str) -> Finding:
    return Finding(
        id="1" * 32,
        code="stub_count_wrong",
        clause="16.8(e)",
        class_="integrity",
        state="raised",
        severity="critical",
        table="CS-03",
        game="caribbean_stud",
        round=143,
        position=None,
        hand=None,
        at=T0,
        events=("CS-03/gw-2/shoe-1/1/9176",),
        detail=detail,
        book=NAME,
        version="0.1.0",
    )


def test_a_row_says_what_is_wrong_by_what_figures_and_what_to_do() -> None:
    one = alarm(1, code="stub_count_wrong", class_="integrity", severity="critical")
    row = ap.alarm_row(one, finding(expected=11, counted=10), looking())
    assert row.title.endswith(": 11 expected, 10 counted")
    assert row.to_do == BOOK.rules["stub_count_wrong"].supervisor
    assert row.sub == "round 217"
    assert row.pit == "1"
    assert [(each.act, each.why_not is None) for each in row.acts] == [
        ("acknowledge", True),
        ("shelve", False),
        ("comment", True),
        ("out_of_service", False),
    ]
    by_surveillance = ap.alarm_row(one, None, looking("surveillance"))
    assert all(each.why_not is None for each in by_surveillance.acts)
    outside = ap.alarm_row(alarm(1, table="BJ-01"), None, looking(pits=("1",)))
    assert all(each.why_not for each in outside.acts)


def test_what_stands_under_the_age_is_the_states_own() -> None:
    def sub(**changes: object) -> str:
        return ap.alarm_row(alarm(1, **changes), None, looking()).sub

    shelve = AlarmAct("c", "shelve", "op-27", "operator", T0, T0 + MINUTE, None, "part ordered")
    away = AlarmAct("c", "out_of_service", "op-27", "operator", T0, None, None, "broken")
    assert sub(state="acknowledged", acknowledged_at=T0, acknowledged_by="op-27") == (
        "op-27, 5 m ago"
    )
    assert sub(state="shelved", shelved_until=T0, acts=(shelve,)).endswith(", part ordered")
    assert sub(state="shelved", shelved_until=T0).startswith("until ")
    assert sub(state="out_of_service", acts=(away,)) == "broken"
    assert sub(state="out_of_service") == ""
    assert sub(count=3) == "3 times, round 217"
    assert sub(round=0) == ""


def test_a_refusal_stands_on_the_row_in_words() -> None:
    refused = alarm(1, answer=AlarmAnswer("c", False, "is_acknowledged"))
    row = ap.alarm_row(refused, None, looking())
    assert row.refused == ap.refusal_words("is_acknowledged")
    assert (
        ap.alarm_row(alarm(1, answer=AlarmAnswer("c", True, None)), None, looking()).refused is None
    )
    assert ap.refusal_words("sun_spots") == "sun spots"
    assert ap.refusal_words(None) == "refused"


def test_the_list_folds_a_flood_and_says_what_it_is_made_of() -> None:
    floor = LiveFloor()
    for place in range(12):
        table = ("CS-03", "BJ-01")[place % 2]
        floor.alarm(
            alarm(place, table=table, code="sequence_gap", severity="medium", raised_at=T0 + place)
        )
    floor.alarm(alarm(99, severity="critical", raised_at=T0 + 1))
    page = ap.alarms_page(floor, Chosen(), looking())
    assert page.flood is not None
    assert page.counts["answer"] == 13
    assert [row.folded for row in page.rows] == [False] + [True] * 12
    assert page.flood_words == (f"12 {ap.TIMES} sequence gap (medium): 2 tables, all through gw-1.")
    calm = ap.alarms_page(LiveFloor(), Chosen(), looking())
    assert calm.flood is None
    assert calm.flood_words == ""


def test_a_flood_of_many_codes_names_three() -> None:
    floor = LiveFloor()
    codes = ("sequence_gap", "wrong_face", "deal_order", "burn_missing", "late_event")
    for place in range(15):
        floor.alarm(alarm(place, code=codes[place % 5], raised_at=T0 + place))
    page = ap.alarms_page(floor, Chosen(), looking())
    assert "2 other codes: 1 table." in page.flood_words
    for place in range(15):
        floor.alarm(alarm(place, code=codes[place % 5], raised_at=T0 + place, state="acknowledged"))
    assert ap.alarms_page(floor, Chosen(), looking()).flood_words == "All of it is answered."


def test_more_rows_than_the_page_has_are_counted() -> None:
    floor = LiveFloor()
    for place in range(ap.MOST_ROWS + 3):
        floor.alarm(alarm(place, raised_at=T0 - place * 10 * MINUTE))
    page = ap.alarms_page(floor, Chosen(), looking())
    assert len(page.rows) == ap.MOST_ROWS
    assert page.left == 3


def test_the_detail_says_what_it_rests_on_what_to_do_what_proves_it_and_what_was_done() -> None:
    act = AlarmAct("c", "acknowledge", "op-14", "operator", T0 + MINUTE, None, "confirmed", "seen")
    one = alarm(
        1,
        state="acknowledged",
        count=2,
        last_at=T0 + 10,
        cleared_at=T0 + 20,
        acts=(act,),
        closed_at=T0 + 2 * MINUTE,
        raised_at=T0,
    )
    detail = ap.detail_of(one, finding(), looking(), dealer="D-114", asks=("Count the stub.",))
    assert detail.priority == "High, standing"
    assert detail.clause == "N.J.A.C. 13:69F-16.8(e)"
    assert detail.raised.endswith("UTC, round 217")
    assert detail.supervisor
    assert detail.events == ("CS-03/gw-2/shoe-1/1/9176",)
    assert [each.words for each in detail.done] == [
        "raised",
        "raised again, 2 times in all",
        "its cause went",
        "acknowledged by op-14: confirmed",
        "closed",
    ]
    assert detail.waiting == "its cause stands"
    bare = ap.detail_of(alarm(1, code="not_a_code", round=0), None, looking())
    assert bare.priority == "High"
    assert bare.events == ()


def test_what_an_alarm_waits_for_is_its_states_own() -> None:
    def waits(**changes: object) -> str | None:
        return ap.detail_of(alarm(1, raised_at=T0, **changes), None, looking()).waiting

    assert waits() == "waiting for an answer, 5 m"
    assert waits(state="returned_unacknowledged") == "returned, waiting for an answer, 5 m"
    assert (waits(state="shelved", shelved_until=T0) or "").startswith("comes back at ")
    assert waits(state="out_of_service") == "out of service until it is put back"
    assert waits(state="normal") is None


def test_the_last_finding_that_is_known_is_told() -> None:
    known = finding()
    findings = {(known.id, "raised"): known}
    assert ap.raised_finding(findings, alarm(1, findings=("2" * 32, known.id))) == known
    assert ap.raised_finding(findings, alarm(1, findings=("2" * 32,))) is None
