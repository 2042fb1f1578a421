"""How one alarm moves, after ISA-18.2.

It is unacknowledged from its first finding on. What happens then is the table's: a finding of the
same code counts it up, in whatever state, and asks for a new acknowledgement; its cause goes; a
person acts. Whoever puts an alarm out of sight does not decide it: what is shelved or out of
service goes on being counted and returning, and is afterwards what it would be without.

| is | raised | cause goes | acknowledge | shelve | unshelve, time | out_of_service | in_service |
|---|---|---|---|---|---|---|---|
| normal (closed) | unacknowledged | | | | | | |
| unacknowledged, standing | counted | returned | acknowledged | shelved | | out of service | |
| unacknowledged, point | counted | | closed | shelved | | out of service | |
| returned_unacknowledged | unacknowledged | | closed | shelved | | out of service | |
| acknowledged | unacknowledged | closed | | shelved | | out of service | |
| shelved | counted, stays | noted | | | what it was without | out of service | |
| out_of_service | counted, stays | noted | | | | | what it was without |

An act where nothing stands is refused with the state as the reason; a comment changes no state
and is taken in all. What is refused is data: a reason, and nothing else changes.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from streams.core.alarms.alarm import (
    ACKNOWLEDGED,
    MOST_ACTS,
    MOST_FINDINGS,
    MOST_STANDING,
    NORMAL,
    OUT_OF_SERVICE,
    RETURNED,
    SHELVED,
    UNACKNOWLEDGED,
    Act,
    Alarm,
    alarm_id,
    latches,
)
from streams.core.alarms.commands import (
    ACKNOWLEDGE,
    ACTING,
    ACTS,
    COMMENT,
    DISPOSITION,
    DISPOSITIONS,
    NOTE,
    PIT,
    PUT_BACK,
    ROLE,
    SHELVE,
    SHELVED_SECONDS,
    SURVEILLANCE,
    SURVEILLANCE_ALONE,
    TAKE_OUT,
    UNKNOWN_ACT,
    UNSHELVE,
    UNTIL,
    Command,
    grave,
)
from streams.core.findings import Finding
from streams.core.receipts import MICROS_IN_SECOND

Move = Callable[[Alarm, Command], Alarm | str]
"""An act on an alarm: the alarm after it, or why it is refused."""


def new_alarm(finding: Finding) -> Alarm:
    """Return the alarm of a first finding."""
    return Alarm(
        id=alarm_id(finding),
        table=finding.table,
        code=finding.code,
        clause=finding.clause,
        class_=finding.class_,
        severity=finding.severity,
        game=finding.game,
        round=finding.round,
        position=finding.position,
        hand=finding.hand,
        raised_at=finding.at,
        last_at=finding.at,
        count=1,
        findings=(finding.id,),
        standing=() if latches(finding.code) else (finding.id,),
    )


def raised(alarm: Alarm, finding: Finding) -> Alarm:
    """Return an alarm after one more finding of its code: to be acknowledged anew."""
    standing = alarm.standing if latches(alarm.code) else (*alarm.standing, finding.id)
    return replace(
        alarm,
        clause=finding.clause,
        class_=finding.class_,
        severity=finding.severity,
        game=finding.game,
        round=finding.round,
        position=finding.position,
        hand=finding.hand,
        last_at=finding.at,
        count=alarm.count + 1,
        findings=(*alarm.findings, finding.id)[-MOST_FINDINGS:],
        standing=standing[-MOST_STANDING:],
        cleared_at=None,
        acknowledged_at=None,
        acknowledged_by=None,
        disposition=None,
        closed_at=None,
    )


def cleared(alarm: Alarm, finding: Finding, now: int) -> Alarm:
    """Return an alarm after one of its causes went; it returns with the last of them."""
    standing = tuple(each for each in alarm.standing if each != finding.id)
    cleared_at = None if standing else finding.at
    return _settled(replace(alarm, standing=standing, cleared_at=cleared_at), now)


def told(alarm: Alarm, now: int) -> Alarm:
    """Return an alarm at a time: what is shelved no longer than until then is in sight again."""
    if alarm.shelved_until is None or now < alarm.shelved_until:
        return alarm
    return _in_sight(alarm, now)


def acted(alarm: Alarm, command: Command) -> Alarm | str:
    """Return an alarm after what a person asks for, or why that is refused."""
    if command.role not in ACTING:
        return ROLE
    if command.elsewhere and command.role != SURVEILLANCE:
        return PIT
    if command.act not in ACTS:
        return UNKNOWN_ACT
    move = MOVES[alarm.state].get(command.act)
    after = f"is_{alarm.state}" if move is None else move(alarm, command)
    if isinstance(after, str):
        return after
    act = Act(
        command.id,
        command.act,
        command.by,
        command.role,
        command.at,
        command.until,
        command.disposition,
        command.note,
    )
    return replace(after, acts=(*after.acts, act)[-MOST_ACTS:])


def _settled(alarm: Alarm, now: int) -> Alarm:
    """Return an alarm, closed if nothing is left to do."""
    return replace(alarm, closed_at=now) if alarm.state == NORMAL else alarm


def _in_sight(alarm: Alarm, now: int) -> Alarm:
    return _settled(replace(alarm, out_of_sight=None, shelved_until=None), now)


def _acknowledge(alarm: Alarm, command: Command) -> Alarm | str:
    if command.disposition not in DISPOSITIONS:
        return DISPOSITION
    after = replace(
        alarm,
        acknowledged_at=command.at,
        acknowledged_by=command.by,
        disposition=command.disposition,
    )
    return _settled(after, command.at)


def _shelve(alarm: Alarm, command: Command) -> Alarm | str:
    if grave(alarm) and command.role != SURVEILLANCE:
        return SURVEILLANCE_ALONE
    until = command.until
    if until is None or not command.at < until <= command.at + SHELVED_SECONDS * MICROS_IN_SECOND:
        return UNTIL
    if command.note is None:
        return NOTE
    return replace(alarm, out_of_sight=SHELVED, shelved_until=until)


def _take_out(alarm: Alarm, command: Command) -> Alarm | str:
    if grave(alarm) and command.role != SURVEILLANCE:
        return SURVEILLANCE_ALONE
    return replace(alarm, out_of_sight=OUT_OF_SERVICE, shelved_until=None)


def _put_back(alarm: Alarm, command: Command) -> Alarm:
    return _in_sight(alarm, command.at)


def _comment(alarm: Alarm, command: Command) -> Alarm | str:
    return NOTE if command.note is None else alarm


_IN_SIGHT: Final[Mapping[str, Move]] = {SHELVE: _shelve, TAKE_OUT: _take_out, COMMENT: _comment}
_TO_ACKNOWLEDGE: Final[Mapping[str, Move]] = {ACKNOWLEDGE: _acknowledge, **_IN_SIGHT}

MOVES: Final[Mapping[str, Mapping[str, Move]]] = {
    NORMAL: {COMMENT: _comment},
    UNACKNOWLEDGED: _TO_ACKNOWLEDGE,
    RETURNED: _TO_ACKNOWLEDGE,
    ACKNOWLEDGED: _IN_SIGHT,
    SHELVED: {UNSHELVE: _put_back, TAKE_OUT: _take_out, COMMENT: _comment},
    OUT_OF_SERVICE: {PUT_BACK: _put_back, COMMENT: _comment},
}
"""The acts that each state has."""
