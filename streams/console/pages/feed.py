"""`/feed`: what changed, as server-sent events; `last` is the frame after which a page goes on."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from streams.console.console import Console
from streams.console.streaming import live_stream


def routes(console: Console) -> list[Route]:
    """Return the routes of the feed."""

    async def feed(request: Request) -> Response:
        pit = request.query_params.get("pit")
        return live_stream(console, request, lambda last: console.hub.stream(last, pit))

    return [Route("/feed", feed, name="feed")]
