"""The live floor is the same however its topics are interleaved, and bounded in everything."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Alarm, Finding, Round, TableView
from streams.console.live import floor as live
from streams.console.live.floor import WINDOW, LiveFloor, bare
from tests import floor_records as made

NOW = 1_796_000_000_000_000
MINUTE = made.MINUTE

Record = TableView | Alarm | Round | Finding | tuple[str, str]
"""What a topic holds: a record, or what a tombstone takes away."""


def take(floor: LiveFloor, record: Record) -> None:
    match record:
        case TableView():
            floor.view(record, 3)
        case Alarm():
            floor.alarm(record)
        case Round():
            floor.round(record)
        case Finding():
            floor.finding(record)
        case ("table", name):
            floor.forget_table(name)
        case (_, name):
            floor.forget_alarm(name)


def shown(floor: LiveFloor) -> tuple[Any, ...]:
    tables = {name: (table.view, list(table.rounds)) for name, table in floor.tables.items()}
    return tables, floor.alarms, floor.findings


def topics() -> list[list[Record]]:
    """Return four topics of one floor, with repeats, replaced states and tombstones."""
    chance = random.Random(7)
    busy = made.busy(NOW, 3)
    tables = sorted(busy.views)[:4]
    rounds = [each for each in busy.rounds if each.table in tables][::9]
    views = [made.view(table, NOW, chance, round=each) for each in (1, 2, 3) for table in tables]
    acknowledged = [msgspec.structs.replace(each, state="acknowledged") for each in busy.alarms[:3]]
    gone: list[Record] = [("alarm", busy.alarms[5].id)]
    return [
        [*views, ("table", tables[0]), ("table", "never-seen")],
        [*busy.alarms, *acknowledged, *gone, ("alarm", "never-seen")],
        [*rounds, *rounds[-3:]],
        [*busy.findings, *busy.findings[:2]],
    ]


TOPICS = topics()


def in_order(choose: Callable[[Sequence[int]], int]) -> LiveFloor:
    """Take each topic in its own order, the topics in an order that is chosen record by record."""
    floor, places = LiveFloor(), [0] * len(TOPICS)
    while left := [at for at, topic in enumerate(TOPICS) if places[at] < len(topic)]:
        at = choose(left)
        take(floor, TOPICS[at][places[at]])
        places[at] += 1
    return floor


EXPECTED = shown(in_order(lambda left: left[0]))


@given(st.randoms(use_true_random=False))
def test_every_interleaving_of_the_topics_makes_the_same_floor(chance: random.Random) -> None:
    assert shown(in_order(chance.choice)) == EXPECTED


def test_what_the_topics_say_is_shown() -> None:
    floor = in_order(lambda left: left[-1])
    assert len(floor.tables) == 3, "a tombstone takes a table away"
    assert {table.view.round for table in floor.tables.values()} == {3}
    states = [floor.alarms[alarm.id].state for alarm in made.busy(NOW, 3).alarms[:3]]
    assert states == ["acknowledged"] * 3
    assert len(floor.findings) == len(made.busy(NOW, 3).findings)
    assert floor.tables["BJ-02"].partition == 3


def test_rounds_are_bounded_and_only_the_newest_are_whole() -> None:
    floor = LiveFloor()
    whole = msgspec.structs.replace(
        made.round_of("BJ-01", 1, NOW), dropped_events=2, cards=(card(),)
    )
    for number in range(live.MOST_ROUNDS + 5):
        floor.round(msgspec.structs.replace(whole, number=number, opened_by=f"BJ-01/s/1/{number}"))
    floor.view(made.view("BJ-01", NOW, random.Random(1)), 0)
    rounds = floor.tables["BJ-01"].rounds
    assert len(rounds) == live.MOST_ROUNDS
    assert [bool(each.cards) for each in rounds] == [False] * (
        live.MOST_ROUNDS - live.WHOLE_ROUNDS
    ) + [True] * live.WHOLE_ROUNDS
    assert rounds[-1].number == live.MOST_ROUNDS + 4
    again = rounds[3]
    floor.round(msgspec.structs.replace(whole, number=again.number, opened_by=again.opened_by))
    assert list(rounds).count(again) == 1
    assert again == bare(rounds[3])


def card() -> Any:
    from schemas.records import RoundCard  # noqa: PLC0415  one test's own

    return RoundCard("AS", "dealt", "player", 1, 1, "up", None, NOW, "BJ-01/s/1/2", None)


def test_what_is_older_than_the_window_is_forgotten() -> None:
    floor = LiveFloor()
    for age in (WINDOW + 1, MINUTE):
        floor.round(made.round_of("BJ-01", age, NOW - age))
        floor.finding(made.finding(made.alarm("BJ-01", "wrong_face", NOW - age)))
    floor.round(made.round_of("BJ-02", 1, NOW - WINDOW - 1))
    floor.view(made.view("BJ-01", NOW, random.Random(1)), 0)
    floor.take_changes()
    floor.forget_before(NOW)
    assert [each.number for each in floor.tables["BJ-01"].rounds] == [MINUTE]
    assert [each.at for each in floor.findings.values()] == [NOW - MINUTE]
    assert floor.take_changes().tables == {"BJ-01", "BJ-02"}


def test_findings_beyond_the_bound_are_the_oldest_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_FINDINGS", 3)
    found = [made.finding(made.alarm("BJ-01", "wrong_face", NOW + each)) for each in range(6)]
    for order in (found, found[::-1], [found[each] for each in (3, 0, 5, 1, 4, 2)]):
        floor = LiveFloor()
        for each in order:
            floor.finding(each)
        assert sorted(each.at for each in floor.findings.values()) == [NOW + 3, NOW + 4, NOW + 5]
        assert floor.dropped["findings"] == 3


def test_a_table_beyond_the_bound_is_counted_and_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "MOST_TABLES", 1)
    floor, chance = LiveFloor(), random.Random(1)
    floor.view(made.view("BJ-01", NOW, chance), 0)
    floor.view(made.view("BJ-02", NOW, chance), 0)
    floor.round(made.round_of("BJ-03", 1, NOW))
    assert list(floor.tables) == ["BJ-01"]
    assert floor.dropped["tables"] == 2


def test_changes_are_told_once_and_only_where_something_changed() -> None:
    floor = LiveFloor()
    alarm = made.alarm("BJ-01", "wrong_face", NOW)
    floor.alarm(alarm)
    floor.alarm(alarm)
    changes = floor.take_changes()
    assert [(each.before, each.after) for each in changes.alarms] == [(None, alarm)]
    assert changes.tables == {"BJ-01"}
    assert not floor.take_changes()
    floor.forget_alarm(alarm.id)
    assert [(each.before, each.after) for each in floor.take_changes().alarms] == [(alarm, None)]
    assert floor.alarms_of(alarm.table) == []


def test_the_feed_is_lost_while_it_says_since_when() -> None:
    floor = LiveFloor()
    assert not floor.lost
    floor.lost_since = NOW
    assert floor.lost
