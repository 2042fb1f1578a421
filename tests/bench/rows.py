"""One measurement each: what was measured, what is asked of it, and what limits it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One measure.

    ``least`` is what is asked of it, nothing where it is only told; ``at_most`` turns the bound
    round. ``limit`` says what keeps it from being better.
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


Measure = Callable[[], list[Row]]
