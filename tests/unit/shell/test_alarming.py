"""Alarms in the pipeline: folded with the deals, commands known by their signature and answered."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from schemas.codec import CODEC
from schemas.records import Alarm, AlarmAnswer, OperatorCommand
from streams.core.alarms.table_alarms import REMEMBERED_SECONDS
from streams.core.book import Book
from streams.core.events import CutCardReached, Event, SupervisorCalled
from streams.shell.judged import Judged, JudgeFailed
from streams.shell.pipeline import Pipeline
from streams.shell.ports import OutputRecord
from streams.shell.store import Stored, TableStore
from tests.alarm_records import folded, order, read, signed, written
from tests.shell_models import (
    KEYS,
    TOPICS,
    MemoryLog,
    Record,
    Unacknowledged,
    as_records,
    book,
    floor_events,
    pipeline,
    recorded,
)

EVENTS = recorded("cs-overdue-then-counted-between-rounds")
CODE = "stub_count_overdue"
TABLE = EVENTS[0].table
TABLE_KEY = TABLE.encode()
RAISED = next(
    count
    for count in range(1, len(EVENTS))
    if any(alarm.code == CODE for alarm in folded(EVENTS[:count], book())[0].alarms)
)
"""So many events are told until the alarm is raised."""
AT = EVENTS[RAISED - 1].at + 1_000_000


def asked(act: str, id_: str = "c1", **fields: object) -> OperatorCommand:
    return order(act, id_, **({"table": TABLE, "code": CODE, "at": AT} | fields))


def commands(
    *said: OperatorCommand, first: int = 0, key: bytes = KEYS["console"], partition: int = 0
) -> list[Record]:
    return [
        Record(offset, each.table.encode(), signed(each, key), TOPICS.commands, partition)
        for offset, each in enumerate(said, first)
    ]


def run(judge: Pipeline, *batches: Sequence[Record]) -> Judged:
    return asyncio.run(judge.process(batches))


def alarms_of(log: MemoryLog) -> list[tuple[bytes | None, bytes | None]]:
    return [(record.key, record.value) for record in log.of(TOPICS.alarms)]


def reasons(log: MemoryLog) -> list[str]:
    return [dict(r.headers)["pitwatch.reason"].decode() for r in log.of(TOPICS.dead)]


def held(store: TableStore) -> Stored:
    stored = store.get(0, TABLE_KEY)
    assert stored is not None
    return stored


@pytest.mark.parametrize("size", [1, 13, len(EVENTS)])
def test_alarms_are_those_of_the_plain_fold(size: int) -> None:
    log, store = MemoryLog(), TableStore()
    judge = pipeline(log, store)
    records = as_records(EVENTS)
    for start in range(0, len(records), size):
        run(judge, records[start : start + size])
    alarms, effects = folded(EVENTS, book())
    assert alarms_of(log) == written(effects, book(), "test")
    assert held(store).alarms == alarms
    assert len(effects) > 1


def test_many_tables_have_each_their_own() -> None:
    events = [replace(event, received=event.at + 20_000) for event in floor_events(7, 3000)]
    log = MemoryLog()
    run(pipeline(log), as_records(events))
    for table in {event.table for event in events}:
        own = [event for event in events if event.table == table]
        expected = written(folded(own, book())[1], book(), "test")
        assert [each for each in alarms_of(log) if read(each[1]).table == table] == expected


def test_a_signed_acknowledgement_is_answered_by_the_alarm() -> None:
    log, store = MemoryLog(), TableStore()
    judge = pipeline(log, store)
    run(judge, as_records(EVENTS[:RAISED], first=100))
    judged = run(judge, commands(asked("acknowledge", note="seen"), first=7))
    (record,) = judged.effects
    alarm = read(record.value)
    assert (record.topic, record.key, record.partition) == (TOPICS.alarms, alarm.id.encode(), 0)
    assert alarm.state == "acknowledged"
    assert (alarm.acknowledged_by, alarm.disposition) == ("ada", "confirmed")
    assert alarm.answer == AlarmAnswer("c1", True, None)
    assert (alarm.book.sha256, alarm.version) == (book().sha256, "test")
    assert held(store).offsets == {TOPICS.deals: 99 + RAISED, TOPICS.commands: 7}


def test_a_refused_act_is_answered_with_its_reason() -> None:
    log, store = MemoryLog(), TableStore()
    judge = pipeline(log, store)
    run(judge, as_records(EVENTS[:RAISED]))
    (record,) = run(judge, commands(asked("acknowledge", role="viewer"))).effects
    assert read(record.value).answer == AlarmAnswer("c1", False, "role")
    assert read(record.value).state == "unacknowledged"


def test_what_was_applied_is_skipped_also_after_the_state_was_read_back() -> None:
    log, store = MemoryLog(), TableStore()
    run(pipeline(log, store), as_records(EVENTS[:RAISED]))
    said = commands(asked("acknowledge"), asked("comment", "c2", note="seen"))
    run(pipeline(log, store), said[:1])
    again = TableStore()
    for record in log.of(TOPICS.changelog):
        again.absorb(record.partition, record.key, record.value)
    assert held(again) == held(store)
    before = len(log.taken)
    assert run(pipeline(log, again), said[:1]).effects == []
    assert len(log.taken) == before
    (record,) = run(pipeline(log, again), said).effects
    assert [act.command for act in read(record.value).acts] == ["c1", "c2"]


def test_deals_and_commands_of_one_fetch_are_applied_to_one_state() -> None:
    events, act = as_records(EVENTS), asked("acknowledge")
    said = commands(act)
    cases: list[tuple[list[list[Record]], list[Event | OperatorCommand]]] = [
        ([events[RAISED:], said], [*EVENTS, act]),
        ([said, events[RAISED:]], [*EVENTS[:RAISED], act, *EVENTS[RAISED:]]),
    ]
    for fetch, told in cases:
        log, store = MemoryLog(), TableStore()
        judge = pipeline(log, store)
        run(judge, events[:RAISED])
        run(judge, *fetch)
        alarms, effects = folded(told, book())
        assert alarms_of(log) == written(effects, book(), "test")
        assert held(store).alarms == alarms
        assert held(store).offsets == {TOPICS.deals: len(EVENTS) - 1, TOPICS.commands: 0}


@pytest.mark.parametrize("failing", range(2))
def test_an_act_that_is_not_acknowledged_by_the_log_is_carried_out_once(failing: int) -> None:
    log, store = MemoryLog(), TableStore()
    judge = pipeline(log, store)
    run(judge, as_records(EVENTS[:RAISED]))
    before = held(store)
    log.fails_at = log.seen + failing
    said = commands(asked("acknowledge"))
    with pytest.raises(Unacknowledged):
        run(judge, said)
    assert held(store) == before
    run(judge, said)
    assert len(held(store).alarms.alarms[0].acts) == 1
    assert len({value for _, value in alarms_of(log)}) == 2


GOOD = commands(asked("acknowledge"))[0]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (replace(GOOD, value=None), "empty_value"),
        (replace(GOOD, value=b"\xc3\x01"), "truncated"),
        (replace(GOOD, value=as_records(EVENTS[:1])[0].value), "wrong_record"),
        (replace(GOOD, key=b"other"), "key_mismatch"),
        (replace(GOOD, key=None), "key_mismatch"),
        (replace(GOOD, value=CODEC.encode(asked("acknowledge"))), "unsigned_command"),
        (commands(asked("acknowledge"), key=b"another key")[0], "wrong_signature"),
        (commands(asked("acknowledge", key="console2"))[0], "unknown_key"),
        (commands(asked("acknowledge", code="deal_order"))[0], "unknown_alarm"),
        (commands(asked("acknowledge", alarm="f" * 32))[0], "unknown_alarm"),
        (commands(asked("acknowledge", table="CS-99"))[0], "unknown_alarm"),
    ],
)
def test_what_is_no_command_for_an_alarm_is_a_dead_letter(record: Record, reason: str) -> None:
    log, store = MemoryLog(), TableStore()
    judge = pipeline(log, store)
    run(judge, as_records(EVENTS[:RAISED]))
    before = held(store)
    judged = run(judge, [record])
    assert reasons(log) == [reason]
    assert judged.dead_letters == {reason: 1}
    assert log.of(TOPICS.dead)[0].value == record.value
    assert (judged.states, held(store)) == ({}, before)


def test_an_alarm_that_its_table_does_not_know_is_gone_once_somebody_acts_on_it() -> None:
    log = MemoryLog()
    judge = pipeline(log)
    phantom = "f" * 32
    said = commands(asked("acknowledge", alarm=phantom), asked("acknowledge", "c2"))
    run(judge, said, as_records(EVENTS[:RAISED]))
    assert alarms_of(log)[0] == (phantom.encode(), None)
    assert alarms_of(log)[1:] == written(folded(EVENTS[:RAISED], book())[1], book(), "test")
    assert reasons(log) == ["unknown_alarm"] * 2


def test_letters_and_answers_of_one_batch_leave_the_offset_of_all() -> None:
    log, store = MemoryLog(), TableStore()
    judge = pipeline(log, store)
    run(judge, as_records(EVENTS[:RAISED]))
    said = commands(asked("acknowledge"), asked("comment", "c2", code="deal_order", note="x"))
    run(judge, said)
    assert held(store).offsets[TOPICS.commands] == 1
    assert run(judge, said).effects == []
    assert reasons(log) == ["unknown_alarm"]


def test_a_day_after_it_closed_an_alarm_is_a_tombstone() -> None:
    log, store = MemoryLog(), TableStore()
    judge = pipeline(log, store)
    run(judge, as_records(EVENTS))
    run(judge, commands(asked("acknowledge", at=EVENTS[-1].at)))
    (alarm,) = held(store).alarms.alarms
    assert alarm.state == "normal"
    later = EVENTS[-1].at + REMEMBERED_SECONDS * 1_000_000
    last = replace(EVENTS[-1], seq=EVENTS[-1].seq + 1, at=later, body=SupervisorCalled())
    run(judge, as_records([last], first=len(EVENTS)))
    assert alarms_of(log)[-1] == (alarm.id.encode(), None)
    assert held(store).alarms.alarms == ()
    assert run(judge, commands(asked("acknowledge", "c2", at=later), first=1)).states == {}
    assert reasons(log) == ["unknown_alarm"]


def test_lost_deals_are_an_alarm_that_a_second_start_does_not_count_again() -> None:
    log, store = MemoryLog(), TableStore()
    judge = pipeline(log, store)
    run(judge, as_records(EVENTS[:5]))
    asyncio.run(judge.lose(0, (5, 9)))
    (alarm,) = (read(value) for _, value in alarms_of(log))
    assert (alarm.code, alarm.severity, alarm.count) == ("deals_lost", "critical", 1)
    (finding,) = log.of(TOPICS.findings)
    asyncio.run(judge.lose(0, (5, 9)))
    assert len(alarms_of(log)) == 1
    assert [each.value for each in log.of(TOPICS.findings)] == [finding.value] * 2
    assert held(store).alarms.alarms[0].count == 1


def torn(events: Sequence[Event], place: int) -> list[Record]:
    return as_records(
        [
            replace(event, body=CutCardReached()) if number == place else event
            for number, event in enumerate(events)
        ]
    )


def test_a_record_that_cannot_be_judged_is_an_alarm() -> None:
    rules = {code: rule for code, rule in book().rules.items() if code != "event_out_of_place"}
    log, store = MemoryLog(), TableStore()
    judge = pipeline(log, store, rules=Book(book().name, book().sha256, rules))
    records = torn(EVENTS, 10)
    with pytest.raises(JudgeFailed):
        run(judge, records)
    judge.spare(0, 10)
    run(judge, records)
    codes = [read(value).code for _, value in alarms_of(log)]
    assert codes[0] == "judge_error"
    assert CODE in codes
    assert {alarm.code for alarm in held(store).alarms.alarms} == {"judge_error", CODE}


def test_alarms_stand_in_the_partition_of_their_table() -> None:
    log = MemoryLog()
    run(pipeline(log), as_records(EVENTS, partition=3))
    assert {record.partition for record in log.of(TOPICS.alarms)} == {3}
    assert all(isinstance(record, OutputRecord) for record in log.taken)
    assert all(isinstance(read(value), Alarm) for _, value in alarms_of(log))
