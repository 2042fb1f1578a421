"""What of the regulation is watched: every sentence of the five texts, and what watches it.

`sentences/` has a file for each section, validated here. A sentence that binds nobody permits,
defines or introduces. Of one that binds, the codes that watch it are named with tests that show
each, and what of it is not watched with the reason, and with the capabilities that would show it
where there are any.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Annotated, Any, Final, Literal

import msgspec

from streams.core.book import Book
from streams.core.events import CAPABILITIES

SECTIONS: Final = ("2.6", "2.15", "4.9", "16.8", "27.8")
"""The sections of N.J.A.C. 13:69F whose sentences are listed."""

Bound = Literal["dealer", "player", "device", "house"]
Watched = Literal["whole", "part", "no"]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=400)]
Clause = Annotated[str, msgspec.Meta(pattern=r"^\([a-z]\)([1-9]i{0,3})?$")]
Test = Annotated[str, msgspec.Meta(pattern=r"^tests/[a-z0-9_/]+\.py::test_[a-z0-9_]+$")]


class CoverageFault(ValueError):
    """A section's sentences are not what they must be; the text says which and why."""


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sentence as its file has it."""

    clause: Clause
    begins: Text
    says: Text
    binds: tuple[Bound, ...]
    codes: tuple[str, ...] = ()
    tests: tuple[Test, ...] = ()
    unwatched: Text | None = None
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.codes) != bool(self.tests):
            raise ValueError("expected tests where there are codes, and there alone")
        if self.codes and not self.binds:
            raise ValueError("expected no codes of a sentence that binds nobody")
        if not self.codes and self.unwatched is None:
            raise ValueError("expected codes, or in `unwatched` why there are none")
        if self.needs and (self.unwatched is None or not self.binds):
            raise ValueError("expected `needs` only of what is not watched")
        if unknown := set(self.needs).difference(CAPABILITIES):
            raise ValueError(f"expected capabilities, found {', '.join(sorted(unknown))}")


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A section's file."""

    section: str
    game: str
    sentences: Annotated[tuple[_Row, ...], msgspec.Meta(min_length=1)]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a section, and what watches it by a rulebook.

    ``clause`` has its section (``16.8(b)3``) and ``number`` says which sentence of the clause it
    is, from 1. ``begins`` are its first words, ``says`` what it asks, ``binds`` whom; ``codes``
    watch it, ``tests`` show each of them; ``unwatched`` is what is not watched and why, and
    ``needs`` the capabilities that would show that.
    """

    clause: str
    number: int
    begins: str
    says: str
    binds: tuple[Bound, ...]
    codes: tuple[str, ...]
    tests: tuple[str, ...]
    unwatched: str | None
    needs: tuple[str, ...]

    @property
    def watched(self) -> Watched | None:
        """How much of the sentence is watched; None where it binds nobody."""
        if not self.binds:
            return None
        if not self.codes:
            return "no"
        return "whole" if self.unwatched is None else "part"


@dataclass(frozen=True, slots=True)
class Section:
    """A section of N.J.A.C. 13:69F with its sentences in order."""

    section: str
    game: str
    sentences: tuple[Sentence, ...]

    def count(self, *watched: Watched) -> int:
        """Return how many sentences that bind are watched so; all that bind if none is named."""
        kinds = watched or ("whole", "part", "no")
        return sum(1 for each in self.sentences if each.watched in kinds)


def load_sections(book: Book) -> tuple[Section, ...]:
    """Return the sections with what watches them by a rulebook.

    Raises:
        CoverageFault: a file does not hold what it must.
    """
    folder = resources.files(__package__) / "sentences"
    texts = [(folder / f"{name}.toml").read_text(encoding="utf-8") for name in SECTIONS]
    return tuple(parse(tomllib.loads(text), book) for text in texts)


def parse(mapping: Mapping[str, Any], book: Book) -> Section:
    """Return the section that a mapping describes, with what watches it by a rulebook.

    A code that the rulebook does not have for the section's game watches nothing of it, which is
    then said.

    Raises:
        CoverageFault: the mapping does not hold what it must.
    """
    try:
        file = msgspec.convert(mapping, _File)
    except msgspec.ValidationError as error:
        raise CoverageFault(f"section {mapping.get('section')}: {error}") from error
    counted: dict[str, int] = {}
    sentences = []
    for row in file.sentences:
        clause = f"{file.section}{row.clause}"
        counted[clause] = counted.get(clause, 0) + 1
        for code in row.codes:
            if code not in book.rules:
                raise CoverageFault(f"{clause}: expected codes of the rulebook, found {code}")
        sentences.append(_sentence(row, clause, counted[clause], book, file.game))
    return Section(file.section, file.game, tuple(sentences))


def _sentence(row: _Row, clause: str, number: int, book: Book, game: str) -> Sentence:
    """Return a sentence with those of its codes that the rulebook has for the game."""
    codes = tuple(code for code in row.codes if game in book.rules[code].games)
    unwatched = row.unwatched
    if left_out := [code for code in row.codes if code not in codes]:
        said = f"The rulebook {book.name} has no {', '.join(left_out)} for this game."
        unwatched = f"{unwatched} {said}" if unwatched else said
    return Sentence(
        clause=clause,
        number=number,
        begins=row.begins,
        says=row.says,
        binds=row.binds,
        codes=codes,
        tests=row.tests,
        unwatched=unwatched,
        needs=row.needs,
    )
