"""Delete what is older than it has to be kept, in small steps, and nothing that the law holds.

A hold names a table, or all of them, and a time; rows of it stay until the hold is lifted. Of an
alarm that is not closed nothing is deleted, and an act is kept as long as its alarm.
"""

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Table, delete, exists, func, or_, select, tuple_

from streams.database.history import acts, alarms, findings, holds, round_findings, rounds

STEP_ROWS: Final = 500
"""Rows of a kind that one step deletes: it lasts some milliseconds, in which nobody else writes."""

DAY: Final = 24 * 3600 * 1_000_000


def delete_step(connection: Connection, before: int) -> dict[str, int]:
    """Delete the oldest rows of each kind, at most 500 each; return how many.

    Args:
        connection: in a transaction.
        before: what happened before this time goes, microseconds since 1970-01-01 UTC.
    """
    old_rounds, old_findings, old_alarms, old_acts = (
        table.alias() for table in (rounds, findings, alarms, acts)
    )
    no_alarm = ~exists().where(alarms.c.id == old_acts.c.alarm)
    acted_at = func.coalesce(old_acts.c.at, 0)
    gone = {
        "rounds": _delete(connection, rounds, old_rounds, old_rounds.c.closed_at, before),
        "findings": _delete(connection, findings, old_findings, old_findings.c.at, before),
        "alarms": _delete(connection, alarms, old_alarms, old_alarms.c.closed_at, before),
        "acts": _delete(connection, acts, old_acts, acted_at, before, no_alarm),
    }
    if gone["rounds"]:
        no_round = ~exists().where(rounds.c.opened_by == round_findings.c.opened_by)
        connection.execute(delete(round_findings).where(no_round))
    return gone


def _delete(
    connection: Connection,
    table: Table,
    old: Any,  # noqa: ANN401  the table under a name of its own, which a DELETE has no place for
    at: ColumnElement[Any],
    before: int,
    *further: ColumnElement[bool],
) -> int:
    held = exists().where(
        or_(holds.c.table.is_(None), holds.c.table == old.c.table),
        holds.c.since <= at,
        or_(holds.c.until.is_(None), holds.c.until > at),
    )
    due = (
        select(*(old.c[column.key] for column in table.primary_key))
        .where(at < before, ~held, *further)
        .order_by(at)
        .limit(STEP_ROWS)
    )
    return connection.execute(delete(table).where(tuple_(*table.primary_key).in_(due))).rowcount
