"""What stands before every page: who asks, whether the page was meant to ask, and safe headers.

| asked | without a session | with one |
|---|---|---|
| an open path (``/sign-in``, ``/static/``, health) | answered | answered |
| a page | sent to ``/sign-in``, and back after it | answered |
| a fragment, a feed, an act | 401 | answered |
| an act from a page of another origin, or without the session's token | 403 | 403 |
| a feed whose session ends meanwhile | | ended within ``LOOK_SECONDS`` |
| an act without a length, or above 64 KiB | 413 | 413 |
| anything by a host's name that is not ours | 421 | 421 |

An act is whatever is not GET or HEAD. Its token is in the header ``X-CSRF-Token`` or the form's
field ``csrf``; the form of signing in, which has no session, has a token of its own. A feed does
not keep a session from being idle, nor does what a page asks for by itself, with the header
``X-Background``: only what a person asks for does.
"""

import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import parse_qs, quote, urlsplit

from sqlalchemy import exc
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from streams.console.access.access import Access
from streams.console.access.sessions import Session

SIGN_IN: Final = "/sign-in"
OPEN_PATHS: Final = frozenset({SIGN_IN, "/healthz", "/readyz", "/metrics", "/favicon.ico"})
STATIC: Final = "/static/"
SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
EVENT_STREAM: Final = "text/event-stream"
FORM: Final = "application/x-www-form-urlencoded"
BACKGROUND: Final = "X-Background"
"""The header of what a page's script asks for without a person's doing."""

CSRF_HEADER: Final = "X-CSRF-Token"
CSRF_FIELD: Final = "csrf"

LARGEST_FORM: Final = 64 * 1024
"""Bytes of a form, of which a note of a person is the longest part."""

MOST_FIELDS: Final = 2_000
"""Fields of a form: an act in bulk names each of its alarms."""

LOOK_SECONDS: Final = 5.0
"""How often the session of a feed is looked up."""

LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""What every answer has. The referrer's policy is not stricter, for then posts had no origin."""

TRANSPORT: Final = ("Strict-Transport-Security", "max-age=31536000")


NO_DATABASE: Final = (exc.DBAPIError, exc.TimeoutError)
"""What a database that does not answer raises, and one whose connections are all in use."""

AWAY: Final = "expected a database that answers, found none; try again soon"


class SessionOver(OSError):
    """The session of a feed is over; an ``OSError``, as a server raises where a client is gone."""


class Guard:
    """The middleware.

    Args:
        app: what it stands before.
        access: accounts and sessions.
        hosts: the names by which browsers may call the console, without ports; none is all.
            Where it listens on loopback they are ``LOOPBACK_NAMES``, so that no page of another
            name that leads here can read it (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, access: Access, hosts: tuple[str, ...] = ()) -> None:
        self._app = app
        self._access = access
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it pass."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        stream = _Answer(scope["path"], send, secure=self._access.secure)
        request = Request(scope, receive)
        if scope["path"].startswith(STATIC) and request.method in SAFE_METHODS:
            await self._app(scope, receive, stream.send)
            return
        try:
            session = await self._access.look_up(request, touch=not by_itself(request))
        except NO_DATABASE:
            await words(503, AWAY)(scope, receive, stream.send)
            return
        scope["state"] = {
            **scope.get("state", {}),
            "session": session,
            "user": None if session is None else session.user,
            "csrf": "" if session is None else session.csrf,
        }
        refusal = self._refusal(request, session)
        acts = request.method not in SAFE_METHODS and scope["path"] not in OPEN_PATHS
        if refusal is None and acts and session is not None:
            receive, refusal = await self._with_token(request, session, receive)
        if refusal is not None:
            await refusal(scope, receive, stream.send)
            return
        if session is not None:
            stream.watch(self._watcher(request))
        try:
            await self._app(scope, receive, stream.send)
        except (ClientDisconnect, SessionOver):
            if not stream.over:
                raise
            await stream.end()
        except NO_DATABASE:
            if stream.started:
                raise
            await words(503, AWAY)(scope, receive, stream.send)

    def _refusal(self, request: Request, session: Session | None) -> Response | None:
        """Return why a request is not let pass, by all but its token."""
        if self._hosts and host_of(request.headers.get("host", "")) not in self._hosts:
            return words(421, f"expected one of the names {', '.join(sorted(self._hosts))}")
        acts = request.method not in SAFE_METHODS
        if acts and not self._own_origin(request.headers):
            return words(403, "expected a form of this console's own pages; open the page anew")
        length = request.headers.get("content-length", "")
        if acts and not (length.isdecimal() and int(length) <= LARGEST_FORM):
            return words(413, f"expected a length of at most {LARGEST_FORM} bytes")
        if session is not None or request.url.path in OPEN_PATHS:
            return None
        if acts or by_itself(request) or "hx-request" in request.headers:
            response = words(401, "expected someone who is signed in; sign in")
            response.headers["HX-Redirect"] = SIGN_IN
            return response
        asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        place = SIGN_IN if asked == "/" else f"{SIGN_IN}?next={quote(asked, safe='/')}"
        response = RedirectResponse(place, status_code=303)
        self._access.cookies.take_session(response)
        return response

    def _own_origin(self, headers: Headers) -> bool:
        """Say whether a browser sends this from a page of this console.

        The origin's scheme is not compared, for behind a proxy that ends TLS it is not known here;
        its host and port are those that the browser called.
        """
        origin = headers.get("origin")
        if origin is None:
            return False
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        schemes = ("https",) if self._access.secure else ("http", "https")
        return parts.scheme in schemes and parts.netloc == headers.get("host")

    async def _with_token(
        self, request: Request, session: Session, receive: Receive
    ) -> tuple[Receive, Response | None]:
        """Return what the page is to read the request by, and why it is refused, if it is."""
        said = request.headers.get(CSRF_HEADER)
        if said is None:
            if request.headers.get("content-type", "").partition(";")[0].strip() != FORM:
                return receive, words(403, f"expected the header {CSRF_HEADER}, found none")
            body = await request.body()
            receive = _again(body, receive)
            try:
                fields = parse_qs(body.decode("latin-1"), max_num_fields=MOST_FIELDS)
            except ValueError:
                return receive, words(413, f"expected at most {MOST_FIELDS} fields")
            said = fields.get(CSRF_FIELD, [""])[0]
        if not secrets.compare_digest(said.encode(), session.csrf.encode()):
            return receive, words(403, "expected this session's token; open the page anew")
        return receive, None

    def _watcher(self, request: Request) -> Callable[[], Awaitable[bool]]:
        """Return what says whether a feed's session is not over yet."""

        async def lasts() -> bool:
            return await self._access.look_up(request, touch=False) is not None

        return lasts


class _Answer:
    """Sends an answer with safe headers, and ends a feed with its session.

    Args:
        path: what was asked for.
        send: the server's.
        secure: whether browsers come over HTTPS alone.
    """

    def __init__(self, path: str, send: Send, secure: bool) -> None:
        self._send = send
        self._static = path.startswith(STATIC)
        self._secure = secure
        self._lasts: Callable[[], Awaitable[bool]] | None = None
        self._feeds = False
        self._looked = 0.0
        self.over = False
        self.started = False

    def watch(self, lasts: Callable[[], Awaitable[bool]]) -> None:
        """End the answer, if it is a feed, when this says no."""
        self._lasts = lasts
        self._looked = time.monotonic()

    async def send(self, message: Message) -> None:
        """Send one part.

        Raises:
            SessionOver: it is a feed, and its session is over.
        """
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if self._secure:
                headers.setdefault(*TRANSPORT)
            if not self._static:
                headers.setdefault("Cache-Control", "no-store")
            self._feeds = headers.get("content-type", "").startswith(EVENT_STREAM)
        elif self._feeds and self._lasts is not None:
            now = time.monotonic()
            if now - self._looked >= LOOK_SECONDS:
                self._looked = now
                if not await self._lasts():
                    self.over = True
                    raise SessionOver("the session is over")
        await self._send(message)

    async def end(self) -> None:
        """End the answer as a whole one, so that the browser asks anew and is refused."""
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def words(status: int, said: str) -> Response:
    """Return an answer in words."""
    return PlainTextResponse(f"{said}\n", status)


def asks_for_feed(request: Request) -> bool:
    """Say whether a browser's script asks for a live feed."""
    return EVENT_STREAM in request.headers.get("accept", "")


def by_itself(request: Request) -> bool:
    """Say whether a page asks by itself: for its feed, or for what the feed says has changed."""
    return asks_for_feed(request) or BACKGROUND in request.headers


def host_of(header: str) -> str:
    """Return the name in a Host header, without its port."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _again(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read already, and then what the server has."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
