"""The figures an alarm system is judged by, as the alarms page says them.

What they are is said where they are worked out (``streams.database.figures`` and ``positions``):
ISA-18.2 and EEMUA 191 ask that one operator position be presented with about six alarms an hour and
with twelve at most, for none that stands for more than a day, a share of about 80, 15 and 5 in a
hundred, and less than one in a hundred of the time in flood.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine

from schemas.times import MICROS_IN_DAY
from streams.console.access.limits import IDLE, LONGEST
from streams.console.access.roles import PERMITTED
from streams.console.wording import NOTHING, age_words
from streams.core.alarms.commands import ACKNOWLEDGE, SURVEILLANCE
from streams.database.figures import AlarmFigures, CodeCount, alarm_figures
from streams.database.positions import Position, SignedIn, Watch, watch
from streams.database.search import Search

ON_WATCH: Final = SignedIn(
    idle=IDLE,
    longest=LONGEST,
    roles=frozenset(role for role, acts in PERMITTED.items() if ACKNOWLEDGE in acts),
    everywhere=frozenset({SURVEILLANCE}),
)
"""Whose positions are counted: those who may answer an alarm, while their session lasts."""

MOST_SHOWN: Final = 12
"""Positions that are listed, the most burdened first."""


@dataclass(frozen=True, slots=True)
class PositionLine:
    """One operator's position in words."""

    name: str
    where: str
    presented: int
    an_hour: str
    acknowledged: int
    others: int


@dataclass(frozen=True, slots=True)
class Burden:
    """The figures in words; one that is not known is a dash.

    ``an_operator`` is how many alarms an hour a position was presented with, of all ``positions``
    together; ``unattended`` are the alarms raised while nobody who may answer them was signed in.
    """

    an_hour: str
    an_operator: str
    positions: tuple[PositionLine, ...]
    left: int
    unattended: int
    standing: str
    stale: str
    shares: str
    flood: str
    noisiest: tuple[CodeCount, ...]
    dispositions: Mapping[str, Mapping[str, int]]


def burden(engine: Engine, now: int, pit_of: Callable[[str], str]) -> Burden:
    """Return the figures of the day before ``now``.

    Args:
        engine: The database.
        now: The time it is, microseconds.
        pit_of: Tells a table's pit.

    Raises:
        DatabaseFault: the database does not answer.
    """
    since = now - MICROS_IN_DAY
    figures = alarm_figures(engine, Search(since, now), now)
    return told(figures, watch(engine, since, now, ON_WATCH, pit_of))


def told(figures: AlarmFigures, on_watch: Watch) -> Burden:
    """Return figures in words.

    Args:
        figures: What was worked out.
        on_watch: Who was signed in, and with how many alarms each was presented.
    """
    dispositions: dict[str, dict[str, int]] = {}
    for each in figures.dispositions:
        dispositions.setdefault(each.code, {})[each.disposition] = each.count
    return Burden(
        an_hour=_rate(figures.an_hour),
        an_operator=_rate(on_watch.an_hour),
        positions=tuple(map(_line, on_watch.positions[:MOST_SHOWN])),
        left=max(0, len(on_watch.positions) - MOST_SHOWN),
        unattended=on_watch.unattended,
        standing=str(figures.standing),
        stale=str(figures.stale),
        shares=_shares(figures),
        flood=f"{100 * figures.in_flood / figures.span:.1f} %" if figures.span else NOTHING,
        noisiest=figures.noisiest,
        dispositions=dispositions,
    )


def _rate(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def _line(position: Position) -> PositionLine:
    where = f"pit {', '.join(position.pits)}" if position.pits else "all pits"
    return PositionLine(
        name=position.name,
        where=f"{where}, {age_words(position.signed_in)}"
        if position.signed_in
        else "not signed in",
        presented=position.presented,
        an_hour=_rate(position.an_hour),
        acknowledged=position.acknowledged,
        others=position.others,
    )


def _shares(figures: AlarmFigures) -> str:
    if not figures.raised:
        return NOTHING
    low, medium = (figures.shares.get(severity, 0) for severity in ("low", "medium"))
    parts = (low, medium, figures.raised - low - medium)
    return ", ".join(f"{100 * part / figures.raised:.0f} %" for part in parts)
