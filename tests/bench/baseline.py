"""Ratios of a run beside those of the committed baseline.

Only ratios are kept: both of their sides are measured on the same machine in the same run, so that
they can be compared with another machine's.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tests.bench.rows import Row

BASELINE: Final = Path(__file__).with_name("baseline.json")

WORSE: Final = 0.9
"""The part of the baseline below which a ratio fails."""


def is_ratio(row: Row) -> bool:
    """Say whether a row is one thing's speed beside another's, of which more is better."""
    return row.unit.startswith("x ") and not row.at_most


def load(path: Path) -> dict[str, float]:
    """Return the ratios of a baseline, by name."""
    ratios: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))
    return ratios


def write(path: Path, rows: Iterable[Row]) -> None:
    """Put a run's ratios in a baseline; what this run has not measured stays."""
    ratios = load(path) if path.exists() else {}
    ratios |= {row.name: round(row.value, 3) for row in rows if is_ratio(row) and row.value > 0}
    text = json.dumps(dict(sorted(ratios.items())), indent=2)
    path.write_text(f"{text}\n", encoding="utf-8")


def worse(rows: Iterable[Row], ratios: Mapping[str, float]) -> list[str]:
    """Return a line for each ratio that is more than a tenth worse than the baseline's."""
    return [
        f"{row.name}: expected at least {ratios[row.name] * WORSE:.3g} {row.unit}, "
        f"a tenth less than the baseline's {ratios[row.name]:.3g}, found {row.value:.3g}"
        for row in rows
        if is_ratio(row) and row.name in ratios and row.value < ratios[row.name] * WORSE
    ]
