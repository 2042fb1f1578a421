"""A database filled as the historian fills it, and looked at whole."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine, Table

from schemas.records import AnyRecord
from streams.database import writing
from streams.historian.rows import Message, rows_of
from streams.historian.writer import write
from tests.history_records import ends_of, messages


def keep(engine: Engine, told: Sequence[Message]) -> None:
    """Write messages and how far they go, as one batch."""
    with writing(engine) as connection:
        write(connection, rows_of(told), ends_of(told))


def fill(engine: Engine, *records: AnyRecord) -> None:
    """Write records, the first of their topics."""
    keep(engine, messages(*records))


def rows_in(engine: Engine, table: Table) -> list[dict[str, Any]]:
    """Return all rows of a table by its columns, in the order of its key."""
    with engine.connect() as connection:
        found = connection.execute(table.select().order_by(*table.primary_key))
        return [dict(zip(table.columns.keys(), row, strict=True)) for row in found]
