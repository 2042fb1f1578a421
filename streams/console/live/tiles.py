"""What tiles, pits' headings and key figures say: pure functions of the live floor and a time.

Times are microseconds since 1970-01-01 UTC. A figure that is not known is absent, never nought.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.records import Alarm, TableView
from schemas.times import MICROS_IN_DAY, MICROS_IN_HOUR, MICROS_IN_SECOND
from streams.console.alarm_list import shape
from streams.console.inventory import PlannedTable
from streams.console.live.floor import LiveFloor, LiveTable
from streams.console.pace import QUARTER, QUARTERS, pace_now
from streams.core.alarms.alarm import (
    ACKNOWLEDGED,
    NORMAL,
    OUT_OF_SERVICE,
    RETURNED,
    SHELVED,
    TO_ANSWER,
    UNACKNOWLEDGED,
)
from streams.core.book import SEVERITIES
from streams.core.receipts import heard_at
from streams.database.floods import flood

SHAPES: Final = 2
"""Glyphs on a tile, at most; how many more there are is a number."""

_BORDER: Final = (UNACKNOWLEDGED, RETURNED, ACKNOWLEDGED)
"""The states that a tile's border shows, the one that wins first."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """Alarms of one severity and state at one table, drawn as one shape."""

    severity: str
    state: str
    count: int


@dataclass(frozen=True, slots=True)
class Tile:
    """What a table's tile says.

    Attributes:
        table: its name.
        game: the contract's word, absent before its first opening.
        state: a view's word, or ``stale``; ``silent`` where no event of the table is known.
        stale: silent past its limit while open.
        round: the open round's number, else the last closed one's.
        dealer: the pseudonym, if one is known.
        since: the gateway's time of the last event, the device's where there is none.
        pace: rounds of the last hour; absent where none was closed in the window.
        spark: rounds an hour in each step of 3.5 hours, the oldest first.
        stub: rounds since a stub was counted, at hand-dealt games alone.
        glyphs: its alarms, at most two shapes.
        more: alarms beyond those.
        border: the severity and state that its border shows, if any.
    """

    table: str
    game: str | None
    state: str
    stale: bool
    round: int | None
    dealer: str | None
    since: int | None
    pace: int | None
    spark: tuple[int, ...]
    stub: int | None
    glyphs: tuple[Glyph, ...]
    more: int
    border: Glyph | None


@dataclass(frozen=True, slots=True)
class PitCounts:
    """What a pit's heading says."""

    tables: int
    open: int
    closed: int
    stale: int
    silent: int
    unacknowledged: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The key figures.

    Attributes:
        hourly: alarms raised in the last hour.
        by_severity: each severity with its standing alarms, the gravest first.
        states: standing alarms by state.
        flood: part of the last 24 hours in which more than ten alarms came within ten minutes.
        shares: of the last 24 hours' alarms, in hundredths: low, medium, high and critical;
            absent where there was none.
        events_a_second: events written to the floor's topic, if it is known.
    """

    hourly: int
    by_severity: tuple[tuple[str, int], ...]
    states: dict[str, int]
    flood: float
    shares: tuple[int, int, int] | None
    events_a_second: float | None

    @property
    def standing(self) -> int:
        """Return how many alarms are not closed."""
        return sum(self.states.values())

    @property
    def unanswered(self) -> int:
        """Return how many alarms want an answer."""
        return sum(self.states.get(state, 0) for state in TO_ANSWER)


def is_stale(view: TableView, planned: PlannedTable, now: int) -> bool:
    """Return whether an open table has been silent past its limit."""
    return view.open and now - heard_at(view) > planned.silence_seconds * MICROS_IN_SECOND


def state_of(view: TableView, stale: bool) -> str:
    """Return a table's state in one word; views of version 1 say none."""
    if not view.open:
        return "closed"
    if stale:
        return "stale"
    return view.state or ("dealing" if view.round_open else "between")


def tile_of(
    planned: PlannedTable, table: LiveTable | None, alarms: Iterable[Alarm], now: int
) -> Tile:
    """Return a table's tile; one of which no event is known is silent.

    Args:
        planned: what the inventory says of it.
        table: what the topics say.
        alarms: its alarms.
        now: the time.
    """
    glyphs, more, border = glyphs_of(alarms)
    if table is None:
        return Tile(
            planned.name, planned.game, "silent", False, None, None, None, None, (), None,
            glyphs, more, border,
        )  # fmt: skip
    view = table.view
    stale = is_stale(view, planned, now)
    times = [round_.closed_at for round_ in table.rounds]
    return Tile(
        table=view.table,
        game=view.game or planned.game,
        state=state_of(view, stale),
        stale=stale,
        round=view.round or None,
        dealer=view.dealer,
        since=heard_at(view),
        pace=pace_now(times, now),
        spark=spark_of(times, now),
        stub=view.rounds_since_stub_count,
        glyphs=glyphs,
        more=more,
        border=border,
    )


def spark_of(closed: Sequence[int], now: int) -> tuple[int, ...]:
    """Return the rounds an hour in each of the last 14 quarters, the oldest first.

    The quarters are those of the clock, the running one left out: a spark that is drawn anew
    with every event would move.
    """
    if not closed:
        return ()
    last = now // QUARTER
    steps = Counter(time // QUARTER for time in closed)
    return tuple(4 * steps[step] for step in range(last - QUARTERS, last))


def glyphs_of(alarms: Iterable[Alarm]) -> tuple[tuple[Glyph, ...], int, Glyph | None]:
    """Return a table's shapes, how many alarms are beyond them, and what its border shows."""
    counted = Counter((alarm.state, alarm.severity) for alarm in alarms if _on_tile(alarm))
    glyphs = [
        Glyph(severity, state, count)
        for (state, severity), count in sorted(counted.items(), key=_rank)
    ]
    shown = tuple(glyphs[:SHAPES])
    border = next((glyph for glyph in glyphs if glyph.state in _BORDER), None)
    return shown, sum(glyph.count for glyph in glyphs[SHAPES:]), border


def _on_tile(alarm: Alarm) -> bool:
    return alarm.state not in {NORMAL, OUT_OF_SERVICE}


def _rank(counted: tuple[tuple[str, str], int]) -> tuple[int, int]:
    (state, severity), _count = counted
    order = (*_BORDER, SHELVED)
    return order.index(state) if state in order else -1, shape(severity)


def counts_of(tiles: Iterable[Tile]) -> PitCounts:
    """Return what a pit's heading says of its tiles."""
    shown = list(tiles)
    states = Counter(tile.state for tile in shown)
    return PitCounts(
        tables=len(shown),
        open=len(shown) - states["closed"] - states["silent"] - states["stale"],
        closed=states["closed"],
        stale=states["stale"],
        silent=states["silent"],
        unacknowledged=sum(
            tile.border is not None and tile.border.state in TO_ANSWER for tile in shown
        ),
    )


def figures_of(floor: LiveFloor, now: int) -> Figures:
    """Return the key figures of the whole floor."""
    standing = [alarm for alarm in floor.alarms.values() if alarm.state != NORMAL]
    day = [alarm for alarm in floor.alarms.values() if alarm.raised_at > now - MICROS_IN_DAY]
    severities = Counter(alarm.severity for alarm in standing)
    return Figures(
        hourly=sum(alarm.raised_at > now - MICROS_IN_HOUR for alarm in day),
        by_severity=tuple((severity, severities[severity]) for severity in SEVERITIES),
        states=dict(Counter(alarm.state for alarm in standing)),
        flood=part_in_flood(sorted(alarm.raised_at for alarm in day), now),
        shares=_shares(day),
        events_a_second=floor.events_a_second,
    )


def part_in_flood(raised: Sequence[int], now: int) -> float:
    """Return which part of the last 24 hours was a flood (ISA-18.2).

    Args:
        raised: when the alarms were raised, in order.
        now: the time.
    """
    return flood(raised, now - MICROS_IN_DAY, now) / MICROS_IN_DAY


def _shares(alarms: Sequence[Alarm]) -> tuple[int, int, int] | None:
    if not alarms:
        return None
    counted = Counter(alarm.severity for alarm in alarms)
    low = round(100 * counted["low"] / len(alarms))
    medium = round(100 * counted["medium"] / len(alarms))
    return low, medium, max(0, 100 - low - medium)
