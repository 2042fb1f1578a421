"""Small changes of a module that a test should notice: where they can be made, and what becomes.

A comparison or a boolean is turned, a part of a condition is left out, a constant is another, a
statement is removed, a condition never holds, nothing is returned. Docstrings, annotations and
decorators are left alone, for no test of a rule can notice them, and so are the guards that tell
mypy what always holds: a card has its round, its play and its set-up.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

COMPARED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
REMOVABLE: Final = (ast.Expr, ast.AugAssign, ast.Continue, ast.Break)
GUARDED: Final = frozenset(
    f"{name} {is_none}"
    for name in ("round_", "seen.round", "play", "setup", "table.setup", "position")
    for is_none in ("is None", "is not None")
)
SKIPPED: Final = frozenset({"annotation", "returns", "decorator_list", "type_ignores"})
SEVERAL: Final = ("Iterable", "Iterator", "tuple", "list", "frozenset", "Sequence")
"""What a function returns of which nothing, ``()``, is one."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module changed once: the line of the change, what was done, and the whole new source."""

    path: Path
    line: int
    what: str
    source: str

    @property
    def name(self) -> str:
        """Return the place and the change, for people."""
        return f"{self.path}:{self.line}: {self.what}"


Site = tuple[int, str, int]
"""A node by its number in the walk, what is done there, and to which part of it."""


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that may be changed, parents first, always in the same order."""
    yield tree
    for name, value in ast.iter_fields(tree):
        if name in SKIPPED:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from walk(child)


def is_docstring(node: ast.AST) -> bool:
    """Return whether a statement is a text that stands alone."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def is_guard(node: ast.expr) -> bool:
    """Return whether an expression only tells mypy what always holds."""
    return ast.unparse(node) in GUARDED


def returns_several(node: ast.AST) -> bool:
    """Return whether a function's annotation says that it returns several things, or none."""
    if not isinstance(node, ast.FunctionDef) or node.returns is None:
        return False
    return ast.unparse(node.returns).startswith(SEVERAL)


def sites(tree: ast.Module) -> list[Site]:
    """Return where and how a module can be changed."""
    found: list[Site] = []
    nodes = list(walk(tree))
    texts = {id(node.value) for node in nodes if isinstance(node, ast.Expr) and is_docstring(node)}
    empty = {
        id(inner)
        for node in nodes
        if returns_several(node)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Return)
        and inner.value is not None
        and ast.unparse(inner.value) != "()"
    }
    for number, node in enumerate(nodes):
        match node:
            case ast.Compare(ops=ops) if not is_guard(node):
                found += [(number, "comparison", at) for at in range(len(ops))]
            case ast.BoolOp(values=values):
                parts = [at for at, value in enumerate(values) if not is_guard(value)]
                found += [(number, "boolean", 0)] if len(parts) > 1 else []
                found += [(number, "part", at) for at in parts]
            case ast.UnaryOp(op=ast.Not()):
                found.append((number, "not", 0))
            case ast.Constant(value=bool() | int() | str()) if id(node) not in texts:
                found.append((number, "constant", 0))
            case ast.If(test=test) | ast.IfExp(test=test) if not is_guard(test):
                found.append((number, "never", 0))
            case ast.Return() if id(node) in empty:
                found.append((number, "empty", 0))
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                found.append((number, "removed", 0))
            case _ if isinstance(node, REMOVABLE) and not is_docstring(node):
                found.append((number, "removed", 0))
            case _:
                pass
    return found


def other(value: bool | int | str) -> bool | int | str:
    """Return another constant of the same type."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case _:
            return f"{value}x"


class Replace(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old = old
        self.new = new

    def visit(self, node: ast.AST) -> ast.AST:
        """Return what stands in a node's place."""
        return self.new if node is self.old else self.generic_visit(node)


def changed(node: ast.AST, kind: str, part: int) -> ast.AST:
    """Change a node, in place or for another, and return what stands there then."""
    match kind, node:
        case "comparison", ast.Compare():
            node.ops[part] = COMPARED[type(node.ops[part])]()
        case "boolean", ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case "part", ast.BoolOp():
            del node.values[part]
            return node if len(node.values) > 1 else node.values[0]
        case "not", ast.UnaryOp():
            return node.operand
        case "constant", ast.Constant():
            value = node.value
            return ast.Constant(other(value)) if isinstance(value, bool | int | str) else node
        case "never", ast.If() | ast.IfExp():
            node.test = ast.Constant(value=False)
        case "empty", ast.Return():
            node.value = ast.Tuple([], ast.Load())
        case _:
            return ast.Pass()
    return node


def mutant(path: Path, text: str, site: Site) -> Mutant:
    """Return the module changed at a site."""
    tree = ast.parse(text)
    number, kind, part = site
    node = list(walk(tree))[number]
    line = getattr(node, "lineno", 0)
    before = first_line(node)
    node_after = changed(node, kind, part)
    after = first_line(node_after)
    if node_after is not node:
        Replace(node, node_after).visit(tree)
    ast.fix_missing_locations(tree)
    return Mutant(path, line, f"{kind}: {before} -> {after}", ast.unparse(tree))


def first_line(node: ast.AST) -> str:
    """Return a node's source as far as one line shows it."""
    return ast.unparse(node).partition("\n")[0][:90]
