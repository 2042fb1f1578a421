"""The order of effects, state and memory, and what a batch comes to."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from streams.core.advance import advance_all
from streams.core.events import CLOCK_SOURCE, RoundClosed, Tick
from streams.core.findings import FindingCleared, FindingRaised
from streams.core.table import new_table
from streams.shell.deadletters import shown_key
from streams.shell.judged import Judged
from streams.shell.pipeline import Pipeline
from streams.shell.ports import OutputRecord
from streams.shell.store import TableStore
from streams.wire.snapshot import decode_snapshot, encode_snapshot
from tests.shell_models import (
    TOPICS,
    MemoryLog,
    Record,
    Unacknowledged,
    as_records,
    book,
    by_table,
    floor_events,
    pipeline,
    recorded,
)

EVENTS = recorded("cs-overdue-then-counted-between-rounds")
KEY = EVENTS[0].table.encode()


def run(judge: Pipeline, records: Sequence[Record]) -> Judged:
    return asyncio.run(judge.process([records]))


def folded(table: str, events: Sequence[object]) -> bytes:
    step = advance_all(new_table(table), events, book())  # type: ignore[arg-type]  # events of any kind
    return encode_snapshot(step.state, {})


def state_of(store: TableStore, key: bytes = KEY, partition: int = 0) -> bytes:
    stored = store.get(partition, key)
    assert stored is not None
    state, offsets = decode_snapshot(stored.value)
    assert offsets == stored.offsets
    assert encode_snapshot(state, {}) == encode_snapshot(stored.state, {})
    return encode_snapshot(stored.state, {})


def header(record: OutputRecord, name: str) -> str:
    return dict(record.headers)[name].decode()


def test_a_batch_gives_the_state_and_the_effects_of_the_fold() -> None:
    log, store = MemoryLog(), TableStore()
    judged = run(pipeline(log, store), as_records(EVENTS))
    step = advance_all(new_table(EVENTS[0].table), EVENTS, book())
    assert state_of(store) == encode_snapshot(step.state, {})
    findings = [e.finding for e in step.effects if isinstance(e, FindingRaised | FindingCleared)]
    assert judged.findings == findings
    assert len(log.of(TOPICS.findings)) == len(findings) > 0
    assert len(log.of(TOPICS.rounds)) == judged.rounds.total() > 0
    assert list(judged.changed) == [(0, KEY)]
    assert len(log.of(TOPICS.changelog)) == 1
    assert judged.events.total() == len(EVENTS)
    assert {record.partition for record in log.taken} == {0}
    assert {record.key for record in log.taken if record.topic != TOPICS.alarms} == {KEY}


def test_effects_are_acknowledged_before_any_state() -> None:
    log = MemoryLog()
    run(pipeline(log), as_records(floor_events(7, 2000)))
    topics = [record.topic for record in log.taken]
    first_state = topics.index(TOPICS.changelog)
    assert set(topics[first_state:]) == {TOPICS.changelog}
    assert topics[first_state:].count(TOPICS.changelog) == 7


def test_a_fetch_of_several_partitions_waits_once_for_all_of_them() -> None:
    events = by_table(floor_events(5, 500))
    log, store = MemoryLog(), TableStore()
    fetch = [
        [replace(record, partition=number) for record in as_records(own)]
        for number, own in enumerate(events.values())
    ]
    judged = asyncio.run(pipeline(log, store).process(fetch))
    assert log.published == 2
    assert [partition for partition, _ in judged.changed] == [0, 1, 2, 3, 4]
    for number, (table, own) in enumerate(events.items()):
        assert state_of(store, table.encode(), number) == folded(table, own)
        written = {record.partition for record in log.taken if record.key == table.encode()}
        assert written == {number}


@pytest.mark.parametrize("cut", [1, 10, 100, len(EVENTS) - 1])
def test_batches_of_any_size_give_the_same(cut: int) -> None:
    whole, parts = MemoryLog(), MemoryLog()
    store = TableStore()
    run(pipeline(whole), as_records(EVENTS))
    judge = pipeline(parts, store)
    records = as_records(EVENTS)
    for start in range(0, len(records), cut):
        run(judge, records[start : start + cut])
    assert [r.value for r in whole.of(TOPICS.findings)] == [
        r.value for r in parts.of(TOPICS.findings)
    ]
    assert state_of(store) == folded(EVENTS[0].table, EVENTS)


def test_records_that_a_table_has_applied_are_skipped() -> None:
    log, store = MemoryLog(), TableStore()
    judge = pipeline(log, store)
    records = as_records(EVENTS)
    run(judge, records[:200])
    before = len(log.taken)
    judged = run(judge, records[:150])
    assert (judged.effects, judged.states) == ([], {})
    assert len(log.taken) == before
    run(judge, records[100:])
    assert state_of(store) == folded(EVENTS[0].table, EVENTS)


def test_a_batch_that_was_applied_in_part_gives_the_same_state_and_ids() -> None:
    """Some tables are ahead: their state was acknowledged before the process died."""
    events = floor_events(7, 3000)
    records = as_records(events)
    exact = MemoryLog()
    run(pipeline(exact), records)
    for ahead in range(1, 7):
        log, store = MemoryLog(), TableStore()
        tables = sorted(by_table(events))[:ahead]
        judged = pipeline(log).judge([records])
        for table in tables:
            store.put(0, table.encode(), judged.states[0, table.encode()])
        run(pipeline(log, store), records)
        assert all(
            state_of(store, t.encode()) == folded(t, own) for t, own in by_table(events).items()
        )
        again = {r.value for r in log.of(TOPICS.findings)}
        assert again <= {r.value for r in exact.of(TOPICS.findings)}


def test_an_effect_that_is_not_acknowledged_leaves_state_and_memory_as_they_were() -> None:
    records = as_records(EVENTS)
    effects = len(pipeline(MemoryLog()).judge([records]).effects)
    assert effects > 3
    for failing in range(effects):
        log, store = MemoryLog(fails_at=failing), TableStore()
        judge = pipeline(log, store)
        with pytest.raises(Unacknowledged):
            run(judge, records)
        assert log.of(TOPICS.changelog) == []
        assert store.get(0, KEY) is None
        run(judge, records)
        assert state_of(store) == folded(EVENTS[0].table, EVENTS)


def test_a_state_that_is_not_acknowledged_leaves_the_memory_as_it_was() -> None:
    events = floor_events(4, 1200)
    records = as_records(events)
    effects = len(pipeline(MemoryLog()).judge([records]).effects)
    for failing in range(effects, effects + 4):
        log, store = MemoryLog(fails_at=failing), TableStore()
        judge = pipeline(log, store)
        with pytest.raises(Unacknowledged):
            run(judge, records)
        assert store.partitions() == []
        first = {r.value for r in log.of(TOPICS.findings)}
        run(judge, records)
        assert {r.value for r in log.of(TOPICS.findings)} == first


def test_each_source_topic_has_an_offset_of_its_own() -> None:
    store = TableStore()
    judge = pipeline(MemoryLog(), store)
    run(judge, as_records(EVENTS[:10], first=500))
    stored = store.get(0, KEY)
    assert stored is not None
    assert stored.offsets == {TOPICS.deals: 509}


def test_what_cannot_be_read_is_a_dead_letter_and_the_rest_is_applied() -> None:
    log, store = MemoryLog(), TableStore()
    records = as_records(EVENTS)
    kept = (("gateway", b"gw-1"),)
    records[50:50] = [Record(0, KEY, b"\xc3\x01garbage", headers=kept)]
    records = [replace(record, offset=offset) for offset, record in enumerate(records)]
    judged = run(pipeline(log, store), records)
    (letter,) = log.of(TOPICS.dead)
    assert letter.value == b"\xc3\x01garbage"
    assert letter.key == KEY
    assert letter.headers[0] == kept[0]
    assert header(letter, "__connect.errors.topic") == TOPICS.deals
    assert header(letter, "__connect.errors.partition") == "0"
    assert header(letter, "__connect.errors.offset") == "50"
    assert header(letter, "__connect.errors.stage") == "VALUE_CONVERTER"
    for name in ("reason", "field", "expected", "found"):
        assert header(letter, f"pitwatch.{name}")
    assert header(letter, "pitwatch.version") == "test"
    assert judged.dead_letters.total() == 1
    assert state_of(store) == folded(EVENTS[0].table, EVENTS)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (Record(0, b"other", as_records(EVENTS[:1])[0].value), "key_mismatch"),
        (Record(0, None, as_records(EVENTS[:1])[0].value), "key_mismatch"),
        (Record(0, b"\xff" * 100, as_records(EVENTS[:1])[0].value), "key_mismatch"),
        (Record(0, KEY, None), "empty_value"),
        (as_records([replace(EVENTS[5], source=CLOCK_SOURCE)])[0], "clock_source"),
        (as_records([replace(EVENTS[5], body=Tick())])[0], "clock_source"),
    ],
)
def test_a_record_that_is_no_event_of_its_table_is_data(record: Record, reason: str) -> None:
    log, store = MemoryLog(), TableStore()
    judged = run(pipeline(log, store), [record])
    assert judged.dead_letters == {reason: 1}
    (letter,) = log.taken
    assert (letter.topic, letter.key, letter.value) == (TOPICS.dead, record.key, record.value)
    assert header(letter, "pitwatch.reason") == reason
    assert store.partitions() == []


@pytest.mark.parametrize(
    ("recording", "reason"),
    [("late-event-set-aside", "late_event"), ("dup-conflicting-event", "conflicting_event")],
)
def test_an_event_that_its_table_sets_aside_is_a_dead_letter(recording: str, reason: str) -> None:
    log = MemoryLog()
    records = as_records(recorded(recording))
    judged = run(pipeline(log), records)
    assert judged.dead_letters[reason] >= 1
    letters = [r for r in log.of(TOPICS.dead) if header(r, "pitwatch.reason") == reason]
    assert len(letters) == judged.dead_letters[reason]
    for letter in letters:
        offset = int(header(letter, "__connect.errors.offset"))
        assert records[offset].value == letter.value
        assert header(letter, "__connect.errors.stage") == "TASK_PUT"


def test_a_duplicate_is_only_counted() -> None:
    log = MemoryLog()
    judged = run(pipeline(log), as_records([*EVENTS[:20], EVENTS[19]]))
    assert judged.duplicates == 1
    assert judged.events.total() == 20
    assert log.of(TOPICS.dead) == []


def test_ages_and_delays_are_of_the_applied_events() -> None:
    received = [replace(event, received=event.at + 1000) for event in EVENTS[:5]]
    judged = run(pipeline(MemoryLog()), as_records([*received, EVENTS[5]]))
    assert len(judged.ages) == 6
    assert len(judged.delays) == 5
    assert judged.ages[0] - judged.delays[0] == pytest.approx(0.001)


def test_a_round_is_counted_by_its_game() -> None:
    judged = run(pipeline(MemoryLog()), as_records(EVENTS))
    closed = sum(isinstance(event.body, RoundClosed) for event in EVENTS)
    assert judged.rounds == {"caribbean_stud": closed}


def test_a_key_is_shown_bounded_and_printable() -> None:
    assert shown_key(None) == "none"
    assert shown_key(b"CS-01") == "CS-01"
    assert shown_key(b"\n") == "'\\n'"
    assert len(shown_key(b"x" * 500)) == 64
