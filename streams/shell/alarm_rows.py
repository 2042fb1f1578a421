"""What a worker tells Prometheus of alarms: how they stand, and how long they wait for an answer.

An alarm waits from when it asks for an answer until a person gives one, by acknowledging it or by
taking it out of sight. How long it waits is told by the worker's clock, for an alarm cannot be
answered before the worker has made it. Of one that was read back only its findings' times are
known: it waits since it was first raised or, where it was answered before, since its last finding.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry, Histogram, Metric
from prometheus_client import Counter as Total
from prometheus_client.core import GaugeMetricFamily

from schemas.times import MICROS_IN_SECOND
from streams.core.alarms.alarm import NORMAL, STATES, TO_ANSWER, Alarm
from streams.core.alarms.commands import ACKNOWLEDGE
from streams.core.alarms.table_alarms import TableAlarms
from streams.core.book import SEVERITIES

ANSWER_SECONDS: Final = (
    *(10.0, 30.0, 60.0, 120.0, 300.0),
    *(600.0, 1_800.0, 3_600.0, 14_400.0, 28_800.0),
)
"""Upper bounds of the time to an answer: at once to a shift, with a bound on each alert's limit."""

NOT_A_TIME: Final = float("nan")
"""The time of an alarm that there is none of; every comparison with it is false."""


States = Iterable[tuple[tuple[int, bytes], TableAlarms]]
"""Alarms of tables, each by its partition and key."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One table's alarms; ``waiting`` has the Unix second since when an alarm waits, by its id."""

    partition: int
    alarms: tuple[Alarm, ...]
    waiting: Mapping[str, float]


class AlarmRows:
    """The alarms of the tables whose partitions this worker owns.

    Args:
        registry: of the worker.
        now: tells the time in Unix seconds.
    """

    def __init__(self, registry: CollectorRegistry, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._rows: dict[bytes, _Row] = {}
        self._raised = Total(
            "pitwatch_alarms_raised_total",
            "Alarms that began to ask for an answer, new or again.",
            ["severity"],
            registry=registry,
        )
        self._answers = Histogram(
            "pitwatch_alarm_answer_seconds",
            "How long alarms asked for an answer until a person gave it.",
            ["severity"],
            buckets=ANSWER_SECONDS,
            registry=registry,
        )
        for severity in SEVERITIES:
            self._raised.labels(severity)
            self._answers.labels(severity)
        registry.register(self)

    def read_back(self, states: States) -> None:
        """Keep the alarms of tables whose states were read back; nothing of it is new."""
        for (partition, key), table in states:
            waiting = {
                alarm.id: _asked_at(alarm) / MICROS_IN_SECOND
                for alarm in table.alarms
                if alarm.state in TO_ANSWER
            }
            self._keep(key, _Row(partition, table.alarms, waiting))

    def show(self, states: States) -> None:
        """Keep the newest alarms of tables, and count what began to wait and what was answered."""
        now = self._now()
        for (partition, key), table in states:
            before = self._rows.get(key)
            if before is None and not table.alarms:
                continue
            asked = {} if before is None else before.waiting
            waiting = {}
            for alarm in table.alarms:
                since = asked.get(alarm.id)
                if alarm.state in TO_ANSWER:
                    if since is None:
                        self._raised.labels(alarm.severity).inc()
                    waiting[alarm.id] = now if since is None else since
                elif since is not None:
                    self._answers.labels(alarm.severity).observe(max(0.0, now - since))
            self._keep(key, _Row(partition, table.alarms, waiting))

    def keep(self, partitions: Iterable[int]) -> None:
        """Forget the tables of all partitions but these."""
        kept = frozenset(partitions)
        for key, row in list(self._rows.items()):
            if row.partition not in kept:
                self._rows.pop(key, None)

    def collect(self) -> Iterator[Metric]:
        """Yield the families for a scrape."""
        # list() of a dict is one step under the interpreter's lock; the worker goes on meanwhile
        rows = list(self._rows.values())
        family = GaugeMetricFamily(
            "pitwatch_alarms", "Alarms that are not closed.", labels=["state", "severity"]
        )
        counts = Counter((alarm.state, alarm.severity) for row in rows for alarm in row.alarms)
        for state in STATES:
            if state != NORMAL:
                for severity in SEVERITIES:
                    family.add_metric([state, severity], counts[state, severity])
        oldest = GaugeMetricFamily(
            "pitwatch_oldest_unanswered_alarm_timestamp_seconds",
            "Since when the alarm that waits longest asks for an answer; NaN while none does.",
            labels=["severity"],
        )
        for severity in SEVERITIES:
            since = (
                row.waiting[alarm.id]
                for row in rows
                for alarm in row.alarms
                if alarm.severity == severity and alarm.id in row.waiting
            )
            oldest.add_metric([severity], min(since, default=NOT_A_TIME))
        yield from (family, oldest)

    def _keep(self, key: bytes, row: _Row) -> None:
        if row.alarms:
            self._rows[key] = row
        else:
            self._rows.pop(key, None)


def _asked_at(alarm: Alarm) -> int:
    """Return since when an alarm that was read back waits, microseconds."""
    answered_before = any(act.act == ACKNOWLEDGE for act in alarm.acts)
    return alarm.last_at if answered_before else alarm.raised_at
