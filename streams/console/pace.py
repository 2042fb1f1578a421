"""A table's pace: rounds an hour by quarters of an hour, against its target, as bars of an SVG.

Pure functions of the times at which rounds were closed. The axis starts at zero, so that a steady
table looks flat.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from schemas.times import MICROS_IN_HOUR, MICROS_IN_MINUTE
from streams.console.wording import hour_minute

QUARTER: Final = 15 * MICROS_IN_MINUTE
"""A quarter of an hour in microseconds."""
QUARTERS: Final = 14
"""Three and a half hours, as long as rounds are kept."""

WIDTH: Final = 376
LEFT: Final = 26
BOTTOM: Final = 74.0
TOP: Final = 8.0
ROUNDEST: Final = (30, 60, 90, 120, 180, 240, 360, 480, 960, 1920, 3840)
"""Where the axis may end: rounds an hour."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One quarter: its place, its rounds an hour, and from when to when."""

    x: float
    y: float
    height: float
    pace: int
    begins: str
    now: bool


@dataclass(frozen=True, slots=True)
class Pace:
    """The plot; ``now`` is the pace of the last hour, nothing where no round was closed."""

    bars: tuple[Bar, ...]
    axis: tuple[tuple[float, int], ...]
    labels: tuple[tuple[float, str], ...]
    target: int | None
    target_y: float | None
    now: int | None


def pace_now(closed: Iterable[int], now: int) -> int | None:
    """Return the rounds closed in the hour before ``now``; nothing where none is known."""
    times = [time for time in closed if time <= now]
    return sum(1 for time in times if time > now - MICROS_IN_HOUR) if times else None


def plot(closed: Iterable[int], now: int, target: int | None, zone: tzinfo) -> Pace:
    """Return the plot of a table's pace.

    Args:
        closed: When rounds were closed, microseconds.
        now: The time it is.
        target: Rounds an hour that the house plans, if any.
        zone: The zone of the labels.
    """
    times = sorted(time for time in closed if time <= now)
    first = now - QUARTERS * QUARTER
    counts = [0] * QUARTERS
    for time in times:
        if time > first:
            counts[min((time - first - 1) // QUARTER, QUARTERS - 1)] += 1
    highest = max([*(count * 4 for count in counts), target or 0])
    top = next((one for one in ROUNDEST if one >= highest), highest)

    def y(pace: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * pace / top, 1)

    width = (WIDTH - LEFT) / QUARTERS
    bars = tuple(
        Bar(
            x=round(LEFT + 4 + place * width, 1),
            y=y(count * 4),
            height=round(BOTTOM - y(count * 4), 1),
            pace=count * 4,
            begins=hour_minute(first + place * QUARTER, zone),
            now=place == QUARTERS - 1,
        )
        for place, count in enumerate(counts)
    )
    return Pace(
        bars=bars,
        axis=tuple((y(pace), pace) for pace in (0, top // 2, top)),
        labels=tuple((bar.x, bar.begins) for bar in bars[:-4:4]),
        target=target,
        target_y=None if target is None else y(target),
        now=pace_now(times, now),
    )
