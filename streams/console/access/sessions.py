"""Sessions in the database, and how one begins: the tries to sign in and what limits them.

All functions block; pages call them in a thread.
"""

import json
import secrets as random
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from sqlalchemy import ColumnElement, Connection, Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from schemas.times import MICROS_IN_DAY
from streams.console.access.limits import LONGEST, WINDOW, Tries, over, to_touch
from streams.console.access.roles import User
from streams.console.access.trail import By, note
from streams.database import writing
from streams.database.accounts import audit, secrets, sessions, sign_ins, users

MOST_SESSIONS: Final = 16
"""Sessions of one account at once; the oldest is ended for one more."""

KEPT: Final = 90 * MICROS_IN_DAY
"""How long a session that is over stays readable; what was done stays in the audit."""

COOKIE: Final = "cookie"
"""The name of the secret that cookies are signed with."""

LIMITED: Final = "sign_in_limited"
UNKNOWN: Final = "unknown name"
"""Who tried to sign in without an account: what was typed as a name may be a password."""


@dataclass(frozen=True, slots=True)
class Session:
    """Someone's session; ``csrf`` is what his forms have, ``hash`` of its id."""

    hash: str
    user: User
    csrf: str = field(repr=False)
    created_at: int
    seen_at: int


def hashed(session_id: str) -> str:
    """Return what the database has of a session's id: it is random, so a plain digest will do."""
    return sha256(session_id.encode()).hexdigest()


def end_sessions(connection: Connection, which: ColumnElement[bool], *, at: int) -> None:
    """End the sessions that are not ended yet of those meant."""
    connection.execute(
        update(sessions).where(which, sessions.c.ended_at.is_(None)).values(ended_at=at)
    )


class Sessions:
    """The sessions of one database.

    Args:
        engine: the database, with all tables.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def cookie_secret(self, now: int) -> bytes:
        """Return what the floor's consoles sign cookies with; the first of them makes it."""
        wanted = select(secrets.c.value).where(secrets.c.name == COOKIE)
        with self._engine.connect() as connection:
            found = connection.execute(wanted).scalar_one_or_none()
        if found is None:
            row = {"name": COOKIE, "value": random.token_bytes(32), "created_at": now}
            try:
                with writing(self._engine) as connection:
                    connection.execute(insert(secrets).values(row))
            except IntegrityError:  # another console made it in the meantime
                pass
            with self._engine.connect() as connection:
                found = connection.execute(wanted).scalar_one()
        return bytes(found)

    def attempt(self, name: str, address: str, now: int) -> tuple[str, Tries]:
        """Count a try to sign in, and return its id and those that were counted before it.

        What left the window is deleted first, so that the table is bounded by the limits.
        """
        attempt = random.token_hex(16)
        with writing(self._engine) as connection:
            connection.execute(delete(sign_ins).where(sign_ins.c.at <= now - WINDOW))
            connection.execute(
                insert(sign_ins).values(
                    id=attempt, name_sha256=hashed(name), address=address, at=now
                )
            )
        with self._engine.connect() as connection:
            rows = connection.execute(
                select(sign_ins.c.name_sha256, sign_ins.c.address, sign_ins.c.at)
                .where((sign_ins.c.name_sha256 == hashed(name)) | (sign_ins.c.address == address))
                .where(sign_ins.c.id != attempt)
                .order_by(sign_ins.c.at)
            ).all()
        named = [row for row in rows if row.name_sha256 == hashed(name)]
        return attempt, Tries(
            own=[row.at for row in named if row.address == address],
            name=[row.at for row in named],
            address=[row.at for row in rows if row.address == address],
        )

    def refused(self, attempt: str, by: By) -> None:
        """Take back a try that was refused for its number; a window's first is in the audit."""
        before = (
            select(audit.c.id)
            .where(audit.c.who == by.who, audit.c.at > by.at - WINDOW)
            .where(audit.c.what == LIMITED, audit.c.address == by.address)
            .limit(1)
        )
        with writing(self._engine) as connection:
            connection.execute(delete(sign_ins).where(sign_ins.c.id == attempt))
            if connection.execute(before).one_or_none() is None:
                note(connection, by, LIMITED)

    def failed(self, by: By) -> None:
        """Write to the audit that a name or a password was wrong."""
        with writing(self._engine) as connection:
            note(connection, by, "sign_in_failed")

    def known(self, name: str) -> str:
        """Return a name as the audit may have it: itself if it is an account's."""
        with self._engine.connect() as connection:
            found = connection.execute(select(users.c.name).where(users.c.name == name))
            return UNKNOWN if found.one_or_none() is None else name

    def password_of(self, name: str) -> str | None:
        """Return the encoded password of an account that is not disabled, if there is one."""
        wanted = select(users.c.password).where(users.c.name == name, users.c.disabled.is_(False))
        with self._engine.connect() as connection:
            found: str | None = connection.execute(wanted).scalar_one_or_none()
        return found

    def signed_in(self, by: By, rehashed: str | None, old: str | None) -> str:
        """Begin a session, and return its id.

        The failed tries of this name from this address are forgotten, and those of others are not.

        Args:
            by: whose it is.
            rehashed: what the account has as password from now on, if another.
            old: the hash of the session that the browser had, which ends: an id that somebody
                gave it is of no use to him.
        """
        address = by.address or ""
        session_id, csrf = random.token_urlsafe(32), random.token_urlsafe(32)
        with writing(self._engine) as connection:
            connection.execute(
                delete(sign_ins).where(
                    sign_ins.c.name_sha256 == hashed(by.who), sign_ins.c.address == address
                )
            )
            if rehashed is not None:
                connection.execute(
                    update(users).where(users.c.name == by.who).values(password=rehashed)
                )
            if old is not None:
                end_sessions(connection, sessions.c.id_sha256 == old, at=by.at)
            connection.execute(
                delete(sessions).where(sessions.c.created_at < by.at - KEPT - LONGEST)
            )
            live = connection.execute(
                select(sessions.c.id_sha256)
                .where(sessions.c.user == by.who, sessions.c.ended_at.is_(None))
                .order_by(sessions.c.seen_at.desc())
            ).scalars()
            if ended := list(live)[MOST_SESSIONS - 1 :]:
                end_sessions(connection, sessions.c.id_sha256.in_(ended), at=by.at)
            connection.execute(
                insert(sessions).values(
                    id_sha256=hashed(session_id),
                    user=by.who,
                    csrf=csrf,
                    address=address,
                    created_at=by.at,
                    seen_at=by.at,
                )
            )
            note(connection, by, "signed_in")
        return session_id

    def session(self, id_sha256: str, now: int, *, touch: bool) -> Session | None:
        """Return a session that is not over, with the role and pits of this moment.

        Args:
            id_sha256: the hash of its id.
            now: the time, microseconds.
            touch: whether this is a use of it that keeps it from being idle.
        """
        wanted = (
            select(sessions, users.c.role, users.c.pits)
            .join(users, users.c.name == sessions.c.user)
            .where(sessions.c.id_sha256 == id_sha256)
            .where(sessions.c.ended_at.is_(None), users.c.disabled.is_(False))
        )
        with self._engine.connect() as connection:
            row = connection.execute(wanted).one_or_none()
        if row is None or over(row.created_at, row.seen_at, now):
            return None
        if touch and to_touch(row.seen_at, now):
            with writing(self._engine) as connection:
                connection.execute(
                    update(sessions)
                    .where(sessions.c.id_sha256 == id_sha256, sessions.c.seen_at < now)
                    .values(seen_at=now)
                )
        user = User(row.user, row.role, tuple(json.loads(row.pits)))
        return Session(id_sha256, user, row.csrf, row.created_at, row.seen_at)

    def signed_out(self, session: Session, by: By) -> None:
        """End a session."""
        with writing(self._engine) as connection:
            end_sessions(connection, sessions.c.id_sha256 == session.hash, at=by.at)
            note(connection, by, "signed_out")
