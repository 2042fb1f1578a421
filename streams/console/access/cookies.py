"""The browser's cookies: a session's signed id, and the token of a form that has no session yet.

| cookie | holds | until | same-site |
|---|---|---|---|
| ``pitwatch`` | a session's id, signed | 12 h, or the session is over | lax |
| ``pitwatch-form`` | a random token, signed; the sign-in form has the same | an hour | strict |

Both are HTTP-only, for the whole host, and are sent over HTTPS alone, with the prefix ``__Host-``
that keeps neighbours from setting them, unless the console listens on loopback without TLS. Lax
lets a link from elsewhere, as an alert's, open a page; it lets none act, for acts are posts.
"""

import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import Final, Literal

from itsdangerous import BadSignature, Signer, TimestampSigner
from starlette.requests import Request
from starlette.responses import Response

from schemas.times import MICROS_IN_SECOND
from streams.console.access.limits import LONGEST

SESSION: Final = "pitwatch"
FORM: Final = "pitwatch-form"
FORM_SECONDS: Final = 3600
LONGEST_COOKIE: Final = 512


class _Dated(TimestampSigner):
    """Signs with the time of a clock that is given."""

    def __init__(self, secret: bytes, now: Callable[[], int]) -> None:
        super().__init__(secret, "pitwatch.form", key_derivation="hmac", digest_method=sha256)
        self._now = now

    def get_timestamp(self) -> int:
        """Return the time, seconds since 1970-01-01 UTC."""
        return self._now() // MICROS_IN_SECOND


class Cookies:
    """Writes and reads the cookies.

    Args:
        secret: what they are signed with.
        secure: whether they are sent over HTTPS alone.
        now: the time, microseconds.
    """

    def __init__(self, secret: bytes, *, secure: bool, now: Callable[[], int]) -> None:
        self._sessions = Signer(
            secret, "pitwatch.session", key_derivation="hmac", digest_method=sha256
        )
        self._forms = _Dated(secret, now)
        self._secure = secure
        self._prefix = "__Host-" if secure else ""

    def session_id(self, request: Request) -> str | None:
        """Return the session's id that a browser has, if it is one that was signed here."""
        value = self._read(request, SESSION)
        if value is None:
            return None
        try:
            return self._sessions.unsign(value).decode()
        except (BadSignature, UnicodeDecodeError):
            return None

    def give_session(self, response: Response, session_id: str) -> None:
        """Give the browser a session's id."""
        value = self._sessions.sign(session_id).decode()
        self._write(response, SESSION, value, LONGEST // MICROS_IN_SECOND, "lax")
        self._take(response, FORM, "strict")

    def take_session(self, response: Response) -> None:
        """Take the session's id from the browser."""
        self._take(response, SESSION, "lax")

    def form_token(self, request: Request) -> str:
        """Return the token for a form without a session: what the browser has, or a new one.

        Several pages that wait for a sign-in, as after a night, can each be used.
        """
        value = self._read(request, FORM)
        if value is not None and self._forms.validate(value, max_age=FORM_SECONDS // 2):
            return value
        return self._forms.sign(secrets.token_urlsafe(24)).decode()

    def give_form_token(self, response: Response, token: str) -> None:
        """Give the browser the form's token."""
        self._write(response, FORM, token, FORM_SECONDS, "strict")

    def has_form_token(self, request: Request, said: str) -> bool:
        """Say whether a form was sent by the page and the browser that it was given to."""
        value = self._read(request, FORM)
        if value is None or not secrets.compare_digest(value.encode(), said.encode()):
            return False
        return bool(self._forms.validate(value, max_age=FORM_SECONDS))

    def _read(self, request: Request, name: str) -> str | None:
        value = request.cookies.get(self._prefix + name)
        return value if value is not None and len(value) <= LONGEST_COOKIE else None

    def _write(
        self,
        response: Response,
        name: str,
        value: str,
        seconds: int,
        same_site: Literal["lax", "strict"],
    ) -> None:
        response.set_cookie(
            self._prefix + name,
            value,
            max_age=seconds,
            path="/",
            secure=self._secure,
            httponly=True,
            samesite=same_site,
        )

    def _take(self, response: Response, name: str, same_site: Literal["lax", "strict"]) -> None:
        self._write(response, name, "", 0, same_site)
