"""What is looked for, and how a long answer is given in pages.

Every search is bounded in time and every answer in rows. Pages are told apart by the last row that
was shown, not by a number, so that a row that is written meanwhile moves none of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import Column, ColumnElement, Row, Select, and_, func, literal, or_

PAGE: Final = 50
LARGEST_PAGE: Final = 500

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for; what is left out may be anything.

    Attributes:
        since: the earliest time, microseconds since 1970-01-01 UTC.
        until: the first time that is too late.
        tables: the tables that may be told of at all; nothing is all of them.
        table: one table.
        dealer: the pseudonym of who dealt the round.
        clause: a clause, or the beginning of several: ``16.8(b)`` finds ``16.8(b)2i`` too.
        code: a finding's code.
        severity: its severity.
        class_: its class.
        game: the game of the table.
    """

    since: int
    until: int
    tables: frozenset[str] | None = None
    table: str | None = None
    dealer: str | None = None
    clause: str | None = None
    code: str | None = None
    severity: str | None = None
    class_: str | None = None
    game: str | None = None


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last row of a page: its time, microseconds since 1970-01-01 UTC, and its key."""

    at: int
    key: str

    def __str__(self) -> str:
        return f"{self.at}.{self.key}"

    @staticmethod
    def parsed(text: str) -> "Cursor | None":
        """Return the cursor of a text that ``str`` made; nothing for any other text."""
        at, dot, key = text.partition(".")
        if not dot or not at.isascii() or not at.isdigit() or len(at) > 18:
            return None
        return Cursor(int(at), key.replace("\0", ""))


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some rows, the newest first, and where the next page begins, if there is one."""

    rows: tuple[T, ...]
    next: Cursor | None


Columns = Any
"""The columns of one of the tables, by their names; SQLAlchemy types them no further."""


def conditions(search: Search, columns: Columns, at: Column[int]) -> list[ColumnElement[bool]]:
    """Return the conditions of a search that the columns of one table can answer.

    Args:
        search: what is looked for.
        columns: the table's.
        at: the column of the time.
    """
    found: list[ColumnElement[bool]] = [at >= search.since, at < search.until]
    if search.tables is not None:
        found.append(columns.table.in_(sorted(search.tables)))
    for name in ("table", "game", "dealer", "code", "severity", "class_"):
        value = getattr(search, name)
        if value is not None and name in columns:
            found.append(columns[name] == clean(value))
    if search.clause is not None and "clause" in columns:
        begins = clean(search.clause)
        # LIKE tells capitals from small letters on one database and not on the other
        found.append(func.substr(columns.clause, 1, len(begins)) == begins)
    return found


def clean(text: str) -> str:
    """Return a text as PostgreSQL can hold it: U+0000, which it cannot, becomes U+FFFD."""
    return text.replace("\0", "\ufffd")


def paged(
    statement: Select[Any], at: Column[int], key: Column[str], after: Cursor | None, size: int
) -> Select[Any]:
    """Return a statement for one page and one row more, the newest first.

    Args:
        statement: what selects the rows.
        at: the column of their time.
        key: a column that tells apart rows of one time.
        after: the last row of the page before.
        size: how many rows a page has.
    """
    if after is not None:
        older = or_(at < after.at, and_(at == literal(after.at), key < after.key))
        statement = statement.where(older)
    return statement.order_by(at.desc(), key.desc()).limit(bounded(size) + 1)


def bounded(size: int) -> int:
    """Return a page's size within its bounds."""
    return max(1, min(size, LARGEST_PAGE))


def page_of(
    found: Sequence[Row[Any]], size: int, build: Callable[[Any], T], cursor: Callable[[T], Cursor]
) -> Page[T]:
    """Return the page of what a statement of ``paged`` found."""
    rows = tuple(build(row) for row in found[: bounded(size)])
    more = len(found) > bounded(size)
    return Page(rows, cursor(rows[-1]) if more else None)
