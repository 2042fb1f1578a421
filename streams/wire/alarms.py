"""A table's alarms as records and as bytes, and operators' commands as the core has them.

The bytes stand behind the table's own in its snapshot. They are made anew only when an alarm
changed, which is seldom, and are nothing where there never was one.
"""

from dataclasses import fields
from operator import attrgetter
from typing import Any, Final

import msgspec

from schemas import records
from streams.core.alarms.alarm import Act, Alarm, Answer
from streams.core.alarms.commands import Command
from streams.core.alarms.table_alarms import CROWDED_OUT, NO_ALARMS, Answered, TableAlarms
from streams.core.book import Book
from streams.wire.outbound import book_name

NO_BYTES: Final = b"\xc0"
"""The bytes of no alarms: MessagePack's nil."""

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder()

_KEPT: Final = tuple(each.name for each in fields(Alarm) if each.name != "table")
_ALARM: Final = attrgetter(*_KEPT)
_ACT: Final = attrgetter(*(each.name for each in fields(Act)))


def to_alarm_record(alarm: Alarm, book: Book, version: str) -> records.Alarm:
    """Return the record of an alarm as it stands."""
    return records.Alarm(
        id=alarm.id,
        table=alarm.table,
        code=alarm.code,
        clause=alarm.clause,
        class_=alarm.class_,
        severity=alarm.severity,
        game=alarm.game,
        state=alarm.state,
        round=alarm.round,
        position=alarm.position,
        hand=alarm.hand,
        raised_at=alarm.raised_at,
        last_at=alarm.last_at,
        count=alarm.count,
        findings=alarm.findings,
        cleared_at=alarm.cleared_at,
        acknowledged_at=alarm.acknowledged_at,
        acknowledged_by=alarm.acknowledged_by,
        disposition=alarm.disposition,
        shelved_until=alarm.shelved_until,
        closed_at=alarm.closed_at,
        acts=tuple(records.AlarmAct(*_ACT(act)) for act in alarm.acts),
        answer=None if alarm.answer is None else _answer_record(alarm.answer),
        book=book_name(book),
        version=version,
    )


def _answer_record(answer: Answer) -> records.AlarmAnswer:
    return records.AlarmAnswer(answer.command, answer.accepted, answer.reason)


def to_command(record: records.OperatorCommand, pit: str | None = None) -> Command:
    """Return a command as the core has it; whose it is was known by its signature.

    Args:
        record: the command; its pits are those in which the person may act, none is all.
        pit: the pit of its table, nothing where that is not known.
    """
    return Command(
        id=record.id,
        act=record.act,
        table=record.table,
        alarm=record.alarm,
        code=record.code,
        by=record.by,
        role=record.role,
        at=record.at,
        until=record.until,
        disposition=record.disposition,
        note=record.note,
        elsewhere=pit is not None and bool(record.pits) and pit not in record.pits,
    )


def encode_alarms(alarms: TableAlarms) -> bytes:
    """Return a table's alarms as MessagePack of nested lists, fields by position."""
    if alarms == NO_ALARMS:
        return NO_BYTES
    places = {alarm.id: place for place, alarm in enumerate(alarms.alarms)}
    return _ENCODER.encode(
        [
            [_alarm(alarm) for alarm in alarms.alarms],
            [[places.get(each.alarm), each.at, _answer(each.answer)] for each in alarms.answered],
            alarms.forgotten,
        ]
    )


def decode_alarms(table: str, data: bytes) -> TableAlarms:
    """Return the alarms of a table that bytes hold.

    Raises:
        ValueError, TypeError, LookupError: they hold none.
    """
    return read_alarms(table, _DECODER.decode(data))


def read_alarms(table: str, payload: list[Any] | None) -> TableAlarms:
    """Return the alarms of a table whose fields these are.

    Raises:
        ValueError, TypeError, LookupError: they are none.
    """
    if payload is None:
        return NO_ALARMS
    alarms, answered, forgotten = payload
    own = tuple(_read_alarm(table, row) for row in alarms)
    return TableAlarms(
        own,
        tuple(
            Answered(CROWDED_OUT if place is None else own[place].id, at, Answer(*answer))
            for place, at, answer in answered
        ),
        forgotten,
    )


def _alarm(alarm: Alarm) -> list[object]:
    values = list(_ALARM(alarm))
    values[_ACTS] = [list(_ACT(act)) for act in alarm.acts]
    values[_LAST] = None if alarm.answer is None else _answer(alarm.answer)
    return values


def _answer(answer: Answer) -> list[object]:
    return [answer.command, answer.accepted, answer.reason]


_ACTS: Final = _KEPT.index("acts")
_LAST: Final = _KEPT.index("answer")


def _read_alarm(table: str, row: list[Any]) -> Alarm:
    values = dict(zip(_KEPT, row, strict=True))
    values["findings"] = tuple(values["findings"])
    values["standing"] = tuple(values["standing"])
    values["acts"] = tuple(Act(*act) for act in values["acts"])
    values["answer"] = None if values["answer"] is None else Answer(*values["answer"])
    return Alarm(table=table, **values)
