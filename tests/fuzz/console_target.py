"""The console's pages as a target: a request as bytes, read as its server reads it.

A word in a request stands for what a browser that is signed in has: ``COOKIE`` for an
administrator's cookie, ``TOKEN`` for his session's token, ``FORM`` for that of the sign-in form.
The console is shared by many inputs, and built anew before what they did to it matters.
"""

import asyncio
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import h11
from sqlalchemy import func, select
from starlette.types import Message, Scope

from streams.console.access.guard import HEADERS
from streams.database.accounts import audit
from tests.access_scene import PASSWORD
from tests.console_pages import BASE, fields, opened_pages
from tests.unit.console.alarm_records import alarm

INPUTS: Final = 300
"""After so many inputs the console is built anew."""
SECONDS: Final = 30.0
STATUSES: Final = frozenset(
    {200, 204, 303, 307, 400, 401, 403, 404, 405, 409, 413, 421, 422, 429, 503}
)
ENDLESS: Final = ("/feed", "/live")
"""What paths of live feeds end with: an answer to one does not end."""

HOST: Final = BASE.removeprefix("http://").encode()
HEAD: Final = b"HTTP/1.1\r\nhost: " + HOST + b"\r\norigin: http://" + HOST + b"\r\n"
SIGNED_IN: Final = b"cookie: COOKIE\r\n"
TYPED: Final = b"content-type: application/x-www-form-urlencoded\r\n"
ALARM: Final = b"alarm=" + b"0" * 31 + b"1"

CONSOLE_WORDS: Final = (
    *(b"\r\n", b"\r\n\r\n", b"COOKIE", b"TOKEN", b"FORM", b"csrf=TOKEN&", b"%00", b"%ed%a0%80"),
    *(b"x-csrf-token: TOKEN\r\n", b"origin: null\r\n", b"host: evil.test\r\n", b"//", b"..", b"&"),
    *(b"content-type: multipart/form-data; boundary=x\r\n", b"content-length: 99999999\r\n"),
    *(b"/sign-in?next=", b"\xc3\xa9", b"'", b'"', b"<", b"%", b"=", b"-1", b"99999999999999999999"),
)


class Pages:
    """A console with an alarm, an administrator's session, and a form for signing in."""

    def __init__(self) -> None:
        self._closing = ExitStack()
        folder = Path(self._closing.enter_context(tempfile.TemporaryDirectory()))
        self._pages = self._closing.enter_context(opened_pages(folder))
        made = alarm(1, table="CS-01")
        self._pages.console.floor.alarms[made.id] = made
        self._app = self._pages.app
        self._engine = self._pages.console.engine
        self._pages.sign_in("boss", PASSWORD)
        token = fields(self._pages.get("/accounts").text)["csrf"]
        cookie = self._cookie("pitwatch")
        self._pages.client.cookies.clear()
        form = fields(self._pages.get("/sign-in").text)["csrf"]
        both = f"pitwatch={cookie}; pitwatch-form={self._cookie('pitwatch-form')}"
        self._stands_for = {
            b"COOKIE": both.encode(),
            b"TOKEN": token.encode(),
            b"FORM": form.encode(),
        }
        self.inputs = 0

    def _cookie(self, name: str) -> str:
        return str(self._pages.client.cookies[name])

    def stop(self) -> None:
        """End it."""
        self._closing.close()

    def check(self, data: bytes) -> None:
        """Ask; fail where it breaks, answers without safe headers, or acts without the token."""
        self.inputs += 1
        for word, value in self._stands_for.items():
            data = data.replace(word, value)
        asked = request_in(data)
        if asked is None:
            return
        scope, body = asked
        if scope["path"].endswith(ENDLESS):
            return
        before = self._acts()
        status, headers = self._pages.loop.run(self._answer(scope, body))
        assert status in STATUSES, status
        for name, wanted in HEADERS.items():
            assert headers[name.lower().encode()] == wanted.encode()
        if self._stands_for[b"TOKEN"] not in data:
            assert self._acts() == before

    def _acts(self) -> int:
        """Return how much was done that changes something: neither a sign-in nor a download."""
        changes = audit.c.what.not_like("sign%") & (audit.c.what != "download")
        wanted = select(func.count()).where(changes)
        with self._engine.connect() as connection:
            return int(connection.execute(wanted).scalar_one())

    async def _answer(self, scope: Scope, body: bytes) -> tuple[int, dict[bytes, bytes]]:
        sent: list[Message] = []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            if not waiting:
                await asyncio.Event().wait()  # the client is there until it has its answer
            return waiting.pop()

        async def send(message: Message) -> None:
            sent.append(message)

        async with asyncio.timeout(SECONDS):
            await self._app(scope, receive, send)
        return int(sent[0]["status"]), dict(sent[0]["headers"])


def request_in(data: bytes) -> tuple[Scope, bytes] | None:
    """Return a request as the console's server gives it to the application, if it is one."""
    connection = h11.Connection(h11.SERVER)
    try:
        connection.receive_data(data)
        connection.receive_data(b"")
        asked = connection.next_event()
        if not isinstance(asked, h11.Request):
            return None
        body = b""
        while isinstance(part := connection.next_event(), h11.Data):
            body += bytes(part.data)
    except h11.RemoteProtocolError:
        return None
    path, _, query = asked.target.partition(b"?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": asked.http_version.decode(),
        "server": ("127.0.0.1", 7303),
        "client": ("127.0.0.1", 40_000),
        "scheme": "http",
        "method": asked.method.decode("ascii"),
        "root_path": "",
        "path": unquote(path.decode("ascii")),
        "raw_path": path,
        "query_string": query,
        "headers": [(bytes(name), bytes(value)) for name, value in asked.headers],
        "state": {},
    }
    return scope, body


_running: list[Pages] = []


def console(data: bytes) -> None:
    """Ask a shared console."""
    if _running and _running[0].inputs >= INPUTS:
        stop_console()
    if not _running:
        _running.append(Pages())
    _running[0].check(data)


def stop_console() -> None:
    """End the shared console, if it runs."""
    while _running:
        _running.pop().stop()


def _get(path: bytes, *headers: bytes) -> bytes:
    return b"GET " + path + b" " + HEAD + b"".join(headers) + b"\r\n"


def _post(path: bytes, body: bytes, *headers: bytes) -> bytes:
    length = b"content-length: %d\r\n" % len(body)
    return b"POST " + path + b" " + HEAD + TYPED + length + b"".join(headers) + b"\r\n" + body


def console_seeds() -> list[bytes]:
    """Return requests that are good."""
    asked = b"/alarms?g=unacknowledged&pit=main&f=CS-01&" + ALARM + b"&act=shelve"
    searched = b"/history?table=CS-01&code=stub_count_overdue&severity=high&since=2026-11-30"
    act = b"csrf=TOKEN&act=acknowledge&form=abababababababab&disposition=confirmed&" + ALARM
    shelve = b"act=shelve&form=abababababababab&minutes=30&reason=other&note=x&" + ALARM
    return [
        _get(b"/", SIGNED_IN),
        _get(b"/"),
        _get(asked, SIGNED_IN),
        _get(b"/alarms/list?" + ALARM, SIGNED_IN, b"accept: application/json\r\n"),
        _get(b"/alarms/detail?" + ALARM, SIGNED_IN),
        _get(b"/alarms/ask/shelve?" + ALARM, SIGNED_IN),
        _get(searched, SIGNED_IN),
        _get(b"/history/download?what=findings&format=csv", SIGNED_IN),
        _get(b"/pits/main", SIGNED_IN),
        _get(b"/tables/CS-01?round=7", SIGNED_IN),
        _get(b"/diagnostics", SIGNED_IN),
        _get(b"/accounts/op-27", SIGNED_IN),
        _get(b"/sign-in?next=/alarms"),
        _get(b"/session", SIGNED_IN, b"x-background: 1\r\n"),
        _post(b"/sign-in", b"name=op-27&password=x&next=%2F&csrf=FORM", SIGNED_IN),
        _post(b"/alarms/acts", act, SIGNED_IN),
        _post(b"/alarms/acts", shelve, SIGNED_IN, b"x-csrf-token: TOKEN\r\n"),
        _post(b"/accounts", b"csrf=TOKEN&name=op-30&role=viewer&pits=a&why=x", SIGNED_IN),
        _post(b"/accounts/op-27/grant", b"csrf=TOKEN&role=viewer&pits=&why=x", SIGNED_IN),
        _post(b"/accounts/op-27/disable", b"csrf=TOKEN&why=x", SIGNED_IN),
    ]
