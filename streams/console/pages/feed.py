"""`/feed`: what changed, as server-sent events; `last` is the frame after which a page goes on."""

from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from streams.console.console import Console
from streams.console.live.hub import Hub

LONGEST_ID: Final = 40


class Stream(StreamingResponse):
    """A client's messages; it is counted while its connection lasts."""

    def __init__(self, hub: Hub, last: str, pit: str | None) -> None:
        super().__init__(
            hub.stream(last, pit),
            media_type="text/event-stream",
            headers={"X-Accel-Buffering": "no"},
        )
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send messages until the client is gone or the hub is closed."""
        self._hub.enter()
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._hub.leave()


def routes(console: Console) -> list[Route]:
    """Return the routes of the feed."""

    async def feed(request: Request) -> Response:
        last = request.headers.get("last-event-id") or request.query_params.get("last", "")
        pit = request.query_params.get("pit")
        if console.hub.full:
            return PlainTextResponse(
                f"expected at most {console.settings.clients} live pages, found as many; "
                "close some, or start the console with a higher --clients\n",
                503,
                headers={"Retry-After": "10"},
            )
        return Stream(console.hub, last[:LONGEST_ID], pit)

    return [Route("/feed", feed, name="feed")]
