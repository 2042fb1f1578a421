"""Each row of the alarm machine's table, and each reason for which an act is refused."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from streams.core.alarms.alarm import (
    ACKNOWLEDGED,
    MOST_ACTS,
    MOST_FINDINGS,
    MOST_STANDING,
    NORMAL,
    OUT_OF_SERVICE,
    RETURNED,
    SHELVED,
    STATES,
    UNACKNOWLEDGED,
    Act,
    Alarm,
    Answer,
    alarm_id,
    is_alarming,
)
from streams.core.alarms.commands import ACTS, PIT, REFUSALS, ROLES
from streams.core.findings import digest_of
from tests.alarm_scene import (
    CRITICAL,
    HOUR,
    INTEGRITY,
    MINUTE,
    POINT,
    SECOND,
    STANDING,
    START,
    Scene,
    acknowledge,
    finding,
    shelve,
)

RAISED = finding(STANDING)


def standing() -> Scene:
    scene = Scene()
    scene.raise_(RAISED)
    return scene


def point() -> Scene:
    scene = Scene()
    scene.raise_(finding(POINT))
    return scene


def returned() -> Scene:
    scene = standing()
    scene.clear(RAISED, START + SECOND)
    return scene


def acknowledged() -> Scene:
    scene = standing()
    acknowledge(scene, code=STANDING)
    return scene


def closed() -> Scene:
    scene = point()
    acknowledge(scene)
    return scene


def shelved() -> Scene:
    scene = standing()
    shelve(scene, code=STANDING)
    return scene


def shelved_point() -> Scene:
    scene = point()
    shelve(scene)
    return scene


def out_of_service() -> Scene:
    scene = standing()
    scene.ask("out_of_service", "out", code=STANDING)
    return scene


ROWS: dict[str, tuple[Callable[[], Scene], str, str]] = {
    "closed": (closed, POINT, NORMAL),
    "standing": (standing, STANDING, UNACKNOWLEDGED),
    "point": (point, POINT, UNACKNOWLEDGED),
    "returned": (returned, STANDING, RETURNED),
    "acknowledged": (acknowledged, STANDING, ACKNOWLEDGED),
    "shelved": (shelved, STANDING, SHELVED),
    "shelved point": (shelved_point, POINT, SHELVED),
    "out of service": (out_of_service, STANDING, OUT_OF_SERVICE),
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "acknowledge": {"disposition": "confirmed"},
    "shelve": {"until": START + HOUR, "note": "known"},
    "comment": {"note": "seen"},
}
AFTER = {
    ("standing", "acknowledge"): ACKNOWLEDGED,
    ("standing", "shelve"): SHELVED,
    ("standing", "out_of_service"): OUT_OF_SERVICE,
    ("point", "acknowledge"): NORMAL,
    ("point", "shelve"): SHELVED,
    ("point", "out_of_service"): OUT_OF_SERVICE,
    ("returned", "acknowledge"): NORMAL,
    ("returned", "shelve"): SHELVED,
    ("returned", "out_of_service"): OUT_OF_SERVICE,
    ("acknowledged", "shelve"): SHELVED,
    ("acknowledged", "out_of_service"): OUT_OF_SERVICE,
    ("shelved", "unshelve"): UNACKNOWLEDGED,
    ("shelved", "out_of_service"): OUT_OF_SERVICE,
    ("shelved point", "unshelve"): UNACKNOWLEDGED,
    ("shelved point", "out_of_service"): OUT_OF_SERVICE,
    ("out of service", "in_service"): UNACKNOWLEDGED,
}
"""The state after each act that is taken; all others but a comment are refused."""


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("act", ACTS)
def test_every_act_in_every_row(row: str, act: str) -> None:
    make, code, before = ROWS[row]
    scene = make()
    assert scene.of(code).state == before
    alarm = scene.ask(act, "asked", code=code, **ARGUMENTS.get(act, {}))
    taken = act == "comment" or (row, act) in AFTER
    assert alarm.state == AFTER.get((row, act), before)
    assert alarm.answer == Answer("asked", taken, None if taken else f"is_{before}")
    assert ("asked" in [each.command for each in alarm.acts]) == taken
    assert (alarm.closed_at is not None) == (alarm.state == NORMAL)


@pytest.mark.parametrize(
    ("row", "after"),
    [
        ("closed", UNACKNOWLEDGED),
        ("standing", UNACKNOWLEDGED),
        ("point", UNACKNOWLEDGED),
        ("returned", UNACKNOWLEDGED),
        ("acknowledged", UNACKNOWLEDGED),
        ("shelved", SHELVED),
        ("out of service", OUT_OF_SERVICE),
    ],
)
def test_a_finding_counts_up_in_every_row(row: str, after: str) -> None:
    make, code, _ = ROWS[row]
    scene = make()
    before = scene.of(code)
    alarm = scene.raise_(finding(code, 2, at=START + 2 * MINUTE, position=3))
    assert alarm.id == before.id
    assert alarm.state == after
    assert (alarm.count, alarm.round, alarm.position) == (2, 2, 3)
    assert (alarm.raised_at, alarm.last_at) == (START, START + 2 * MINUTE)
    assert alarm.findings == (finding(code).id, finding(code, 2).id)
    assert (alarm.acknowledged_at, alarm.acknowledged_by, alarm.disposition) == (None,) * 3
    assert (alarm.closed_at, alarm.cleared_at) == (None, None)
    assert alarm.acts == before.acts


@pytest.mark.parametrize(
    ("row", "after"),
    [
        ("standing", RETURNED),
        ("acknowledged", NORMAL),
        ("shelved", SHELVED),
        ("out of service", OUT_OF_SERVICE),
    ],
)
def test_a_cause_that_goes_in_every_row(row: str, after: str) -> None:
    scene = ROWS[row][0]()
    alarm = scene.clear(RAISED, START + 2 * MINUTE)
    assert alarm.state == after
    assert alarm.cleared_at == START + 2 * MINUTE
    assert alarm.closed_at == (START + 2 * MINUTE if after == NORMAL else None)


@pytest.mark.parametrize(
    ("prepare", "after"),
    [
        (standing, UNACKNOWLEDGED),
        (point, UNACKNOWLEDGED),
        (returned, RETURNED),
        (acknowledged, ACKNOWLEDGED),
    ],
)
@pytest.mark.parametrize("back", ["time", "unshelve", "in_service"])
def test_out_of_sight_and_back_it_is_what_it_was(
    prepare: Callable[[], Scene], after: str, back: str
) -> None:
    scene = prepare()
    code = scene.alarms.alarms[0].code
    if back == "in_service":
        scene.ask("out_of_service", "out", code=code)
    else:
        shelve(scene, code=code)
    if back == "time":
        scene.tell(START + HOUR - 1)
        assert scene.of(code).state == SHELVED
        scene.tell(START + HOUR)
    else:
        scene.ask(back, "back", code=code)
    alarm = scene.of(code)
    assert (alarm.state, alarm.shelved_until, alarm.out_of_sight) == (after, None, None)


def test_what_returned_while_it_was_acknowledged_and_shelved_closes_when_time_is_up() -> None:
    scene = acknowledged()
    shelve(scene, code=STANDING)
    scene.clear(RAISED, START + 2 * MINUTE)
    scene.tell(START + HOUR)
    alarm = scene.of(STANDING)
    assert (alarm.state, alarm.closed_at) == (NORMAL, START + HOUR)


def test_what_was_raised_again_while_it_was_acknowledged_and_shelved_asks_anew() -> None:
    scene = acknowledged()
    shelve(scene, code=STANDING)
    scene.raise_(finding(STANDING, 2))
    scene.tell(START + HOUR)
    assert scene.of(STANDING).state == UNACKNOWLEDGED


def test_shelved_and_then_out_of_service_no_time_brings_it_back() -> None:
    scene = shelved()
    scene.ask("out_of_service", "out", code=STANDING)
    scene.tell(START + 10 * HOUR)
    alarm = scene.of(STANDING)
    assert (alarm.state, alarm.shelved_until) == (OUT_OF_SERVICE, None)


def test_several_causes_of_one_code_stand_until_the_last_goes() -> None:
    scene = Scene()
    causes = [finding(STANDING, number, position=number) for number in (1, 2, 3)]
    for each in causes:
        scene.raise_(each)
    acknowledge(scene, code=STANDING)
    written = len(scene.effects)
    scene.clear(causes[1], START + 2 * MINUTE)
    scene.clear(causes[0], START + 3 * MINUTE)
    assert scene.of(STANDING).state == ACKNOWLEDGED
    assert scene.of(STANDING).cleared_at is None
    assert len(scene.effects) == written, "nothing that a reader sees has changed"
    assert scene.clear(causes[2], START + 4 * MINUTE).state == NORMAL


def test_an_acknowledgement_says_who_when_and_what_it_was() -> None:
    alarm = acknowledge(
        acknowledged_by := standing(), code=STANDING, disposition="device_error", note="loose"
    )
    assert acknowledged_by.of(STANDING) == alarm
    assert alarm.acknowledged_at == START + MINUTE
    assert (alarm.acknowledged_by, alarm.disposition) == ("ada", "device_error")
    assert alarm.acts == (
        Act("ack", "acknowledge", "ada", "operator", START + MINUTE, None, "device_error", "loose"),
    )


@pytest.mark.parametrize(
    ("act", "fields", "reason"),
    [
        ("acknowledge", {}, "disposition"),
        ("acknowledge", {"disposition": "fine"}, "disposition"),
        ("shelve", {"note": "known"}, "until"),
        ("shelve", {"note": "known", "until": START + MINUTE}, "until"),
        ("shelve", {"note": "known", "until": START + MINUTE + 8 * HOUR + 1}, "until"),
        ("shelve", {"until": START + HOUR}, "note"),
        ("comment", {}, "note"),
        ("escalate", {}, "unknown_act"),
    ],
)
def test_an_act_that_lacks_what_it_needs_is_refused(
    act: str, fields: dict[str, Any], reason: str
) -> None:
    scene = point()
    before = scene.of(POINT)
    alarm = scene.ask(act, **fields)
    assert alarm.answer == Answer("c1", accepted=False, reason=reason)
    assert (alarm.state, alarm.acts) == (before.state, ())


def test_eight_hours_are_not_too_long() -> None:
    assert shelve(point(), until=START + MINUTE + 8 * HOUR).state == SHELVED


@pytest.mark.parametrize("code", [CRITICAL, INTEGRITY])
@pytest.mark.parametrize("act", ["shelve", "out_of_service"])
@pytest.mark.parametrize("role", ROLES)
def test_surveillance_alone_puts_the_gravest_out_of_sight(code: str, act: str, role: str) -> None:
    scene = Scene()
    scene.raise_(finding(code))
    alarm = scene.ask(act, code=code, role=role, **ARGUMENTS.get(act, {}))
    assert alarm.answer is not None
    assert alarm.answer.accepted == (role == "surveillance")
    if role != "surveillance":
        refused = "role" if role == "viewer" else "surveillance_alone"
        assert alarm.answer.reason == refused
        assert alarm.state == UNACKNOWLEDGED


@pytest.mark.parametrize("act", ["acknowledge", "comment"])
@pytest.mark.parametrize("role", ROLES)
def test_what_every_acting_role_may_do_with_the_gravest(act: str, role: str) -> None:
    scene = Scene()
    scene.raise_(finding(CRITICAL))
    alarm = scene.ask(act, code=CRITICAL, role=role, **ARGUMENTS[act])
    assert alarm.answer is not None
    assert alarm.answer.accepted == (role != "viewer")


@pytest.mark.parametrize("role", ["viewer", "owner", ""])
@pytest.mark.parametrize("act", ACTS)
def test_a_role_that_only_looks_does_nothing(role: str, act: str) -> None:
    scene = shelved()
    alarm = scene.ask(act, code=STANDING, role=role, **ARGUMENTS.get(act, {}))
    assert alarm.answer == Answer("c1", accepted=False, reason="role")
    assert alarm.state == SHELVED


@pytest.mark.parametrize(
    ("code", "alarms"),
    [
        (POINT, True),
        ("card_drawn_in_error", True),
        (INTEGRITY, True),
        ("deals_lost", True),
        ("late_event", True),
        ("round_stalled", False),
        ("sequence_gap", False),
    ],
)
def test_telemetry_alarms_only_where_it_is_grave(code: str, alarms: bool) -> None:
    assert is_alarming(finding(code)) == alarms


def test_its_id_is_a_digest_of_table_code_and_first_finding() -> None:
    one = finding()
    assert alarm_id(one) == digest_of(one.table, one.code, one.id)
    assert (
        len({alarm_id(finding(code, number)) for code in (POINT, STANDING) for number in (1, 2)})
        == 4
    )


def test_what_is_kept_of_an_alarm_is_bounded() -> None:
    scene = Scene()
    most = 2 * max(MOST_ACTS, MOST_FINDINGS, MOST_STANDING)
    for number in range(1, most):
        alarm: Alarm = scene.raise_(finding(STANDING, number))
        alarm = scene.ask("comment", str(number), code=STANDING, note="x", at=START + number)
    assert alarm.count == most - 1
    assert [len(alarm.acts), len(alarm.findings), len(alarm.standing)] == [
        MOST_ACTS,
        MOST_FINDINGS,
        MOST_STANDING,
    ]
    assert alarm.findings[-1] == alarm.standing[-1] == finding(STANDING, most - 1).id
    assert alarm.acts[-1].command == str(most - 1)


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("role", ROLES)
def test_an_act_at_a_table_of_another_pit_is_surveillances_alone(act: str, role: str) -> None:
    scene = Scene()
    scene.raise_(finding(POINT))
    before = scene.of(POINT)
    alarm = scene.ask(act, code=POINT, role=role, elsewhere=True, note="x")
    assert alarm.answer is not None
    if role == "surveillance":
        assert alarm.answer.reason != PIT
    else:
        assert alarm.answer.reason == ("role" if role == "viewer" else PIT)
        assert replace(alarm, answer=None) == replace(before, answer=None)


def test_every_reason_says_something_to_a_person() -> None:
    assert {f"is_{state}" for state in STATES} < set(REFUSALS)
    assert all(len(reason) <= 64 for reason in REFUSALS)
