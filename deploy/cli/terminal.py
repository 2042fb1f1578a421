"""What the commands share in speaking to a person: tables on stdout, all else on stderr.

Colour and progress appear only on a terminal; what is piped is plain and never wrapped.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

PIPED_WIDTH: Final = 10_000
"""Columns of a table that goes to a file or a pipe: wide enough that nothing is folded."""

SEVERITY_STYLES: Final = {
    "critical": "bold red",
    "high": "red",
    "medium": "yellow",
    "low": "cyan",
}


def stdout_console() -> Console:
    """Return the console for results."""
    if sys.stdout.isatty():
        return Console(file=sys.stdout, highlight=False)
    return Console(file=sys.stdout, highlight=False, width=PIPED_WIDTH, color_system=None)


def stderr_console() -> Console:
    """Return the console for progress and notes to the person at the terminal."""
    return Console(file=sys.stderr, highlight=False)


def plain_table(*columns: str) -> Table:
    """Return an empty table with these columns, ruled by spaces alone."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def print_rows(
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[str],
    format_: str,
    cell: Callable[[str, Any], Text],
) -> None:
    """Print rows as one JSON object a line, or as a table.

    Args:
        rows: what is listed.
        columns: the fields that the table shows, in order.
        format_: ``json`` or ``table``.
        cell: returns a field's value as the table shows it, by the field's name.
    """
    if format_ == "json":
        for row in rows:
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    table = plain_table(*columns)
    for row in rows:
        table.add_row(*(cell(name, row[name]) for name in columns))
    stdout_console().print(table)
