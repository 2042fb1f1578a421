"""What the operators' page asks of the history: findings, rounds, alarms, acts, a round in full."""

from dataclasses import dataclass
from typing import Any, Final

import msgspec
from sqlalchemy import Engine, and_, exists, select

from schemas import records
from streams.database.history import acts, alarms, findings, round_findings, rounds
from streams.database.opening import reading
from streams.database.search import (
    PAGE,
    Cursor,
    Page,
    Search,
    clean,
    conditions,
    page_of,
    paged,
)

__all__ = [
    "ActRow",
    "AlarmRow",
    "Cursor",
    "FindingRow",
    "Page",
    "RoundInFull",
    "RoundRow",
    "Search",
    "alarm_in_full",
    "partition_of",
    "round_in_full",
    "rounds_of",
    "search_acts",
    "search_alarms",
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


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding that was raised; times in microseconds since 1970-01-01 UTC.

    ``dealer`` and ``opened_by`` are its round's; nothing where it stands in none that is over.
    ``cleared_at`` is when it was cleared, for one that stood.
    """

    id: str
    code: str
    clause: str
    class_: str
    severity: str
    table: str
    game: str | None
    round: int
    position: int | None
    hand: int | None
    at: int
    cleared_at: int | None
    dealer: str | None
    opened_by: str | None
    record: records.Finding


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round that is over, without its cards; ``findings`` is how many were raised in it."""

    opened_by: str
    table: str
    game: str | None
    number: int
    opened_at: int
    closed_at: int
    ended: str
    dealer: str | None
    deck: str | None
    gap: bool
    findings: int


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """An alarm as it was told last."""

    id: str
    raised_at: int
    record: records.Alarm


@dataclass(frozen=True, slots=True)
class ActRow:
    """What an operator asked for.

    ``accepted`` is nothing while no answer is known; a refused act has a ``reason``. Of an act
    whose answer alone is known, ``act``, ``by``, ``role`` and ``at`` are nothing.
    """

    command: str
    alarm: str | None
    table: str
    code: str | None
    act: str | None
    by: str | None
    role: str | None
    at: int | None
    until: int | None
    disposition: str | None
    note: str | None
    accepted: bool | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class RoundInFull:
    """A round with all that was said and done of it.

    ``findings`` has those raised in it and, as a stub is counted after it, those raised at its
    table until the next round; ``alarms`` are those made of them, ``acts`` what was asked of these.
    """

    round: records.Round
    findings: tuple[FindingRow, ...]
    alarms: tuple[AlarmRow, ...]
    acts: tuple[ActRow, ...]


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
    statement = _FINDINGS.where(*conditions(search, findings.c, findings.c.at))
    if search.dealer is not None:
        statement = statement.where(rounds.c.dealer == clean(search.dealer))
    with reading(engine) as connection:
        found = connection.execute(paged(statement, findings.c.at, findings.c.id, after, size))
        return page_of(found.all(), size, _finding, lambda row: Cursor(row.at, row.id))


def search_rounds(
    engine: Engine,
    search: Search,
    *,
    after: Cursor | None = None,
    size: int = PAGE,
    with_findings: bool = False,
) -> Page[RoundRow]:
    """Return a page of the rounds opened, the newest first.

    Args:
        engine: the database.
        search: what is looked for; by code, clause, severity or class it finds the rounds that
            have such a finding.
        after: the last row of the page before.
        size: how many rows a page has.
        with_findings: whether only rounds that have a finding are looked for.

    Raises:
        DatabaseFault: the database does not answer.
    """
    statement = _ROUNDS.where(*conditions(search, rounds.c, rounds.c.opened_at))
    if with_findings:
        statement = statement.where(rounds.c.findings > 0)
    if (search.code, search.clause, search.severity, search.class_) != (None,) * 4:
        only = Search(
            0, NEVER, None, None, None, search.clause, search.code, search.severity, search.class_
        )
        statement = statement.where(
            exists().where(
                round_findings.c.opened_by == rounds.c.opened_by,
                findings.c.id == round_findings.c.finding,
                *conditions(only, findings.c, findings.c.at),
            )
        )
    with reading(engine) as connection:
        found = connection.execute(
            paged(statement, rounds.c.opened_at, rounds.c.opened_by, after, size)
        )
        return page_of(found.all(), size, _round, lambda row: Cursor(row.opened_at, row.opened_by))


def search_alarms(
    engine: Engine, search: Search, *, after: Cursor | None = None, size: int = PAGE
) -> Page[AlarmRow]:
    """Return a page of the alarms raised, the newest first; a search's dealer is not asked.

    Raises:
        DatabaseFault: the database does not answer.
    """
    statement = _ALARMS.where(*conditions(search, alarms.c, alarms.c.raised_at))
    with reading(engine) as connection:
        found = connection.execute(paged(statement, alarms.c.raised_at, alarms.c.id, after, size))
        return page_of(found.all(), size, _alarm, lambda row: Cursor(row.raised_at, row.id))


def search_acts(
    engine: Engine,
    search: Search,
    *,
    by: str | None = None,
    after: Cursor | None = None,
    size: int = PAGE,
) -> Page[ActRow]:
    """Return a page of the operators' acts whose time is known, the newest first.

    Args:
        engine: the database.
        search: what is looked for; only time, tables and code are asked.
        by: the operator.
        after: the last row of the page before.
        size: how many rows a page has.

    Raises:
        DatabaseFault: the database does not answer.
    """
    statement = select(acts).where(*conditions(search, acts.c, acts.c.at))
    if by is not None:
        statement = statement.where(acts.c.by == clean(by))
    with reading(engine) as connection:
        found = connection.execute(paged(statement, acts.c.at, acts.c.command, after, size))
        return page_of(found.all(), size, _act, lambda row: Cursor(row.at or 0, row.command))


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
        return tuple(_round(row) for row in connection.execute(statement))


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
            round_findings.c.opened_by == record.opened_by
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
        raised = tuple(_finding(row) for row in found)
        ids = {row.id for row in raised}
        since = min((row.at for row in raised), default=record.opened_at)
        of_codes = _ALARMS.where(
            alarms.c.table == record.table,
            alarms.c.code.in_(sorted({row.code for row in raised})),
            alarms.c.last_at >= since,
        )
        told = [
            alarm
            for alarm in map(_alarm, connection.execute(of_codes.limit(MOST_OF_A_ROUND)))
            if ids & set(alarm.record.findings) or _spans(alarm.record, raised)
        ]
        told.sort(key=lambda alarm: (alarm.raised_at, alarm.id))
        asked = connection.execute(
            select(acts)
            .where(acts.c.alarm.in_([alarm.id for alarm in told]))
            .order_by(acts.c.at, acts.c.command)
            .limit(MOST_OF_A_ROUND)
        )
        return RoundInFull(record, raised, tuple(told), tuple(_act(row) for row in asked))


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


def alarm_in_full(engine: Engine, alarm: str) -> tuple[AlarmRow, tuple[ActRow, ...]] | None:
    """Return an alarm with all acts that were asked of it; nothing where there is none.

    Raises:
        DatabaseFault: the database does not answer.
    """
    with reading(engine) as connection:
        found = connection.execute(_ALARMS.where(alarms.c.id == clean(alarm))).one_or_none()
        if found is None:
            return None
        asked = connection.execute(
            select(acts)
            .where(acts.c.alarm == clean(alarm))
            .order_by(acts.c.at, acts.c.command)
            .limit(MOST_OF_A_ROUND)
        )
        return _alarm(found), tuple(_act(row) for row in asked)


def _spans(alarm: records.Alarm, raised: tuple[FindingRow, ...]) -> bool:
    """Say whether an alarm that keeps the ids of its last findings alone counts one of these."""
    return alarm.count > len(alarm.findings) and any(
        row.code == alarm.code and alarm.raised_at <= row.at <= alarm.last_at for row in raised
    )


def _finding(row: Any) -> FindingRow:  # noqa: ANN401  a row of SQLAlchemy
    record = msgspec.json.decode(row.body, type=records.Finding)
    return FindingRow(
        id=row.id,
        code=row.code,
        clause=row.clause,
        class_=record.class_,
        severity=row.severity,
        table=row.table,
        game=row.game,
        round=row.round,
        position=row.position,
        hand=row.hand,
        at=row.at,
        cleared_at=row.cleared_at,
        dealer=row.dealer,
        opened_by=row.opened_by,
        record=record,
    )


def _round(row: Any) -> RoundRow:  # noqa: ANN401  a row of SQLAlchemy
    return RoundRow(**row._mapping)


def _alarm(row: Any) -> AlarmRow:  # noqa: ANN401  a row of SQLAlchemy
    return AlarmRow(row.id, row.raised_at, msgspec.json.decode(row.body, type=records.Alarm))


def _act(row: Any) -> ActRow:  # noqa: ANN401  a row of SQLAlchemy
    return ActRow(**row._mapping)
