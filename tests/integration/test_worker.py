"""A worker on a real broker: nothing lost, nothing changed, whatever ends it and whatever it reads.

What it must come to is the plain fold of the same events, without Kafka.
"""

import random
from collections import Counter
from pathlib import Path

import pytest

from streams.shell.ending import SEAT_LOST
from streams.shell.translate import event_bytes
from streams.wire.snapshot import decode_snapshot
from tests.kafka_fixtures import CreateFloor
from tests.shell_models import floor_events, recorded, table_events
from tests.worker_harness import DEALS, RunningWorker, WorkerFloor, until

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

STATIC = ("--instance-id", "worker-0")
SMALL_FETCHES = ("--fetch", "2000")
"""So that there is a backlog left when a worker ends."""


@pytest.fixture
def floor(create_floor: CreateFloor, tmp_path: Path) -> WorkerFloor:
    return WorkerFloor(create_floor(partitions=4), tmp_path)


def wait_batches(worker: RunningWorker, count: int) -> None:
    until("its batches", lambda: worker.metric("pitwatch_judge_seconds_count") >= count)


@pytest.mark.timeout(240)
def test_killed_ten_times_during_100_000_events_it_is_exact(floor: WorkerFloor) -> None:
    """Each life judges some of the backlog and of what is written while it runs."""
    chance = random.Random(20)
    events = floor_events(120, 100_000)
    floor.write(events[:60_000])
    for life in range(10):
        worker = floor.start(*STATIC, *SMALL_FETCHES)
        worker.wait_ready()
        floor.write(events[60_000 + life * 4_000 : 64_000 + life * 4_000])
        wait_batches(worker, chance.randrange(1, 8))
        worker.kill()
        floor.assert_commits_covered()
    with floor.worker(*STATIC) as worker:
        floor.wait_judged()
        assert worker.metric("pitwatch_partition_lag_events") == 0
        floor.assert_exact()
        floor.assert_commits_covered()


def test_told_to_stop_it_repeats_nothing(floor: WorkerFloor) -> None:
    floor.write(floor_events(40, 20_000))
    worker = floor.start(*STATIC, *SMALL_FETCHES)
    wait_batches(worker, 2)
    assert worker.terminate() == 0
    assert floor.committed() != floor.ends()
    floor.assert_commits_covered()
    with floor.worker(*STATIC):
        floor.wait_judged()
        floor.assert_exact()
        repeated = [each for each, times in Counter(floor.finding_ids()).items() if times > 1]
        assert repeated == []
        letters = Counter(letter.value for letter in floor.read("deals.dead.v1"))
        assert letters
        assert set(letters.values()) == {1}


def test_poison_is_set_aside_and_the_rest_is_judged_once(floor: WorkerFloor) -> None:
    events = floor_events(8, 3_000)
    table = events[0].table
    poison = [b"", b"no avro", b"\xc3\x01" + b"\x00" * 40, b"x" * 1_000_000]
    floor.write(events[:1_000])
    floor.write_raw([(DEALS, floor.partition(table), table.encode(), value) for value in poison])
    floor.write_raw([(DEALS, floor.partition(table), b"wrong", event_bytes(events[0]))])
    floor.write_raw([(DEALS, floor.partition(table), None, b"no key")])
    floor.write_raw([(DEALS, floor.partition(table), table.encode(), None)])
    floor.write(events[1_000:])
    ends = floor.ends()
    ends[floor.partition(table)] += len(poison) + 3
    with floor.worker(*STATIC) as worker:
        floor.wait_judged(ends)
        floor.assert_judged()
        letters = [
            letter
            for letter in floor.read("deals.dead.v1")
            if dict(letter.headers)["__connect.errors.stage"] == b"VALUE_CONVERTER"
        ]
        assert [letter.value for letter in letters].count(poison[3]) == 1
        assert len(letters) == len(poison) + 3
        for letter in letters:
            headers = dict(letter.headers)
            assert headers["__connect.errors.topic"].decode() == floor.name(DEALS)
            assert int(headers["__connect.errors.offset"]) >= 0
            assert headers["pitwatch.expected"]
            assert letter.partition == floor.partition(table)
        assert worker.metric("pitwatch_dead_letters_total") >= len(letters)


def test_a_state_that_cannot_be_read_is_judged_again_from_its_deals(floor: WorkerFloor) -> None:
    """One table has nothing but junk, another a readable state before the junk."""
    events = floor_events(12, 6_000)
    floor.write(events)
    with floor.worker(*STATIC) as worker:
        floor.wait_judged()
        worker.terminate()
    ends = floor.committed()
    lost, kept = "T-003", "T-005"
    floor.delete_state(lost)
    floor.write_raw(
        ("changelog", floor.partition(table), table.encode(), b"PWS junk") for table in (lost, kept)
    )
    floor.write_raw([("changelog", 1, b"T-gone", None)])
    more = floor_events(12, 9_000)[6_000:]
    with floor.worker(*STATIC) as worker:
        worker.wait_ready()
        floor.write(more)
        floor.wait_judged()
        assert floor.committed() != ends
        floor.assert_exact()
        said = worker.said("state cannot be read, the table is judged again from its deals")
        assert {line["table"]: line["offset"] == 0 for line in said} == {lost: True, kept: False}


def test_a_stale_state_over_a_newer_one_is_healed(floor: WorkerFloor) -> None:
    events = floor_events(12, 12_000)
    floor.write(events[:6_000])
    with floor.worker(*STATIC) as worker:
        floor.wait_judged()
        worker.terminate()
    old = {record.key: record for record in floor.read("changelog")}
    floor.write(events[6_000:9_000])
    with floor.worker(*STATIC) as worker:
        floor.wait_judged()
        worker.terminate()
    before = floor.states()
    floor.write_raw(
        ("changelog", record.partition, key, record.value) for key, record in old.items()
    )
    assert floor.states() != before
    with floor.worker(*STATIC) as worker:
        worker.wait_ready()
        assert floor.states() == before
        (said,) = worker.said("older states stood over newer ones and were replaced")
        assert said["tables"] == 12
        floor.write(events[9_000:])
        floor.wait_judged()
        floor.assert_exact()


def test_a_worker_stopped_past_its_session_writes_nothing_when_it_wakes(
    floor: WorkerFloor,
) -> None:
    events = floor_events(40, 40_000)
    floor.write(events[:20_000])
    sleeper = floor.start("--session", "2", *SMALL_FETCHES)
    wait_batches(sleeper, 2)
    sleeper.pause()
    with floor.worker("--session", "2") as worker:
        worker.wait_ready()
        floor.write(events[20_000:])
        floor.wait_judged()
        states = floor.states()
        sleeper.resume()
        assert sleeper.process.wait(30) == SEAT_LOST
        assert floor.states() == states
        floor.assert_never_backwards()
        floor.assert_exact()


def shared_by(one: RunningWorker, two: RunningWorker, tables: set[str]) -> bool:
    """Return whether each of some tables is shown by one of two workers, and each shows some."""
    first, second = one.tables_shown(), two.tables_shown()
    return bool(first and second) and first | second == tables and not first & second


def test_two_workers_share_the_tables_and_hand_them_over(floor: WorkerFloor) -> None:
    events = floor_events(40, 30_000)
    floor.write(events[:10_000])
    with floor.worker("--instance-id", "one") as one:
        one.wait_ready()
        with floor.worker("--instance-id", "two") as two:
            two.wait_ready()
            floor.write(events[10_000:20_000])
            floor.wait_judged()
            tables = {event.table for event in events[:20_000]}
            until("each table to be shown by one", lambda: shared_by(one, two, tables))
            assert two.terminate() == 0
        floor.write(events[20_000:])
        floor.wait_judged()
        floor.assert_exact()
        floor.assert_never_backwards()
        left = {event.table for event in events}
        until("all tables to be shown", lambda: one.tables_shown() == left)


def test_an_open_round_is_told_the_time_and_nothing_else_changes(floor: WorkerFloor) -> None:
    recording = recorded("cs-legal-12-rounds")
    count = next(n for n, event in enumerate(recording) if event.body.kind == "card_dealt") + 1
    stream = table_events("T-1", "cs-legal-12-rounds")
    events = [next(stream) for _ in range(count)]
    floor.write(events)
    with floor.worker(*STATIC, "--tick", "0.3") as worker:
        series = 'pitwatch_events_total{game="caribbean_stud",kind="tick"}'
        until("two ticks", lambda: worker.exact(series) >= 2)
        worker.terminate()
    ticks = floor.read(DEALS)[count:]
    assert len(ticks) >= 2
    states = [record.value for record in floor.read("changelog") if record.key == b"T-1"]
    state, _ = decode_snapshot(states[-1])
    assert state.sources["pitwatch/clock"].seq >= 2
    assert floor.finding_ids() == []


def test_it_refuses_to_listen_beyond_this_machine(floor: WorkerFloor) -> None:
    refused = floor.start("--host", "0.0.0.0")  # noqa: S104  what is refused
    assert refused.process.wait(60) == 2
    assert "--insecure-listen" in refused.tail()
