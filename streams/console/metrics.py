"""What the console counts, in a registry of its own; read from its parts at each scrape."""

from collections.abc import Callable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from schemas.times import MICROS_IN_SECOND
from streams.console.console import Console
from streams.console.live.feed import STRUCTS, Feed

NOT_A_TIME: Final = float("nan")


class ConsoleMetrics(Collector):
    """The console's metrics.

    Args:
        version: of the program.
        console: its parts.
        feed: what reads the topics, once it runs.
    """

    def __init__(self, version: str, console: Console, feed: Callable[[], Feed | None]) -> None:
        self.registry = CollectorRegistry()
        self._console = console
        self._feed = feed
        self.registry.register(self)
        build = Gauge(
            "pitwatch_build_info",
            "1, with the program's version.",
            ["version"],
            registry=self.registry,
        )
        build.labels(version).set(1)

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        hub, floor, feed = self._console.hub, self._console.floor, self._feed()
        yield GaugeMetricFamily(
            "pitwatch_console_clients", "Live pages that are connected.", hub.clients
        )
        yield CounterMetricFamily(
            "pitwatch_console_clients_refused",
            "Live pages that were told to come back, for there were as many as may be.",
            hub.refused,
        )
        yield CounterMetricFamily(
            "pitwatch_console_frames", "Frames made for all live pages together.", hub.frames
        )
        yield GaugeMetricFamily(
            "pitwatch_console_feed_lost", "1 while Kafka does not answer for 5 s.", int(floor.lost)
        )
        yield GaugeMetricFamily(
            "pitwatch_console_as_of_timestamp_seconds",
            "When Kafka answered last; NaN before the first time.",
            NOT_A_TIME if floor.as_of is None else floor.as_of / MICROS_IN_SECOND,
        )
        yield GaugeMetricFamily(
            "pitwatch_console_tables", "Tables that are shown.", len(floor.tables)
        )
        allowed = GaugeMetricFamily(
            "pitwatch_table_silence_allowed_seconds",
            "How long the table may be silent while it is open.",
            labels=["table"],
        )
        for table in hub.inventory.tables():
            allowed.add_metric([table.name], table.silence_seconds)
        yield allowed
        yield CounterMetricFamily(
            "pitwatch_console_feed_restarts",
            "How often the topics were read anew after an error.",
            feed.restarts if feed else 0,
        )
        keys = self._console.command_keys
        failures = CounterMetricFamily(
            "pitwatch_reload_failures",
            "Changed files of keys that could not be used; what they said before holds.",
            labels=["file"],
        )
        failures.add_metric(["command_keys"], 0 if keys is None else keys.failures)
        yield failures
        records = CounterMetricFamily(
            "pitwatch_console_records", "Records read, by topic.", labels=["topic"]
        )
        unreadable = CounterMetricFamily(
            "pitwatch_console_unreadable_records",
            "Records that could not be read, by topic.",
            labels=["topic"],
        )
        for topic in STRUCTS:
            records.add_metric([topic], feed.records[topic] if feed else 0)
            unreadable.add_metric([topic], feed.unreadable[topic] if feed else 0)
        yield records
        yield unreadable
