"""Who asks, and whether he may: what pages get of accounts and sessions.

The guard (``guard.py``) looks up the session of every request before a page sees it, so that here
a person is read from the request, and a change of role, a sign-out or a disabled account holds
from the next request on.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from anyio import CapacityLimiter, to_thread
from sqlalchemy import Engine
from starlette.requests import Request

from streams.console.access.accounts import name_fault
from streams.console.access.cookies import Cookies
from streams.console.access.limits import free_at, left
from streams.console.access.passwords import Passwords
from streams.console.access.roles import User, refusal
from streams.console.access.sessions import UNKNOWN, Session, Sessions, hashed
from streams.console.access.trail import By, Trail
from streams.core.alarms.commands import Grave

HASHING: Final = 1
"""Passwords looked at at once: each takes 64 MiB."""

WAITING: Final = 32
"""Sign-ins that wait for that; one more is told to come back, about 2 s later."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Someone may come in; the browser is to have this id."""

    session_id: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class WrongPassword:
    """Name or password is not right; so many more tries are taken."""

    left: int


@dataclass(frozen=True, slots=True)
class TooManyTries:
    """No try is taken before a time, microseconds."""

    until: int


@dataclass(frozen=True, slots=True)
class Busy:
    """Too many sign in at this moment."""


Entry = SignedIn | WrongPassword | TooManyTries | Busy


def clock() -> int:
    """Return the time, microseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1000


class Access:
    """Accounts and sessions as pages use them.

    Args:
        engine: the database, with all tables.
        secure: whether cookies are sent over HTTPS alone.
        now: the time, microseconds.
        passwords: how passwords are hashed.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        secure: bool = False,
        now: Callable[[], int] = clock,
        passwords: Passwords | None = None,
    ) -> None:
        self.now = now
        self.passwords = passwords or Passwords()
        self._sessions = Sessions(engine)
        self._trail = Trail(engine)
        self.cookies = Cookies(self._sessions.cookie_secret(now()), secure=secure, now=now)
        self.secure = secure
        self._hashing = CapacityLimiter(HASHING)
        # Made before anyone comes, for else the first unknown name would take twice as long.
        _ = self.passwords.nobodys

    # Who asks

    def session(self, request: Request) -> Session | None:
        """Return the session of a request, if it has one that is not over."""
        found: Session | None = getattr(request.state, "session", None)
        return found

    def user(self, request: Request) -> User | None:
        """Return who asks, if he is signed in."""
        session = self.session(request)
        return None if session is None else session.user

    def may(self, user: User, act: str, alarm: Grave | None, pit: str | None) -> str | None:
        """Return why a person may not do something, in words, or nothing where he may.

        Args:
            user: who.
            act: an act on alarms, or ``look``, ``export`` or ``accounts``.
            alarm: the alarm that it is done to, or its code's rule; nothing where to none.
            pit: the pit of the alarm's table; nothing where it is about none.
        """
        return refusal(user, act, alarm, pit)

    async def look_up(self, request: Request, *, touch: bool) -> Session | None:
        """Return the session of a request's cookie as the database has it at this moment.

        Args:
            request: with the cookie.
            touch: whether this is a use that keeps the session from being idle.
        """
        session_id = self.cookies.session_id(request)
        if session_id is None:
            return None
        found = partial(self._sessions.session, hashed(session_id), self.now(), touch=touch)
        return await to_thread.run_sync(found)

    # Coming and going

    async def sign_in(self, request: Request, name: str, password: str) -> Entry:
        """Begin a session for someone who knows an account's name and password.

        A try is counted first, and its password looked at only while the limits allow it.
        """
        if self._hashing.statistics().tasks_waiting >= WAITING:
            return Busy()
        address = address_of(request)
        known = UNKNOWN
        if name_fault(name) is None:
            known = await to_thread.run_sync(self._sessions.known, name)
        by = By(known, self.now(), address)
        attempt, tries = await to_thread.run_sync(self._sessions.attempt, name, address, by.at)
        if until := free_at(tries):
            await to_thread.run_sync(self._sessions.refused, attempt, by)
            return TooManyTries(until)
        encoded = None
        if known != UNKNOWN:
            encoded = await to_thread.run_sync(self._sessions.password_of, name)
        verdict = await to_thread.run_sync(
            self.passwords.verify, encoded, password, limiter=self._hashing
        )
        if not verdict.right:
            await to_thread.run_sync(self._sessions.failed, by)
            return WrongPassword(left(tries) - 1)
        old = self.cookies.session_id(request)
        session_id = await to_thread.run_sync(
            self._sessions.signed_in, by, verdict.rehashed, None if old is None else hashed(old)
        )
        return SignedIn(session_id)

    async def sign_out(self, request: Request) -> None:
        """End the session of a request; one that has none is left as it is."""
        session = self.session(request)
        if session is not None:
            await to_thread.run_sync(self._sessions.signed_out, session, self.by(request))

    async def hashed(self, password: str) -> str:
        """Return the hash of a new password, which a thread makes in its turn."""
        return await to_thread.run_sync(self.passwords.hash, password, limiter=self._hashing)

    # What was done

    def by(self, request: Request, why: str | None = None) -> By:
        """Return who asks, when and from where, for the audit."""
        user = self.user(request)
        who = UNKNOWN if user is None else user.name
        return By(who, self.now(), address_of(request), why)

    async def record(
        self, request: Request, what: str, target: str | None = None, why: str | None = None
    ) -> None:
        """Write to the audit what was done.

        Args:
            request: who does it, and from where.
            what: the act, one word.
            target: to what.
            why: the reason, as the person gave it.
        """
        await to_thread.run_sync(self._trail.record, self.by(request, why), what, target)


def address_of(request: Request) -> str:
    """Return the address that a request came from."""
    return request.client.host if request.client is not None else "unknown"
