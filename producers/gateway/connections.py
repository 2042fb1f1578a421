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
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from functools import partial
from typing import Any, Final

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from producers.gateway.settings import HttpLimits

TOO_MANY_BODY: Final = b'{"error":"connections: expected fewer, found as many as are taken"}'
TOO_MANY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\n"
    b"content-type: application/json\r\nretry-after: 1\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s"
) % (len(TOO_MANY_BODY), TOO_MANY_BODY)


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
        arguments: uvicorn's own.
    """

    def __init__(self, limits: HttpLimits, **arguments: Any) -> None:  # noqa: ANN401  uvicorn names them
        super().__init__(**arguments)
        self._limits = limits
        self._phase = Phase.NEW
        self._request: object = None
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Take the connection, or say that there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections:
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

    def _follow(self) -> None:
        phase = self._phase_now()
        if phase is not self._phase or self.cycle is not self._request:
            self._enter(phase)

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
        if phase is not Phase.IDLE:
            in_request = phase is Phase.REQUEST
            seconds = self._limits.request_seconds if in_request else self._limits.head_seconds
            self._deadline = self.loop.call_later(seconds, self.transport.abort)


class Server(uvicorn.Server):
    """A server that leaves the signals to the gateway, which has more to end than it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signal."""
        yield


def server_of(app: ASGIApp, limits: HttpLimits) -> Server:
    """Return a server that is not started, all of whose connections are bounded."""
    config = uvicorn.Config(
        app,
        http=partial(BoundedConnection, limits),  # type: ignore[arg-type]  # called like the class
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
