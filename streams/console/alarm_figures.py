"""The figures an alarm system is judged by, as the alarms page says them.

What they are is said where they are worked out (``streams.database.figures``): ISA-18.2 and EEMUA
191 ask for at most one alarm in ten minutes and operator, none that stands for more than a day, a
share of about 80, 15 and 5 in a hundred, and less than one in a hundred of the time in flood.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine, func, select

from streams.console.wording import NOTHING
from streams.database.figures import AlarmFigures, CodeCount, alarm_figures
from streams.database.history import acts
from streams.database.opening import reading
from streams.database.search import Search

DAY: Final = 24 * 3600 * 1_000_000
"""The time the figures are of, in microseconds."""


@dataclass(frozen=True, slots=True)
class Burden:
    """The figures in words; one that is not known is a dash."""

    an_hour: str
    an_operator: str
    standing: str
    stale: str
    shares: str
    flood: str
    noisiest: tuple[CodeCount, ...]
    dispositions: Mapping[str, Mapping[str, int]]


def burden(engine: Engine, now: int) -> Burden:
    """Return the figures of the day before ``now``.

    Raises:
        DatabaseFault: the database does not answer.
    """
    since = now - DAY
    figures = alarm_figures(engine, Search(since, now), now)
    with reading(engine) as connection:
        operators = connection.execute(
            select(func.count(acts.c.by.distinct())).where(acts.c.at >= since, acts.c.at < now)
        ).scalar_one()
    return told(figures, operators)


def told(figures: AlarmFigures, operators: int) -> Burden:
    """Return figures in words.

    Args:
        figures: What was worked out.
        operators: How many persons acted on alarms in that time.
    """
    an_hour = figures.an_hour
    dispositions: dict[str, dict[str, int]] = {}
    for each in figures.dispositions:
        dispositions.setdefault(each.code, {})[each.disposition] = each.count
    return Burden(
        an_hour=NOTHING if an_hour is None else f"{an_hour:.1f}",
        an_operator=NOTHING if an_hour is None or not operators else f"{an_hour / operators:.1f}",
        standing=str(figures.standing),
        stale=str(figures.stale),
        shares=_shares(figures),
        flood=f"{100 * figures.in_flood / figures.span:.1f} %" if figures.span else NOTHING,
        noisiest=figures.noisiest,
        dispositions=dispositions,
    )


def _shares(figures: AlarmFigures) -> str:
    if not figures.raised:
        return NOTHING
    low, medium = (figures.shares.get(severity, 0) for severity in ("low", "medium"))
    parts = (low, medium, figures.raised - low - medium)
    return ", ".join(f"{100 * part / figures.raised:.0f} %" for part in parts)
