"""Commands as the console signs them, and what a plain fold makes of deals and commands."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from schemas.codec import CODEC
from schemas.records import Alarm, OperatorCommand
from schemas.signing import sign
from streams.core.advance import advance_all
from streams.core.alarms.alarm import AlarmChanged, AlarmEffect
from streams.core.alarms.table_alarms import NO_ALARMS, TableAlarms, carry_out, fold
from streams.core.book import Book
from streams.core.events import Event
from streams.core.table import new_table
from streams.wire.alarms import to_alarm_record, to_command

KEY_NAME = "console"


def order(act: str, id_: str = "c1", **fields: Any) -> OperatorCommand:
    """Return a command that nobody signed."""
    whole: dict[str, Any] = {
        "alarm": None,
        "code": None,
        "by": "ada",
        "role": "operator",
        "pits": (),
        "until": None,
        "disposition": "confirmed" if act == "acknowledge" else None,
        "note": None,
        "key": KEY_NAME,
        "signature": b"",
    } | fields
    return OperatorCommand(id=id_, act=act, **whole)


def signed(command: OperatorCommand, key: bytes) -> bytes:
    """Return a command's bytes as the console writes them."""
    return CODEC.encode(sign(command, key))


def read(value: bytes | None) -> Alarm:
    """Return the alarm that a record holds."""
    alarm = CODEC.decode(value or b"", Alarm)
    assert isinstance(alarm, Alarm), alarm
    return alarm


def written(
    effects: Iterable[AlarmEffect], book: Book, version: str
) -> list[tuple[bytes, bytes | None]]:
    """Return the keys and values of the records that tell effects."""
    return [
        (each.alarm.id.encode(), CODEC.encode(to_alarm_record(each.alarm, book, version)))
        if isinstance(each, AlarmChanged)
        else (each.id.encode(), None)
        for each in effects
    ]


def folded(
    told: Sequence[Event | OperatorCommand], book: Book
) -> tuple[TableAlarms, list[AlarmEffect]]:
    """Return one table's alarms after events and commands in order, and what happened to them."""
    state, alarms = new_table(told[0].table), NO_ALARMS
    effects: list[AlarmEffect] = []
    for are_events, run in groupby(told, lambda each: isinstance(each, Event)):
        if are_events:
            events = [each for each in run if isinstance(each, Event)]
            step = advance_all(state, events, book)
            state = step.state
            caused = zip(step.effects, step.causes, strict=True)
            alarms, happened = fold(alarms, events, caused)
            effects += happened
            continue
        for each in run:
            assert isinstance(each, OperatorCommand)
            carried = carry_out(alarms, to_command(each))
            alarms, happened = (alarms, ()) if carried is None else carried
            effects += happened
    return alarms, effects
