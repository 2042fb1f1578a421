"""Figures over the history: findings by clause and hour, the pace of tables, the alarms' burden.

The figures an alarm system is judged by are those of ISA-18.2 and EEMUA 191: alarms an hour, alarms
that stand, those that stand for more than a day (stale), the share of each priority, the time in
flood, and which codes make most of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, Engine, func, literal, select

from schemas.times import MICROS_IN_DAY, MICROS_IN_HOUR, MICROS_IN_MINUTE, MICROS_IN_SECOND
from streams.database.floods import FLOOD_SPAN, flood
from streams.database.history import alarms, findings, rounds
from streams.database.opening import reading
from streams.database.search import Search, conditions
from streams.database.wanted import alarms_wanted, dealer_of_alarm, findings_wanted

QUARTER: Final = 15 * MICROS_IN_MINUTE
"""A table deals for as many of these as it opened a round in; so its breaks are left out."""

MOST_LINES: Final = 1000
"""Lines that one answer has at most."""

MOST_HOURS: Final = 20_000
MOST_ALARMS: Final = 100_000
"""Alarms whose times are read for the floods of one answer."""

NOISIEST: Final = 10

By = Literal["table", "dealer", "shift"]


@dataclass(frozen=True, slots=True)
class Shifts:
    """When the shifts of a day begin: the first one after midnight UTC, and how long each is."""

    first: int = 6 * MICROS_IN_HOUR
    length: int = 8 * MICROS_IN_HOUR


@dataclass(frozen=True, slots=True)
class ClauseCount:
    """How many findings of a code and clause were raised."""

    clause: str
    code: str
    severity: str
    count: int


@dataclass(frozen=True, slots=True)
class HourCount:
    """How many findings of a severity were raised in the hour that begins at ``hour``."""

    hour: int
    severity: str
    count: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What was dealt at a table, by a dealer or in a shift.

    Attributes:
        name: the table or the dealer; empty for a shift, and for rounds without a dealer.
        start: when the shift begins, microseconds since 1970-01-01 UTC; nothing otherwise.
        rounds: rounds opened.
        quarters: quarters of an hour in which a table opened one, of all tables.
        findings: findings raised in these rounds.
        acknowledged: alarms raised that were acknowledged.
        waited: how long these waited together, microseconds.
        longest: how long the slowest of them waited, microseconds.
    """

    name: str
    start: int | None
    rounds: int
    quarters: int
    findings: int
    acknowledged: int
    waited: int
    longest: int

    @property
    def rounds_an_hour(self) -> float | None:
        """Return rounds for each hour that a table dealt."""
        return self.rounds * MICROS_IN_HOUR / (self.quarters * QUARTER) if self.quarters else None

    @property
    def findings_a_hundred_rounds(self) -> float | None:
        """Return findings for each hundred rounds."""
        return self.findings * 100 / self.rounds if self.rounds else None

    @property
    def seconds_to_acknowledge(self) -> float | None:
        """Return how long an alarm waited on average."""
        return self.waited / self.acknowledged / MICROS_IN_SECOND if self.acknowledged else None


@dataclass(frozen=True, slots=True)
class CodeCount:
    """How many alarms of a code were raised, and how many findings they counted."""

    code: str
    alarms: int
    findings: int


@dataclass(frozen=True, slots=True)
class DispositionCount:
    """How many alarms of a code were acknowledged with a disposition."""

    code: str
    disposition: str
    count: int


@dataclass(frozen=True, slots=True)
class AlarmFigures:
    """The figures an alarm system is judged by; times in microseconds.

    Attributes:
        raised: alarms raised in the time asked for.
        span: how long that time is.
        standing: alarms that are not closed now, whenever they were raised.
        stale: those of them that were raised more than a day ago.
        shares: alarms raised, by severity.
        in_flood: how long the time asked for was one of flood.
        noisiest: the ten codes with most alarms.
        dispositions: how the alarms raised were acknowledged.
    """

    raised: int
    span: int
    standing: int
    stale: int
    shares: Mapping[str, int]
    in_flood: int
    noisiest: tuple[CodeCount, ...]
    dispositions: tuple[DispositionCount, ...]

    @property
    def an_hour(self) -> float | None:
        """Return alarms for each hour."""
        return self.raised * MICROS_IN_HOUR / self.span if self.span > 0 else None


def findings_by_clause(engine: Engine, search: Search) -> tuple[ClauseCount, ...]:
    """Return how many findings of each clause and code were raised, the most first.

    Raises:
        DatabaseFault: the database does not answer.
    """
    columns = findings.c.clause, findings.c.code, findings.c.severity
    count = func.count()
    statement = (
        select(*columns, count)
        .where(*_raised(search))
        .group_by(*columns)
        .order_by(count.desc(), *columns)
        .limit(MOST_LINES)
    )
    with reading(engine) as connection:
        return tuple(ClauseCount(*row) for row in connection.execute(statement))


def findings_by_hour(engine: Engine, search: Search) -> tuple[HourCount, ...]:
    """Return how many findings of each severity were raised in each hour that has some.

    Raises:
        DatabaseFault: the database does not answer.
    """
    hour = (findings.c.at // literal(MICROS_IN_HOUR)).label("hour")
    statement = (
        select(hour, findings.c.severity, func.count())
        .where(*_raised(search))
        .group_by("hour", findings.c.severity)
        .order_by("hour", findings.c.severity)
        .limit(MOST_HOURS)
    )
    with reading(engine) as connection:
        return tuple(
            HourCount(number * MICROS_IN_HOUR, severity, count)
            for number, severity, count in connection.execute(statement)
        )


def _raised(search: Search) -> list[ColumnElement[bool]]:
    return [findings.c.state == "raised", *findings_wanted(search)]


def figures(
    engine: Engine, search: Search, by: By, shifts: Shifts = Shifts()
) -> tuple[Figures, ...]:
    """Return what was dealt at each table, by each dealer or in each shift, at most 1,000 of them.

    A search's tables, table, game and dealer are asked, and its time, by which rounds were opened
    and alarms raised.

    Raises:
        DatabaseFault: the database does not answer.
    """
    only = replace(search, clause=None, code=None, severity=None, class_=None)
    group = _group(by, rounds.c.opened_at, shifts)
    with reading(engine) as connection:
        quarters = (
            select(
                group.label("name"),
                rounds.c.table,
                (rounds.c.opened_at // literal(QUARTER)).label("quarter"),
                func.count().label("rounds"),
                func.sum(rounds.c.findings).label("findings"),
            )
            .where(*conditions(only, rounds.c, rounds.c.opened_at))
            .group_by("name", rounds.c.table, "quarter")
            .subquery()
        )
        dealt = connection.execute(
            select(
                quarters.c.name,
                func.sum(quarters.c.rounds),
                func.count(),
                func.sum(quarters.c.findings),
            )
            .group_by(quarters.c.name)
            .order_by(quarters.c.name)
            .limit(MOST_LINES)
        ).all()
        waits = _waits(connection, only, by, shifts)
    return tuple(
        Figures(
            name="" if by == "shift" or name is None else name,
            start=name * shifts.length + shifts.first if by == "shift" else None,
            # PostgreSQL's sum of bigints is a decimal
            rounds=int(count),
            quarters=int(of_quarters),
            findings=int(found),
            acknowledged=waits.get(name, (0, 0, 0))[0],
            waited=waits.get(name, (0, 0, 0))[1],
            longest=waits.get(name, (0, 0, 0))[2],
        )
        for name, count, of_quarters, found in dealt
    )


def _group(by: By, at: ColumnElement[int], shifts: Shifts) -> ColumnElement[Any]:
    if by == "shift":
        return (at - literal(shifts.first)) // literal(shifts.length)
    return rounds.c.dealer if by == "dealer" else rounds.c.table


def _waits(
    connection: Connection, only: Search, by: By, shifts: Shifts
) -> dict[Any, tuple[int, int, int]]:
    """Return alarms acknowledged, how long all waited and the slowest did, by group.

    An alarm's dealer is that of the table's last round that was opened before it.
    """
    names = {"table": alarms.c.table, "dealer": dealer_of_alarm()}
    acknowledged = (
        select(
            names.get(by, _group(by, alarms.c.raised_at, shifts)).label("name"),
            (alarms.c.acknowledged_at - alarms.c.raised_at).label("wait"),
        )
        .where(*alarms_wanted(only), alarms.c.acknowledged_at >= alarms.c.raised_at)
        .subquery()
    )
    columns = acknowledged.c
    found = connection.execute(
        select(columns.name, func.count(), func.sum(columns.wait), func.max(columns.wait)).group_by(
            columns.name
        )
    )
    return {name: (count, int(waited), longest) for name, count, waited, longest in found}


def alarm_figures(engine: Engine, search: Search, now: int) -> AlarmFigures:
    """Return the figures of the alarms raised in a time; a search's dealer is not asked.

    Args:
        engine: the database.
        search: the time, and which tables and codes.
        now: the present time, microseconds since 1970-01-01 UTC.

    Raises:
        DatabaseFault: the database does not answer.
    """
    raised = conditions(search, alarms.c, alarms.c.raised_at)
    ever = Search(
        0, now + MICROS_IN_DAY, search.tables, search.table, None, search.clause, search.code
    )
    standing = [*conditions(ever, alarms.c, alarms.c.raised_at), alarms.c.closed_at.is_(None)]
    before = Search(
        search.since - FLOOD_SPAN, search.until, search.tables, search.table, None, search.clause
    )
    count, of_findings = func.count(), func.sum(alarms.c.count)
    with reading(engine) as connection:
        times = connection.execute(
            select(alarms.c.raised_at)
            .where(*conditions(before, alarms.c, alarms.c.raised_at))
            .order_by(alarms.c.raised_at.desc())
            .limit(MOST_ALARMS)
        ).scalars()
        in_flood = flood(list(times)[::-1], search.since, min(search.until, now))
        shares = connection.execute(
            select(alarms.c.severity, count).where(*raised).group_by(alarms.c.severity)
        ).all()
        noisiest = connection.execute(
            select(alarms.c.code, count, of_findings)
            .where(*raised)
            .group_by(alarms.c.code)
            .order_by(count.desc(), of_findings.desc(), alarms.c.code)
            .limit(NOISIEST)
        ).all()
        dispositions = connection.execute(
            select(alarms.c.code, alarms.c.disposition, count)
            .where(*raised, alarms.c.disposition.is_not(None))
            .group_by(alarms.c.code, alarms.c.disposition)
            .order_by(alarms.c.code, alarms.c.disposition)
            .limit(MOST_LINES)
        ).all()
        all_standing = select(count).where(*standing)
        stale = all_standing.where(alarms.c.raised_at < now - MICROS_IN_DAY)
        return AlarmFigures(
            raised=sum(number for _, number in shares),
            span=max(0, min(search.until, now) - search.since),
            standing=connection.execute(all_standing).scalar_one(),
            stale=connection.execute(stale).scalar_one(),
            shares={row[0]: row[1] for row in shares},
            in_flood=in_flood,
            noisiest=tuple(CodeCount(code, n, int(of)) for code, n, of in noisiest),
            dispositions=tuple(DispositionCount(*row) for row in dispositions),
        )
