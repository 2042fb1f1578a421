"""`/pits/NAME`: one pit, with larger tiles and its own alarms."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from streams.console.console import Console


def routes(console: Console) -> list[Route]:
    """Return the routes of a pit's page."""

    async def pit(request: Request) -> Response:
        painter, now = console.hub.painter, console.now()
        painter.place()
        name = request.path_params["name"]
        place = next(
            (place for place, each in enumerate(painter.inventory.pits) if each.name == name), None
        )
        if place is None:
            raise HTTPException(404, f"expected a pit of the floor, found {name!r}")
        return console.render(
            request,
            "pit.html",
            alarms=painter.alarm_list(now),
            figures=painter.figures(now),
            name=name,
            pits=[each.name for each in painter.inventory.pits],
            pit=painter.pit(place, now),
            place=place,
        )

    return [Route("/pits/{name}", pit, name="pit")]
