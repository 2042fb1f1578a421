"""`make mutants`: sampled mutants of the games and the judge, and which of them no test notices.

`python -m tests.mutants [GROUP...] --number N --seed S`. Progress goes to stderr, the report to
`build/mutants.json`. A mutant that takes longer than the limit counts as noticed, for a test that
hangs is seen.
"""

import json
import time
from pathlib import Path
from typing import Any, Final

import click

from tests.mutants.run import GROUPS, Group, files, sampled, survives, unchanged

REPORT: Final = Path("build") / "mutants.json"


def tried(group: Group, number: int, seed: int, limit: float) -> dict[str, Any]:
    """Try the mutants of a group; return what became of them."""
    tests = [str(path) for path in files(group.tests)]
    if not survives(unchanged(group), tests, limit):
        raise click.ClickException(
            f"{group.name}: expected its tests to pass within {limit:.0f} s where nothing is "
            "changed, found that they do not; run make test first"
        )
    survivors: list[str] = []
    slow: list[str] = []
    start = time.monotonic()
    count = 0
    for count, each in enumerate(sampled(group, number, seed), start=1):
        outcome = survives(each, tests, limit)
        if outcome is None:
            slow.append(each.name)
        elif outcome:
            survivors.append(each.name)
            click.echo(f"SURVIVES {each.name}", err=True)
        if count % 10 == 0:
            took = time.monotonic() - start
            click.echo(
                f"{group.name}: {count} of {number}, {len(survivors)} survive, {took:.0f} s",
                err=True,
            )
    return {"mutants": count, "slow": slow, "survivors": survivors}


@click.command()
@click.argument("names", nargs=-1)
@click.option("--number", default=300, show_default=True, help="Mutants of each group.")
@click.option("--seed", default=1, show_default=True, help="Equal seeds draw equal mutants.")
@click.option("--limit", default=300.0, show_default=True, help="Seconds for one mutant's tests.")
def main(names: tuple[str, ...], number: int, seed: int, limit: float) -> None:
    """Try mutants of the groups NAMES, or of all."""
    report: dict[str, Any] = {"seed": seed, "groups": {}}
    REPORT.parent.mkdir(exist_ok=True)
    for group in GROUPS:
        if names and group.name not in names:
            continue
        outcome = report["groups"][group.name] = tried(group, number, seed, limit)
        found, count = len(outcome["survivors"]), outcome["mutants"]
        click.echo(f"{group.name}: {count - found} of {count} noticed, {found} survive")
        REPORT.write_text(f"{json.dumps(report, indent=2)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
