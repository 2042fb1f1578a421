"""PromQL as tests look at it: the series that an expression names, and what stands around them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import promql_parser
from promql_parser import Call, MatchOp, MatrixSelector, VectorSelector

RATE_INTERVAL: Final = timedelta(minutes=4, seconds=13)
"""What Grafana's variable stands for in tests: a time that nobody would write by hand."""

_VARIABLES: Final = {"$__rate_interval": "4m13s"}

_MATCHES: Final[Mapping[str, Callable[[str, str], bool]]] = {
    str(MatchOp.Equal): lambda found, wanted: found == wanted,
    str(MatchOp.NotEqual): lambda found, wanted: found != wanted,
    str(MatchOp.Re): lambda found, wanted: re.fullmatch(wanted, found) is not None,
    str(MatchOp.NotRe): lambda found, wanted: re.fullmatch(wanted, found) is None,
}


@dataclass(frozen=True, slots=True)
class Matcher:
    """What a label must be: ``MatchOp.Re`` and a pattern, or another operator."""

    label: str
    operator: str
    value: str

    def takes(self, found: str) -> bool:
        """Return whether it takes a value."""
        return _MATCHES[self.operator](found, self.value)


@dataclass(frozen=True, slots=True)
class Selector:
    """The series of a metric that an expression takes.

    ``range`` is absent where it takes their last values; ``function`` is what is made of a range.
    """

    name: str
    matchers: tuple[Matcher, ...]
    range: timedelta | None = None
    function: str = ""


def parse(expr: str) -> Any:
    """Return the tree of an expression, with Grafana's variables filled in.

    Raises:
        ValueError: it is no PromQL.
    """
    for variable, value in _VARIABLES.items():
        expr = expr.replace(variable, value)
    return promql_parser.parse(expr)


def selectors(expr: str) -> list[Selector]:
    """Return the selectors of an expression, in order."""
    return list(_walk(parse(expr), ""))


def _walk(node: Any, function: str) -> Iterator[Selector]:
    match node:
        case VectorSelector():
            yield Selector(node.name or "", _matchers(node))
        case MatrixSelector():
            inner = node.vector_selector
            yield Selector(inner.name or "", _matchers(inner), node.range, function)
        case Call():
            for argument in node.args:
                yield from _walk(argument, node.func.name)
        case _:
            for part in ("expr", "lhs", "rhs"):
                if (below := getattr(node, part, None)) is not None:
                    yield from _walk(below, "")


def _matchers(node: VectorSelector) -> tuple[Matcher, ...]:
    return tuple(Matcher(each.name, str(each.op), each.value) for each in node.matchers.matchers)
