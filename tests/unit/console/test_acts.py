"""Forms of acts: read, refused in words, made into commands that are carried out once."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import CODEC
from schemas.records import AlarmAct, AlarmAnswer, OperatorCommand
from streams.console import acts
from streams.core.alarms.commands import ACTS
from tests.unit.console.alarm_records import alarm

FORM = "0123456789abcdef"
NOW = 1_796_000_000_000_000


def fields(act: str, **more: str) -> dict[str, list[str]]:
    one = {"act": act, "form": FORM, "alarm": alarm(1).id, **more}
    return {name: [value] for name, value in one.items()}


def test_an_acknowledgement_has_a_disposition_and_may_have_a_note() -> None:
    asked = acts.read_act(fields("acknowledge", disposition="device_error", note=" reader dead "))
    assert asked == acts.Asked(
        FORM, "acknowledge", (alarm(1).id,), None, "device_error", "reader dead"
    )


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"act": "dance"}, "act"),
        ({"act": "acknowledge", "form": "x"}, "form"),
        ({"act": "acknowledge"}, "disposition"),
        ({"act": "acknowledge", "disposition": "bored"}, "disposition"),
        ({"act": "shelve", "reason": "known"}, "minutes"),
        ({"act": "shelve", "minutes": "481", "reason": "known"}, "minutes"),
        ({"act": "shelve", "minutes": "30"}, "reason"),
        ({"act": "shelve", "minutes": "30", "reason": "other"}, "note"),
        ({"act": "out_of_service"}, "note"),
        ({"act": "comment", "note": "  "}, "note"),
        ({"act": "comment", "note": "x" * 1001}, "note"),
    ],
)
def test_a_form_with_a_fault_says_which_field_and_what_to_do(
    changes: dict[str, str], field: str
) -> None:
    fault = acts.read_act(fields(**changes))
    assert isinstance(fault, acts.Fault)
    assert fault.field == field
    assert fault.words


def test_no_alarm_and_too_many_are_refused() -> None:
    none = {**fields("unshelve"), "alarm": []}
    many = {**fields("unshelve"), "alarm": [f"{place:032x}" for place in range(201)]}
    for each in (none, many):
        fault = acts.read_act(each)
        assert isinstance(fault, acts.Fault)
        assert fault.field == "alarm"


def test_shelving_notes_its_reason_in_words() -> None:
    plain = acts.read_act(fields("shelve", minutes="480", reason="repair"))
    said = acts.read_act(fields("shelve", minutes="10", reason="repair", note="part ordered"))
    other = acts.read_act(fields("shelve", minutes="10", reason="other", note="party"))
    assert isinstance(plain, acts.Asked)
    assert isinstance(said, acts.Asked)
    assert isinstance(other, acts.Asked)
    assert plain.note == "Device under repair"
    assert said.note == "Device under repair: part ordered"
    assert other.note == "party"


def test_the_same_form_asks_by_the_same_command_of_each_alarm() -> None:
    doubled = {**fields("unshelve"), "alarm": [alarm(1).id, alarm(2).id, alarm(1).id]}
    asked = acts.read_act(doubled)
    assert isinstance(asked, acts.Asked)
    assert asked.alarms == (alarm(1).id, alarm(2).id)
    one, two = (asked.command_id(each) for each in asked.alarms)
    assert one != two
    assert one == asked.command_id(alarm(1).id)


@given(st.sampled_from(acts.SHELVE_MINUTES), st.text(max_size=300))
def test_every_command_of_a_form_can_be_written(minutes: int, note: str) -> None:
    form = fields("shelve", minutes=str(minutes), reason="other", note=note)
    asked = acts.read_act(form)
    if isinstance(asked, acts.Fault):
        assert not note.strip()
        return
    command = acts.command_for(asked, alarm(1), by="op-27", role="operator", pits=("1",), now=NOW)
    assert command.until == NOW + minutes * 60_000_000
    named = msgspec.structs.replace(command, key="console", signature=b"x" * 32)
    assert CODEC.decode(CODEC.encode(named), OperatorCommand) == named


def test_an_answer_is_known_by_its_command_and_stays_known() -> None:
    command = f"{FORM}.{alarm(1).id}"
    assert acts.answer_to(alarm(1), command) is None
    refused = alarm(1, answer=AlarmAnswer(command, False, "note"))
    assert acts.answer_to(refused, command) == (False, "note")
    act = AlarmAct(command, "comment", "op-27", "operator", NOW, None, None, "x")
    later = alarm(1, acts=(act,), answer=AlarmAnswer("another", False, "note"))
    assert acts.answer_to(later, command) == (True, None)


def test_every_act_has_words() -> None:
    assert set(acts.ACT_WORDS) == set(acts.DONE_WORDS) == set(ACTS)
