"""The history of a time, line by line: JSON objects, or a table for a spreadsheet.

Rows are read and given one after the other, the oldest first, from one state of the database; the
whole is never in memory. Times are texts, RFC 3339 in UTC. An object has the whole record, a table
the columns that are searched.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal

import msgspec
from sqlalchemy import Column, Engine, Table, select

from schemas.times import format_time
from streams.database.history import WHERE, acts, alarms, findings, rounds
from streams.database.opening import reading
from streams.database.search import Search
from streams.database.wanted import (
    Conditions,
    acts_wanted,
    alarms_wanted,
    findings_wanted,
    rounds_wanted,
)

What = Literal["rounds", "findings", "alarms", "acts"]
Format = Literal["ndjson", "csv"]

WHAT: Final[tuple[What, ...]] = ("rounds", "findings", "alarms", "acts")
FORMATS: Final[tuple[Format, ...]] = ("ndjson", "csv")

ROWS_AT_ONCE: Final = 200
"""Rows that are read from the database at once; a round has up to 200 KB."""

TIMES: Final = frozenset(
    {
        "at",
        "received",
        "until",
        "opened_at",
        "closed_at",
        "exposed_at",
        "raised_at",
        "last_at",
        "cleared_at",
        "acknowledged_at",
        "shelved_until",
    }
)
"""The fields of records that are times."""

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula; such a text gets a ``'`` before it."""

_TABLES: Final[dict[What, tuple[Table, Column[int], Callable[[Search], Conditions]]]] = {
    "rounds": (rounds, rounds.c.opened_at, rounds_wanted),
    "findings": (findings, findings.c.at, findings_wanted),
    "alarms": (alarms, alarms.c.raised_at, alarms_wanted),
    "acts": (acts, acts.c.at, acts_wanted),
}


def export(engine: Engine, what: What, search: Search, format_: Format) -> Iterator[str]:
    """Yield lines with their ends; a table begins with the names of its columns.

    Args:
        engine: the database.
        what: of which rows.
        search: the time, and what of it is wanted.
        format_: objects or a table.

    Raises:
        DatabaseFault: the database does not answer.
    """
    table, at, wanted = _TABLES[what]
    columns = [column for column in table.columns if column.key not in (*WHERE, "body")]
    whole = format_ == "ndjson" and "body" in table.columns
    statement = (
        select(*([table.c.body] if whole else columns))
        .where(*wanted(search))
        .order_by(at, *table.primary_key)
    )
    if format_ == "csv":
        yield _csv([column.name for column in columns])
    with reading(engine) as connection:
        options = {"stream_results": True, "yield_per": ROWS_AT_ONCE}
        for row in connection.execution_options(**options).execute(statement):
            if format_ == "csv":
                yield _csv(_cell(*each) for each in zip(columns, row, strict=True))
            else:
                named = zip((column.name for column in columns), row, strict=False)
                record = msgspec.json.decode(row[0]) if whole else dict(named)
                yield msgspec.json.encode(with_times(record)).decode() + "\n"


def with_times(value: Any) -> Any:  # noqa: ANN401  any part of a JSON value
    """Return a record's JSON value with its times as texts."""
    match value:
        case dict():
            return {
                name: format_time(each)
                if name in TIMES and isinstance(each, int)
                else with_times(each)
                for name, each in value.items()
            }
        case list():
            return [with_times(each) for each in value]
        case _:
            return value


def _cell(column: Column[Any], value: Any) -> str:  # noqa: ANN401  what a column holds
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int() if column.name in TIMES:
            return format_time(value)
        case str() if value.startswith(FORMULA):
            return f"'{value}"
        case _:
            return str(value)


def _csv(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
