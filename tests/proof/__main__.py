"""`make proof`: what the judge says of thousands of dealt rounds, legal, broken and spoilt.

`python -m tests.proof [KIND...] --rounds N`. The work is shared out over the cores; progress goes
to stderr, the report to `build/proof.json`. The exit status is 1 where something does not hold.
"""

import json
import os
import sys
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from tests.proof.work import KINDS, Outcome, done, holds, pieces

REPORT: Final = Path("build") / "proof.json"
TOLD: Final = 20
"""What is wrong is told so many times of each kind and game; the rest is counted."""


def proven(kinds: tuple[str, ...], rounds: int, processes: int) -> list[Outcome]:
    """Do the work of some kinds; return what came of it, by kind and game."""
    sums: dict[tuple[str, str], Outcome] = {}
    console = Console(stderr=True, highlight=False)
    todo = [each for each in pieces(rounds) if each.kind in kinds]
    with ProcessPoolExecutor(processes) as pool, Progress(console=console) as progress:
        bar = progress.add_task("pieces", total=len(todo))
        parts = as_completed([pool.submit(done, each) for each in todo])
        for number, finished in enumerate(parts, start=1):
            outcome = finished.result()
            key = outcome.kind, outcome.game
            whole = sums.setdefault(key, Outcome(*key))
            whole.counts.update(outcome.counts)
            whole.wrong += outcome.wrong
            whole.fixed += outcome.fixed
            progress.advance(bar)
            if not console.is_terminal and number % 50 == 0:
                click.echo(f"{number} of {len(todo)} pieces", err=True)
    return [sums[key] for key in sorted(sums, key=lambda key: (list(KINDS).index(key[0]), key[1]))]


def report(outcomes: list[Outcome]) -> bool:
    """Write the report and show it; return whether everything holds."""
    table = Table("proof", "game", "counted", "wrong", "holds")
    told: dict[str, dict[str, object]] = defaultdict(dict)
    whole = True
    for each in outcomes:
        good = holds(each.kind, each.counts, each.wrong)
        whole = whole and good
        counts: Counter[str] = each.counts
        table.add_row(
            each.kind,
            each.game,
            ", ".join(f"{number:,} {what}" for what, number in counts.items()),
            str(len(each.wrong)),
            "yes" if good else "NO",
        )
        told[each.kind][each.game] = {
            "counts": dict(counts),
            "wrong": len(each.wrong),
            "examples": each.wrong[:TOLD],
            "fixed": sorted(each.fixed),
            "holds": good,
        }
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(f"{json.dumps(told, indent=2)}\n", encoding="utf-8")
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    return whole


@click.command()
@click.argument("kinds", nargs=-1, type=click.Choice(list(KINDS)))
@click.option("--rounds", default=10_000, show_default=True, help="Legal rounds of each game.")
@click.option("--processes", default=os.cpu_count(), show_default=True, help="At a time.")
def main(kinds: tuple[str, ...], rounds: int, processes: int) -> None:
    """Prove the judge on dealt rounds, by all KINDS of proof or by some."""
    sys.exit(not report(proven(kinds or tuple(KINDS), rounds, processes)))


if __name__ == "__main__":
    main()
