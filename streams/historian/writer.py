"""Write a batch's rows and how far it goes, in the caller's transaction."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Table, select, update
from sqlalchemy.dialects import postgresql, sqlite

from schemas.records import Alarm
from streams.database.history import acts, alarms, findings, offsets, round_findings, rounds
from streams.database.opening import POSTGRESQL
from streams.database.search import clean
from streams.historian.rows import ALARMS, FINDINGS, ROUNDS, Row, Rows

Place = tuple[str, int]
"""A topic by its full name, and a partition."""

TABLES: Final[Mapping[str, Table]] = {ROUNDS: rounds, FINDINGS: findings, ALARMS: alarms}
"""The table whose rows say where in the topic they come from, by the topic without its prefix."""

CLOSED: Final = "normal"
"""The state of an alarm that is closed, after ISA-18.2."""

ANSWERED: Final = ("accepted", "reason", "alarm", "table", "code")
ASKED: Final = ("act", "by", "role", "at", "until", "disposition", "note")
"""What an alarm's answer and a command say of an act of which the other one is known."""


def write(connection: Connection, rows: Rows, ends: Mapping[Place, int]) -> dict[str, int]:
    """Write rows, and from where to read on; return how many rows of each table.

    A row is replaced only by a record that stands behind its own in the topic.

    Args:
        connection: in a transaction, which makes all of it one step.
        rows: what to write.
        ends: the next record to read of each partition that was read.
    """
    _replace(connection, rounds, list(rows.rounds.values()))
    _insert(connection, round_findings, list(rows.round_findings.values()))
    _replace(connection, findings, list(rows.findings.values()))
    _replace(connection, alarms, list(rows.alarms.values()))
    _close(connection, rows.forgotten)
    _act(connection, rows)
    statement = _new(connection, offsets)
    _execute(
        connection,
        statement.on_conflict_do_update(
            index_elements=list(offsets.primary_key),
            set_={"next": statement.excluded.next},
        ),
        [
            {"topic": topic, "partition": partition, "next": end}
            for (topic, partition), end in sorted(ends.items())
        ],
    )
    return {
        "rounds": len(rows.rounds),
        "findings": len(rows.findings),
        "alarms": len(rows.alarms),
        "acts": len({*rows.carried_out, *rows.answers, *rows.commands}),
    }


def positions(connection: Connection) -> dict[Place, int]:
    """Return the next record to read of each partition that was ever read."""
    return {(row.topic, row.partition): row.next for row in connection.execute(select(offsets))}


def begin_anew(connection: Connection, topic: str, name: str, partition: int) -> None:
    """Forget where in a partition rows come from: its topic begins anew, with low offsets again.

    Args:
        connection: in a transaction.
        topic: the topic's full name.
        name: its name without the prefix.
        partition: the partition.
    """
    table = TABLES.get(name)
    if table is not None:
        connection.execute(update(table).where(table.c.partition == partition).values(offset=-1))
    connection.execute(
        offsets.delete().where(offsets.c.topic == topic, offsets.c.partition == partition)
    )


def _new(connection: Connection, table: Table) -> Any:  # noqa: ANN401  one of two dialects' own
    dialect = postgresql if connection.dialect.name == POSTGRESQL else sqlite
    return dialect.insert(table)


def _execute(connection: Connection, statement: Any, rows: Sequence[Row]) -> None:  # noqa: ANN401  as above
    if rows:
        connection.execute(statement, rows)


def _replace(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    statement = _new(connection, table)
    others = [column for column in table.columns if not column.primary_key]
    _execute(
        connection,
        statement.on_conflict_do_update(
            index_elements=list(table.primary_key),
            set_={column.key: statement.excluded[column.key] for column in others},
            where=statement.excluded.offset > table.c.offset,
        ),
        rows,
    )


def _insert(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    _execute(connection, _new(connection, table).on_conflict_do_nothing(), rows)


def _close(connection: Connection, forgotten: Mapping[str, int]) -> None:
    """Close the alarms that their topic forgot.

    It forgets an alarm a day after it was closed. That it was closed is known already, unless the
    historian was away for so long that the topic had only this left.
    """
    if not forgotten:
        return
    open_ = alarms.c.id.in_(sorted(clean(id_) for id_ in forgotten)) & alarms.c.closed_at.is_(None)
    for id_, body in connection.execute(select(alarms.c.id, alarms.c.body).where(open_)).all():
        alarm = msgspec.json.decode(body, type=Alarm)
        closed = msgspec.structs.replace(alarm, state=CLOSED, closed_at=forgotten[id_])
        connection.execute(
            update(alarms)
            .where(alarms.c.id == id_)
            .values(
                state=closed.state,
                closed_at=closed.closed_at,
                body=msgspec.json.encode(closed).decode(),
            )
        )


def _act(connection: Connection, rows: Rows) -> None:
    told = _new(connection, acts)
    columns = [column for column in acts.columns if not column.primary_key]
    _execute(
        connection,
        told.on_conflict_do_update(
            index_elements=list(acts.primary_key),
            set_={column.key: told.excluded[column.key] for column in columns},
        ),
        list(rows.carried_out.values()),
    )
    answered = _new(connection, acts)
    _execute(
        connection,
        answered.on_conflict_do_update(
            index_elements=list(acts.primary_key),
            set_={name: answered.excluded[name] for name in ANSWERED},
            where=acts.c.accepted.is_(None),
        ),
        list(rows.answers.values()),
    )
    asked = _new(connection, acts)
    _execute(
        connection,
        asked.on_conflict_do_update(
            index_elements=list(acts.primary_key),
            set_={name: asked.excluded[name] for name in ASKED},
            where=acts.c.act.is_(None),
        ),
        list(rows.commands.values()),
    )
