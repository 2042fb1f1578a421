"""Alarms by operator position: presented while signed in, in the pits that are theirs."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, insert

from schemas.times import MICROS_IN_HOUR, MICROS_IN_MINUTE
from streams.database import writing
from streams.database.accounts import sessions, users
from streams.database.positions import Position, SignedIn, merged, watch
from tests.history_database import fill
from tests.history_records import START, an_act, an_alarm

RULES = SignedIn(
    idle=30 * MICROS_IN_MINUTE,
    longest=12 * MICROS_IN_HOUR,
    roles=frozenset({"operator", "surveillance"}),
    everywhere=frozenset({"surveillance"}),
)
UNTIL = START + 10 * MICROS_IN_HOUR
USERS: Sequence[tuple[str, str, str]] = (
    ("ann", "operator", '["1"]'),
    ("bob", "operator", "[]"),
    ("eye", "surveillance", '["2"]'),
    ("looker", "viewer", "[]"),
)
HOURS: Sequence[tuple[str, float, float, float | None]] = (
    ("ann", 0, 1, 2),
    ("ann", 1.5, 2.5, None),
    ("bob", 4, 4, None),
    ("eye", -1, 0.5, 1),
    ("looker", 0, 9, None),
)
"""Whose session, and when it was begun, used last and ended, in hours."""
RAISED: Sequence[tuple[float, str]] = (
    (0.25, "CS-01"),
    (0.5, "BJ-01"),
    (1.75, "CS-01"),
    (2.9, "CS-01"),
    (4.25, "BJ-01"),
    (4.75, "BJ-01"),
    (9, "CS-01"),
)
PIT = {"CS-01": "1", "BJ-01": "2"}


def at(hours: float) -> int:
    return START + round(hours * MICROS_IN_HOUR)


@pytest.fixture
def shift(engine: Engine) -> Engine:
    """Three who may answer, one who may not, and seven alarms in two pits."""
    with writing(engine) as connection:
        for name, role, pits in USERS:
            row = {"name": name, "role": role, "pits": pits, "password": "", "disabled": False}
            connection.execute(insert(users).values(created_at=0, changed_at=0, **row))
        for number, (name, begun, used, ended) in enumerate(HOURS):
            connection.execute(
                insert(sessions).values(
                    id_sha256=str(number),
                    user=name,
                    csrf="",
                    address="",
                    created_at=at(begun),
                    seen_at=at(used),
                    ended_at=None if ended is None else at(ended),
                )
            )
    told = [
        an_alarm(
            number,
            table=table,
            code=f"code_{number}",
            raised_at=at(hours),
            last_at=at(hours),
            acts=(an_act(f"c{number}", by="ann", at=at(hours) + 1),) if number < 2 else (),
        )
        for number, (hours, table) in enumerate(RAISED)
    ]
    shelved = an_act("c9", by="gone", act="shelve", at=at(5))
    told.append(an_alarm(9, raised_at=START - MICROS_IN_HOUR, last_at=START, acts=(shelved,)))
    fill(engine, *told)
    return engine


def test_a_position_counts_what_was_raised_in_its_pits_while_it_was_signed_in(
    shift: Engine,
) -> None:
    found = {
        each.name: each for each in watch(shift, START, UNTIL, RULES, PIT.__getitem__).positions
    }
    # Two sessions that overlap are one: until half an hour after the second was used last.
    hours = {name: each.signed_in / MICROS_IN_HOUR for name, each in found.items()}
    assert hours == {"ann": 3, "bob": 0.5, "eye": 1, "gone": 0}
    assert {name: each.presented for name, each in found.items()} == {
        "ann": 3,
        "bob": 1,
        "eye": 2,
        "gone": 0,
    }
    assert found["ann"].an_hour == 1
    assert found["bob"].an_hour == 2
    assert found["gone"].an_hour is None


def test_what_each_did_stands_beside_and_whoever_saw_none_is_told(shift: Engine) -> None:
    told = watch(shift, START, UNTIL, RULES, PIT.__getitem__)
    assert {each.name: (each.acknowledged, each.others) for each in told.positions} == {
        "ann": (2, 0),
        "bob": (0, 0),
        "eye": (0, 0),
        "gone": (0, 1),
    }
    assert [each.name for each in told.positions] == ["ann", "eye", "bob", "gone"]
    assert told.unattended == 2
    assert told.an_hour == pytest.approx(6 / 4.5)
    nobody = watch(shift, at(8), UNTIL, RULES, PIT.__getitem__)
    assert (nobody.positions, nobody.unattended, nobody.an_hour) == ((), 1, None)


def test_whoever_was_there_for_minutes_has_no_rate() -> None:
    assert Position("ann", (), 9 * MICROS_IN_MINUTE, 2, 0, 0).an_hour is None


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=12))
def test_merged_spans_hold_the_same_times_and_do_not_overlap(raw: list[tuple[int, int]]) -> None:
    spans = [(begin, begin + length) for begin, length in raw]
    found = merged(spans)
    inside = {time for begin, end in spans for time in range(begin, end)}
    assert {time for begin, end in found for time in range(begin, end)} == inside
    assert sum(end - begin for begin, end in found) == len(inside)
