"""Which lines of the chart's templates no test guards.

    python -m tests.chart.survivors [PATH…]

Each line is removed in turn and all tests of what the chart renders run against the rest. A line
without which they still pass is a survivor, and is listed. Comments and lines of nothing but ends
are left in: without an end no template can be read.
"""

import inspect
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from _pytest.outcomes import Failed

from tests.chart.documents import CHART
from tests.chart.rendering import Chart, Refused

MODULES: Final = (
    "worker",
    "gateway",
    "console",
    "topics",
    "network",
    "monitoring",
    "every_object",
    "standing",
    "values",
)

IDLE: Final = re.compile(r"\s*(#.*|\{\{-? end -?\}\}|\{\{-? else -?\}\}|\{\{-? */\*.*\*/ *-?\}\}|)")
"""Lines that do nothing, or without which nothing can be read."""

Check = Callable[[Chart], None]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a template."""

    path: Path
    number: int
    text: str

    def __str__(self) -> str:
        """Return where it stands and what it says."""
        return f"{self.path.relative_to(CHART)}:{self.number}: {self.text.strip()}"


def lines() -> Iterator[Line]:
    """Yield the lines that a test should guard."""
    for path in sorted(CHART.glob("templates/**/*.*")):
        if path.suffix in {".yaml", ".tpl"}:
            for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if not IDLE.fullmatch(text):
                    yield Line(path, number, text)


def checks() -> list[Check]:
    """Return the tests that take a chart and nothing else, those of few renderings first."""
    return [
        test
        for name in MODULES
        for test in vars(import_module(f"tests.chart.test_{name}")).values()
        if inspect.isfunction(test) and list(inspect.signature(test).parameters) == ["chart"]
    ]


def survives(line: Line, found: list[Check]) -> bool:
    """Say whether every test passes without a line."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / CHART.name
        shutil.copytree(CHART, copy)
        mutant = copy / line.path.relative_to(CHART)
        rows = line.path.read_text(encoding="utf-8").splitlines()
        del rows[line.number - 1]
        mutant.write_text("\n".join(rows) + "\n", encoding="utf-8")
        # Helm is what takes time, and a part's own tests see from one rendering what is gone.
        own = f"test_{line.path.stem}"
        return passes(
            Chart(copy), sorted(found, key=lambda test: not test.__module__.endswith(own))
        )


def passes(chart: Chart, found: list[Check]) -> bool:
    """Say whether every test passes."""
    for test in found:
        try:
            test(chart)
        # A test fails by whatever it stumbles over in objects that are not as they were.
        except (Exception, Failed, Refused):
            return False
    return True


def main(paths: list[str]) -> int:
    """List the survivors; return how many there are."""
    found = checks()
    chosen = [each for each in lines() if not paths or str(each.path.relative_to(CHART)) in paths]
    if not passes(Chart(), found):
        print(
            "expected the chart as it is to pass every test, found one that fails", file=sys.stderr
        )
        return len(chosen)
    survivors = []
    for number, line in enumerate(chosen, 1):
        if survives(line, found):
            survivors.append(line)
            print(line, flush=True)
        if number % 25 == 0:
            print(f"{number} of {len(chosen)}", file=sys.stderr, flush=True)
    print(f"{len(survivors)} of {len(chosen)} lines survive", file=sys.stderr)
    return len(survivors)


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
