"""The core is pure: the standard library's pure modules, no clock, no chance, no outside."""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.source import Module, imports_of, modules, within

PURE = frozenset(
    {
        "bisect",
        "collections",
        "collections.abc",
        "dataclasses",
        "enum",
        "functools",
        "hashlib",
        "heapq",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "string",
        "struct",
        "types",
        "typing",
        "zlib",
    }
)
"""Modules of the standard library that read nothing from outside; a new one is added on purpose."""

OUTSIDE = frozenset({"open", "print", "input", "exec", "eval", "compile", "breakpoint", "exit"})
CHANCE = frozenset({"hash", "id"})
"""Built-ins whose value changes from one process to the next."""


def impure(text: str) -> Iterator[str]:
    """Yield what in a module's text reads or changes something outside it."""
    for name in imports_of(text):
        module = name if name in PURE else name.rpartition(".")[0]
        if not within(name, "streams.core") and module not in PURE:
            yield f"imports {name}"
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(ast.Name(called)) if called in OUTSIDE | CHANCE:
                yield f"calls {called}()"
            case ast.Global():
                yield "has a global that changes"
            case ast.AsyncFunctionDef() | ast.Await():
                yield "is asynchronous"
            case ast.Constant(float()):
                yield "has a float"
            case _:
                pass


@pytest.mark.parametrize("module", modules("streams.core"), ids=lambda module: module.name)
def test_module_is_pure(module: Module) -> None:
    assert list(impure(module.text)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import time", "imports time"),
        ("from datetime import datetime", "imports datetime.datetime"),
        ("import random", "imports random"),
        ("from os import environ", "imports os.environ"),
        ("import logging", "imports logging"),
        ("import msgspec", "imports msgspec"),
        ("from schemas import records", "imports schemas.records"),
        ("from . import book", "imports ."),
        ("def f():\n    import secrets", "imports secrets"),
        ("print(1)", "calls print()"),
        ("open('x')", "calls open()"),
        ("hash('x')", "calls hash()"),
        ("async def f(): ...", "is asynchronous"),
        ("total = 0.5", "has a float"),
        ("def f():\n    global x", "has a global that changes"),
    ],
)
def test_what_is_impure_is_seen(text: str, expected: str) -> None:
    assert list(impure(text)) == [expected]


def test_what_is_pure_passes() -> None:
    assert list(impure("import json\nfrom collections.abc import Mapping\nx = 1\n")) == []
    assert list(impure("from streams.core import cards\nfrom streams.core.book import Book")) == []
