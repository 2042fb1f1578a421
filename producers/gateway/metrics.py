"""What the gateway counts, in a registry of its own.

Every label has a fixed set of values, and each series begins at 0 so that its first increase is
seen by PromQL's `increase`.
"""

from collections.abc import Callable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from producers.gateway.connections import CUT
from producers.gateway.gate import TURNED
from producers.gateway.protocol import REASONS
from producers.gateway.spool import DAMAGE
from schemas.times import MICROS_IN_SECOND

STATUSES: Final = (202, 400, 401, 403, 404, 405, 408, 413, 415, 429, 503)
WATCHED_FILES: Final = ("signing_key", "device_tokens", "certificate")
SYNC_BUCKETS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
NOT_A_TIME: Final = float("nan")
"""The value of a time that there is none of; every comparison with it is false."""


class GatewayMetrics:
    """The gateway's metrics; every method may be called from any thread."""

    def __init__(self, version: str) -> None:
        self.registry = CollectorRegistry()
        self._accepted = Counter(
            "pitwatch_gateway_accepted",
            "Events accepted: on the disk, and the device told so.",
            registry=self.registry,
        )
        self._published = Counter(
            "pitwatch_gateway_published",
            "Events that Kafka has acknowledged.",
            registry=self.registry,
        )
        self._duplicates = Counter(
            "pitwatch_gateway_duplicates",
            "Events that a device sent again and the gateway still knew.",
            registry=self.registry,
        )
        self._rejected = Counter(
            "pitwatch_gateway_rejected",
            "Lines refused, and spooled entries that the disk did not keep; each a dead letter.",
            ["reason"],
            registry=self.registry,
        )
        self._requests = Counter(
            "pitwatch_gateway_requests",
            "Requests answered but those for health and metrics, by status.",
            ["status"],
            registry=self.registry,
        )
        self._turned_away = Counter(
            "pitwatch_gateway_turned_away",
            "Requests of devices that were not let in, or said too much, by reason.",
            ["reason"],
            registry=self.registry,
        )
        self._cut = Counter(
            "pitwatch_gateway_connections_cut",
            "Connections that the gateway ended before their devices did, by reason.",
            ["reason"],
            registry=self.registry,
        )
        self._resent = Counter(
            "pitwatch_gateway_resent",
            "Entries sent again because a producer was lost before they were acknowledged.",
            registry=self.registry,
        )
        self._given_up = Counter(
            "pitwatch_gateway_dead_letters_given_up",
            "Dead letters that Kafka did not take while it took events, and that are lost.",
            registry=self.registry,
        )
        self._late = Counter(
            "pitwatch_gateway_late_events",
            "Events of a table with several sources that came after their place was published.",
            registry=self.registry,
        )
        self._spooled = Gauge(
            "pitwatch_gateway_spooled_events",
            "Events and dead letters on the disk that Kafka has not acknowledged.",
            registry=self.registry,
        )
        self._oldest = Gauge(
            "pitwatch_gateway_oldest_spooled_timestamp_seconds",
            "When the oldest of them was received; NaN while there is none.",
            registry=self.registry,
        )
        self._spool_bytes = Gauge(
            "pitwatch_gateway_spool_bytes",
            "Bytes that the spool takes.",
            registry=self.registry,
        )
        self._commit_seconds = Histogram(
            "pitwatch_gateway_commit_seconds",
            "How long a write to the spool took, with its sync.",
            buckets=SYNC_BUCKETS,
            registry=self.registry,
        )
        self._reload_failures = Counter(
            "pitwatch_reload_failures",
            "Changed files of keys and devices that could not be used; what they said holds.",
            ["file"],
            registry=self.registry,
        )
        build = Gauge(
            "pitwatch_build_info",
            "1, with the program's version.",
            ["version"],
            registry=self.registry,
        )
        build.labels(version).set(1)
        for reason in (*REASONS, DAMAGE):
            self._rejected.labels(reason)
        for status in STATUSES:
            self._requests.labels(str(status))
        for reason in TURNED:
            self._turned_away.labels(reason)
        for reason in CUT:
            self._cut.labels(reason)
        for file in WATCHED_FILES:
            self._reload_failures.labels(file)

    def watch(self, *, oldest: Callable[[], int | None], spool_bytes: Callable[[], int]) -> None:
        """Read these at each scrape: a time in microseconds, and a number of bytes."""

        def oldest_seconds() -> float:
            received = oldest()
            return NOT_A_TIME if received is None else received / MICROS_IN_SECOND

        self._oldest.set_function(oldest_seconds)
        self._spool_bytes.set_function(spool_bytes)

    def accepted(self, events: int) -> None:
        """Count events that are on the disk."""
        self._accepted.inc(events)

    def duplicates(self, events: int) -> None:
        """Count events that a device sent again."""
        self._duplicates.inc(events)

    def rejected(self, reason: str, lines: int = 1) -> None:
        """Count refused lines, or damaged entries, of one reason."""
        self._rejected.labels(reason).inc(lines)

    def request(self, status: int) -> None:
        """Count an answered request; STATUSES names every status there is."""
        self._requests.labels(str(status)).inc()

    def turned_away(self, reason: str) -> None:
        """Count a request that was turned away; TURNED names every reason."""
        self._turned_away.labels(reason).inc()

    def connection_cut(self, reason: str) -> None:
        """Count a connection that was ended; CUT names every reason."""
        self._cut.labels(reason).inc()

    def reload_failed(self, file: str) -> None:
        """Count a changed file that cannot be used; WATCHED_FILES names every one."""
        self._reload_failures.labels(file).inc()

    def published(self, events: int) -> None:
        """Count events that Kafka acknowledged."""
        self._published.inc(events)

    def resent(self, entries: int) -> None:
        """Count entries that are sent again."""
        self._resent.inc(entries)

    def given_up(self, letters: int) -> None:
        """Count dead letters that are not sent at all."""
        self._given_up.inc(letters)

    def late(self, events: int) -> None:
        """Count events that came after their place in the merged order was published."""
        self._late.inc(events)

    def spooled(self, entries: int) -> None:
        """Add to what is on the disk and not acknowledged; what was acknowledged is negative."""
        self._spooled.inc(entries)

    def committed(self, seconds: float) -> None:
        """Observe one write to the spool with its sync."""
        self._commit_seconds.observe(seconds)

    def exposition(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self.registry)
