"""`/`: the whole floor, a tile for each table, with the alarms beside it."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from streams.console.console import Console


def routes(console: Console) -> list[Route]:
    """Return the routes of the floor page."""

    async def floor(request: Request) -> Response:
        painter, now = console.hub.painter, console.now()
        painter.place()
        pits = painter.inventory.pits
        if not any(pit.tables for pit in pits):
            return console.render(request, "empty.html", gateway=console.settings.gateway)
        return console.render(
            request,
            "floor.html",
            alarms=painter.alarm_list(now),
            figures=painter.figures(now),
            pits=[(place, painter.pit(place, now)) for place in range(len(pits))],
        )

    return [Route("/", floor, name="floor")]
