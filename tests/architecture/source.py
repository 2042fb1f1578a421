"""The product's source files and what they import."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("schemas", "streams", "producers", "deploy")


@dataclass(frozen=True, slots=True)
class Module:
    """One source file: its import name and its text."""

    name: str
    path: Path
    text: str

    def imports(self) -> Iterator[str]:
        """Yield every module that is imported, absolute, also where it is imported late."""
        return imports_of(self.text)


def imports_of(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module, names, 0) if module is not None:
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.ImportFrom():
                yield "."
            case _:
                pass


def modules(package: str = "") -> list[Module]:
    """Return the product's modules, those of one package if it is named."""
    found = []
    for top in PACKAGES:
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if within(name, package):
                found.append(Module(name, path, path.read_text(encoding="utf-8")))
    return found


def within(name: str, package: str) -> bool:
    """Say whether a module, or a name imported from it, is of a package."""
    return not package or name == package or name.startswith(f"{package}.")
