"""What is logged is a constant message and fields, so that it can be counted and searched for."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}
LOGGERS = {"log", "_log"}


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield what is logged in a module."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=level)):
                if name in LOGGERS and level in LEVELS:
                    yield node
            case _:
                pass


def is_constant(call: ast.Call) -> bool:
    """Say whether a call logs a constant message and nothing put into it."""
    return len(call.args) == 1 and isinstance(call.args[0], ast.Constant)


def test_every_message_is_a_constant() -> None:
    found = 0
    for package in ("schemas", "streams", "producers", "deploy"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for call in calls(ast.parse(path.read_text())):
                found += 1
                assert is_constant(call), f"{path.relative_to(ROOT)}:{call.lineno}"
    assert found > 50


def test_a_message_that_is_put_together_is_seen() -> None:
    made = ["log.info(f'{x} is lost')", "_log.error('%s is lost', x)", "log.warning(text)"]
    assert [[is_constant(call) for call in calls(ast.parse(each))] for each in made] == [
        [False],
        [False],
        [False],
    ]
