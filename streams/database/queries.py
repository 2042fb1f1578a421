"""What the operators' page asks of the history: findings, rounds, alarms, acts, a round in full."""

from typing import Final

import msgspec
from sqlalchemy import Engine, and_, select

from schemas import records
from streams.database.history import acts, alarms, findings, round_findings, rounds
from streams.database.opening import reading
from streams.database.rows import (
    ActRow,
    AlarmRow,
    FindingRow,
    RoundInFull,
    RoundRow,
    act_row,
    alarm_row,
    finding_row,
    round_row,
)
from streams.database.search import (
    PAGE,
    Cursor,
    Page,
    Search,
    clean,
    page_of,
    paged,
)
from streams.database.wanted import findings_wanted, rounds_wanted

__all__ = [
    "ActRow",
    "AlarmRow",
    "Cursor",
    "FindingRow",
    "Page",
    "RoundInFull",
    "RoundRow",
    "Search",
    "partition_of",
    "round_in_full",
    "rounds_of",
    "search_findings",
    "search_rounds",
]

RAISED: Final = "raised"
CLEARED: Final = "cleared"

SAME_NUMBER: Final = 50
"""Rounds of one table and number that are told; numbers begin anew with each opening."""

MOST_OF_A_ROUND: Final = 500
"""Findings, alarms and acts of a round that are told, each."""

NEVER: Final = 2**63 - 1

_cleared: Final = findings.alias("cleared")
_FINDINGS: Final = (
    select(findings, _cleared.c.at.label("cleared_at"), rounds.c.dealer, rounds.c.opened_by)
    .select_from(findings)
    .outerjoin(_cleared, and_(_cleared.c.id == findings.c.id, _cleared.c.state == CLEARED))
    .outerjoin(round_findings, round_findings.c.finding == findings.c.id)
    .outerjoin(rounds, rounds.c.opened_by == round_findings.c.opened_by)
    .where(findings.c.state == RAISED)
)
_ROUNDS: Final = select(*(rounds.c[name] for name in RoundRow.__dataclass_fields__))
_ALARMS: Final = select(alarms.c.id, alarms.c.raised_at, alarms.c.body)


def search_findings(
    engine: Engine, search: Search, *, after: Cursor | None = None, size: int = PAGE
) -> Page[FindingRow]:
    """Return a page of the findings raised, the newest first.

    Raises:
        DatabaseFault: the database does not answer.
    """
    statement = _FINDINGS.where(*findings_wanted(search))
    with reading(engine) as connection:
        found = connection.execute(paged(statement, findings.c.at, findings.c.id, after, size))
        return page_of(found.all(), size, finding_row, lambda row: Cursor(row.at, row.id))


def search_rounds(
    engine: Engine,
    search: Search,
    *,
    after: Cursor | None = None,
    size: int = PAGE,
) -> Page[RoundRow]:
    """Return a page of the rounds opened, the newest first.

    Args:
        engine: the database.
        search: what is looked for; by code, clause, severity or class it finds the rounds that
            have such a finding.
        after: the last row of the page before.
        size: how many rows a page has.

    Raises:
        DatabaseFault: the database does not answer.
    """
    statement = _ROUNDS.where(*rounds_wanted(search))
    with reading(engine) as connection:
        found = connection.execute(
            paged(statement, rounds.c.opened_at, rounds.c.opened_by, after, size)
        )
        return page_of(
            found.all(), size, round_row, lambda row: Cursor(row.opened_at, row.opened_by)
        )


def rounds_of(engine: Engine, table: str, number: int) -> tuple[RoundRow, ...]:
    """Return the rounds of a table that have a number, the newest first, at most 50.

    Raises:
        DatabaseFault: the database does not answer.
    """
    statement = (
        _ROUNDS.where(rounds.c.table == clean(table), rounds.c.number == number)
        .order_by(rounds.c.opened_at.desc())
        .limit(SAME_NUMBER)
    )
    with reading(engine) as connection:
        return tuple(round_row(row) for row in connection.execute(statement))


def round_in_full(engine: Engine, opened_by: str) -> RoundInFull | None:
    """Return a round with its findings, alarms and acts; nothing where there is no such round.

    Args:
        engine: the database.
        opened_by: the identity of its first event.

    Raises:
        DatabaseFault: the database does not answer.
    """
    with reading(engine) as connection:
        body = connection.execute(
            select(rounds.c.body).where(rounds.c.opened_by == clean(opened_by))
        ).scalar_one_or_none()
        if body is None:
            return None
        record = msgspec.json.decode(body, type=records.Round)
        following = select(rounds.c.opened_at).where(
            rounds.c.table == record.table, rounds.c.opened_at > record.opened_at
        )
        end = connection.execute(
            following.order_by(rounds.c.opened_at).limit(1)
        ).scalar_one_or_none()
        raised_in_it = select(round_findings.c.finding).where(
            round_findings.c.opened_by == clean(opened_by)
        )
        after_it = and_(
            findings.c.table == record.table,
            findings.c.round == record.number,
            findings.c.at >= record.opened_at,
            findings.c.at < (NEVER if end is None else end),
        )
        found = connection.execute(
            _FINDINGS.where(findings.c.id.in_(raised_in_it) | after_it)
            .order_by(findings.c.at, findings.c.id)
            .limit(MOST_OF_A_ROUND)
        ).all()
        raised = tuple(finding_row(row) for row in found)
        ids = {row.id for row in raised}
        since = min((row.at for row in raised), default=record.opened_at)
        of_codes = _ALARMS.where(
            alarms.c.table == record.table,
            alarms.c.code.in_(sorted({row.code for row in raised})),
            alarms.c.last_at >= since,
        )
        told = [
            alarm
            for alarm in map(alarm_row, connection.execute(of_codes.limit(MOST_OF_A_ROUND)))
            if ids & set(alarm.record.findings) or _spans(alarm.record, raised)
        ]
        told.sort(key=lambda alarm: (alarm.raised_at, alarm.id))
        asked = connection.execute(
            select(acts)
            .where(acts.c.alarm.in_([alarm.id for alarm in told]))
            .order_by(acts.c.at, acts.c.command)
            .limit(MOST_OF_A_ROUND)
        )
        return RoundInFull(record, raised, tuple(told), tuple(act_row(row) for row in asked))


def partition_of(engine: Engine, opened_by: str) -> int:
    """Return the partition of a round's table, which is the same in every topic.

    Raises:
        DatabaseFault: the database does not answer.
        sqlalchemy.exc.NoResultFound: there is no such round.
    """
    with reading(engine) as connection:
        partition: int = connection.execute(
            select(rounds.c.partition).where(rounds.c.opened_by == clean(opened_by))
        ).scalar_one()
        return partition


def _spans(alarm: records.Alarm, raised: tuple[FindingRow, ...]) -> bool:
    """Say whether an alarm that keeps the ids of its last findings alone counts one of these."""
    return alarm.count > len(alarm.findings) and any(
        row.code == alarm.code and alarm.raised_at <= row.at <= alarm.last_at for row in raised
    )
