"""Which rows of each table a search wants: the same for pages, figures and exports.

| rows | table, game | code, clause, severity, class | dealer |
|---|---|---|---|
| findings | their own | their own | who dealt the round they were raised in |
| rounds | their own | such a finding was raised in them | their own |
| alarms | their own | their own | who dealt the table's last round opened before they were raised |
| acts | the table is their own | those of their alarm | that of their alarm |

What is asked of other rows is asked once, of all that the time may hold: asked of each row by
EXISTS, SQLite begins with all findings of a code, 28 s of a day's 140,000 rounds instead of 0.1 s.
"""

from dataclasses import replace
from typing import Any, Final

from sqlalchemy import ColumnElement, ScalarSelect, Select, or_, select

from schemas.times import MICROS_IN_DAY, MICROS_IN_HOUR
from streams.database.history import acts, alarms, findings, round_findings, rounds
from streams.database.search import Search, clean, conditions

AROUND: Final = 2 * MICROS_IN_HOUR
"""How long a round lasts at most: its findings are looked for so long around the time asked for."""

LONGEST_ALARM: Final = 35 * MICROS_IN_DAY
"""How long before an act its alarm was raised at most."""

Conditions = list[ColumnElement[bool]]


def findings_wanted(search: Search) -> Conditions:
    """Return the conditions of findings, raised or cleared."""
    wanted = conditions(search, findings.c, findings.c.at)
    if search.dealer is not None:
        around = Search(search.since - AROUND, search.until + AROUND, dealer=search.dealer)
        dealt = (
            select(round_findings.c.finding)
            .join(rounds, rounds.c.opened_by == round_findings.c.opened_by)
            .where(*conditions(around, rounds.c, rounds.c.opened_at))
        )
        wanted.append(findings.c.id.in_(dealt))
    return wanted


def rounds_wanted(search: Search) -> Conditions:
    """Return the conditions of rounds."""
    wanted = conditions(search, rounds.c, rounds.c.opened_at)
    if _of_a_finding(search):
        wanted.append(rounds.c.opened_by.in_(_rounds_with(search)))
    return wanted


def alarms_wanted(search: Search) -> Conditions:
    """Return the conditions of alarms."""
    wanted = conditions(search, alarms.c, alarms.c.raised_at)
    if search.dealer is not None:
        wanted.append(dealer_of_alarm() == clean(search.dealer))
    return wanted


def acts_wanted(search: Search) -> Conditions:
    """Return the conditions of acts; one that names a code and no alarm is found by the code."""
    wanted = conditions(replace(search, code=None, dealer=None), acts.c, acts.c.at)
    raised = replace(search, since=search.since - LONGEST_ALARM)
    of_alarm = acts.c.alarm.in_(select(alarms.c.id).where(*alarms_wanted(raised)))
    if _of_a_finding(replace(search, code=None)) or (search.game, search.dealer) != (None, None):
        wanted.append(of_alarm)
    elif search.code is not None:
        wanted.append(or_(of_alarm, acts.c.code == clean(search.code)))
    return wanted


def dealer_of_alarm() -> ScalarSelect[Any]:
    """Return who dealt the table's last round that was opened before an alarm.

    A seek in an index for each alarm; a join reads the rounds of two hours for each: 12 s of a
    day's 20,000 alarms instead of 0.2 s.
    """
    return (
        select(rounds.c.dealer)
        .where(
            rounds.c.table == alarms.c.table,
            rounds.c.opened_at <= alarms.c.raised_at,
            rounds.c.opened_at > alarms.c.raised_at - AROUND,
        )
        .order_by(rounds.c.opened_at.desc())
        .limit(1)
        .scalar_subquery()
    )


def _of_a_finding(search: Search) -> bool:
    return (search.code, search.clause, search.severity, search.class_) != (None,) * 4


def _rounds_with(search: Search) -> Select[Any]:
    """Return what selects the keys of rounds that have a finding of a code, clause or the like."""
    around = replace(search, since=search.since - AROUND, until=search.until + AROUND, dealer=None)
    return (
        select(round_findings.c.opened_by)
        .join(findings, findings.c.id == round_findings.c.finding)
        .where(*conditions(around, findings.c, findings.c.at))
    )
