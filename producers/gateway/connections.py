"""One HTTP connection, bounded: uvicorn's h11 protocol with the deadlines that it leaves out.

uvicorn bounds the size of a request's head and the pause between two requests. It waits for ever
for the first request, for a head that comes a byte at a time, and for a client that does not read
its answer; and it takes connections without a bound. Here each phase of a connection has a
deadline, after which it is cut:

| phase | the connection | ends after |
|---|---|---|
| ``NEW`` | has sent nothing yet | ``head_seconds`` |
| ``HEAD`` | has sent a part of a request's head | ``head_seconds`` |
| ``REQUEST`` | has sent a head and is not answered | ``request_seconds`` |
| ``REST`` | is answered and still sends its body | ``head_seconds`` |
| ``IDLE`` | is answered | ``idle_seconds``, uvicorn's own |
| ``CLOSING`` | is closed but for what is not yet taken | ``head_seconds`` |

With TLS there is a handshake before ``NEW``, which ends after ``head_seconds`` too (``tls.py``).

Where there are as many connections as are taken, one more is taken in the place of the one that was
``IDLE`` for longest, for a device opens another when it has something to say. Where none is, it is
refused. Whatever is ended so has a reason of CUT, and is counted by it.
"""

import asyncio
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from functools import partial
from typing import Any, Final

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from producers.gateway.settings import HttpLimits
from producers.gateway.tls import TlsConnection, device_of

CERTIFIED: Final = "certified"
"""The name, in a request's state, of the device whose certificate its connection showed."""

TOO_MANY_BODY: Final = b'{"error":"connections: expected fewer, found as many as are taken"}'
TOO_MANY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\n"
    b"content-type: application/json\r\nretry-after: 1\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s"
) % (len(TOO_MANY_BODY), TOO_MANY_BODY)


LENGTHS: Final = {b"content-length", b"transfer-encoding"}

DEADLINE: Final = "deadline"
MADE_ROOM: Final = "made_room"
TOO_MANY_OPEN: Final = "too_many"
CUT: Final = (DEADLINE, MADE_ROOM, TOO_MANY_OPEN)
"""Why a connection was ended that its device had not ended."""


class Phase(Enum):
    """What a connection is waiting for; see the module's table."""

    NEW = auto()
    HEAD = auto()
    REQUEST = auto()
    REST = auto()
    IDLE = auto()
    CLOSING = auto()


class BoundedConnection(H11Protocol):
    """A connection that cannot be kept without being used.

    Args:
        limits: see the module's table.
        cut: told the reason when this connection, or another one for it, is ended.
        arguments: uvicorn's own.
    """

    def __init__(
        self,
        limits: HttpLimits,
        cut: Callable[[str], None],
        **arguments: Any,  # noqa: ANN401  uvicorn names them
    ) -> None:
        super().__init__(**arguments)
        self._limits = limits
        self._cut = cut
        self._phase = Phase.NEW
        self._request: object = None
        self._deadline: asyncio.TimerHandle | None = None
        self._idle_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Take the connection, or say that there are too many."""
        super().connection_made(transport)
        # each request's scope has a copy of it as its state
        self.app_state = {**self.app_state, CERTIFIED: device_of(transport)}
        if len(self.connections) > self._limits.connections and not self.make_room():
            self._cut(TOO_MANY_OPEN)
            transport.write(TOO_MANY)
            transport.close()
        self._enter(self._phase_now())

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        super().connection_lost(exc)
        if self._deadline is not None:
            self._deadline.cancel()

    def data_received(self, data: bytes) -> None:
        """Take bytes, which may lead to another phase."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        """Take that a request is answered, and perhaps the next one is already there."""
        super().on_response_complete()
        self._follow()

    def timeout_keep_alive_handler(self) -> None:
        """End an idle connection, though it has not taken all of its last answer."""
        super().timeout_keep_alive_handler()
        self._follow()

    def make_room(self) -> bool:
        """Cut the connection that was idle for longest; say whether there was one."""
        idle = [
            (each._idle_since, place, each)
            for place, each in enumerate(self.connections)
            if isinstance(each, BoundedConnection) and each._idle_since is not None
        ]
        if not idle:
            return False
        _, _, longest = min(idle)
        longest._idle_since = None
        self._cut(MADE_ROOM)
        longest.transport.abort()
        return True

    def _follow(self) -> None:
        phase = self._phase_now()
        if self.cycle is not self._request:
            self._distrust()
        if phase is not self._phase or self.cycle is not self._request:
            self._enter(phase)

    def _distrust(self) -> None:
        """Let a request be the connection's last that says its length in two ways.

        Who stands between may believe the other one, and take for a request what the device sent as
        a body: RFC 9112, 6.1.
        """
        if {name for name, _ in self.headers} >= LENGTHS:
            self.cycle.keep_alive = False

    def _phase_now(self) -> Phase:
        if self.transport.is_closing():
            return Phase.CLOSING
        if self.cycle is not None and not self.cycle.response_complete:
            return Phase.REQUEST
        if self.conn.their_state is h11.SEND_BODY:
            return Phase.REST
        if self.conn.trailing_data[0]:
            return Phase.HEAD
        return Phase.NEW if self.cycle is None else Phase.IDLE

    def _enter(self, phase: Phase) -> None:
        self._phase, self._request = phase, self.cycle
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._idle_since = self.loop.time() if phase is Phase.IDLE else None
        if phase is not Phase.IDLE:
            in_request = phase is Phase.REQUEST
            seconds = self._limits.request_seconds if in_request else self._limits.head_seconds
            self._deadline = self.loop.call_later(seconds, self._expire)

    def _expire(self) -> None:
        self._cut(DEADLINE)
        self.transport.abort()


class Server(uvicorn.Server):
    """A server that leaves the signals to the gateway, which has more to end than it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signal."""
        yield


def server_of(
    app: ASGIApp,
    limits: HttpLimits,
    cut: Callable[[str], None],
    context: Callable[[], ssl.SSLContext] | None = None,
) -> Server:
    """Return a server that is not started, all of whose connections are bounded.

    Args:
        app: answers requests.
        limits: what a client may take.
        cut: told the reason, one of CUT, when a connection is ended.
        context: returns the certificates that hold at this moment; without it there is no TLS.
    """
    open_: set[TlsConnection] = set()

    def connection(**arguments: Any) -> asyncio.BaseProtocol:  # noqa: ANN401  uvicorn names them
        inside = BoundedConnection(limits, cut, **arguments)
        if context is None:
            return inside
        refused = partial(cut, TOO_MANY_OPEN)
        return TlsConnection(inside, context, open_, limits, inside.make_room, refused)

    config = uvicorn.Config(
        app,
        http=connection,  # type: ignore[arg-type]  # called like the class
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=limits.head,
        timeout_keep_alive=int(limits.idle_seconds),
        timeout_graceful_shutdown=5,
    )
    return Server(config)
