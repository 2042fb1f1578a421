"""What is done with a batch, what is put right after reading back, and when the time is told."""

import asyncio
import logging
from dataclasses import replace

import pytest

from schemas.codec import CODEC
from schemas.records import TableView
from streams.core.alarms.table_alarms import REMEMBERED_SECONDS
from streams.core.events import CLOCK_SOURCE, Tick
from streams.core.projection import view
from streams.shell.contiguity import Partition
from streams.shell.translate import read_event
from streams.wire.outbound import to_view_record
from streams.wire.snapshot import encode_snapshot
from tests.alarm_records import order, signed
from tests.runtime_bench import EVENTS, KEY, Bench
from tests.shell_models import (
    KEYS,
    NOW,
    Record,
    Unacknowledged,
    book,
    floor_events,
    recorded,
)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_batch_is_done_after_all_of_it_is_acknowledged(bench: Bench) -> None:
    bench.start()
    bench.take(bench.records())
    assert bench.progress.done == {bench.deals: len(EVENTS)}
    assert 'pitwatch_events_total{game="caribbean_stud",kind="card_dealt"} 0.0' not in bench.page()
    assert "pitwatch_judge_seconds_count 1.0" in bench.page()


@pytest.mark.parametrize("failing", ["effect", "state"])
def test_a_batch_that_is_not_acknowledged_is_not_done(failing: str) -> None:
    effects = Bench()
    effects.start()
    effects.take(effects.records())
    place = 0 if failing == "effect" else len(effects.log.taken) - 1
    bench = Bench(fails_at=place)
    bench.start()
    with pytest.raises(Unacknowledged):
        bench.take(bench.records())
    assert bench.progress.done == {}
    assert bench.store.get(0, KEY) is None


def test_a_hole_in_one_partition_holds_no_other_back(bench: Bench) -> None:
    other = Partition(bench.topics.deals, 1)
    bench.progress.start({bench.deals: 0, other: 0})
    whole = [replace(record, partition=1) for record in bench.records()]
    asyncio.run(bench.runtime.take({bench.deals: bench.records(first=10), other: whole}))
    assert bench.consumer.seeks == [(bench.deals, 0)]
    assert bench.progress.done == {other: len(EVENTS)}
    assert bench.store.partitions() == [1]


def test_a_batch_before_the_seek_is_not_judged(bench: Bench) -> None:
    bench.take(bench.records())
    assert (bench.log.taken, bench.consumer.seeks) == ([], [])


def test_a_batch_above_what_is_due_is_read_again(bench: Bench) -> None:
    bench.start(due=5)
    bench.take(bench.records(first=10))
    assert bench.consumer.seeks == [(bench.deals, 5)]
    assert (bench.log.taken, bench.progress.done) == ([], {})


def test_a_hole_of_the_log_itself_is_said_and_gone_past(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.start(due=5)
    for _ in range(3):
        bench.take(bench.records(first=10))
    assert bench.progress.due == {bench.deals: 10 + len(EVENTS)}
    assert "offsets are missing from the log" in caplog.text


def test_a_record_that_overlaps_is_not_judged_twice(bench: Bench) -> None:
    bench.start()
    bench.take([Record(0, KEY, b"garbage", bench.topics.deals)])
    bench.take([Record(0, KEY, b"garbage", bench.topics.deals), *bench.records(first=1)])
    assert len(bench.log.of(bench.topics.dead)) == 1


def test_findings_are_logged_by_their_severity(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.start()
    with caplog.at_level(logging.INFO):
        bench.take(bench.records())
    lines = [record for record in caplog.records if record.message == "finding"]
    assert len(lines) == len(bench.log.of(bench.topics.findings))
    assert {record.levelno for record in lines if vars(record)["severity"] == "high"} <= {
        logging.ERROR,
        logging.INFO,
    }
    assert 'code="stub_overdue"' in bench.page() or "pitwatch_findings_total" in bench.page()


def test_gaps_and_late_events_are_counted(bench: Bench) -> None:
    bench.start()
    late = recorded("late-event-set-aside")
    gap = [replace(e, table="GAP") for e in recorded("gap-in-round-silences-counts-and-orders")]
    bench.take(bench.records([*late, *gap]))
    page = bench.page()
    assert "pitwatch_late_events_total 1.0" in page
    assert "pitwatch_sequence_gaps_total 0.0" not in page


def test_all_tables_are_shown_again_after_reading_back(bench: Bench) -> None:
    bench.start()
    bench.take(bench.records(floor_events(5, 700)))
    bench.read(0)
    assert [record.key for record in bench.log.of(bench.topics.tables)] == [
        f"T-00{number}".encode() for number in range(5)
    ]
    assert bench.runtime.judging
    assert 'pitwatch_table_open{game="caribbean_stud",table="T-000"}' in bench.page()
    bench.read(3)
    assert "T-000" not in bench.page()


def test_a_table_is_shown_once_of_all_that_was_judged_since(bench: Bench) -> None:
    bench.read(0)
    bench.start()
    records = bench.records(floor_events(5, 700))
    bench.take(records[:400])
    bench.take(records[400:])
    assert bench.log.of(bench.topics.tables) == []
    asyncio.run(bench.runtime.show())
    asyncio.run(bench.runtime.show())
    shown = {}
    for record in bench.log.of(bench.topics.tables):
        assert record.key not in shown
        shown[record.key] = CODEC.decode(record.value or b"", TableView)
    assert shown == {
        key: to_view_record(view(stored.state), book(), "test")
        for key, stored in bench.store.tables(0)
    }


def test_nothing_is_shown_while_states_are_read_back(bench: Bench) -> None:
    bench.read(0)
    bench.start()
    bench.take(bench.records())
    bench.runtime.reading({0})
    asyncio.run(bench.runtime.show())
    assert bench.log.of(bench.topics.tables) == []


def test_a_stale_state_is_written_over_and_nothing_is_read_again(bench: Bench) -> None:
    bench.start()
    bench.take(bench.records()[:200])
    (old,) = bench.states()
    bench.take(bench.records()[200:])
    newest = bench.states()[-1]
    bench.store.absorb(0, KEY, old.value)
    bench.read(0)
    assert bench.states()[-1] == newest
    assert len(bench.states()) == 3
    assert bench.consumer.rewinds == [{}]
    bench.read(0)
    assert len(bench.states()) == 3


def test_a_state_that_cannot_be_read_takes_the_offset_back_before_it_is_written_over(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.start()
    bench.take(bench.records()[:200])
    bench.store.absorb(0, KEY, b"broken")
    bench.store.absorb(0, b"T-9", b"broken")
    bench.store.absorb(1, b"T-8", b"broken")
    bench.read(0, 1)
    assert bench.consumer.rewinds == [{0: 0, 1: 0}]
    assert caplog.text.count("judged again from its deals") == 3
    assert "pitwatch_tables_judged_again_total 3.0" in bench.page()
    bench.store.absorb(0, KEY, b"broken")
    bench.read(0, 1)
    assert bench.consumer.rewinds[-1] == {0: 200}
    assert len(bench.states()) == 3


def test_a_partition_whose_states_are_lost_is_judged_again_from_its_first_deal(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.start()
    bench.take(bench.records()[:200])
    bench.read(0, 3)
    assert bench.consumer.rewinds == [{3: 0}]
    (said,) = [line for line in caplog.records if "no state is there" in line.message]
    assert (vars(said)["partition"], vars(said)["offset"]) == (3, 0)


def open_round(bench: Bench) -> None:
    """Leave a table within a round whose events were received by a gateway."""
    count = next(n for n, e in enumerate(EVENTS) if e.body.kind == "card_dealt") + 1
    bench.start()
    bench.take(bench.records([replace(e, received=NOW) for e in EVENTS[:count]]))
    bench.consumer.lags = {0: 0}
    bench.read(0)


def tell_time(bench: Bench) -> list[Record]:
    before = len(bench.log.taken)
    asyncio.run(bench.runtime.tell_time())
    return [
        Record(0, record.key, record.value, record.topic) for record in bench.log.taken[before:]
    ]


def unheard(bench: Bench, seconds: float) -> int:
    """Return how often the bench started over after so many seconds with nothing taken."""
    bench.seconds += seconds
    asyncio.run(bench.runtime.start_over_if_unheard())
    return bench.consumer.started_over


def test_what_is_due_and_does_not_come_is_read_again_from_what_is_committed(bench: Bench) -> None:
    bench.read(0)
    bench.consumer.lags = {0: 7}
    assert unheard(bench, 4.9) == 0
    assert unheard(bench, 0.1) == 1
    assert unheard(bench, 4.9) == 1
    assert unheard(bench, 0.1) == 2


def test_a_batch_puts_starting_over_off(bench: Bench) -> None:
    bench.read(0)
    bench.consumer.lags = {0: 7}
    bench.seconds += 4.9
    bench.start()
    bench.take(bench.records())
    assert unheard(bench, 4.9) == 0


@pytest.mark.parametrize("why", ["nothing is due", "states are read back"])
def test_a_worker_with_a_reason_to_hear_nothing_does_not_start_over(bench: Bench, why: str) -> None:
    bench.read(0)
    bench.consumer.lags = {0: 0 if why == "nothing is due" else 7}
    if why == "states are read back":
        bench.runtime.reading({0})
    assert unheard(bench, 60) == 0


def test_an_open_round_without_lag_is_told_the_time(bench: Bench) -> None:
    open_round(bench)
    assert tell_time(bench) == []
    bench.clock.at = NOW + 30_000_000
    (record,) = tell_time(bench)
    assert (record.topic, record.key) == (bench.topics.deals, KEY)
    assert record.value is not None
    event = read_event(record.value)
    assert not hasattr(event, "reason")
    assert event == replace(
        EVENTS[0],
        source=CLOCK_SOURCE,
        boot=NOW // 1_000_000,
        seq=1,
        at=bench.clock.at,
        received=bench.clock.at,
        body=Tick(),
    )


def test_a_tick_that_is_on_its_way_is_not_followed_by_another(bench: Bench) -> None:
    open_round(bench)
    assert tell_time(bench) == []
    bench.clock.at = NOW + 30_000_000
    (record,) = tell_time(bench)
    assert tell_time(bench) == []
    due = bench.progress.due[bench.deals]
    bench.take([replace(record, offset=due)])
    bench.clock.at += 30_000_000
    (second,) = tell_time(bench)
    assert second.value is not None
    event = read_event(second.value)
    assert not hasattr(event, "reason")
    assert vars_of(event) == (NOW // 1_000_000, 2)


def test_a_round_is_not_told_the_time_while_what_was_received_long_ago_comes_in(
    bench: Bench,
) -> None:
    """A gateway that could not send for an hour sends now, slower than it is judged."""
    open_round(bench)
    bench.clock.at = NOW + 3_600_000_000
    due = bench.progress.due[bench.deals]
    for number in range(3):
        late = replace(EVENTS[due + number], received=NOW + number)
        bench.take(bench.records([late], first=due + number))
        assert tell_time(bench) == []
    (record,) = tell_time(bench)
    assert record.key == KEY


def test_a_table_is_told_the_time_once_an_alarm_of_it_ends(bench: Bench) -> None:
    bench.start()
    bench.take(bench.records())
    stored = bench.store.get(0, KEY)
    assert stored is not None
    (alarm,) = stored.alarms.alarms
    act = order(
        "acknowledge", table=EVENTS[0].table, alarm=alarm.id, at=EVENTS[-1].at, role="admin"
    )
    said = Record(0, KEY, signed(act, KEYS["console"]), bench.topics.commands)
    commands = Partition(bench.topics.commands, 0)
    bench.progress.start({commands: 0})
    asyncio.run(bench.runtime.take({commands: [said]}))
    bench.read(0)
    bench.consumer.lags = {0: 0}
    gone = EVENTS[-1].at + REMEMBERED_SECONDS * 1_000_000
    bench.clock.at = gone - 1
    assert [tell_time(bench), tell_time(bench)] == [[], []]
    bench.clock.at = gone
    (record,) = tell_time(bench)
    bench.progress.start({bench.deals: len(EVENTS)})
    bench.take([replace(record, offset=len(EVENTS))])
    assert bench.log.of(bench.topics.alarms)[-1].value is None
    assert [tell_time(bench), tell_time(bench)] == [[], []]


def test_alarms_are_shown_by_state_and_severity_and_leave_with_their_partition(
    bench: Bench,
) -> None:
    series = 'pitwatch_alarms{severity="high",state="%s"} %.1f'
    bench.start()
    assert series % ("shelved", 0) in bench.page()
    bench.take(bench.records())
    assert series % ("returned_unacknowledged", 1) in bench.page()
    bench.read(0)
    assert series % ("returned_unacknowledged", 1) in bench.page()
    bench.read(3)
    assert series % ("returned_unacknowledged", 0) in bench.page()
    assert 'state="normal"' not in bench.page()


def test_deals_that_are_lost_are_shown_as_an_alarm(bench: Bench) -> None:
    bench.start()
    bench.take(bench.records()[:5])
    asyncio.run(bench.runtime.lost(0, 5, 9))
    assert 'pitwatch_alarms{severity="critical",state="unacknowledged"} 1.0' in bench.page()


def vars_of(event: object) -> tuple[int, int]:
    return (getattr(event, "boot"), getattr(event, "seq"))  # noqa: B009  a refusal has neither


def test_a_partition_with_lag_is_not_told_the_time(bench: Bench) -> None:
    open_round(bench)
    bench.clock.at = NOW + 60_000_000
    bench.consumer.lags = {0: 1}
    assert tell_time(bench) == []


def test_nobody_is_told_the_time_while_states_are_read_back(bench: Bench) -> None:
    open_round(bench)
    bench.clock.at = NOW + 60_000_000
    bench.runtime.reading({0})
    assert tell_time(bench) == []


def test_a_worker_with_nothing_to_judge_is_not_idle(bench: Bench) -> None:
    bench.read(0)
    bench.seconds += 500
    assert bench.runtime.idle() == 0
    bench.consumer.lags = {0: 7}
    bench.seconds += 20
    assert bench.runtime.idle() == 20
    bench.consumer.lags = {}
    bench.runtime.reading({0})
    assert bench.runtime.idle() == 20


def test_states_are_of_the_owned_partitions_only(bench: Bench) -> None:
    bench.start()
    bench.take(bench.records()[:10])
    stored = bench.store.get(0, KEY)
    assert stored is not None
    assert stored.value == encode_snapshot(stored.state, stored.offsets)
