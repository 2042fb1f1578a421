"""Rulebooks as data: every code with its clause, severity, response and parameters."""

import tomllib
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from streams.core.book import Book, BookFault, Problem, parse

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

DEFAULT: Final = "nj"


def load(name_or_path: str = DEFAULT) -> Book:
    """Return a rulebook: one that is built in, by its name, or a TOML file by its path.

    A text with a slash or that ends in ``.toml`` is a path, any other a name.

    Raises:
        BookFault: there is no such book, it is no TOML, or it does not hold what it must.
    """
    if "/" in name_or_path or name_or_path.endswith(".toml"):
        source: Traversable = Path(name_or_path)
    else:
        source = resources.files(__name__) / f"{name_or_path}.toml"
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        known = f"a rulebook file or one of {', '.join(names())}"
        raise BookFault((Problem(name_or_path, known, error.strerror or str(error)),)) from error
    except UnicodeDecodeError as error:
        raise BookFault((Problem(name_or_path, "UTF-8", str(error)),)) from error
    try:
        mapping = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BookFault((Problem(name_or_path, "TOML", str(error)),)) from error
    return parse(mapping)


def names() -> tuple[str, ...]:
    """Return the names of the built-in rulebooks."""
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))
