"""The log of a process: one JSON object a line on stderr, a constant message and its fields."""

import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final, TextIO

import msgspec

STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""What every log record has; all else was given as a field."""

QUIET: Final = ("faust", "mode", "aiokafka", "kafka", "streams.shell.seams")
"""Libraries whose information is noise; their warnings are kept."""

NOISE: Final = ("has not sent fetch request", "Topic creation disabled")
"""Warnings that are said of healthy workers too."""


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
        return msgspec.json.encode(line, enc_hook=str).decode()


def _news(record: logging.LogRecord) -> bool:
    text = record.getMessage()
    return not any(noise in text for noise in NOISE)


def log_json(stream: TextIO | None = None, level: int = logging.INFO) -> None:
    """Send the whole process's log to a stream as JSON lines, in place of what was set up."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(_news)
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(level)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
