"""`make bench`: every measure in one run, as a table and in `build/bench.json`.

Ratios compare two things measured beside each other, so that a slow machine is slow for both. The
exit status is 1 where a bound does not hold, or a ratio is more than a tenth worse than that of
`tests/bench/baseline.json`, which `--write-baseline` writes. Names of measures after the command
choose among them and write a report of their own: `python -m tests.bench core check` writes
`build/bench-core-check.json`.
"""

import json
import os
import sys
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.bench import (
    baseline,
    console,
    devices,
    floor,
    garbage,
    judging,
    latency,
    tracing,
    worker,
)
from tests.bench.rows import FULL, Measure, Row, Sizes

MEASURES: Final[dict[str, Measure]] = {
    "core": judging.core,
    "check": judging.check,
    "worker": worker.worker,
    "memory": floor.memory,
    "gateway": devices.gateway,
    "latency": latency.latency,
    "brisk": latency.brisk,
    "garbage": garbage.garbage,
    "tracing": tracing.tracing,
    "console": console.console,
}
WRITE: Final = "--write-baseline"
FOLDER: Final = Path("build")


def main(
    arguments: list[str],
    sizes: Sizes = FULL,
    folder: Path = FOLDER,
    beside: Path = baseline.BASELINE,
) -> int:
    """Measure, write the report, and return the exit status."""
    notes = Console(stderr=True)
    names = [each for each in arguments if each != WRITE]
    unknown = [name for name in names if name not in MEASURES]
    if unknown:
        notes.print(f"expected some of {', '.join(MEASURES)}, found {', '.join(unknown)}")
        return 2
    rows: list[Row] = []
    for name in names or MEASURES:
        notes.print(f"measuring {name}, load average {os.getloadavg()[0]:.1f}")
        rows += MEASURES[name](sizes)
    table = Table("measure", "value", "unit", "asked", "holds", "limited by")
    for row in rows:
        bound = "" if row.least is None else f"{'<=' if row.at_most else '>='} {row.least:,.6g}"
        holds = "" if row.least is None else "yes" if row.holds else "NO"
        table.add_row(row.name, f"{row.value:,.6g}", row.unit, bound, holds, row.limit)
    Console(width=None if sys.stdout.isatty() else 160).print(table)
    folder.mkdir(exist_ok=True)
    load = [round(each, 1) for each in os.getloadavg()]
    text = json.dumps({"load_average": load, "rows": [row.as_json() for row in rows]}, indent=2)
    report = "-".join(["bench", *names])
    (folder / f"{report}.json").write_text(f"{text}\n", encoding="utf-8")
    if WRITE in arguments:
        baseline.write(beside, rows)
    worse = baseline.worse(rows, baseline.load(beside))
    for each in worse:
        notes.print(each, soft_wrap=True, highlight=False, markup=False)
    return 0 if all(row.holds for row in rows) and not worse else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
