"""`make faults`: every fault on a broker of its own, as a table and in `build/faults.json`.

Words after the command choose among the faults by their names: `python -m tests.faults sigkill`;
`--events N` makes the runs smaller. The exit status is 1 where a floor under a fault did not come
to what it would have come to without.
"""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import click
from rich.console import Console
from rich.table import Table

from tests.faults.recovery import LIMIT, Recovery, measure, percentile
from tests.faults.run import WHOLE, Outcome, broker, run
from tests.faults.table import FAULTS, Fault

REPORT: Final = Path("build") / "faults.json"


def folder_name(fault: Fault) -> str:
    """Return a fault's name as a folder's and as a topic's."""
    return re.sub(r"[^a-z0-9]+", "-", fault.name)


def shown(outcomes: list[Outcome]) -> Table:
    """Return the report as a table."""
    table = Table("fault", "events", "duplicates", "judging again", "ended with", "ok")
    for outcome in outcomes:
        table.add_row(
            outcome.name,
            f"{outcome.events:,}",
            str(outcome.duplicates),
            f"{outcome.again:.1f} s",
            ", ".join(map(str, outcome.statuses)),
            "yes" if outcome.ok else "NO",
        )
    return table


def told(recovery: Recovery) -> str:
    """Return what was measured of killed workers, as a line."""
    p95 = percentile(recovery.all, 95)
    return (
        f"judging again after sigkill, static member, {len(recovery.all)} kills: "
        f"all partitions p50 {percentile(recovery.all, 50):.1f} s, p95 {p95:.1f} s, "
        f"first table p95 {percentile(recovery.first, 95):.1f} s, "
        f"{recovery.states:,} state records; asked: p95 at most {LIMIT:.0f} s, "
        f"{'holds' if recovery.ok else 'DOES NOT HOLD'}"
    )


@click.command()
@click.argument("words", nargs=-1)
@click.option("--events", default=WHOLE.events, show_default=True, help="Events of each run.")
@click.option("--keep", type=click.Path(path_type=Path), help="A folder that keeps the logs.")
def main(words: tuple[str, ...], events: int, keep: Path | None) -> None:
    """Do the faults whose names hold one of WORDS, or all; `recovery` measures a killed worker."""
    notes = Console(stderr=True, highlight=False, markup=False)
    size = replace(WHOLE, events=events)
    outcomes: list[Outcome] = []
    recovery: Recovery | None = None
    with TemporaryDirectory() as temporary:
        root = keep or Path(temporary)
        for fault in FAULTS:
            if words and not any(word in fault.name for word in words):
                continue
            folder = root / folder_name(fault)
            with broker(folder / "broker") as (kafka, proxy):
                outcome = run(fault, size, kafka, proxy, folder / "floor")
            outcomes.append(outcome)
            notes.print(f"{'ok ' if outcome.ok else 'NO '} {outcome.seconds:4.0f} s  {fault.name}")
            notes.print("".join(f"{problem}\n" for problem in outcome.problems), end="")
        if not words or "recovery" in words:
            with broker(root / "recovery" / "broker") as (kafka, _):
                recovery = measure(kafka, root / "recovery" / "floor")
            notes.print("".join(f"{problem}\n" for problem in recovery.problems), end="")
    console = Console(width=None if sys.stdout.isatty() else 120)
    if outcomes:
        console.print(shown(outcomes))
    if recovery is not None:
        console.print(told(recovery), soft_wrap=True)
    write(outcomes, recovery)
    sys.exit(not (all(outcome.ok for outcome in outcomes) and (recovery is None or recovery.ok)))


def write(outcomes: list[Outcome], recovery: Recovery | None) -> None:
    """Write the report as JSON."""
    REPORT.parent.mkdir(exist_ok=True)
    report: dict[str, Any] = {"faults": [outcome.as_json() for outcome in outcomes]}
    if recovery is not None:
        report["recovery"] = recovery.as_json()
    REPORT.write_text(f"{json.dumps(report, indent=2)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
