"""What `pitwatch check` writes of a recording: findings as lines or a table, or device reports."""

import json
from collections.abc import Iterable
from importlib import metadata
from typing import Any, Final, Protocol

import click

from deploy.cli.conformance import Conformance
from deploy.cli.recordings import Chunk
from schemas.ndjson import encode_finding
from schemas.times import format_time
from streams.core.book import Book
from streams.core.findings import Effect, Finding, FindingCleared, FindingRaised
from streams.wire.outbound import to_finding_record

COLOURS: Final = {"critical": "bright_red", "high": "red", "medium": "yellow", "low": "cyan"}
"""A severity's colour, on a terminal."""

COLUMNS: Final = (
    ("at", 24),
    ("table", 10),
    ("round", 5),
    ("position", 8),
    ("hand", 4),
    ("severity", 8),
    ("state", 7),
    ("code", 28),
    ("clause", 16),
    ("finding", 0),
)
"""Each column of the table of findings and its least width; rows are written as they come, so no
width is fitted to what comes later."""


class Report(Protocol):
    """What is written of one recording: a text after each chunk, and one at its end."""

    def chunk(self, chunk: Chunk, effects: Iterable[Effect]) -> str:
        """Return what a chunk of lines and the effects of its events add."""

    def end(self) -> str:
        """Return what stands at the end."""


def findings_of(effects: Iterable[Effect]) -> list[Finding]:
    """Return the findings raised and cleared, in order."""
    return [
        effect.finding for effect in effects if isinstance(effect, FindingRaised | FindingCleared)
    ]


class FindingLines:
    """Findings as JSON, one object a line."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._version = metadata.version("pitwatch")

    def chunk(self, chunk: Chunk, effects: Iterable[Effect]) -> str:
        """Return the findings' lines."""
        del chunk
        return "".join(
            f"{encode_finding(to_finding_record(finding, self._book, self._version)).decode()}\n"
            for finding in findings_of(effects)
        )

    def end(self) -> str:
        """Return nothing more."""
        return ""


class FindingTable:
    """Findings as a table to be read, a row each, written as they come."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._headed = False

    def chunk(self, chunk: Chunk, effects: Iterable[Effect]) -> str:
        """Return the findings' rows, the first with the heading before it."""
        del chunk
        rows = [self._row(finding) for finding in findings_of(effects)]
        if rows and not self._headed:
            self._headed = True
            rows.insert(0, _aligned([name for name, _ in COLUMNS]))
        return "".join(f"{row}\n" for row in rows)

    def end(self) -> str:
        """Return nothing more."""
        return ""

    def _row(self, finding: Finding) -> str:
        title = self._book.rules[finding.code].title
        detail = ", ".join(f"{key} {value}" for key, value in finding.detail.items())
        row = _aligned(
            [
                format_time(finding.at),
                finding.table,
                str(finding.round),
                "" if finding.position is None else str(finding.position),
                "" if finding.hand is None else str(finding.hand),
                finding.severity,
                finding.state,
                finding.code,
                finding.clause,
                f"{title} ({detail})" if detail else title,
            ]
        )
        return click.style(row, fg=COLOURS.get(finding.severity))


class DeviceReport:
    """What each source said, for its vendor."""

    def __init__(self, format_: str) -> None:
        self._format = format_
        self._conformance = Conformance()

    def chunk(self, chunk: Chunk, effects: Iterable[Effect]) -> str:
        """Count a chunk; nothing is written before the end."""
        for event in chunk.events:
            self._conformance.event(event)
        for line in chunk.bad:
            self._conformance.bad_line(line)
        for effect in effects:
            self._conformance.effect(effect)
        return ""

    def end(self) -> str:
        """Return the sources' reports."""
        rows = self._conformance.rows()
        if self._format == "json":
            return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        return "\n".join("".join(_source_text(row)) for row in rows)


def _source_text(row: dict[str, Any]) -> Iterable[str]:
    """Yield one source's report as lines to be read."""
    yield f"{row['source'] or 'lines that name no source'}\n"
    for name, value in row.items():
        match value:
            case [dict(), *_]:
                shown = "".join(
                    f"\n    line {bad['line']}: {bad['field']}:"
                    f" expected {bad['expected']}, found {bad['found']}"
                    for bad in value
                )
            case list():
                shown = ", ".join(str(each) for each in value) or "none"
            case dict():
                shown = ", ".join(f"{key} {count}" for key, count in value.items()) or "none"
            case _:
                shown = str(value)
        if name != "source":
            label = name.replace("_", " ")
            yield f"  {label}{shown}\n" if shown[0] == "\n" else f"  {label:<20} {shown}\n"


def _aligned(cells: list[str]) -> str:
    """Return a row's cells under their columns."""
    widths = (width for _, width in COLUMNS)
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()
