"""`make soak`: a floor under an even load for MINUTES, restarted in turn; `build/soak.json`.

The exit status is 1 where memory or descriptors grew, or a finding is not that of `pitwatch check`.
What happens is told on stderr, every 15 s at least.
"""

import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import click
from rich.console import Console
from rich.table import Table

from deploy.local.kafka import LocalKafka
from tests.soak.flat import DESCRIPTORS, GROWTH, MEBIBYTE, SLACK
from tests.soak.run import Soak

REPORT: Final = Path("build") / "soak.json"


def shown(report: dict[str, Any]) -> Table:
    """Return what the processes took as a table."""
    table = Table("process", "over", "MiB, first and last third", "open descriptors", "holds")
    for row in report["flat"]:
        first, last = row["resident_mebibytes"]
        before, after = row["descriptors"]
        table.add_row(
            row["process"],
            row["over"],
            f"{first:.0f} → {last:.0f}",
            f"{before:.0f} → {after:.0f}",
            "yes" if row["holds"] else "NO",
        )
    return table


@click.command()
@click.argument("minutes", type=click.FloatRange(0, min_open=True), default=45)
@click.option("--rate", type=click.FloatRange(1), default=2_000, show_default=True)
@click.option("--tables", type=click.IntRange(1), default=200, show_default=True)
@click.option("--keep", type=click.Path(path_type=Path), help="A folder that keeps logs and data.")
def main(minutes: float, rate: float, tables: int, keep: Path | None) -> None:
    """Run a floor for MINUTES at --rate events a second."""
    notes = Console(stderr=True, highlight=False, markup=False)

    def say(text: str) -> None:
        notes.print(f"{time.strftime('%H:%M:%S')} {text}", soft_wrap=True)

    with TemporaryDirectory() as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with LocalKafka(folder / "kafka") as kafka:
            report = Soak(kafka.bootstrap, folder, minutes * 60, rate, tables, say).run()
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(f"{json.dumps(report, indent=2)}\n", encoding="utf-8")
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(shown(report))
    findings = report["findings"]
    console.print(
        f"{report['events']:,} events, {report['rate_accepted']:,.0f}/s, "
        f"{len(report['restarts'])} restarts; {findings['found']:,} findings, "
        f"{findings['missing']} missing, {findings['more']} more; asked of each third's median: at "
        f"most {GROWTH:.2f} x + {SLACK // MEBIBYTE} MiB, and {DESCRIPTORS} descriptors more",
        soft_wrap=True,
    )
    for problem in report["problems"]:
        notes.print(problem)
    sys.exit(not report["ok"])


if __name__ == "__main__":
    main()
