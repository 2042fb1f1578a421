"""What a worker on a real broker cannot judge: a record that ends it, and records that are gone."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaAdminClient, TopicPartition

from schemas.codec import CODEC
from schemas.records import Finding
from streams.core.events import CutCardReached
from streams.shell.ending import BATCH_FAILED
from tests.alarm_records import read
from tests.kafka_fixtures import CreateFloor
from tests.shell_models import floor_events
from tests.worker_harness import DEALS, WorkerFloor, until

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

ROW_MISSING = (sys.executable, "-m", "tests.row_missing_worker")


@pytest.fixture
def floor(create_floor: CreateFloor, tmp_path: Path) -> WorkerFloor:
    return WorkerFloor(create_floor(partitions=4), tmp_path)


def findings(floor: WorkerFloor, code: str) -> list[Finding]:
    """Return the findings of a code, each once."""
    found = {}
    for record in floor.read("findings.v1"):
        finding = CODEC.decode(record.value, Finding)
        assert isinstance(finding, Finding)
        if finding.code == code:
            found[finding.id] = finding
    return list(found.values())


def letters(floor: WorkerFloor) -> list[dict[str, str]]:
    """Return the headers of the letters of records that could not be judged."""
    written: list[Any] = floor.read("deals.dead.v1")
    headers = [{name: value.decode() for name, value in each.headers} for each in written]
    return [each for each in headers if each["pitwatch.reason"] == "judge_error"]


@pytest.mark.timeout(240)
def test_a_record_that_ended_two_workers_is_set_aside_by_the_third(floor: WorkerFloor) -> None:
    events = list(floor_events(20, 4_000))
    events[2_000] = replace(events[2_000], body=CutCardReached())
    floor.write(events)
    for _ in range(2):
        worker = floor.start(program=ROW_MISSING)
        assert worker.process.wait(60) == BATCH_FAILED, worker.tail()
        assert letters(floor) == []
    worker = floor.start(program=ROW_MISSING)
    floor.wait_judged()
    worker.kill()
    (headers,) = letters(floor)
    assert "KeyError: 'event_out_of_place'" in headers["__connect.errors.exception.stacktrace"]
    (finding,) = findings(floor, "judge_error")
    place = (int(headers["__connect.errors.partition"]), int(headers["__connect.errors.offset"]))
    assert finding.detail == {"partition": place[0], "offset": place[1]}
    assert finding.events == (events[2_000].identity,)


@pytest.mark.timeout(240)
def test_deals_deleted_before_they_were_judged_are_told_of_each_table(floor: WorkerFloor) -> None:
    events = floor_events(20, 4_000)
    floor.write(events[:2_000])
    with floor.worker():
        floor.wait_judged()
    judged = floor.committed()
    floor.write(events[2_000:])
    ends = floor.ends()
    admin = KafkaAdminClient(bootstrap_servers=floor.floor.bootstrap)
    admin.delete_records(
        {TopicPartition(floor.name(DEALS), partition): end - 5 for partition, end in ends.items()}
    )
    admin.close()
    with floor.worker() as worker:
        until("all to be judged", lambda: floor.committed() == ends, 60)
        until(
            "the log to say so", lambda: worker.said("records were deleted before they were judged")
        )
    found = findings(floor, "deals_lost")
    assert {finding.table for finding in found} == {event.table for event in events}
    for finding in found:
        partition = floor.partition(finding.table)
        lost = {"first": judged[partition], "last": ends[partition] - 6}
        assert (finding.detail, finding.severity, finding.events) == (lost, "critical", ())
    alarms = [read(record.value) for record in floor.read("alarms.v1")]
    assert {each.table for each in alarms if each.code == "deals_lost"} == {
        event.table for event in events
    }


@pytest.mark.timeout(240)
def test_a_table_that_sends_only_garbage_is_quarantined_and_the_others_are_exact(
    floor: WorkerFloor,
) -> None:
    """Every partition has both: the garbage comes first, and the legal events between it."""
    events = floor_events(20, 4_000)
    garbage = [("deals.v1", n % 4, b"GARBAGE", b"no event %d" % n) for n in range(20_000)]
    floor.write_raw(garbage[:10_000])
    floor.write(events)
    floor.write_raw(garbage[10_000:])
    ends = {partition: end + 5_000 for partition, end in floor.ends().items()}
    with floor.worker() as worker:
        floor.wait_judged(ends)
        letters = worker.exact('pitwatch_dead_letters_total{reason="unknown_format"}')
        withheld = worker.exact('pitwatch_dead_letters_withheld_total{reason="unknown_format"}')
        assert letters + withheld == len(garbage)
        assert 20 < letters < len(garbage) / 10
        assert worker.metric("pitwatch_tables_quarantined") == 1
        floor.assert_judged()
