"""`/diagnostics`: whether the parts of Pitwatch do their work, by what they say of themselves."""

import time

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from streams.console.console import Console
from streams.console.diagnostics_page import diagnostics
from streams.console.watching import Watch


def routes(console: Console) -> list[Route]:
    """Return the route of the diagnostics page."""
    watch = Watch(console.settings.metrics, time.monotonic, console.settings.metrics_ca)

    async def page(request: Request) -> Response:
        found = diagnostics(
            await watch.look(),
            console.floor,
            clients=console.hub.clients,
            frames=console.hub.frames,
            now=console.now(),
        )
        return console.render(
            request,
            "diagnostics.html",
            found=found,
            asked=len(console.settings.metrics),
            settings=console.settings,
        )

    return [Route("/diagnostics", page, name="diagnostics")]
