"""A table's alarms together: repeats, what is remembered and for how long, commands told twice."""

from dataclasses import replace

import pytest

from streams.core.advance import advance_all
from streams.core.alarms.alarm import (
    NORMAL,
    UNACKNOWLEDGED,
    AlarmChanged,
    AlarmEffect,
    AlarmGone,
    Answer,
)
from streams.core.alarms.table_alarms import (
    MOST_ACTS_IN_ALL,
    MOST_ANSWERED,
    MOST_CLOSED,
    NO_ALARMS,
    REPEAT_SECONDS,
    carry_out,
    fold,
)
from streams.core.codes import CODES
from streams.core.events import SupervisorCalled
from streams.core.findings import FindingRaised
from streams.core.table import new_table
from streams.wire.alarms import decode_alarms, encode_alarms
from tests.alarm_scene import (
    DAY,
    HOUR,
    MINUTE,
    POINT,
    SECOND,
    STANDING,
    START,
    TABLE,
    Scene,
    acknowledge,
    command,
    finding,
    shelve,
)
from tests.shell_models import recorded
from tests.traces import BOOK, events

CLOSED = START + MINUTE
REPEAT = REPEAT_SECONDS * SECOND


def closed() -> Scene:
    scene = Scene()
    scene.raise_(finding())
    acknowledge(scene)
    return scene


def test_a_repeat_within_ten_minutes_opens_the_closed_one_again() -> None:
    scene = closed()
    first = scene.of(POINT)
    again = scene.raise_(finding(number=2), CLOSED + REPEAT)
    assert (again.id, again.count, again.state) == (first.id, 2, UNACKNOWLEDGED)
    assert [each.act for each in again.acts] == ["acknowledge"]


def test_a_repeat_after_ten_minutes_is_a_new_alarm() -> None:
    scene = closed()
    first = scene.of(POINT)
    other = scene.raise_(finding(number=2), CLOSED + REPEAT + 1)
    assert other.id != first.id
    assert (other.count, other.acts, other.answer) == (1, (), None)
    assert scene.alarms.alarms == (first, other)
    assert scene.raise_(finding(number=3)).id == other.id


def test_of_two_closed_ones_of_a_code_the_last_is_meant_and_opens_again() -> None:
    scene = closed()
    later = CLOSED + HOUR
    second = scene.raise_(finding(number=2, at=later))
    acknowledge(scene, "second", at=later)
    assert scene.ask("comment", "c", at=later, note="seen").id == second.id
    assert scene.raise_(finding(number=3, at=later + MINUTE)).id == second.id


def test_a_closed_alarm_is_gone_after_a_day() -> None:
    scene = closed()
    gone = scene.of(POINT).id
    assert scene.alarms.ends_at == CLOSED + DAY
    scene.tell(CLOSED + DAY - 1)
    assert scene.alarms.alarms
    scene.tell(CLOSED + DAY)
    assert not scene.alarms.alarms
    assert Scene(scene.alarms).alarms.ends_at is None
    assert scene.effects[-1] == AlarmGone(gone)


def test_time_that_goes_back_undoes_nothing() -> None:
    scene = closed()
    scene.tell(START - DAY)
    assert scene.of(POINT).state == NORMAL
    assert scene.raise_(finding(number=2), START - DAY).count == 2


def test_what_ends_first_is_told() -> None:
    scene = closed()
    scene.raise_(finding(STANDING))
    shelve(scene, code=STANDING)
    assert scene.alarms.ends_at == START + HOUR
    scene.tell(CLOSED + DAY)
    assert [type(each) for each in scene.effects[-2:]] == [AlarmGone, AlarmChanged]
    assert scene.alarms.ends_at is None


def test_of_too_many_closed_the_one_longest_closed_goes_first() -> None:
    scene = Scene()
    codes = [code for code, row in CODES.items() if row.state == "point"]
    for number, code in enumerate(codes[: MOST_CLOSED + 2]):
        at = START + number
        scene.raise_(finding(code, at=at))
        acknowledge(scene, code, code=code, role="surveillance", at=at + MINUTE)
    assert [alarm.code for alarm in scene.alarms.alarms] == codes[2 : MOST_CLOSED + 2]
    gone = [each.id for each in scene.effects if isinstance(each, AlarmGone)]
    assert len(gone) == 2


def test_a_finding_told_twice_counts_once() -> None:
    scene = closed()
    before = scene.alarms
    scene.raise_(finding(), CLOSED + REPEAT + 1)
    assert scene.alarms == before


def test_what_clears_nothing_that_stands_changes_nothing() -> None:
    scene = closed()
    before = scene.alarms
    scene.clear(finding(), CLOSED)
    assert scene.alarms == before
    other = Scene()
    with pytest.raises(IndexError):
        other.clear(finding(STANDING), CLOSED)
    assert other.alarms == NO_ALARMS


def test_a_command_finds_its_alarm_by_id_or_by_code() -> None:
    scene = closed()
    first = scene.of(POINT)
    second = scene.raise_(finding(number=2), CLOSED + REPEAT + 1)
    late = {"at": CLOSED + HOUR, "note": "seen"}
    assert scene.ask("comment", "1", alarm=first.id, code=None, **late).id == first.id
    assert scene.ask("comment", "2", code=POINT, **late).id == second.id
    for fields in ({"code": None}, {"code": STANDING}, {"alarm": "f" * 32}):
        assert carry_out(scene.alarms, command("comment", "3", **fields, **late)) is None


def test_a_command_told_twice_is_carried_out_once() -> None:
    scene = Scene()
    scene.raise_(finding(STANDING))
    first = acknowledge(scene, code=STANDING)
    scene.raise_(finding(STANDING, 2))
    again = acknowledge(scene, code=STANDING)
    assert again.answer == first.answer == Answer("ack", accepted=True)
    assert again.state == UNACKNOWLEDGED, "it was not acknowledged a second time"
    assert len(again.acts) == 1


def test_a_refused_command_is_refused_again_though_it_could_now_be_taken() -> None:
    scene = Scene()
    scene.raise_(finding())
    refused = scene.ask("unshelve", "early")
    shelve(scene)
    assert scene.ask("unshelve", "early").answer == refused.answer
    assert scene.ask("unshelve", "anew").answer == Answer("anew", accepted=True)


def test_a_command_that_can_no_longer_be_known_is_stale() -> None:
    scene = Scene()
    scene.raise_(finding())
    for number in range(MOST_ANSWERED + 1):
        scene.ask("comment", str(number), note="seen", at=START + number)
    assert len(scene.alarms.answered) == MOST_ANSWERED
    stale = scene.ask("comment", "0", note="seen", at=START)
    assert stale.answer == Answer("0", accepted=False, reason="stale")
    assert len(scene.alarms.answered) == MOST_ANSWERED
    assert scene.ask("comment", "1", note="seen", at=START + 1).answer == Answer("1", accepted=True)


def test_an_act_on_all_alarms_of_a_table_at_one_time_is_taken_whole_and_once() -> None:
    scene = Scene()
    for code in CODES:
        scene.raise_(replace(finding(code), class_="breach"))
    for code in CODES:
        alarm = acknowledge(scene, f"form.{code}", code=code)
        assert alarm.answer == Answer(f"form.{code}", accepted=True)
    for code in CODES:
        before = scene.alarms
        told = carry_out(before, command("acknowledge", f"form.{code}", code=code))
        assert told is None or [alarm.acts for alarm in told[0].alarms] == [
            alarm.acts for alarm in before.alarms
        ]
    assert len(scene.alarms.answered) == len(CODES)
    assert len(CODES) <= MOST_ANSWERED
    assert decode_alarms(TABLE, encode_alarms(scene.alarms)) == scene.alarms
    scene.tell(CLOSED + DAY)
    assert {alarm.state for alarm in scene.alarms.alarms} == {"acknowledged"}
    assert len(scene.alarms.answered) == len(scene.alarms.alarms)
    assert scene.alarms.forgotten == CLOSED


def test_a_command_of_an_alarm_that_is_gone_does_not_reach_the_next_of_its_code() -> None:
    scene = closed()
    scene.tell(CLOSED + DAY)
    scene.raise_(finding(number=2, at=CLOSED + DAY))
    again = acknowledge(scene)
    assert again.answer == Answer("ack", accepted=False, reason="stale")


def test_the_acts_of_a_table_are_bounded_and_the_one_longest_ago_goes() -> None:
    scene = Scene()
    codes = (POINT, STANDING, "bets_not_closed")
    for code in codes:
        scene.raise_(finding(code))
    for number in range(MOST_ACTS_IN_ALL + 2):
        code = codes[number % len(codes)]
        scene.ask("comment", str(number), code=code, note="seen", at=START + number)
    acts = sorted(int(act.command) for alarm in scene.alarms.alarms for act in alarm.acts)
    assert acts == list(range(2, MOST_ACTS_IN_ALL + 2))


def test_a_command_tells_the_time() -> None:
    scene = Scene()
    scene.raise_(finding())
    shelve(scene)
    assert scene.ask("unshelve", "late", at=START + HOUR).answer == Answer(
        "late", accepted=False, reason="is_unacknowledged"
    )


RECORDED = recorded("cs-overdue-then-counted-between-rounds")


def test_alarms_are_folded_alike_in_batches_of_any_size() -> None:
    step = advance_all(new_table(RECORDED[0].table), RECORDED, BOOK)
    whole = fold(NO_ALARMS, RECORDED, zip(step.effects, step.causes, strict=True))
    assert {each.alarm.code for each in whole[1] if isinstance(each, AlarmChanged)} == {STANDING}
    for size in (1, 7, 100):
        state, alarms = new_table(RECORDED[0].table), NO_ALARMS
        effects: list[AlarmEffect] = []
        for start in range(0, len(RECORDED), size):
            batch = RECORDED[start : start + size]
            step = advance_all(state, batch, BOOK)
            state = step.state
            alarms, happened = fold(alarms, batch, zip(step.effects, step.causes, strict=True))
            effects += happened
        assert (alarms, tuple(effects)) == whole


def test_events_tell_the_time_of_their_receipt_or_in_a_recording_their_own() -> None:
    (event,) = events([SupervisorCalled()])
    scene = closed()
    for late in (
        replace(event, at=CLOSED + DAY),
        replace(event, at=START, received=CLOSED + DAY),
    ):
        alarms, effects = fold(scene.alarms, [event, late], ())
        assert alarms.alarms == ()
        assert effects == (AlarmGone(scene.of(POINT).id),)
    early = replace(event, at=CLOSED + DAY, received=CLOSED + DAY - 1)
    assert fold(scene.alarms, [early], ()) == (scene.alarms, ())


def test_a_finding_comes_after_the_time_of_its_event() -> None:
    early, late = (
        replace(event, at=at)
        for event, at in zip(events([SupervisorCalled()] * 2), (START, CLOSED + DAY), strict=True)
    )
    scene = closed()
    raised = FindingRaised(finding(number=2, at=CLOSED + DAY))
    alarms, effects = fold(scene.alarms, [early, late], [(raised, 1)])
    assert isinstance(effects[0], AlarmGone)
    assert [alarm.count for alarm in alarms.alarms] == [1]


def test_what_is_no_alarm_changes_nothing() -> None:
    (event,) = events([SupervisorCalled()])
    raised = FindingRaised(finding("sequence_gap"))
    assert fold(NO_ALARMS, [event], [(raised, 0)]) == (NO_ALARMS, ())
