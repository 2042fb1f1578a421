"""Which tests reach which lines: a mutant is tried first by those that can notice it soonest.

The others come after them and none is left out, for what a test reaches may have been kept from
an earlier one. So an order that is out of date costs time and nothing else.
"""

import contextlib
import json
import os
import tempfile
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import coverage
import pytest

from tests.mutants.mutation import Mutant

Reach = Mapping[str, Mapping[int, Sequence[str]]]
"""The tests by their ids that reach a line, by file and line."""


@dataclass(slots=True)
class Contexts:
    """A plugin of pytest that tells coverage which test runs."""

    measured: coverage.Coverage

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Name what is measured from here on after the test."""
        self.measured.switch_context(item.nodeid)
        return (yield)


@dataclass(frozen=True, slots=True)
class First:
    """A plugin of pytest that has some tests run before the others."""

    tests: frozenset[str]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put the tests that come first first, and leave the order otherwise."""
        items.sort(key=lambda item: item.nodeid not in self.tests)


def first(reach: Reach, what: Mutant) -> frozenset[str]:
    """Return the tests that come to the line where a mutant is changed."""
    return frozenset(reach.get(str(what.path), {}).get(what.line, ()))


def reached(modules: Sequence[Path], tests: Sequence[str]) -> Reach:
    """Run tests in a process of its own, and return which of them reach which lines of modules."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "reach.json"
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                told.write_text(json.dumps(_measured(modules, tests)), encoding="utf-8")
            os._exit(0)
        os.waitpid(child, 0)
        read = json.loads(told.read_text(encoding="utf-8"))
    return {name: {int(line): each for line, each in lines.items()} for name, lines in read.items()}


def _measured(modules: Sequence[Path], tests: Sequence[str]) -> dict[str, dict[int, list[str]]]:
    names = [str(path) for path in modules]
    measured = coverage.Coverage(data_file=None, config_file=False, include=names)
    with Path(os.devnull).open("w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    measured.start()
    pytest.main(["-q", "--assert=plain", "-p", "no:cacheprovider", *tests], [Contexts(measured)])
    measured.stop()
    data = measured.get_data()
    return {
        name: {
            line: sorted({each for each in contexts if each})
            for line, contexts in data.contexts_by_lineno(str(Path(name).absolute())).items()
        }
        for name in names
    }
