"""The log of a process that still writes it: one JSON object a line."""

import json
from pathlib import Path
from typing import Any


def whole_lines(log: Path) -> list[bytes]:
    """Return the lines of a log that are whole.

    A line that is being written, or that a kill cut off, is seen in part where it crosses a page
    of memory, so what comes after the last end of a line is left out.
    """
    whole, _, _ = log.read_bytes().rpartition(b"\n")
    return whole.splitlines()


def log_lines(log: Path) -> list[dict[str, Any]]:
    """Return what the lines of a log say."""
    return [json.loads(line) for line in whole_lines(log)]


def said_in(log: Path, message: str) -> list[dict[str, Any]]:
    """Return the lines of a log that say something."""
    return [line for line in log_lines(log) if line["message"] == message]
