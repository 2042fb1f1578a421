"""What a worker tells Prometheus: counts per batch, never per event, and a row for each table.

Every label set known from the rulebook exists from the start with 0, for the first increase of a
series that appears with its first count is invisible to ``increase()``. The series of a table are
read from the rows at scrape time, so they leave with the row when its partition leaves.
"""

import threading
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry, Gauge, Metric
from prometheus_client import Counter as Total
from prometheus_client.core import (
    GaugeMetricFamily,
    HistogramMetricFamily,
    UnknownMetricFamily,
)

from schemas.times import MICROS_IN_SECOND
from streams.core.book import Book
from streams.core.events import GAMES, KINDS
from streams.core.receipts import heard_at
from streams.core.views import TableView
from streams.shell.alarm_rows import AlarmRows

SECONDS: Final = (
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
    60.0,
    600.0,
    3600.0,
)
"""Upper bounds of the delays: from a floor at its pace to a backlog of an hour."""

JUDGE_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
"""Upper bounds of the time a batch takes: one event to 2,000."""

NO_GAME: Final = "none"
"""The game of a table that has not said its game."""

STATES: Final = ("starting", "recovering", "judging", "stopping")
"""What a worker is doing; exactly one is 1."""

RIGHTS_FILES: Final = ("floor", "command_keys")
"""The files that say who may do what."""


class BatchHistogram:
    """A histogram that takes a whole batch of seconds under one lock."""

    def __init__(self, name: str, text: str, bounds: Sequence[float]) -> None:
        self._name = name
        self._text = text
        self._bounds = tuple(bounds)
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0
        self._lock = threading.Lock()

    def observe(self, seconds: Sequence[float]) -> None:
        """Count every one of ``seconds``."""
        ordered = sorted(seconds)
        below = 0
        counts = []
        for bound in self._bounds:
            upto = bisect_right(ordered, bound)
            counts.append(upto - below)
            below = upto
        counts.append(len(ordered) - below)
        with self._lock:
            self._sum += sum(ordered)
            for place, count in enumerate(counts):
                self._counts[place] += count

    def collect(self) -> Iterator[Metric]:
        """Yield the family for a scrape."""
        with self._lock:
            counts, total = list(self._counts), self._sum
        running = 0
        buckets = []
        for bound, count in zip((*self._bounds, float("inf")), counts, strict=True):
            running += count
            buckets.append(("+Inf" if bound == float("inf") else repr(float(bound)), running))
        family = HistogramMetricFamily(self._name, self._text)
        family.add_metric([], buckets=buckets, sum_value=total)
        yield family


@dataclass(frozen=True, slots=True)
class TableRow:
    """What the metrics say of one table.

    ``last_seen`` is the gateway's time of its last event, the device's where there is none: how
    long a table is silent is not for a device's clock to say. Microseconds.
    """

    partition: int
    game: str
    open: bool
    rounds_since_stub_count: int | None
    standing: Counter[str]
    last_seen: int


class TableRows:
    """The rows of the tables whose partitions this worker owns."""

    def __init__(self, codes: Iterable[str]) -> None:
        self._codes = tuple(codes)
        self._rows: dict[str, TableRow] = {}

    def show(self, partition: int, views: Iterable[TableView]) -> None:
        """Keep the newest row of each table of a partition."""
        for view in views:
            self._rows[view.table] = TableRow(
                partition=partition,
                game=view.game or NO_GAME,
                open=view.open,
                rounds_since_stub_count=view.rounds_since_stub_count,
                standing=Counter(standing.code for standing in view.standing),
                last_seen=heard_at(view),
            )

    def keep(self, partitions: Iterable[int]) -> None:
        """Forget the tables of all partitions but these."""
        kept = frozenset(partitions)
        for table, row in list(self._rows.items()):
            if row.partition not in kept:
                self._rows.pop(table, None)

    def collect(self) -> Iterator[Metric]:
        """Yield the families of the tables for a scrape."""
        # list() of a dict is one step under the interpreter's lock; the worker goes on meanwhile
        rows = list(self._rows.items())
        # of no type: promtool takes a gauge whose name ends so for a part of a histogram
        stub = UnknownMetricFamily(
            "pitwatch_rounds_since_stub_count",
            "Rounds closed since the stub was last counted, where the game counts one.",
            labels=["table"],
        )
        last = GaugeMetricFamily(
            "pitwatch_last_event_timestamp_seconds",
            "When the table's last event was received; the device's time where nobody told.",
            labels=["table"],
        )
        opened = GaugeMetricFamily(
            "pitwatch_table_open", "1 while the table is open.", labels=["table", "game"]
        )
        standing: Counter[str] = Counter(dict.fromkeys(self._codes, 0))
        for table, row in rows:
            if row.rounds_since_stub_count is not None:
                stub.add_metric([table], row.rounds_since_stub_count)
            last.add_metric([table], row.last_seen / MICROS_IN_SECOND)
            opened.add_metric([table, row.game], int(row.open))
            standing.update(row.standing)
        total = GaugeMetricFamily(
            "pitwatch_findings_standing", "Findings that stand at the tables.", labels=["code"]
        )
        for code, count in sorted(standing.items()):
            total.add_metric([code], count)
        yield from (stub, last, opened, total)


class Lag:
    """The lag of each owned partition, asked for at scrape time."""

    def __init__(self, read: Callable[[], Mapping[int, int]]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        """Yield the family for a scrape."""
        family = GaugeMetricFamily(
            "pitwatch_partition_lag_events",
            "Records of the deal topic that are not judged yet.",
            labels=["partition"],
        )
        for partition, lag in sorted(self._read().items()):
            family.add_metric([str(partition)], lag)
        yield family


class WorkerMetrics:
    """All metrics of one worker, on a registry of its own.

    Args:
        book: the rulebook, whose codes are the labels of findings.
        version: the program's version.
        reasons: the reasons of dead letters that are known from the start.
    """

    def __init__(self, book: Book, version: str, reasons: Iterable[str]) -> None:
        self.registry = CollectorRegistry()
        self.tables = TableRows(
            code for code, rule in sorted(book.rules.items()) if rule.state == "standing"
        )
        self.age = BatchHistogram(
            "pitwatch_event_age_seconds", "Device time to judged, per event.", SECONDS
        )
        self.delay = BatchHistogram(
            "pitwatch_judged_delay_seconds", "Gateway's receipt to judged, per event.", SECONDS
        )
        self.judge = BatchHistogram(
            "pitwatch_judge_seconds", "Read, judged and acknowledged, per batch.", JUDGE_SECONDS
        )
        self.alarms = AlarmRows(self.registry)
        for collector in (self.tables, self.age, self.delay, self.judge):
            self.registry.register(collector)
        self.events = self._total(
            "pitwatch_events_total", "Events read and applied.", ["game", "kind"]
        )
        self.findings = self._total(
            "pitwatch_findings_total",
            "Findings raised.",
            ["game", "code", "class", "severity"],
        )
        self.rounds = self._total("pitwatch_rounds_closed_total", "Rounds ended.", ["game"])
        self.dead_letters = self._total(
            "pitwatch_dead_letters_total", "Records set aside, by reason.", ["reason"]
        )
        self.withheld = self._total(
            "pitwatch_dead_letters_withheld_total",
            "Unreadable records of quarantined tables that became no dead letter, by reason.",
            ["reason"],
        )
        self.judged_again = self._total(
            "pitwatch_tables_judged_again_total",
            "Tables whose state could not be read: damaged, or written by a newer version.",
        )
        self.quarantined = self._gauge(
            "pitwatch_tables_quarantined", "Tables whose records are mostly unreadable."
        )
        self.duplicates = self._total("pitwatch_duplicates_total", "Events seen before.")
        self.gaps = self._total("pitwatch_sequence_gaps_total", "Jumps in a source's sequence.")
        self.late = self._total("pitwatch_late_events_total", "Events older than their source.")
        self.reload_failures = self._total(
            "pitwatch_reload_failures_total",
            "Changed files of rights that could not be used; what they said before holds.",
            ["file"],
        )
        self.progress = self._gauge(
            "pitwatch_progress_timestamp_seconds", "When judging last came forward or had no lag."
        )
        self.recovery = self._gauge(
            "pitwatch_recovery_seconds", "How long the last reading back of states took."
        )
        self.state = self._gauge(
            "pitwatch_worker_state", "1 for what the worker is doing.", ["state"]
        )
        self._gauge("pitwatch_build_info", "The running version.", ["version"]).labels(version).set(
            1
        )
        self._start(book, reasons)
        self.enter("starting")

    def _total(self, name: str, text: str, labels: Sequence[str] = ()) -> Total:
        return Total(name, text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, labels: Sequence[str] = ()) -> Gauge:
        return Gauge(name, text, labels, registry=self.registry)

    def _start(self, book: Book, reasons: Iterable[str]) -> None:
        for game in (*GAMES, NO_GAME):
            self.rounds.labels(game)
            for kind in KINDS:
                self.events.labels(game, kind)
        for code, rule in book.rules.items():
            for game in (*rule.games, NO_GAME):
                self.findings.labels(game, code, rule.class_, rule.severity)
        for reason in reasons:
            self.dead_letters.labels(reason)
            self.withheld.labels(reason)
        for file in RIGHTS_FILES:
            self.reload_failures.labels(file)

    def watch_lag(self, read: Callable[[], Mapping[int, int]]) -> None:
        """Ask ``read`` for each partition's lag at every scrape."""
        self.registry.register(Lag(read))

    def enter(self, state: str) -> None:
        """Say what the worker is doing: one of ``STATES``."""
        for name in STATES:
            self.state.labels(name).set(int(name == state))

    def came_forward(self) -> None:
        """Say that judging came forward or that there is nothing to judge."""
        self.progress.set(time.time())
