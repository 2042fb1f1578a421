"""What a historian tells Prometheus."""

import time
from collections.abc import Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge

from schemas.faults import REASONS
from streams.historian.rows import NO_VALUE, RECORDS

REFUSED: Final = "refused_by_database"
"""The reason of a record whose rows the database takes by no means."""

KINDS: Final = ("rounds", "findings", "alarms", "acts")


class HistorianMetrics:
    """All metrics of one historian, on a registry of its own; every series exists from the start.

    Args:
        version: the program's version.
    """

    def __init__(self, version: str) -> None:
        self.registry = CollectorRegistry()
        self._lag = self._gauge(
            "pitwatch_historian_lag_events",
            "Records of a topic that are not in the database yet.",
            "topic",
        )
        self._rows = self._total(
            "pitwatch_historian_rows_total", "Rows written, anew or again, by kind.", "kind"
        )
        self._deleted = self._total(
            "pitwatch_historian_deleted_rows_total", "Rows whose time was over, by kind.", "kind"
        )
        self._skipped = self._total(
            "pitwatch_historian_skipped_events_total",
            "Records that made no row, by reason.",
            "topic",
            "reason",
        )
        self._missed = self._total(
            "pitwatch_historian_missed_events_total",
            "Records that Kafka had deleted before they were read.",
            "topic",
        )
        self._committed = Gauge(
            "pitwatch_historian_commit_timestamp_seconds",
            "When rows and offsets were last committed.",
            registry=self.registry,
        )
        self._gauge("pitwatch_build_info", "The running version.", "version").labels(version).set(1)
        for topic in RECORDS:
            self._lag.labels(topic)
            self._missed.labels(topic)
            for reason in (*REASONS, NO_VALUE, REFUSED):
                self._skipped.labels(topic, reason)
        for kind in KINDS:
            self._rows.labels(kind)
            self._deleted.labels(kind)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(name, text, labels, registry=self.registry)

    def _total(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=self.registry)

    def lag(self, topic: str, records: int) -> None:
        """Say how many records of a topic are not read."""
        self._lag.labels(topic).set(records)

    def committed(self, rows: Mapping[str, int]) -> None:
        """Say that a batch is in the database."""
        for kind, count in rows.items():
            self._rows.labels(kind).inc(count)
        self._committed.set(time.time())

    def deleted(self, rows: Mapping[str, int]) -> None:
        """Say that rows were deleted."""
        for kind, count in rows.items():
            self._deleted.labels(kind).inc(count)

    def skipped(self, topic: str, reason: str) -> None:
        """Say that a record made no row."""
        self._skipped.labels(topic, reason).inc()

    def missed(self, topic: str, records: int) -> None:
        """Say that records were deleted before they were read."""
        self._missed.labels(topic).inc(records)
