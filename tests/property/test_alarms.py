"""A table's alarms against a model of them that is written plainly and shares nothing with them.

The model keeps each alarm as a few booleans that change as they go, where the machine works its
state out; it remembers everything, where the machine is bounded. What both can show is compared
after every step: states, counts, answers, and the tombstones written.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from streams.core.alarms.alarm import AlarmChanged, AlarmGone, Answer
from streams.core.alarms.commands import ACTS, DISPOSITIONS, REFUSALS, ROLES
from streams.core.alarms.table_alarms import MOST_ANSWERED, MOST_CLOSED, carry_out
from streams.core.findings import Finding
from streams.wire.alarms import decode_alarms, encode_alarms
from tests.alarm_scene import DAY, HOUR, MINUTE, SECOND, START, Scene, command, finding

CODES: Final = ("deal_order", "stub_count_overdue", "duplicate_card", "shuffler_count_wrong")
"""A point and a standing one that all may hide, and one of each that surveillance alone may."""
OF_A_STATE: Final = frozenset({"stub_count_overdue", "shuffler_count_wrong"})
GRAVE: Final = frozenset({"duplicate_card", "shuffler_count_wrong"})

STEPS: Final = st.sampled_from(
    [0, SECOND, MINUTE, 9 * MINUTE, 10 * MINUTE, 2 * HOUR, 8 * HOUR, 23 * HOUR, DAY, -MINUTE]
)


@dataclass
class Plain:
    """One alarm as the model has it."""

    code: str
    count: int = 1
    asks: bool = True
    causes: set[str] = field(default_factory=set)
    shelved: int | None = None
    out: bool = False
    closed: int | None = None
    done: list[str] = field(default_factory=list)

    def shown(self) -> str:
        if self.out:
            return "out_of_service"
        if self.shelved is not None:
            return "shelved"
        if self.closed is not None:
            return "normal"
        if not self.asks:
            return "acknowledged"
        if self.code in OF_A_STATE and not self.causes:
            return "returned_unacknowledged"
        return "unacknowledged"

    def maybe_close(self, now: int) -> None:
        hidden = self.out or self.shelved is not None
        if not hidden and not self.asks and not self.causes and self.closed is None:
            self.closed = now


class Model:
    """A table's alarms as a person would keep them on paper."""

    def __init__(self) -> None:
        self.alarms: list[Plain] = []
        self.answers: dict[str, tuple[Plain, bool, str | None]] = {}
        self.gone: list[Plain] = []

    def time(self, now: int) -> None:
        for alarm in self.alarms:
            if alarm.shelved is not None and now >= alarm.shelved:
                alarm.shelved = None
                alarm.maybe_close(now)
        for alarm in [a for a in self.alarms if a.closed is not None and now >= a.closed + DAY]:
            self.alarms.remove(alarm)
            self.gone.append(alarm)

    def last(self, code: str) -> Plain | None:
        return next((a for a in reversed(self.alarms) if a.code == code), None)

    def raised(self, one: Finding, now: int) -> None:
        alarm = self.last(one.code)
        if alarm is None or (alarm.closed is not None and now > alarm.closed + 10 * MINUTE):
            alarm = Plain(one.code, count=0)
            self.alarms.append(alarm)
        alarm.count += 1
        alarm.asks = True
        alarm.closed = None
        if one.code in OF_A_STATE:
            alarm.causes.add(one.id)

    def cleared(self, one: Finding, now: int) -> None:
        alarm = self.last(one.code)
        if alarm is not None and one.id in alarm.causes:
            alarm.causes.remove(one.id)
            alarm.maybe_close(now)

    def asked(self, code: str, act: str, id_: str, now: int, role: str, **more: Any) -> None:
        if id_ in self.answers:
            return
        alarm = self.last(code)
        if alarm is None:
            return
        reason = self.refusal(alarm, act, now, role, **more)
        self.answers[id_] = (alarm, reason is None, reason)
        if reason is not None:
            return
        alarm.done.append(act)
        if act == "acknowledge":
            alarm.asks = False
        elif act == "shelve":
            alarm.shelved = more["until"]
        elif act == "out_of_service":
            alarm.out, alarm.shelved = True, None
        elif act in ("unshelve", "in_service"):
            alarm.out, alarm.shelved = False, None
        alarm.maybe_close(now)

    def refusal(self, alarm: Plain, act: str, now: int, role: str, **more: Any) -> str | None:
        if role == "viewer":
            return "role"
        state = alarm.shown()
        hidden = state in ("shelved", "out_of_service")
        wrong = {
            "acknowledge": hidden or state in ("normal", "acknowledged"),
            "shelve": hidden or state == "normal",
            "unshelve": state != "shelved",
            "out_of_service": state in ("normal", "out_of_service"),
            "in_service": state != "out_of_service",
            "comment": False,
        }[act]
        if wrong:
            return f"is_{state}"
        if act in ("shelve", "out_of_service") and alarm.code in GRAVE and role != "surveillance":
            return "surveillance_alone"
        if act == "acknowledge" and more["disposition"] is None:
            return "disposition"
        if act == "shelve" and (
            more["until"] is None or more["until"] <= now or more["until"] > now + 8 * HOUR
        ):
            return "until"
        if act in ("shelve", "comment") and more["note"] is None:
            return "note"
        return None


class Alarms(RuleBasedStateMachine):
    """Whatever is told, machine and model show the same."""

    def __init__(self) -> None:
        super().__init__()
        self.scene = Scene()
        self.model = Model()
        self.now = START
        self.number = 0
        self.standing: list[Finding] = []
        self.asked: list[dict[str, Any]] = []

    def pass_time(self, step: int) -> None:
        self.now += step
        self.scene.tell(self.now)
        self.model.time(self.now)

    @rule(step=STEPS)
    def time_passes(self, step: int) -> None:
        self.pass_time(step)

    @rule(code=st.sampled_from(CODES), step=STEPS)
    def a_finding_is_raised(self, code: str, step: int) -> None:
        self.pass_time(step)
        self.number += 1
        one = finding(code, self.number, at=self.now)
        if code in OF_A_STATE:
            self.standing.append(one)
        self.scene.raise_(one, self.now)
        self.model.raised(one, self.now)

    @rule(which=st.integers(0, 99), step=STEPS)
    def a_cause_goes(self, which: int, step: int) -> None:
        if not self.standing:
            return
        self.pass_time(step)
        one = self.standing.pop(which % len(self.standing))
        self.scene.clear(one, self.now)
        self.model.cleared(one, self.now)

    @rule(
        code=st.sampled_from(CODES),
        act=st.sampled_from(ACTS),
        role=st.sampled_from(ROLES),
        hours=st.sampled_from([None, 0, 1, 8, 9]),
        disposition=st.sampled_from([None, *DISPOSITIONS]),
        note=st.sampled_from([None, "why"]),
        step=STEPS,
    )
    def a_person_asks(
        self,
        code: str,
        act: str,
        role: str,
        hours: int | None,
        disposition: str | None,
        note: str | None,
        step: int,
    ) -> None:
        self.pass_time(max(step, 0))
        self.asked.append(
            {
                "code": code,
                "act": act,
                "id_": f"c{len(self.asked)}",
                "role": role,
                "until": None if hours is None else self.now + hours * HOUR,
                "disposition": disposition,
                "note": note,
                "at": self.now,
            }
        )
        self.tell(self.asked[-1])

    @rule(back=st.integers(1, 5))
    def a_command_comes_again(self, back: int) -> None:
        if back <= len(self.asked) and self.asked[-back]["at"] == self.now:
            self.tell(self.asked[-back])

    def tell(self, asked: dict[str, Any]) -> None:
        if len(self.model.answers) >= MOST_ANSWERED:
            return
        fields = dict(asked)
        at = fields.pop("at")
        told = carry_out(self.scene.alarms, command(at=at, **fields))
        known = self.model.last(asked["code"]) is not None or asked["id_"] in self.model.answers
        assert (told is not None) == known
        if told is None:
            return
        self.scene.alarms = told[0]
        self.scene.effects += told[1]
        self.model.asked(now=at, **fields)
        changed = told[1][-1]
        assert isinstance(changed, AlarmChanged)
        alarm, accepted, reason = self.model.answers[asked["id_"]]
        assert reason is None or reason in REFUSALS
        assert changed.alarm.answer == Answer(asked["id_"], accepted, reason)
        assert changed.alarm.code == alarm.code

    @rule()
    def is_written_and_read_back(self) -> None:
        self.scene.alarms = decode_alarms("CS-03", encode_alarms(self.scene.alarms))

    @invariant()
    def both_show_the_same(self) -> None:
        assert [
            (
                each.code,
                each.state,
                each.count,
                len(each.standing),
                each.closed_at,
                each.shelved_until,
            )
            for each in self.scene.alarms.alarms
        ] == [
            (each.code, each.shown(), each.count, len(each.causes), each.closed, each.shelved)
            for each in self.model.alarms
        ]
        assert [[act.act for act in each.acts] for each in self.scene.alarms.alarms] == [
            each.done for each in self.model.alarms
        ]
        gone = [each for each in self.scene.effects if isinstance(each, AlarmGone)]
        assert len(gone) == len(self.model.gone)

    @invariant()
    def one_of_a_code_is_open_and_all_is_bounded(self) -> None:
        alarms = self.scene.alarms
        still = [each.code for each in alarms.alarms if each.closed_at is None]
        assert len(still) == len(set(still))
        assert len(alarms.alarms) - len(still) <= MOST_CLOSED
        assert len(alarms.answered) <= MOST_ANSWERED
        assert len({each.id for each in alarms.alarms}) == len(alarms.alarms)

    @invariant()
    def the_last_change_written_of_each_is_how_it_stands(self) -> None:
        written: dict[str, tuple[object, ...]] = {}
        for effect in self.scene.effects:
            match effect:
                case AlarmChanged(alarm):
                    written[alarm.id] = (alarm.state, alarm.count, alarm.answer, alarm.acts)
                case AlarmGone(id_):
                    del written[id_]
        assert written == {
            each.id: (each.state, each.count, each.answer, each.acts)
            for each in self.scene.alarms.alarms
        }


def test_the_machine_does_what_the_model_does() -> None:
    run_state_machine_as_test(
        Alarms, settings=settings(max_examples=100, stateful_step_count=50, deadline=None)
    )
