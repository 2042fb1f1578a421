"""What a worker tells of its alarms: how they stand, how long they wait, and what is answered."""

import math

import pytest
from prometheus_client import CollectorRegistry

from streams.core.alarms.table_alarms import NO_ALARMS, TableAlarms
from streams.shell.alarm_rows import AlarmRows
from tests.alarm_scene import (
    CRITICAL,
    MINUTE,
    POINT,
    SECOND,
    STANDING,
    START,
    Scene,
    acknowledge,
    finding,
    shelve,
)

OLDEST = "pitwatch_oldest_unanswered_alarm_timestamp_seconds"
RAISED = "pitwatch_alarms_raised_total"
ANSWERED = "pitwatch_alarm_answer_seconds_count"
WAITED = "pitwatch_alarm_answer_seconds_sum"
DEVICE = START / SECOND
"""The device's time of the first finding, in seconds; the worker's clock says another."""


class Shown:
    """A worker's rows of one table, at a time."""

    def __init__(self) -> None:
        self.at = 1_000.0
        self.registry = CollectorRegistry()
        self.rows = AlarmRows(self.registry, lambda: self.at)

    def show(self, alarms: TableAlarms, at: float) -> None:
        self.at = at
        self.rows.show([((3, b"CS-03"), alarms)])

    def read_back(self, alarms: TableAlarms) -> None:
        self.rows.read_back([((3, b"CS-03"), alarms)])

    def value(self, name: str, severity: str) -> float:
        found = self.registry.get_sample_value(name, {"severity": severity})
        assert found is not None, f"{name} of {severity} is not exposed"
        return found


@pytest.fixture
def shown() -> Shown:
    return Shown()


@pytest.mark.parametrize("severity", ["critical", "high", "medium", "low"])
def test_each_severity_is_told_from_the_start(shown: Shown, severity: str) -> None:
    assert shown.value(RAISED, severity) == 0
    assert shown.value(ANSWERED, severity) == 0
    assert math.isnan(shown.value(OLDEST, severity))


def test_an_alarm_waits_since_the_worker_made_it_however_often_it_is_raised(shown: Shown) -> None:
    scene = Scene()
    scene.raise_(finding(CRITICAL))
    shown.show(scene.alarms, 1_000.0)
    scene.raise_(finding(CRITICAL, 2))
    shown.show(scene.alarms, 1_090.0)
    assert shown.value(OLDEST, "critical") == 1_000
    assert shown.value(RAISED, "critical") == 1
    assert math.isnan(shown.value(OLDEST, "medium"))


def test_an_answer_is_counted_with_how_long_it_took(shown: Shown) -> None:
    scene = Scene()
    scene.raise_(finding())
    shown.show(scene.alarms, 1_000.0)
    acknowledge(scene)
    shown.show(scene.alarms, 1_042.5)
    assert math.isnan(shown.value(OLDEST, "medium"))
    assert shown.value(ANSWERED, "medium") == 1
    assert shown.value(WAITED, "medium") == 42.5
    shown.show(scene.alarms, 1_100.0)
    assert shown.value(ANSWERED, "medium") == 1


def test_shelving_is_an_answer_and_the_end_of_it_asks_anew(shown: Shown) -> None:
    scene = Scene()
    scene.raise_(finding())
    shown.show(scene.alarms, 1_000.0)
    shelve(scene, until=START + 30 * MINUTE)
    shown.show(scene.alarms, 1_010.0)
    assert shown.value(ANSWERED, "medium") == 1
    scene.tell(START + 31 * MINUTE)
    shown.show(scene.alarms, 2_800.0)
    assert shown.value(OLDEST, "medium") == 2_800
    assert shown.value(RAISED, "medium") == 2


def test_an_alarm_that_returned_still_waits(shown: Shown) -> None:
    scene = Scene()
    cause = finding(STANDING)
    scene.raise_(cause)
    shown.show(scene.alarms, 1_000.0)
    assert scene.clear(cause, START + MINUTE).state == "returned_unacknowledged"
    shown.show(scene.alarms, 1_060.0)
    assert shown.value(OLDEST, "high") == 1_000
    assert shown.value(RAISED, "high") == 1


def test_the_oldest_of_a_severity_is_told(shown: Shown) -> None:
    scene = Scene()
    scene.raise_(finding(CRITICAL))
    shown.show(scene.alarms, 1_000.0)
    scene.raise_(finding("duplicate_card", 2))
    shown.show(scene.alarms, 1_030.0)
    acknowledge(scene, code=CRITICAL, role="surveillance")
    shown.show(scene.alarms, 1_060.0)
    assert shown.value(OLDEST, "critical") == 1_030


def test_what_is_read_back_waits_since_it_was_raised_and_is_not_counted(shown: Shown) -> None:
    scene = Scene()
    scene.raise_(finding())
    scene.raise_(finding(number=2, at=START + MINUTE))
    shown.read_back(scene.alarms)
    assert shown.value(OLDEST, "medium") == DEVICE
    assert shown.value(RAISED, "medium") == 0
    shown.show(scene.alarms, DEVICE + 90)
    assert shown.value(OLDEST, "medium") == DEVICE
    assert shown.value(RAISED, "medium") == 0


def test_what_was_answered_before_it_was_read_back_waits_since_its_last_finding(
    shown: Shown,
) -> None:
    scene = Scene()
    cause = finding(STANDING)
    scene.raise_(cause)
    acknowledge(scene, code=STANDING)
    again = finding(STANDING, 2, at=START + 8 * MINUTE)
    scene.raise_(again)
    shown.read_back(scene.alarms)
    assert shown.value(OLDEST, "high") == DEVICE + 480


def test_alarms_leave_with_their_partition_and_with_the_last_of_them(shown: Shown) -> None:
    scene = Scene()
    scene.raise_(finding(POINT))
    shown.show(scene.alarms, 1_000.0)
    shown.rows.keep({3})
    assert shown.value(OLDEST, "medium") == 1_000
    shown.show(NO_ALARMS, 1_010.0)
    assert math.isnan(shown.value(OLDEST, "medium"))
    shown.show(scene.alarms, 1_020.0)
    shown.rows.keep({4})
    assert math.isnan(shown.value(OLDEST, "medium"))
    shown.show(NO_ALARMS, 1_030.0)
    assert math.isnan(shown.value(OLDEST, "medium"))
