"""A page goes on from the frame that stood when it was asked for, however long it is made."""

import asyncio
from zoneinfo import ZoneInfo

import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from streams.console.from_frame import FromFrame
from streams.console.inventory import Inventory
from streams.console.live.floor import LiveFloor
from streams.console.live.hub import Hub
from streams.console.live.painter import Painter
from streams.console.rendering import Renderer
from tests import floor_records as made


def test_what_comes_while_a_page_is_made_is_told_after_it() -> None:
    floor, inventory = LiveFloor(), Inventory.without_file()
    painter = Painter(floor, inventory, Renderer(made.BOOK, ZoneInfo("UTC"), inventory))
    hub = Hub(floor, painter, boot="b", clients=1, clock=lambda: 1_796_000_000_000_000)

    async def page(request: Request) -> PlainTextResponse:
        hub.paint()
        return PlainTextResponse(request.state.position)

    app = Starlette(routes=[Route("/", page)], middleware=[Middleware(FromFrame, hub=hub)])

    async def asked() -> str:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return (await client.get("/")).text

    before = hub.position
    assert asyncio.run(asked()) == before
    assert hub.position != before
