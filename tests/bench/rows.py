"""One measurement each: what was measured, what is asked of it, and what limits it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured with.

    ``tables`` and ``events`` are judged ``turns`` times, ``lines`` are in the checked file;
    ``backlog`` of ``backlog_tables``, and again of ``most_tables``, is the worker's;
    ``stock_backlog`` and ``quix_backlog`` are those of the others. ``posted`` events go to the
    gateway as fast as it answers, then single ones for ``single_seconds``. ``paced_tables`` send
    for ``paced_seconds``, of which the first ``warm_up`` are not counted; so do ``live_tables``
    before ``clients`` live pages. ``bootstrap`` is a Kafka
    that runs, else each measure has its own.
    """

    tables: int
    events: int
    turns: int
    lines: int
    backlog_tables: int
    backlog: int
    stock_backlog: int
    quix_backlog: int
    posted: int
    single_seconds: int
    most_tables: int
    paced_tables: int
    paced_seconds: int
    warm_up: int
    live_tables: int
    clients: int
    bootstrap: str | None = None


FULL: Final = Sizes(
    tables=100,
    events=100_000,
    turns=5,
    lines=300_000,
    backlog_tables=200,
    backlog=300_000,
    stock_backlog=20_000,
    quix_backlog=60_000,
    posted=150_000,
    single_seconds=20,
    most_tables=1_000,
    paced_tables=100,
    paced_seconds=40,
    warm_up=5,
    live_tables=500,
    clients=200,
)
"""What is asked is asked of these."""

SMALL: Final = Sizes(
    tables=2,
    events=400,
    turns=1,
    lines=400,
    backlog_tables=4,
    backlog=3_000,
    stock_backlog=2_000,
    quix_backlog=2_000,
    posted=2_000,
    single_seconds=1,
    most_tables=10,
    paced_tables=10,
    paced_seconds=3,
    warm_up=1,
    live_tables=6,
    clients=2,
)
"""Enough to show that a measure runs, and too little to tell anything."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measure.

    ``least`` is what is asked of it, nothing where it is only told; ``at_most`` turns the bound
    round. ``limit`` says what keeps it from being better, as far as the same run shows it.
    """

    name: str
    value: float
    unit: str
    least: float | None = None
    at_most: bool = False
    limit: str = ""

    @property
    def holds(self) -> bool:
        """Return whether the measure keeps its bound."""
        if self.least is None:
            return True
        return self.value <= self.least if self.at_most else self.value >= self.least

    def as_json(self) -> dict[str, Any]:
        """Return the row as ``build/bench.json`` has it."""
        return {
            "name": self.name,
            "value": round(self.value, 4),
            "unit": self.unit,
            "least": self.least,
            "holds": self.holds,
        }


Measure = Callable[[Sizes], list[Row]]
