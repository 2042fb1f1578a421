"""The order, the groups and the flood of the alarm list."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Alarm
from schemas.times import MICROS_IN_MINUTE
from streams.console import alarm_list as al
from streams.core.alarms.commands import grave
from streams.database.floods import FLOOD_BEGINS, FLOOD_ENDS, FLOOD_SPAN
from tests.unit.console.alarm_records import alarm

PITS = {"CS-01": "Pit 1", "CS-02": "Pit 1", "BJ-01": "Pit 2"}
GATEWAYS = {"CS-01": "gw-1", "CS-02": "gw-1", "BJ-01": "gw-1"}
T0 = 1_796_000_000_000_000


def text_of(one: Alarm) -> str:
    return f"{one.table} {one.code} {one.clause}"


def choose(alarms: list[Alarm], chosen: al.Chosen, surveillance: bool = False) -> list[str]:
    found = al.choose(alarms, chosen, pit_of=PITS.get, text_of=text_of, surveillance=surveillance)
    return [one.table for one in found]


def flood_of(alarms: list[Alarm], now: int) -> al.Flood | None:
    return al.find_flood(alarms, now, pit_of=PITS.get, gateway_of=GATEWAYS.get)


def test_what_wants_an_answer_is_first_then_the_gravest_then_the_oldest() -> None:
    alarms = [
        alarm(1, state="shelved", severity="critical"),
        alarm(2, state="acknowledged", severity="critical"),
        alarm(3, state="returned_unacknowledged", severity="critical"),
        alarm(4, state="unacknowledged", severity="low"),
        alarm(5, state="unacknowledged", severity="high", raised_at=T0 + 1),
        alarm(6, state="unacknowledged", severity="high", raised_at=T0),
        alarm(7, state="out_of_service", severity="critical"),
        alarm(8, state="normal", severity="critical"),
    ]
    assert [int(one.id, 16) for one in al.ordered(alarms)] == [6, 5, 4, 3, 2, 1, 7]


def test_each_group_has_its_count() -> None:
    alarms = [
        alarm(1),
        alarm(2, state="returned_unacknowledged"),
        alarm(3, state="shelved"),
        alarm(4, state="normal"),
    ]
    assert al.counts(alarms) == {
        "answer": 2,
        "acknowledged": 0,
        "shelved": 1,
        "out_of_service": 0,
    }


def test_groups_words_and_a_pit_choose() -> None:
    alarms = [
        alarm(1, table="CS-01"),
        alarm(2, table="BJ-01", code="sequence_gap"),
        alarm(3, table="CS-02", state="out_of_service"),
    ]
    assert choose(alarms, al.Chosen()) == ["CS-01", "BJ-01"]
    assert choose(alarms, al.Chosen(words=al.filter_words("Sequence_GAP bj"))) == ["BJ-01"]
    assert choose(alarms, al.Chosen(pit="Pit 2")) == ["BJ-01"]
    assert choose(alarms, al.Chosen(groups=frozenset({"out_of_service"}))) == ["CS-02"]


def test_what_surveillance_alone_may_put_away_stays_on_its_page() -> None:
    alarms = [
        alarm(1, table="CS-01", state="shelved", severity="critical"),
        alarm(2, table="CS-02", state="out_of_service", class_="integrity"),
        alarm(3, table="BJ-01", state="shelved"),
    ]
    answer = al.Chosen(groups=frozenset({"answer"}))
    assert choose(alarms, answer) == []
    assert choose(alarms, answer, surveillance=True) == ["CS-01", "CS-02"]


def test_a_flood_begins_with_the_eleventh_and_ends_when_four_are_left() -> None:
    times = [T0 + place * MICROS_IN_MINUTE // 2 for place in range(11)]
    last = times[-1]
    assert al.flood_since(times[:10], last) is None
    assert al.flood_since(times, last) == T0
    ends = times[-5] + FLOOD_SPAN
    assert al.flood_since(times, ends - 1) == T0
    assert al.flood_since(times, ends) is None


def test_a_second_flood_begins_anew() -> None:
    first = [T0 + place for place in range(11)]
    second = [T0 + 60 * MICROS_IN_MINUTE + place for place in range(11)]
    assert al.flood_since(first + second, second[-1]) == second[0]
    assert al.flood_since(first + second, second[3]) is None


def test_eleven_alarms_spread_over_more_than_ten_minutes_are_no_flood() -> None:
    times = [T0 + place * MICROS_IN_MINUTE for place in range(12)]
    assert al.flood_since(times, times[-1]) is None


@given(
    st.lists(st.integers(0, 60 * MICROS_IN_MINUTE), max_size=40),
    st.integers(0, 80 * MICROS_IN_MINUTE),
)
def test_the_flood_is_that_of_a_watch_at_every_moment(times: list[int], now: int) -> None:
    moments = sorted({time for time in times if time <= now})
    since: int | None = None
    for moment in [*moments, now]:
        within = [time for time in times if moment - FLOOD_SPAN < time <= moment]
        before = [time for time in times if time < moment]
        if since is not None and before:
            fifth_last = sorted(before)[-5]
            if fifth_last + FLOOD_SPAN <= moment:
                since = None
        if since is None and len(within) > FLOOD_BEGINS:
            since = min(within)
    if since is not None:
        left = [time for time in times if now - FLOOD_SPAN < time <= now]
        since = since if len(left) >= FLOOD_ENDS else None
    found = al.flood_since(times, now)
    assert (found is None) == (since is None)


def test_a_flood_folds_all_but_critical_and_what_stood_before() -> None:
    old = alarm(90, table="CS-01", raised_at=T0 - 30 * MICROS_IN_MINUTE)
    grave = alarm(91, table="CS-01", severity="critical", raised_at=T0 + 1)
    answered = alarm(92, table="CS-01", state="acknowledged", raised_at=T0 + 1)
    many = [
        alarm(place, table=("CS-01", "CS-02")[place % 2], code="sequence_gap", raised_at=T0 + place)
        for place in range(12)
    ]
    flood = flood_of([old, grave, answered, *many], T0 + MICROS_IN_MINUTE)
    assert flood is not None
    assert len(flood.folded) == 12
    assert flood.tables == 2
    assert flood.codes == (("sequence_gap", "high", 12),)
    assert flood.severity == "high"
    assert flood.cause == "all through gw-1 in Pit 1"
    assert flood_of([old], T0 + MICROS_IN_MINUTE) is None


def test_a_flood_over_pits_names_the_gateway_alone_and_one_table_no_cause() -> None:
    over = [
        alarm(place, table=("CS-01", "BJ-01")[place % 2], raised_at=T0 + place)
        for place in range(12)
    ]
    flood = flood_of(over, T0 + 20)
    assert flood is not None
    assert flood.cause == "all through gw-1"
    alone = [alarm(place, table="CS-01", raised_at=T0 + place) for place in range(12)]
    single = flood_of(alone, T0 + 20)
    assert single is not None
    assert single.cause is None
    unknown = [
        alarm(place, table=("X-1", "X-2")[place % 2], raised_at=T0 + place) for place in range(12)
    ]
    nowhere = flood_of(unknown, T0 + 20)
    assert nowhere is not None
    assert nowhere.cause is None


def test_states_priorities_and_acts_have_words() -> None:
    assert al.state_word("returned_unacknowledged") == "Returned"
    assert al.state_class("returned_unacknowledged") == "rtn"
    assert al.state_word("pondered") == "pondered"
    assert al.state_class("pondered") == "unack"
    assert al.shape("critical") == 1
    assert al.shape("odd") == 4
    assert al.priority_word("high") == "High"
    assert "acknowledge" not in al.acts_for(alarm(1, state="acknowledged"))
    assert al.acts_for(alarm(1, state="normal")) == ()
    assert grave(alarm(1, class_="integrity"))
    assert not grave(alarm(1))
