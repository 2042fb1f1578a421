"""Mutants against the tests that should notice them, each in a process of its own.

The process is forked from one that has imported the test tools and nothing of Pitwatch, so that the
changed module is imported in place of the one on disk; the files of the checkout stay as they are.
"""

import ast
import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from signal import SIGKILL
from types import ModuleType
from typing import Final

import hypothesis  # noqa: F401  imported once, before the forks
import pytest

from tests.mutants.mutation import Mutant, Site, mutant, sites
from tests.mutants.reach import First

REGULATION: Final = "tests/regulation"


@dataclass(frozen=True, slots=True)
class Group:
    """Code that is changed together, and the tests that hold it: files, those that see most first.

    ``modules`` and ``tests`` are patterns below the checkout.
    """

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


GAMES: Final = "streams/core/games"
SHARED_TESTS: Final = (
    f"{REGULATION}/test_recordings.py",
    f"{REGULATION}/test_incidents.py",
    "tests/unit/core/test_due.py",
    "tests/property/test_simulated_nights.py",
)
GROUPS: Final = (
    Group(
        "from_hand",
        (
            f"{GAMES}/from_hand/*.py",
            f"{GAMES}/caribbean_stud/*.py",
            f"{GAMES}/four_card_poker/*.py",
        ),
        (f"{REGULATION}/test_16_8*.py", f"{REGULATION}/test_from_hand*.py", *SHARED_TESTS),
    ),
    Group(
        "blackjack",
        (f"{GAMES}/blackjack/*.py",),
        (f"{REGULATION}/test_2_*.py", f"{REGULATION}/test_blackjack*.py", *SHARED_TESTS),
    ),
    Group(
        "chemin_de_fer",
        (f"{GAMES}/chemin_de_fer/*.py",),
        (f"{REGULATION}/test_4_9*.py", *SHARED_TESTS),
    ),
    Group(
        "judge",
        ("streams/core/judge.py", "streams/core/integrity.py", "streams/core/stocks.py"),
        (
            f"{REGULATION}/test_integrity*.py",
            f"{REGULATION}/test_from_hand*.py",
            "tests/unit/core/test_*.py",
            f"{REGULATION}/test_*.py",
            "tests/property/test_simulated_nights.py",
        ),
    ),
)


class Swapped(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a changed source, and all others as they are."""

    def __init__(self, what: Mutant) -> None:
        self.what = what
        parts = what.path.with_suffix("").parts
        self.package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.package else parts)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the changed module alone."""
        if fullname != self.name:
            return None
        spec = importlib.util.spec_from_loader(fullname, self, is_package=self.package)
        if spec is not None and self.package:
            spec.submodule_search_locations = [str(self.what.path.parent.absolute())]
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source."""
        module.__file__ = str(self.what.path.absolute())
        exec(compile(self.what.source, f"<{self.what.name}>", "exec"), module.__dict__)  # noqa: S102  ours


def files(patterns: Sequence[str]) -> list[Path]:
    """Return the files of some patterns, in their order, each once."""
    return list(dict.fromkeys(path for each in patterns for path in sorted(Path().glob(each))))


def sampled(group: Group, number: int, seed: int) -> Iterator[Mutant]:
    """Yield so many mutants of a group's modules, drawn from all that can be made."""
    drawn: list[tuple[Path, str, Site]] = []
    for path in files(group.modules):
        text = path.read_text(encoding="utf-8")
        drawn += [(path, text, site) for site in sites(ast.parse(text))]
    Random(f"{group.name}/{seed}").shuffle(drawn)
    for path, text, site in drawn[:number]:
        yield mutant(path, text, site)


def unchanged(group: Group) -> Mutant:
    """Return one of a group's modules as it is: its tests must pass before mutants mean a thing."""
    path = files(group.modules)[0]
    return Mutant(path, 0, "unchanged", path.read_text(encoding="utf-8"))


def survives(
    what: Mutant, first: frozenset[str], tests: Sequence[str], limit: float
) -> bool | None:
    """Run tests on a mutant; return whether they notice nothing, or none if they take too long.

    Args:
        what: the mutant.
        first: the ids of tests that run before the others.
        tests: files of tests.
        limit: seconds.
    """
    if "streams" in sys.modules:
        raise RuntimeError("expected no module of Pitwatch before the fork, found streams")
    child = os.fork()
    if child == 0:
        os._exit(noticed(what, tests, first))
    end = time.monotonic() + limit
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.02)
    os.kill(child, SIGKILL)
    os.waitpid(child, 0)
    return None


def noticed(what: Mutant, tests: Sequence[str], first: frozenset[str]) -> int:
    """Run tests on a mutant, in a process that ends with it; return 0 where they all pass."""
    sys.meta_path.insert(0, Swapped(what))
    with Path(os.devnull).open("w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    # A mutant may break whatever it likes; anything but tests that pass is noticed.
    with contextlib.suppress(BaseException):
        arguments = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", *tests]
        return int(pytest.main(arguments, [First(first)]))
    return 1
