"""The log of a process: one JSON object a line on stderr, a constant message and its fields.

Every warning and error is counted by its message, which is constant, so that an alert can ask for
it: `pitwatch_log_messages_total{level,message}`. What libraries say is counted under their name.
"""

import json
import logging
import sys
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final, TextIO

import msgspec
from prometheus_client.core import CounterMetricFamily, Metric

STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""What every log record has; all else was given as a field."""

QUIET: Final = ("faust", "mode", "aiokafka", "kafka", "streams.shell.seams")
"""Libraries whose information is noise; their warnings are kept."""

NOISE: Final = ("has not sent fetch request", "Topic creation disabled")
"""Warnings that are said of healthy workers too."""


OWN: Final = frozenset({"schemas", "streams", "producers", "deploy"})
"""The packages whose messages are constant."""

MOST_MESSAGES: Final = 100


class JsonLines(logging.Formatter):
    """Writes a record as one JSON object: time, level, logger, message, then its fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line without its end."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update((name, value) for name, value in vars(record).items() if name not in STANDARD)
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        try:
            return msgspec.json.encode(line, enc_hook=str).decode()
        except UnicodeEncodeError:
            # A file's name may hold bytes that are no text: the line is told all the same.
            return json.dumps(line, default=str, skipkeys=True)


def _news(record: logging.LogRecord) -> bool:
    text = record.getMessage()
    return not any(noise in text for noise in NOISE)


class LogCounts(logging.Handler):
    """Counts warnings and errors by level and message, for Prometheus.

    Own messages are constants; at most ``MOST_MESSAGES`` are told apart, the rest are ``other``.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._counts: Counter[tuple[str, str]] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """Count a record."""
        package = record.name.partition(".")[0]
        message = str(record.msg) if package in OWN else package
        key = record.levelname.lower(), message
        if key not in self._counts and len(self._counts) >= MOST_MESSAGES:
            key = record.levelname.lower(), "other"
        self._counts[key] += 1

    def describe(self) -> Iterable[Metric]:
        """Return the family without samples."""
        return (self._family(),)

    def collect(self) -> Iterable[Metric]:
        """Return what was counted."""
        family = self._family()
        for (level, message), count in sorted(self._counts.items()):
            family.add_metric((level, message), count)
        return (family,)

    @staticmethod
    def _family() -> CounterMetricFamily:
        return CounterMetricFamily(
            "pitwatch_log_messages", "Warnings and errors logged.", labels=("level", "message")
        )


def log_json(stream: TextIO | None = None, level: int = logging.INFO) -> LogCounts:
    """Send the whole process's log to a stream as JSON lines, in place of what was set up.

    Returns:
        What counts its warnings, to be registered with the process's metrics. Set up a second
        time, it goes on counting: a registry that is away is warned of before the process begins.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(_news)
    counts = next((each for each in logging.root.handlers if isinstance(each, LogCounts)), None)
    if counts is None:
        counts = LogCounts()
        counts.addFilter(_news)
    logging.root.handlers[:] = [handler, counts]
    logging.root.setLevel(level)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    return counts
