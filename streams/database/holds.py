"""Holds: rows that the law wants kept, however old they are."""

import uuid
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine, select

from streams.database.history import holds
from streams.database.opening import reading, writing
from streams.database.search import clean

MOST: Final = 1000
"""Holds that are listed."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold: of one table or all, from a time on, until another or without an end."""

    id: str
    table: str | None
    since: int
    until: int | None
    reason: str
    by: str
    at: int


def add_hold(
    engine: Engine,
    table: str | None,
    since: int,
    until: int | None,
    reason: str,
    by: str,
    at: int,
) -> str:
    """Hold the rows of a table, or of all, of a time; return the hold's id.

    Times are microseconds since 1970-01-01 UTC; ``by`` says who holds, ``at`` when it was said.
    """
    hold = Hold(uuid.uuid4().hex[:12], table, since, until, clean(reason), clean(by), at)
    with writing(engine) as connection:
        row = {name: getattr(hold, name) for name in Hold.__dataclass_fields__}
        connection.execute(holds.insert().values(**row))
    return hold.id


def list_holds(engine: Engine) -> tuple[Hold, ...]:
    """Return the holds, the oldest first, at most 1,000.

    Raises:
        DatabaseFault: the database does not answer.
    """
    with reading(engine) as connection:
        found = connection.execute(select(holds).order_by(holds.c.at, holds.c.id).limit(MOST))
        return tuple(Hold(**row._mapping) for row in found)


def lift_hold(engine: Engine, hold: str) -> bool:
    """Lift a hold; return whether there was one of this id."""
    with writing(engine) as connection:
        return connection.execute(holds.delete().where(holds.c.id == clean(hold))).rowcount > 0
