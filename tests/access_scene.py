"""A console's door without a floor behind it: real accounts, sessions and guard, a clock to turn.

Behind the guard stand pages that say who asks, take an act and send a feed; the database is the
test's own.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import httpx
from anyio import to_thread
from argon2 import PasswordHasher
from sqlalchemy import Engine
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from schemas.times import MICROS_IN_SECOND
from streams.console.access.access import Access, SignedIn, TooManyTries, WrongPassword
from streams.console.access.accounts import Accounts
from streams.console.access.guard import Guard
from streams.console.access.passwords import Passwords
from streams.console.access.sessions import Sessions, hashed
from streams.console.access.trail import By, Trail
from streams.rulebooks import load

if TYPE_CHECKING:
    from streams.core.book import Rule

NOW: Final = 1_796_040_000 * MICROS_IN_SECOND
PASSWORD: Final = "a card is dealt face up"  # noqa: S105  of accounts that only tests have
ACT: Final = "acknowledge/main/stub_count_overdue"
ADMIN: Final = "boss"
BASE: Final = "http://console.test"
QUICK: Final = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
"""The shipped parameters take 64 MiB and 50 ms; what they are is tested where they are chosen."""


@dataclass
class Clock:
    """A time that a test turns on."""

    now: int = NOW

    def __call__(self) -> int:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += round(seconds * MICROS_IN_SECOND)


@dataclass
class Door:
    """The console's door and what is behind it."""

    engine: Engine
    secure: bool = False
    hosts: tuple[str, ...] = ()
    clock: Clock = field(default_factory=Clock)
    loop: asyncio.Runner = field(default_factory=asyncio.Runner)

    def __post_init__(self) -> None:
        self.access = Access(self.engine, secure=self.secure, now=self.clock, passwords=QUICK)
        self.accounts = Accounts(self.engine)
        self.trail = Trail(self.engine)
        self.rules: Mapping[str, Rule] = load().rules
        self.done: list[str] = []
        self.feeds_until: Callable[[], object] = int
        self.app = Starlette(
            routes=[
                Route("/", self._floor),
                Route("/acts/{act}/{pit}/{code}", self._act, methods=["POST"]),
                Route("/feed", self._feed),
                Route("/sign-in", self._sign_in, methods=["POST"]),
                Route("/sign-out", self._sign_out, methods=["POST"]),
                Route("/static/console.css", self._sheet),
            ],
            middleware=[Middleware(Guard, access=self.access, hosts=self.hosts)],
        )

    def by(self, why: str | None = None) -> By:
        return By(ADMIN, self.clock.now, None, why)

    def add(self, name: str, role: str = "operator", pits: tuple[str, ...] = ()) -> None:
        self.accounts.add(name, QUICK.hash(PASSWORD), role, pits, self.by())

    def browser(self, address: str = "10.0.0.1") -> "Browser":
        base = BASE.replace("http", "https") if self.secure else BASE
        transport = httpx.ASGITransport(self.app, client=(address, 40_000))
        client = httpx.AsyncClient(transport=transport, base_url=base)
        return Browser(client, base, self.loop)

    def audited(self, *keys: str) -> list[tuple[object, ...]]:
        """Return these columns of the audit, the oldest first."""
        rows = self.trail.last(1_000)
        return [tuple(row[key] for key in keys) for row in reversed(rows)]

    async def _floor(self, request: Request) -> Response:
        user = self.access.user(request)
        assert user is not None
        return PlainTextResponse(f"{user.name} {user.role} {','.join(user.pits)}")

    async def _act(self, request: Request) -> Response:
        form = await request.form()
        user = self.access.user(request)
        assert user is not None
        act, pit = request.path_params["act"], request.path_params["pit"]
        rule = self.rules[request.path_params["code"]]
        said = self.access.may(user, act, rule, pit)
        if said is not None:
            return PlainTextResponse(said, 403)
        self.done.append(act)
        await self.access.record(request, act, rule.code, str(form.get("note", "")) or None)
        return PlainTextResponse("done")

    async def _feed(self, _request: Request) -> Response:
        async def frames() -> AsyncIterator[str]:
            for _ in range(3):
                yield "data: frame\n\n"
            await to_thread.run_sync(self.feeds_until)
            while True:
                yield "data: frame\n\n"

        return StreamingResponse(frames(), media_type="text/event-stream")

    async def _sign_in(self, request: Request) -> Response:
        form = await request.form()
        match await self.access.sign_in(request, str(form["name"]), str(form["password"])):
            case SignedIn(session_id):
                response = Response(status_code=204)
                self.access.cookies.give_session(response, session_id)
                return response
            case WrongPassword(left):
                return PlainTextResponse(f"{left} left", 401)
            case TooManyTries(until):
                return PlainTextResponse(f"{(until - self.clock.now) // MICROS_IN_SECOND} s", 429)
            case _:
                return PlainTextResponse("busy", 503)

    async def _sign_out(self, request: Request) -> Response:
        await self.access.sign_out(request)
        response = Response(status_code=204)
        self.access.cookies.take_session(response)
        return response

    async def _sheet(self, _request: Request) -> Response:
        return Response("p {}", headers={"Cache-Control": "public"}, media_type="text/css")


@dataclass
class Browser:
    """A browser at the door: keeps its cookies, and sends its origin with what it posts."""

    client: httpx.AsyncClient
    base: str
    loop: asyncio.Runner

    def get(self, path: str = "/", **headers: str | bytes) -> httpx.Response:
        return self.loop.run(self.client.get(path, headers=sent(headers)))

    def post(
        self, path: str, form: Mapping[str, str] | None = None, **headers: str | bytes | None
    ) -> httpx.Response:
        given = sent({"Origin": self.base, **headers})
        return self.loop.run(self.client.post(path, data=form or {}, headers=given))

    def sign_in(self, name: str, password: str = PASSWORD) -> httpx.Response:
        return self.post("/sign-in", {"name": name, "password": password})

    def act(self, path: str, token: str, **fields: str) -> httpx.Response:
        return self.post(f"/acts/{path}", {"csrf": token, **fields})

    def cookie(self) -> str:
        """Return the session's cookie as it stands in the browser."""
        (value,) = (each.value for each in self.client.cookies.jar if "form" not in each.name)
        assert value is not None
        return value


def entered(door: Door, name: str = "op-27", address: str = "10.0.0.1") -> tuple[Browser, str]:
    """Return a browser in which someone is signed in, and his session's token."""
    browser = door.browser(address)
    assert browser.sign_in(name).status_code == 204
    return browser, token_of(door, browser)


def token_of(door: Door, browser: Browser) -> str:
    """Return the token of a browser's session."""
    wanted = hashed(session_id_in(browser.cookie()))
    session = Sessions(door.engine).session(wanted, door.clock.now, touch=False)
    assert session is not None
    return session.csrf


def session_id_in(cookie: str) -> str:
    """Return the id in a session's cookie, without its signature."""
    matched = re.fullmatch(r"([A-Za-z0-9_-]{43})\.[A-Za-z0-9_-]+", cookie)
    assert matched is not None
    return str(matched[1])


def sent(headers: Mapping[str, str | bytes | None]) -> dict[bytes, bytes]:
    """Return headers as they are sent: those without a value are not."""
    return {
        name.replace("_", "-").encode(): value if isinstance(value, bytes) else value.encode()
        for name, value in headers.items()
        if value is not None
    }
