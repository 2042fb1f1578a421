"""From which frame a page goes on: the one that stood when the page was asked for."""

from starlette.types import ASGIApp, Receive, Scope, Send

from streams.console.live.hub import Hub


class FromFrame:
    """Notes the frame that stands when a request comes, as the request's ``state.position``.

    A page may wait for the database while it is made, and what it shows be older than the frame
    that stands when it is done: whatever came between would not be told until it changed again.
    What is told twice changes nothing.

    Args:
        app: what answers.
        hub: has the frames.
    """

    def __init__(self, app: ASGIApp, hub: Hub) -> None:
        self._app = app
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Note the frame and pass the request on."""
        if scope["type"] == "http":
            scope["state"] = {**scope.get("state", {}), "position": self._hub.position}
        await self._app(scope, receive, send)
