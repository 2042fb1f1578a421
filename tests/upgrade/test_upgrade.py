"""From this release to a made-up next one and back, on a real broker.

What must stand in the end is the plain fold of the same events, whichever release judged them.
"""

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schemas.catalog import BY_NAME
from schemas.codec import CODEC
from schemas.compat import fingerprint_of
from schemas.faults import UNKNOWN_FINGERPRINT, CodecFault
from schemas.records import Alarm, DealEvent, Finding, OperatorCommand
from tests.alarm_records import order, read, signed
from tests.gateway_harness import line, published, running_gateway
from tests.kafka_fixtures import CreateFloor
from tests.shell_models import KEYS, floor_events, recorded
from tests.upgrade.next_release import PINNED, NextRelease, make_next_release, with_a_kind
from tests.worker_harness import DEALS, WORKER, RunningWorker, WorkerFloor, until

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.timeout(240)]

OPTIONS = ("--tick", "3600")
"""So that nothing but what is written changes a state."""
PINS = tuple(word for pin in PINNED for word in ("--write-version", pin))
EVENTS_PINNED = ("--write-version", "deal_event=1")
REBUILT = "state cannot be read, the table is judged again from its deals"
MARKS = {
    1: BY_NAME["deal_event"].newest.mark,
    2: fingerprint_of(with_a_kind()).to_bytes(8, "little"),
}
"""What the two versions of an event are known by in a record."""
CLEANED: dict[str, Any] = {"kind": "table_cleaned", "by": "night crew"}


@pytest.fixture(scope="module")
def next_release(tmp_path_factory: pytest.TempPathFactory) -> NextRelease:
    return make_next_release(tmp_path_factory.mktemp("next"))


@pytest.fixture
def floor(create_floor: CreateFloor, tmp_path: Path) -> Iterator[WorkerFloor]:
    made = WorkerFloor(create_floor(partitions=4), tmp_path)
    yield made
    for worker in made.workers:
        worker.kill()


def versions(floor: WorkerFloor) -> dict[str, int]:
    """Return the version of each table's last state."""
    last = {record.key: record.value for record in floor.read("changelog")}
    return {key.decode(): value[3] for key, value in last.items() if value.startswith(b"PWS")}


def rebuilt(worker: RunningWorker) -> set[str]:
    return {said["table"] for said in worker.said(REBUILT)}


def unreadable(floor: WorkerFloor) -> list[str]:
    """Return why workers could not read deals, in the order of their dead letters."""
    headers = [dict(letter.headers) for letter in floor.read("deals.dead.v1")]
    return [
        each["pitwatch.reason"].decode()
        for each in headers
        if each["__connect.errors.stage"] == b"VALUE_CONVERTER" and "__connect.errors.topic" in each
    ]


def stop(worker: RunningWorker) -> None:
    assert worker.terminate() == 0, worker.tail()


def test_workers_of_both_releases_share_a_floor_and_either_takes_over_from_the_other(
    floor: WorkerFloor, next_release: NextRelease
) -> None:
    events = floor_events(12, 9_000)

    def start(*options: str, program: Sequence[str] = WORKER) -> RunningWorker:
        worker = floor.start(*OPTIONS, *options, program=program)
        worker.wait_ready()
        return worker

    newer = next_release.program("worker")
    one, two = start(), start()
    floor.write(events[:2_000])
    floor.wait_judged()

    # The roll: one worker is of the next release, and reads what this one wrote.
    stop(one)
    one = start(*PINS, program=newer)
    floor.write(events[2_000:4_000])
    floor.wait_judged()
    upgraded = one.tables_shown()
    assert 0 < len(upgraded) < 12
    assert {table for table, version in versions(floor).items() if version == 2} == upgraded
    assert rebuilt(one) == rebuilt(two) == set()

    # It goes, and the one of this release that takes over reads its tables from their deals.
    stop(one)
    floor.write(events[4_000:6_000])
    floor.wait_judged()
    assert rebuilt(two) == upgraded
    floor.assert_exact()

    # All are of the next release.
    stop(two)
    one = start(*PINS, program=newer)
    floor.write(events[6_000:7_500])
    floor.wait_judged()
    assert set(versions(floor).values()) == {2}
    stop(one)

    # And back.
    two = start()
    floor.write(events[7_500:])
    floor.wait_judged()
    assert rebuilt(two) == set(versions(floor))
    floor.assert_exact()
    assert unreadable(floor) == []


def test_the_gateway_writes_a_new_kind_when_all_workers_can_read_it(
    floor: WorkerFloor, next_release: NextRelease
) -> None:
    """A worker that goes back beyond that sets the events aside, and they are not lost."""
    bootstrap, prefix = floor.floor.bootstrap, floor.floor.prefix
    gateway = next_release.program("gateway")
    newer = next_release.program("worker")
    deals = floor.name(DEALS)
    with running_gateway(
        floor.folder / "gate", bootstrap, prefix, *EVENTS_PINNED, program=gateway
    ) as gate:
        answer = gate.post(b"\n".join([line(1), line(2, **CLEANED)]))
        assert answer is not None
        (refused,) = answer.json()["rejected"]
        assert (refused["line"], refused["expected"]) == (2, "what deal_event v1 can hold")
        until("the event to be published", gate.drained)
        assert gate.terminate() == 0
    own = floor.start(*OPTIONS)
    until("it to be judged", lambda: floor.states().keys() == {"CS-01"})
    stop(own)

    own = floor.start(*OPTIONS, program=newer)
    with running_gateway(floor.folder / "gate", bootstrap, prefix, program=gateway) as gate:
        answer = gate.post(b"\n".join([line(2, **CLEANED), line(3)]))
        assert answer is not None
        assert answer.status_code == 202, answer.text
        until("both to be published", gate.drained)
        until("both to be judged", lambda: sum(floor.committed().values()) == 3)
    assert [record.value[2:10] for record in published(bootstrap, deals)] == [
        MARKS[1],
        MARKS[2],
        MARKS[2],
    ]
    assert unreadable(floor) == []
    stop(own)

    own = floor.start(*OPTIONS)
    until("two letters", lambda: unreadable(floor) == [UNKNOWN_FINGERPRINT] * 2)
    until("all to be done", lambda: sum(floor.committed().values()) == 3)
    stop(own)

    # Its own state is the older one, so that the next release goes on from the one it had.
    own = floor.start(*OPTIONS, program=newer)
    own.wait_ready()
    assert own.said("older states stood over newer ones and were replaced")
    replay = [*next_release.program("dlq"), "replay", "--bootstrap", bootstrap]
    replay += ["--topic-prefix", prefix, "--application", floor.floor.application]
    done = subprocess.run([*replay, "--format", "json"], capture_output=True, text=True, check=True)
    fates = json.loads(done.stdout)
    assert (fates["replayed"], fates["applied"], fates["rest"]) == (0, 3, 0)


def test_what_the_next_release_writes_is_read_by_this_one_until_it_is_told_otherwise(
    floor: WorkerFloor, next_release: NextRelease, tmp_path: Path
) -> None:
    """Ticks, findings and answers to acts, which workers, consoles and historians read."""
    recording = recorded("fc-deal-order")
    opened = next(place for place, each in enumerate(recording) if each.body.kind == "card_dealt")
    newer = next_release.program("worker")
    keys = ("--command-key", f"console:{KEYS['console'].hex()}")
    floor.write(floor_events(7, 3_000))
    floor.write(list(recording[: opened + 1]))
    options = ("--tick", "0.3", *keys)
    own = floor.start(*options, *PINS, program=newer)
    until("ticks", lambda: len(floor.read(DEALS)) > len(floor.written) + 2)
    alarm = next(each for each in map(read, values(floor, "alarms.v1")) if each.closed_at is None)
    act = order("comment", "act-1", table=alarm.table, alarm=alarm.id, at=alarm.last_at, note="x")
    floor.write_raw([("commands.v1", *place_of(floor, act), signed(act, KEYS["console"]))])
    until("the act to be answered", lambda: answers(floor) == {"act-1": True})
    stop(own)
    for topic, struct in (("findings.v1", Finding), (DEALS, DealEvent), ("alarms.v1", Alarm)):
        assert unknown(values(floor, topic), struct) == 0

    own = floor.start(*options, program=newer)
    floor.write([replace(each, table="FC-99") for each in recording])
    until("findings of version 2", lambda: unknown(values(floor, "findings.v1"), Finding) > 0)


def values(floor: WorkerFloor, topic: str) -> list[bytes]:
    return [record.value for record in floor.read(topic) if record.value is not None]


def place_of(floor: WorkerFloor, act: OperatorCommand) -> tuple[int, bytes]:
    return floor.partition(act.table), act.table.encode()


def answers(floor: WorkerFloor) -> dict[str, bool]:
    """Return whether each act that was answered was accepted."""
    said = [alarm.answer for alarm in map(read, values(floor, "alarms.v1"))]
    return {answer.command: answer.accepted for answer in said if answer is not None}


def unknown(records: list[bytes], struct: type[Finding | DealEvent | Alarm]) -> int:
    """Return how many records are of a version that this release does not know."""
    decoded = [CODEC.decode(value, struct) for value in records]
    faults = [each for each in decoded if isinstance(each, CodecFault)]
    assert {fault.reason for fault in faults} <= {UNKNOWN_FINGERPRINT}
    return len(faults)
