"""Imports point one way, and Faust is known to the worker's shell alone."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGES, ROOT, imports_of, modules, within

MAY_IMPORT = {
    "schemas": ("schemas",),
    "streams.core": ("streams.core",),
    "streams.rulebooks": ("streams.rulebooks", "streams.core.book", "streams.core.events"),
    "streams.wire": ("streams.wire", "streams.core", "schemas"),
    "streams.database": ("streams.database", "schemas"),
    "streams.serving": ("streams.serving",),
    "streams.brokers": ("streams.brokers",),
    "streams.historian": (
        "streams.historian",
        "streams.brokers",
        "streams.database",
        "streams.serving",
        "streams.wire",
        "schemas",
    ),
    "streams.console": (
        "streams.console",
        "streams.brokers",
        "streams.database",
        "streams.serving",
        "streams.wire",
        "streams.rulebooks",
        "streams.core",
        "schemas",
    ),
    "streams.shell": (
        "streams.shell",
        "streams.brokers",
        "streams.serving",
        "streams.wire",
        "streams.rulebooks",
        "streams.core",
        "schemas",
    ),
    "producers.client": ("producers.client",),
    "producers.gateway": ("producers.gateway", "streams.brokers", "schemas"),
    "producers.simulator": (
        "producers.simulator",
        "streams.core.cards",
        "streams.core.events",
        "schemas",
    ),
    "deploy": PACKAGES,
}
"""What each part may import of the product. A part that is not named here fails the test below."""

ONLY_THE_SHELL = ("faust", "mode", "aiokafka")


def ours(name: str) -> bool:
    return name.split(".", 1)[0] in PACKAGES


def test_every_module_belongs_to_a_part() -> None:
    roofs = ("streams", "producers")
    for module in modules():
        assert module.name in roofs or any(within(module.name, part) for part in MAY_IMPORT), (
            f"{module.name} belongs to no part: add it to MAY_IMPORT and to ARCHITECTURE.md"
        )


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_part_imports_only_what_it_may(part: str) -> None:
    for module in modules(part):
        for name in module.imports():
            assert name != ".", f"{module.name}: imports are absolute"
            allowed = not ours(name) or any(within(name, each) for each in MAY_IMPORT[part])
            assert allowed, f"{module.name} imports {name}"


def test_faust_is_imported_by_the_shell_alone() -> None:
    for module in modules():
        if not within(module.name, "streams.shell"):
            for name in module.imports():
                assert not any(within(name, each) for each in ONLY_THE_SHELL), module.name


def test_a_devices_client_needs_the_standard_library_alone() -> None:
    for module in modules("producers.client"):
        for name in module.imports():
            alone = name.split(".", 1)[0] in sys.stdlib_module_names
            assert alone or within(name, "producers.client"), f"{module.name} imports {name}"


def test_pipeline_knows_no_faust() -> None:
    for module in modules("streams.shell.pipeline"):
        assert not any(within(name, "faust") for name in module.imports())


def test_late_imports_are_seen() -> None:
    text = "def f():\n    import faust.app\n    from streams.core import book\n"
    assert list(imports_of(text)) == ["faust.app", "streams.core.book"]
    assert list(imports_of("from . import book")) == ["."]


def test_contracts_are_kept_and_checked_by_make_lint() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert contracts["tool"]["importlinter"]["contracts"]
    assert "lint-imports" in (ROOT / "Makefile").read_text(encoding="utf-8")
    lint = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([lint], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
