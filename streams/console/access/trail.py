"""The audit: who did what, when, why and from where.

Whatever changes something writes its entry in the same transaction. What strangers write into it
is bounded in length, and by the limits of signing in, in number.
"""

import secrets
from dataclasses import dataclass
from itertools import count
from typing import Final

from sqlalchemy import Connection, Engine, insert, select

from streams.database import writing
from streams.database.accounts import audit
from streams.database.search import clean

LONGEST_NAME: Final = 64
LONGEST_WORDS: Final = 1_000

_written: Final = count()
"""Begins each entry's id, so that those of one moment stand in the order of their writing."""


@dataclass(frozen=True, slots=True)
class By:
    """Who does something, when and from where; ``why`` is his reason, if he gave one."""

    who: str
    at: int
    address: str | None = None
    why: str | None = None


def note(connection: Connection, by: By, what: str, target: str | None = None) -> None:
    """Write to the audit what was done; texts of strangers are cut at their bounds."""
    connection.execute(
        insert(audit).values(
            id=f"{next(_written) % 2**32:08x}{secrets.token_hex(12)}",
            at=by.at,
            who=by.who[:LONGEST_NAME],
            what=what,
            target=_held(target),
            why=_held(by.why),
            address=by.address,
        )
    )


def _held(text: str | None) -> str | None:
    """Return a text as the audit holds it: whoever types it must not keep his act out of it."""
    return None if text is None else clean(text[:LONGEST_WORDS])


class Trail:
    """The audit of one database.

    Args:
        engine: the database, with all tables.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def record(self, by: By, what: str, target: str | None) -> None:
        """Write to the audit what a person did."""
        with writing(self._engine) as connection:
            note(connection, by, what, target)

    def last(self, limit: int = 200) -> list[dict[str, object]]:
        """Return the last entries of the audit, the newest first."""
        wanted = select(audit).order_by(audit.c.at.desc(), audit.c.id.desc()).limit(limit)
        with self._engine.connect() as connection:
            return [dict(row) for row in connection.execute(wanted).mappings()]
