"""What a form asks to be done to alarms: read, checked, and made into commands.

Pure functions of a form's fields and a time. What is wrong with a form is said in words; nothing is
guessed. A form has an id of its own, so that one that is sent twice is carried out once.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.records import Alarm, OperatorCommand
from schemas.times import MICROS_IN_MINUTE
from streams.core.alarms.commands import (
    ACKNOWLEDGE,
    ACTS,
    COMMENT,
    DISPOSITIONS,
    SHELVE,
    TAKE_OUT,
)

SHELVE_MINUTES: Final = (10, 30, 60, 240, 480)
"""How long an alarm may be shelved, to choose from; eight hours are the most (a shift)."""

REASONS: Final[Mapping[str, str]] = {
    "repair": "Device under repair",
    "known": "Known to supervisor",
    "training": "Training table",
    "other": "Other",
}
OTHER: Final = "other"

LONGEST_NOTE: Final = 1000
MOST_ALARMS: Final = 200
"""Alarms of one form: a flood larger than that is answered in parts."""

_FORM_ID: Final = re.compile(r"[0-9a-f]{16}")
_NEEDS_NOTE: Final = frozenset({COMMENT, TAKE_OUT})

ACT_WORDS: Final[Mapping[str, str]] = {
    "acknowledge": "Acknowledge",
    "shelve": "Shelve",
    "unshelve": "Unshelve",
    "out_of_service": "Out of service",
    "in_service": "In service",
    "comment": "Comment",
}
DONE_WORDS: Final[Mapping[str, str]] = {
    "acknowledge": "Acknowledged",
    "shelve": "Shelved",
    "unshelve": "Back on the list",
    "out_of_service": "Out of service",
    "in_service": "In service again",
    "comment": "Comment taken",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a form asks for: an act, its alarms by id, and what the act needs."""

    form: str
    act: str
    alarms: tuple[str, ...]
    minutes: int | None
    disposition: str | None
    note: str | None

    def command_id(self, alarm: str) -> str:
        """Return the id of the command for one of its alarms: the same for the same form."""
        return f"{self.form}.{alarm}"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a form: the field, and what to do, in words."""

    field: str
    words: str


def read_act(fields: Mapping[str, Sequence[str]]) -> Asked | Fault:
    """Return what a form asks for, or what is wrong with it.

    Args:
        fields: The form's fields, each with all its values.
    """

    def one(name: str) -> str:
        values = fields.get(name, ())
        return values[0].strip() if values else ""

    act, form = one("act"), one("form")
    if act not in ACTS:
        return Fault("act", f"expected one of {', '.join(ACTS)}")
    if not _FORM_ID.fullmatch(form):
        return Fault("form", "expected this page's form; open it anew")
    alarms = tuple(dict.fromkeys(fields.get("alarm", ())))
    if not 1 <= len(alarms) <= MOST_ALARMS:
        return Fault("alarm", f"expected 1 to {MOST_ALARMS} alarms, found {len(alarms)}")
    note = one("note") or None
    if note is not None and len(note) > LONGEST_NOTE:
        return Fault("note", f"Say it in at most {LONGEST_NOTE} characters.")
    minutes, disposition = None, None
    if act == ACKNOWLEDGE:
        disposition = one("disposition")
        if disposition not in DISPOSITIONS:
            return Fault("disposition", "Choose what it was.")
    elif act == SHELVE:
        if one("minutes") not in map(str, SHELVE_MINUTES):
            return Fault("minutes", "Choose for how long, at most 8 h.")
        minutes = int(one("minutes"))
        reason = one("reason")
        if reason not in REASONS:
            return Fault("reason", "Choose why.")
        if reason == OTHER and note is None:
            return Fault("note", "Say why: other needs a few words.")
        if reason != OTHER:
            note = f"{REASONS[reason]}: {note}"[:LONGEST_NOTE] if note else REASONS[reason]
    elif act in _NEEDS_NOTE and note is None:
        return Fault("note", "Say why in a few words." if act == TAKE_OUT else "Say something.")
    return Asked(form, act, alarms, minutes, disposition, note)


def command_for(
    asked: Asked, alarm: Alarm, *, by: str, role: str, pits: tuple[str, ...], now: int
) -> OperatorCommand:
    """Return the unsigned command that asks for an act on one alarm.

    Args:
        asked: What the form asks for.
        alarm: The alarm.
        by: The operator's name.
        role: His role.
        pits: The pits he may act in, none is all.
        now: The console's time in microseconds.
    """
    until = None if asked.minutes is None else now + asked.minutes * MICROS_IN_MINUTE
    return OperatorCommand(
        id=asked.command_id(alarm.id),
        act=asked.act,
        table=alarm.table,
        alarm=alarm.id,
        code=None,
        by=by,
        role=role,
        pits=pits,
        at=now,
        until=until,
        disposition=asked.disposition,
        note=asked.note,
        key="",
        signature=b"",
    )


def answer_to(alarm: Alarm, command: str) -> tuple[bool, str | None] | None:
    """Return what became of a command, and why where it was refused; nothing while none is known.

    Args:
        alarm: The alarm's newest record.
        command: The command's id.
    """
    if alarm.answer is not None and alarm.answer.command == command:
        return alarm.answer.accepted, alarm.answer.reason
    if any(act.command == command for act in alarm.acts):
        return True, None
    return None
