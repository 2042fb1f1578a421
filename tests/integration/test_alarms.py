"""Alarms on a real broker: what is planted becomes one, an act is answered, a kill changes nothing.

What must stand on the topic is what the plain fold makes of the same deals and commands.
"""

import random
from collections import defaultdict
from itertools import cycle
from pathlib import Path

import pytest

from schemas.codec import CODEC
from schemas.records import Alarm, AlarmAnswer, OperatorCommand
from streams.core.alarms.alarm import Alarm as CoreAlarm
from streams.core.events import Event
from tests.alarm_records import folded, order, read, signed, written
from tests.kafka_fixtures import CreateFloor
from tests.shell_models import KEYS, book, by_table, floor_events
from tests.worker_harness import VERSION, RunningWorker, WorkerFloor, until

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

ALARMS = "alarms.v1"
COMMANDS = "commands.v1"
DEAD = "deals.dead.v1"
OPTIONS = (
    *("--instance-id", "worker-0", "--tick", "3600"),
    *("--command-key", f"console:{KEYS['console'].hex()}"),
)
SMALL_FETCHES = ("--fetch", "200")
Told = dict[str, list[Event | OperatorCommand]]


@pytest.fixture
def floor(create_floor: CreateFloor, tmp_path: Path) -> WorkerFloor:
    return WorkerFloor(create_floor(partitions=4), tmp_path)


def alarms_of(floor: WorkerFloor) -> list[tuple[bytes, bytes | None]]:
    return [(record.key, record.value) for record in floor.read(ALARMS)]


def ask(floor: WorkerFloor, said: list[OperatorCommand]) -> None:
    floor.write_raw(
        [
            (COMMANDS, floor.partition(each.table), each.table.encode(), _bytes(each))
            for each in said
        ]
    )


def _bytes(command: OperatorCommand) -> bytes:
    return signed(command, KEYS["console"])


def answered(floor: WorkerFloor, said: list[OperatorCommand]) -> bool:
    """Say whether each command was answered by an alarm."""
    answers = {alarm.answer.command for alarm in map(read, values(floor)) if alarm.answer}
    return {each.id for each in said} <= answers


def values(floor: WorkerFloor) -> list[bytes]:
    return [value for _, value in alarms_of(floor) if value is not None]


def expected(told: Told) -> list[tuple[bytes, bytes | None]]:
    return [
        each for own in told.values() for each in written(folded(own, book())[1], book(), VERSION)
    ]


def assert_the_plain_fold(floor: WorkerFloor, told: Told) -> None:
    """Assert that the topic holds what the fold gives, and of each alarm the same last."""
    floor.assert_alarms(expected(told))


def work_through(
    floor: WorkerFloor, events: list[Event], told: Told, chance: random.Random
) -> None:
    """Write events, kill the worker within them, and have another finish."""
    for table, own in by_table(events).items():
        told[table] += own
    first = floor.start(*OPTIONS, *SMALL_FETCHES)
    first.wait_ready()
    floor.write(events)
    wait_batches(first, chance.randrange(1, 5))
    first.kill()


def wait_batches(worker: RunningWorker, count: int) -> None:
    until("its batches", lambda: worker.metric("pitwatch_judge_seconds_count") >= count)


def acts_for(alarms: list[CoreAlarm], chance: random.Random) -> list[OperatorCommand]:
    """Return acts of every kind for alarms, some of which are refused."""
    kinds = cycle(["acknowledge", "shelve", "comment", "out_of_service", "unshelve"])
    said = []
    for number, (alarm, act) in enumerate(zip(alarms, kinds, strict=False)):
        at = alarm.last_at + 1_000_000
        said.append(
            order(
                act,
                f"act-{number}",
                table=alarm.table,
                alarm=alarm.id,
                role=chance.choice(["viewer", "operator", "surveillance", "admin"]),
                at=at,
                until=at + 3_600_000_000 if act == "shelve" else None,
                note="seen" if act in ("shelve", "comment") else None,
            )
        )
    return said


def test_killed_between_findings_and_acts_it_loses_and_repeats_nothing(floor: WorkerFloor) -> None:
    chance = random.Random(6)
    events = floor_events(28, 9_000)
    told: Told = defaultdict(list)

    work_through(floor, events[:5_000], told, chance)
    with floor.worker(*OPTIONS):
        floor.wait_judged()
    assert_the_plain_fold(floor, told)

    stand = [alarm for own in told.values() for alarm in folded(own, book())[0].alarms]
    assert len({alarm.code for alarm in stand}) > 2
    said = acts_for(stand, chance)
    for each in said:
        told[each.table].append(each)
    worker = floor.start(*OPTIONS)
    worker.wait_ready()
    floor.acts = True
    ask(floor, said)
    until("the first answer", lambda: answered(floor, said[:1]))
    worker.kill()
    with floor.worker(*OPTIONS):
        until("all answers", lambda: answered(floor, said))
    assert_the_plain_fold(floor, told)
    answers = {
        alarm.answer.command: alarm.answer
        for alarm in map(read, values(floor))
        if alarm.answer is not None
    }
    assert {each.accepted for each in answers.values()} == {True, False}

    work_through(floor, events[5_000:], told, chance)
    with floor.worker(*OPTIONS) as last:
        floor.wait_judged()
        floor.assert_exact()
        assert_the_plain_fold(floor, told)
        shown = last.metric("pitwatch_alarms")
    still = [alarm for own in told.values() for alarm in folded(own, book())[0].alarms]
    assert shown == sum(alarm.closed_at is None for alarm in still) > 0
    assert floor.read(DEAD) == [] or {_reason(each) for each in floor.read(DEAD)} <= {
        "late_event",
        "conflicting_event",
    }


def test_a_finding_is_an_alarm_that_a_signed_act_closes_and_no_other(floor: WorkerFloor) -> None:
    events = floor_events(4, 2_000)
    with floor.worker(*OPTIONS) as worker:
        worker.wait_ready()
        floor.write(events)
        floor.wait_judged()
        alarm = next(each for each in map(read, values(floor)) if each.code == "deal_order")
        fields = {"table": alarm.table, "alarm": alarm.id, "at": alarm.last_at + 1_000_000}
        act = order("acknowledge", "signed", **fields)
        partition, key = floor.partition(alarm.table), alarm.table.encode()
        strangers = [
            CODEC.encode(order("acknowledge", "unsigned", **fields)),
            signed(order("acknowledge", "forged", **fields), b"another key of 32 bytes, guessed"),
            signed(order("acknowledge", "strange", key="theirs", **fields), KEYS["console"]),
            signed(order("acknowledge", "lost", **fields | {"alarm": "f" * 32}), KEYS["console"]),
        ]
        floor.write_raw([(COMMANDS, partition, key, value) for value in [*strangers, _bytes(act)]])
        until("the answer", lambda: answered(floor, [act]))
        done = [each for each in map(read, values(floor)) if each.id == alarm.id][-1]
        assert isinstance(done, Alarm)
        assert done.answer == AlarmAnswer("signed", True, None)
        assert (done.state, done.acknowledged_by) == ("normal", "ada")
        assert [each.command for each in done.acts] == ["signed"]
        letters = [each for each in floor.read(DEAD) if each.value in strangers]
        assert [_reason(each) for each in letters] == [
            "unsigned_command",
            "wrong_signature",
            "unknown_key",
            "unknown_alarm",
        ]
        assert {each.key for each in letters} == {key}
        assert (b"f" * 32, None) in alarms_of(floor)


def _reason(letter: object) -> str:
    headers: list[tuple[str, bytes]] = getattr(letter, "headers")  # noqa: B009  kafka-python is untyped
    return dict(headers)["pitwatch.reason"].decode()
