"""Records as the topics of a floor hold them, with what a test does not say filled in."""

from collections.abc import Iterable
from typing import Any

from schemas.codec import CODEC
from schemas.records import (
    Alarm,
    AlarmAct,
    AlarmAnswer,
    AnyRecord,
    BookName,
    Finding,
    OperatorCommand,
    Round,
    RoundCard,
    RoundEvent,
    RoundFinding,
)
from streams.historian.rows import ALARMS, COMMANDS, FINDINGS, RECORDS, ROUNDS, Message

START = 1_790_000_000_000_000
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
BOOK = BookName("nj", "0" * 64)


def digest(number: int) -> str:
    """Return an id: 32 hexadecimal digits."""
    return f"{number:032x}"


def a_line(table: str, seq: int) -> str:
    """Return an event as a JSON line."""
    return (
        f'{{"table":"{table}","source":"shoe","boot":1,"seq":{seq},'
        '"at":"2026-09-21T14:14:20.000Z","kind":"no_more_bets"}'
    )


def a_round(table: str = "CS-01", number: int = 1, **other: Any) -> Round:
    opened = other.pop("opened_at", START + number * MINUTE)
    findings = other.pop("findings", ())
    said: dict[str, Any] = {
        "game": "caribbean_stud",
        "opened_by": f"{table}/shoe/1/{number * 100}",
        "closed_at": opened + 45 * SECOND,
        "ended": "closed",
        "dealer": "D1",
        "deck": None,
        "positions": (1, 2),
        "cards": (
            RoundCard(
                "AS",
                "dealt",
                "player",
                1,
                None,
                "down",
                None,
                opened + SECOND,
                f"{table}/shoe/1/{number * 100 + 1}",
                opened + 30 * SECOND,
            ),
        ),
        "events": (RoundEvent(a_line(table, number * 100), opened + SECOND),),
        "dropped_events": 0,
        "gap": False,
        "expected_stub": 31,
        "counted_stub": None,
        "book": BOOK,
        "version": "0.1.0",
    } | other
    return Round(
        table=table,
        number=number,
        opened_at=opened,
        findings=tuple(RoundFinding(code, id_) for code, id_ in findings),
        **said,
    )  # fmt: skip


def a_finding(number: int = 1, **other: Any) -> Finding:
    said: dict[str, Any] = {
        "code": "deal_order",
        "clause": "16.8(c)",
        "class_": "breach",
        "state": "raised",
        "severity": "medium",
        "table": "CS-01",
        "game": "caribbean_stud",
        "round": 1,
        "position": 2,
        "hand": None,
        "at": START + MINUTE + number * SECOND,
        "events": (f"CS-01/shoe/1/{number}",),
        "detail": {"dealt_to": "player", "expected_position": 1},
        "book": BOOK,
        "version": "0.1.0",
    } | other
    return Finding(id=digest(number), **said)


def an_alarm(number: int = 1, **other: Any) -> Alarm:
    said: dict[str, Any] = {
        "table": "CS-01",
        "code": "deal_order",
        "clause": "16.8(c)",
        "class_": "breach",
        "severity": "medium",
        "game": "caribbean_stud",
        "state": "unacknowledged",
        "round": 1,
        "position": 2,
        "hand": None,
        "raised_at": START + MINUTE + number * SECOND,
        "last_at": START + MINUTE + number * SECOND,
        "count": 1,
        "findings": (digest(number),),
        "cleared_at": None,
        "acknowledged_at": None,
        "acknowledged_by": None,
        "disposition": None,
        "shelved_until": None,
        "closed_at": None,
        "acts": (),
        "answer": None,
        "book": BOOK,
        "version": "0.1.0",
    } | other
    return Alarm(id=digest(number), **said)


def an_act(command: str = "c1", **other: Any) -> AlarmAct:
    said: dict[str, Any] = {
        "act": "acknowledge",
        "by": "ann",
        "role": "operator",
        "at": START + 2 * MINUTE,
        "until": None,
        "disposition": "confirmed",
        "note": None,
    } | other
    return AlarmAct(command=command, **said)


def an_answer(command: str = "c1", reason: str | None = None) -> AlarmAnswer:
    return AlarmAnswer(command, reason is None, reason)


def a_command(command: str = "c1", alarm: int | None = 1, **other: Any) -> OperatorCommand:
    said: dict[str, Any] = {
        "act": "acknowledge",
        "table": "CS-01",
        "code": None,
        "by": "ann",
        "role": "operator",
        "pits": (),
        "at": START + 2 * MINUTE,
        "until": None,
        "disposition": "confirmed",
        "note": None,
        "key": "console",
        "signature": b"\1" * 32,
    } | other
    return OperatorCommand(id=command, alarm=None if alarm is None else digest(alarm), **said)


TOPIC = {record: name for name, record in RECORDS.items()}


def messages(*records: AnyRecord, partition: int = 0, first: int = 0) -> list[Message]:
    """Return records as messages: each topic's in one partition, in the order given."""
    ends = dict.fromkeys((ROUNDS, FINDINGS, ALARMS, COMMANDS), first)
    told = []
    for record in records:
        topic = TOPIC[type(record)]
        told.append(Message(topic, partition, ends[topic], CODEC.encode(record)))
        ends[topic] += 1
    return told


def ends_of(told: Iterable[Message], prefix: str = "pitwatch.") -> dict[tuple[str, int], int]:
    """Return from where to read on after some messages."""
    return {(prefix + each.topic, each.partition): each.offset + 1 for each in told}
