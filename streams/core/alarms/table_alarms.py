"""All alarms of one table, and what happens to them.

They are told three things, each with a time: a finding, that time passed, and a command. Time is
what the gateways' receipts, the ticks and the console's clock say, and whatever is told tells the
time first; if it goes back, nothing is undone.

| remembered | for how long | bound |
|---|---|---|
| an alarm that is not closed | until it is | one of each code |
| a closed one | a day; a finding of its code within ten minutes opens it again | 32, the one longest closed goes first |
| what became of a command | as long as its alarm | 128; an older command that comes again is refused as stale |
| what persons did | as long as its alarm | 50 of an alarm, 128 in all; the longest ago goes first |

So a command is carried out once: one that comes again gets the answer it got, and one that cannot
be known any more is not carried out at all. All of it is a value; nothing here changes.
"""  # noqa: E501  a table's row is one line

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from streams.core.alarms.alarm import (
    Alarm,
    AlarmChanged,
    AlarmEffect,
    AlarmGone,
    Answer,
    is_alarming,
)
from streams.core.alarms.commands import STALE, Command
from streams.core.alarms.machine import acted, cleared, new_alarm, raised, told
from streams.core.events import Event
from streams.core.findings import Effect, Finding, FindingCleared, FindingRaised
from streams.core.receipts import MICROS_IN_SECOND, told_at

REPEAT_SECONDS: Final = 600
"""Within so long after it closed a finding opens an alarm again, and is no new one."""

REMEMBERED_SECONDS: Final = 24 * 3600
"""So long a closed alarm is remembered."""

MOST_CLOSED: Final = 32
MOST_ANSWERED: Final = 128
"""An act on an alarm of every code, asked for at one time, is remembered whole."""

MOST_ACTS_IN_ALL: Final = 128
"""With 4 KB of note in each, a table's alarms stay below the 1 MiB that a record may have."""


CROWDED_OUT: Final = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of a command: of which alarm it was, and when it was asked for.

    ``alarm`` is ``CROWDED_OUT`` where the alarm is no longer remembered.
    """

    alarm: str
    at: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class TableAlarms:
    """A table's alarms, in the order in which they were first raised.

    ``answered`` are the last commands; ``forgotten`` is the latest time of those that are no
    longer among them, 0 where there is none.
    """

    alarms: tuple[Alarm, ...] = ()
    answered: tuple[Answered, ...] = ()
    forgotten: int = 0

    @property
    def ends_at(self) -> int | None:
        """Return when the next of them changes by time alone, if one does."""
        times = [
            alarm.shelved_until if alarm.closed_at is None else _gone_at(alarm)
            for alarm in self.alarms
        ]
        return min((time for time in times if time is not None), default=None)


NO_ALARMS: Final = TableAlarms()
"""The alarms of a table that never had one."""

Told = tuple[TableAlarms, tuple[AlarmEffect, ...]]
"""The alarms after something was told, and what happened to them in order."""


def fold(
    alarms: TableAlarms, events: Sequence[Event], caused: Iterable[tuple[Effect, int]]
) -> Told:
    """Return a table's alarms after events, and what happened to them.

    Args:
        alarms: the alarms before them.
        events: the events, in order.
        caused: their effects in order, each with the index of the event that caused it.
    """
    findings = [
        (cause, effect)
        for effect, cause in caused
        if isinstance(effect, FindingRaised | FindingCleared) and is_alarming(effect.finding)
    ]
    if not findings:
        ends_at = alarms.ends_at
        if ends_at is None or ends_at > max(map(told_at, events)):
            return alarms, ()
    effects: list[AlarmEffect] = []
    waiting = iter(findings)
    following = next(waiting, None)
    for index, event in enumerate(events):
        now = told_at(event)
        alarms, ended = tell_time(alarms, now)
        effects += ended
        while following is not None and following[0] == index:
            alarms, happened = tell_finding(alarms, following[1], now)
            effects += happened
            following = next(waiting, None)
    return alarms, tuple(effects)


def tell_time(alarms: TableAlarms, now: int) -> Told:
    """Return the alarms at a time: shelving ends, and a day after it closed an alarm is gone."""
    ends_at = alarms.ends_at
    if ends_at is None or now < ends_at:
        return alarms, ()
    effects: list[AlarmEffect] = []
    for alarm in alarms.alarms:
        if alarm.closed_at is not None and now >= _gone_at(alarm):
            alarms = _without(alarms, alarm)
            effects.append(AlarmGone(alarm.id))
    for alarm in alarms.alarms:
        if (after := told(alarm, now)) is not alarm:
            alarms, happened = _with(alarms, after)
            effects += happened
    return alarms, tuple(effects)


def tell_finding(alarms: TableAlarms, effect: FindingRaised | FindingCleared, now: int) -> Told:
    """Return the alarms after a finding that is alarming; the time was told before."""
    if isinstance(effect, FindingRaised):
        return _raise(alarms, effect.finding, now)
    return _clear(alarms, effect.finding, now)


def carry_out(alarms: TableAlarms, command: Command) -> Told | None:
    """Return the alarms after a command, its answer in its alarm, or nothing if it has none.

    A command that came before gets the answer it got.
    """
    alarms, ended = tell_time(alarms, command.at)
    for known in alarms.answered:
        if known.answer.command == command.id:
            alarm = next((each for each in alarms.alarms if each.id == known.alarm), None)
            if alarm is None:
                return None
            alarms, happened = _with(alarms, replace(alarm, answer=known.answer))
            return alarms, (*ended, *happened)
    meant = _meant(alarms, command)
    if meant is None:
        return None
    if command.at <= alarms.forgotten:
        refused = replace(meant, answer=Answer(command.id, accepted=False, reason=STALE))
        alarms, happened = _with(alarms, refused)
        return alarms, (*ended, *happened)
    after = acted(meant, command)
    if isinstance(after, str):
        answer, after = Answer(command.id, accepted=False, reason=after), meant
    else:
        answer = Answer(command.id, accepted=True)
    answered = (*alarms.answered, Answered(after.id, command.at, answer))
    alarms, happened = _with(_remembering(alarms, answered), replace(after, answer=answer))
    alarms, dropped = _with_fewer_acts(alarms)
    return alarms, (*ended, *happened, *dropped)


def _gone_at(alarm: Alarm) -> int:
    return (alarm.closed_at or 0) + REMEMBERED_SECONDS * MICROS_IN_SECOND


def _raise(alarms: TableAlarms, finding: Finding, now: int) -> Told:
    alarm = _of_code(alarms, finding.code)
    if alarm is None:
        return _with(alarms, new_alarm(finding))
    if finding.id in alarm.findings:
        # A worker raises what it finds of itself again after each start, under the same id.
        return alarms, ()
    if alarm.closed_at is not None and now - alarm.closed_at > REPEAT_SECONDS * MICROS_IN_SECOND:
        return _with(alarms, new_alarm(finding))
    return _with(alarms, raised(alarm, finding))


def _clear(alarms: TableAlarms, finding: Finding, now: int) -> Told:
    alarm = _of_code(alarms, finding.code)
    if alarm is None or finding.id not in alarm.standing:
        return alarms, ()
    after = cleared(alarm, finding, now)
    told_, effects = _with(alarms, after)
    return told_, () if after.standing else effects


def _of_code(alarms: TableAlarms, code: str) -> Alarm | None:
    """Return the alarm of a code: the one that is not closed, else the one closed last."""
    own = [alarm for alarm in alarms.alarms if alarm.code == code]
    return next((alarm for alarm in own if alarm.closed_at is None), own[-1] if own else None)


def _meant(alarms: TableAlarms, command: Command) -> Alarm | None:
    if command.alarm is None:
        return None if command.code is None else _of_code(alarms, command.code)
    return next((alarm for alarm in alarms.alarms if alarm.id == command.alarm), None)


def _with(alarms: TableAlarms, changed: Alarm) -> Told:
    """Return the alarms with one that changed or is new, within their bounds."""
    known = any(alarm.id == changed.id for alarm in alarms.alarms)
    after = replace(
        alarms,
        alarms=tuple(changed if each.id == changed.id else each for each in alarms.alarms)
        if known
        else (*alarms.alarms, changed),
    )
    closed = [alarm for alarm in after.alarms if alarm.closed_at is not None]
    if len(closed) <= MOST_CLOSED:
        return after, (AlarmChanged(changed),)
    oldest = min(closed, key=_gone_at)
    return _crowd_out(after, oldest), (AlarmChanged(changed), AlarmGone(oldest.id))


def _with_fewer_acts(alarms: TableAlarms) -> Told:
    """Return the alarms without the act longest ago, if there is one too many."""
    if sum(len(alarm.acts) for alarm in alarms.alarms) <= MOST_ACTS_IN_ALL:
        return alarms, ()
    first = min((each for each in alarms.alarms if each.acts), key=lambda each: each.acts[0].at)
    return _with(alarms, replace(first, acts=first.acts[1:]))


def _without(alarms: TableAlarms, gone: Alarm) -> TableAlarms:
    """Return the alarms without one that closed a day ago, and what was answered until then."""
    since = gone.closed_at or 0
    past = [
        each
        for each in alarms.answered
        if each.alarm == gone.id or (each.alarm == CROWDED_OUT and each.at <= since)
    ]
    return TableAlarms(
        tuple(alarm for alarm in alarms.alarms if alarm.id != gone.id),
        tuple(each for each in alarms.answered if each not in past),
        max((alarms.forgotten, *(each.at for each in past))),
    )


def _crowd_out(alarms: TableAlarms, gone: Alarm) -> TableAlarms:
    """Return the alarms without one for which there is no room; what was answered stays known."""
    return replace(
        alarms,
        alarms=tuple(alarm for alarm in alarms.alarms if alarm.id != gone.id),
        answered=tuple(
            replace(each, alarm=CROWDED_OUT) if each.alarm == gone.id else each
            for each in alarms.answered
        ),
    )


def _remembering(alarms: TableAlarms, answered: tuple[Answered, ...]) -> TableAlarms:
    forgotten = [each.at for each in answered[:-MOST_ANSWERED]]
    return replace(
        alarms,
        answered=answered[-MOST_ANSWERED:],
        forgotten=max((alarms.forgotten, *forgotten)),
    )
