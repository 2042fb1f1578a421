"""`make mutants`: sampled mutants of the games and the judge, and which of them no test notices.

`python -m tests.mutants [GROUP...] --number N --seed S`. Progress goes to stderr, the report to
`build/mutants.json`. A mutant that takes longer than the limit counts as noticed, for a test that
hangs is seen. Mutants are tried so many at a time as the machine has cores, and of each the tests
that reach its line run first.
"""

import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import click

from tests.mutants.reach import first, reached
from tests.mutants.run import GROUPS, Group, files, sampled, survives, unchanged

REPORT: Final = Path("build") / "mutants.json"


def tried(group: Group, number: int, seed: int, limit: float, processes: int) -> dict[str, Any]:
    """Try the mutants of a group, so many at a time; return what became of them."""
    tests = [str(path) for path in files(group.tests)]
    if not survives(unchanged(group), frozenset(), tests, limit):
        raise click.ClickException(
            f"{group.name}: expected its tests to pass within {limit:.0f} s where nothing is "
            "changed, found that they do not; run make test first"
        )
    reach = reached(files(group.modules), tests)
    drawn = list(sampled(group, number, seed))
    survivors: list[str] = []
    slow: list[str] = []
    start = time.monotonic()
    trial = partial(survives, tests=tests, limit=limit)
    with ProcessPoolExecutor(processes, get_context("fork")) as pool:
        outcomes = pool.map(trial, drawn, [first(reach, each) for each in drawn])
        for count, (each, outcome) in enumerate(zip(drawn, outcomes, strict=True), start=1):
            if outcome is None:
                slow.append(each.name)
            elif outcome:
                survivors.append(each.name)
                click.echo(f"SURVIVES {each.name}", err=True)
            if count % 10 == 0:
                took, found = time.monotonic() - start, len(survivors)
                done = f"{count} of {len(drawn)}, {found} survive, {took:.0f} s"
                click.echo(f"{group.name}: {done}", err=True)
    return {"mutants": len(drawn), "slow": slow, "survivors": survivors}


@click.command()
@click.argument("names", nargs=-1)
@click.option("--number", default=300, show_default=True, help="Mutants of each group.")
@click.option("--seed", default=1, show_default=True, help="Equal seeds draw equal mutants.")
@click.option("--limit", default=300.0, show_default=True, help="Seconds for one mutant's tests.")
@click.option("--processes", default=os.cpu_count() or 1, show_default=True, help="At a time.")
def main(names: tuple[str, ...], number: int, seed: int, limit: float, processes: int) -> None:
    """Try mutants of the groups NAMES, or of all."""
    report: dict[str, Any] = {"seed": seed, "groups": {}}
    REPORT.parent.mkdir(exist_ok=True)
    for group in GROUPS:
        if names and group.name not in names:
            continue
        outcome = report["groups"][group.name] = tried(group, number, seed, limit, processes)
        found, count = len(outcome["survivors"]), outcome["mutants"]
        click.echo(f"{group.name}: {count - found} of {count} noticed, {found} survive")
        REPORT.write_text(f"{json.dumps(report, indent=2)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
