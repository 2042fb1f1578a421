"""`make bench`: every measure in one run, as a table and in `build/bench.json`.

Ratios compare two things measured beside each other, so that a slow machine is slow for both. The
exit status is 1 where a bound does not hold. Names of measures after the command choose among
them: `python -m tests.bench core check`.
"""

import json
import sys
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.bench import floor, judging
from tests.bench.rows import Measure, Row

MEASURES: Final[dict[str, Measure]] = {
    "core": judging.core,
    "check": judging.check,
    "worker": floor.worker,
    "memory": floor.memory,
    "latency": floor.latency,
}
REPORT: Final = Path("build") / "bench.json"


def main(names: list[str]) -> int:
    """Measure, write the report, and return the exit status."""
    notes = Console(stderr=True)
    rows: list[Row] = []
    for name in names or MEASURES:
        notes.print(f"measuring {name}")
        rows += MEASURES[name]()
    table = Table("measure", "value", "unit", "asked", "holds", "limited by")
    for row in rows:
        bound = "" if row.least is None else f"{'<=' if row.at_most else '>='} {row.least:,.6g}"
        holds = "" if row.least is None else "yes" if row.holds else "NO"
        table.add_row(row.name, f"{row.value:,.6g}", row.unit, bound, holds, row.limit)
    Console(width=None if sys.stdout.isatty() else 160).print(table)
    REPORT.parent.mkdir(exist_ok=True)
    text = json.dumps({"rows": [row.as_json() for row in rows]}, indent=2)
    REPORT.write_text(f"{text}\n", encoding="utf-8")
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
