"""Delete what is older than it has to be kept, in small steps, and nothing that the law holds.

A hold names a table, or all of them, and a time; rows of it stay until the hold is lifted. Of an
alarm that is not closed nothing is deleted, and an act is kept as long as its alarm.
"""

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Table, delete, exists, func, or_, select, tuple_

from streams.database.history import acts, alarms, findings, holds, round_findings, rounds

STEP_ROWS: Final = 500
"""Rows of a kind that one step deletes: it lasts some milliseconds, in which nobody else writes."""


def delete_step(connection: Connection, before: int) -> dict[str, int]:
    """Delete the oldest rows of each kind, at most 500 each; return how many.

    Args:
        connection: in a transaction.
        before: what happened before this time goes, microseconds since 1970-01-01 UTC.
    """
    no_alarm = ~exists().where(alarms.c.id == acts.c.alarm)
    acted_at = func.coalesce(acts.c.at, 0)
    due = {
        rounds: _due(connection, rounds, rounds.c.closed_at, before),
        findings: _due(connection, findings, findings.c.at, before),
        alarms: _due(connection, alarms, alarms.c.closed_at, before),
    }
    gone = {table.name: _delete(connection, table, keys) for table, keys in due.items()}
    links = round_findings.c.opened_by.in_([key for (key,) in due[rounds]])
    connection.execute(delete(round_findings).where(links))
    # Only now are the alarms gone whose acts may go.
    gone["acts"] = _delete(connection, acts, _due(connection, acts, acted_at, before, no_alarm))
    return gone


def _due(
    connection: Connection,
    table: Table,
    at: ColumnElement[Any],
    before: int,
    *further: ColumnElement[bool],
) -> list[tuple[Any, ...]]:
    """Return the keys of the oldest rows that are due."""
    held = exists().where(
        or_(holds.c.table.is_(None), holds.c.table == table.c.table),
        holds.c.since <= at,
        or_(holds.c.until.is_(None), holds.c.until > at),
    )
    statement = (
        select(*table.primary_key).where(at < before, ~held, *further).order_by(at).limit(STEP_ROWS)
    )
    return [tuple(row) for row in connection.execute(statement)]


def _delete(connection: Connection, table: Table, keys: list[tuple[Any, ...]]) -> int:
    if not keys:
        return 0
    return connection.execute(delete(table).where(tuple_(*table.primary_key).in_(keys))).rowcount
