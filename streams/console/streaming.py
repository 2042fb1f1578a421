"""What a live page is sent: a client's messages, as long as its connection lasts."""

from collections.abc import AsyncIterator, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from streams.console.console import Console
from streams.console.live.hub import Hub

LONGEST_ID: Final = 40


def live_stream(
    console: Console, request: Request, messages: Callable[[str], AsyncIterator[bytes]]
) -> Response:
    """Return a live page's messages, or the answer that there are as many pages as may be.

    Args:
        console: its parts.
        request: names the frame after which the page goes on, by ``Last-Event-ID`` or ``last``.
        messages: returns what the page is sent after a frame.
    """
    if console.hub.full:
        return PlainTextResponse(
            f"expected at most {console.settings.clients} live pages, found as many; "
            "close some, or start the console with a higher --clients\n",
            503,
            headers={"Retry-After": "10"},
        )
    last = request.headers.get("last-event-id") or request.query_params.get("last", "")
    return _Stream(console.hub, messages(last[:LONGEST_ID]))


class _Stream(StreamingResponse):
    """A client's messages; it is counted while its connection lasts."""

    def __init__(self, hub: Hub, messages: AsyncIterator[bytes]) -> None:
        super().__init__(
            messages, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
        )
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send messages until the client is gone or the hub is closed."""
        self._hub.enter()
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._hub.leave()
