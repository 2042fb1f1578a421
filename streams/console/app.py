"""The console as a web application: its parts put together, and its pages.

Pages are modules of ``streams.console.pages``; each says its routes. Nothing inline runs or styles
a page, and a page refers to no other host: the policy that the guard sends with every answer lets a
browser load from here alone.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from schemas.codec import CODEC
from schemas.keys import NamedKey, load_keys
from schemas.watched import Watched
from streams.console.access.access import Access
from streams.console.access.guard import LOOPBACK_NAMES, Guard
from streams.console.access.passwords import Passwords
from streams.console.console import Console
from streams.console.floor_file import load_inventory
from streams.console.from_frame import FromFrame
from streams.console.inventory import Inventory
from streams.console.live.commands import CommandWriter
from streams.console.live.feed import Feed
from streams.console.live.floor import LiveFloor
from streams.console.live.hub import Hub
from streams.console.live.painter import Painter
from streams.console.pages import (
    accounts,
    alarms,
    diagnostics,
    feed,
    floor,
    history,
    own_password,
    pit,
    sign_in,
    table,
)
from streams.console.rendering import Renderer
from streams.console.settings import ConsoleSettings
from streams.database import migrate, open_database
from streams.serving.tracing import tracing_to

NO_PAGE: Final = "expected a page of the console, found none of that address"
LEAST_COMPRESSED: Final = 1_000
PAGES: Final = (
    *(feed, floor, pit, table, alarms, history, diagnostics),
    *(sign_in, own_password, accounts),
)


def clock() -> int:
    """Return the console's time in microseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1000


def command_keys(settings: ConsoleSettings) -> Watched[tuple[NamedKey, ...]] | None:
    """Return the keys of commands as their file says them, where there is one.

    Raises:
        OSError: it cannot be read.
        ValueError: it holds what it may not.
    """
    file = settings.command_keys
    if file is None:
        return None
    return Watched("command_keys", [file], lambda: load_keys(file))


def signing_key(settings: ConsoleSettings, keys: Watched[tuple[NamedKey, ...]] | None) -> NamedKey:
    """Return the key to sign with at this moment: the file's first, else the one that was given.

    Raises:
        ValueError: there is none.
    """
    if keys is not None:
        return keys.current()[0]
    if settings.command_key is None:
        raise ValueError("expected a key of commands, found none")
    return settings.command_key


def build_console(settings: ConsoleSettings, passwords: Passwords | None = None) -> Console:
    """Return a console's parts; its database is opened and brought up to date.

    Args:
        settings: what it is told.
        passwords: how passwords are hashed, where it is not the usual way.

    Raises:
        InventoryFault: the inventory is none.
        DatabaseFault: the database cannot be used.
    """
    inventory = load_inventory(settings.floor) if settings.floor else Inventory.without_file()
    model = LiveFloor()
    renderer = Renderer(settings.book, settings.zone, inventory)
    hub = Hub(
        model,
        Painter(model, inventory, renderer),
        boot=secrets.token_hex(4),
        clients=settings.clients,
        clock=clock,
    )
    engine = open_database(settings.database)
    migrate(engine)
    access = Access(engine, secure=settings.secure_cookie, passwords=passwords)

    def partition_of(table: str) -> int | None:
        known = model.tables.get(table)
        return None if known is None else known.partition

    commands = None
    keys = command_keys(settings)
    if keys is not None or settings.command_key is not None:
        topic = f"{settings.prefix}commands.v1"
        commands = CommandWriter(
            settings.bootstrap,
            topic,
            lambda: signing_key(settings, keys),
            partition_of,
            CODEC.writing(settings.versions),
            settings.access,
        )
    return Console(
        settings=settings,
        inventory=inventory,
        floor=model,
        hub=hub,
        access=access,
        engine=engine,
        book=settings.book,
        commands=commands,
        command_keys=keys,
        renderer=renderer,
    )


def own_names(host: str) -> tuple[str, ...]:
    """Return the names by which browsers may call a console that listens there; none is all."""
    return LOOPBACK_NAMES if host in LOOPBACK_NAMES else ()


def build_app(settings: ConsoleSettings) -> Starlette:
    """Return the application of a console; ``app.state.console`` has its parts.

    Raises:
        InventoryFault: the inventory is none.
        DatabaseFault: the database cannot be used.
    """
    return application(build_console(settings))


def application(console: Console) -> Starlette:
    """Return the application that serves a console's pages and reads its topics."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        settings = console.settings
        tracing = tracing_to(settings.collector, "pitwatch-console", settings.version)
        live = Feed(
            settings.bootstrap,
            settings.prefix,
            console.floor,
            asyncio.get_running_loop(),
            console.hub.hurry,
            console.hub.begin,
            settings.access,
            tracing,
        )
        app.state.feed = live
        console.hub.look = live.look
        live.start()
        frames = asyncio.create_task(console.hub.run())
        try:
            yield
        finally:
            frames.cancel()
            await asyncio.to_thread(live.stop)
            if console.commands is not None:
                await asyncio.to_thread(console.commands.close)
            if tracing is not None:
                await asyncio.to_thread(tracing.close)
            console.engine.dispose()

    routes = [
        console.renderer.static.route(),
        *(route for page in PAGES for route in page.routes(console)),
    ]

    async def wrong(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        said = "expected an answer, found a fault of the console's own; its log says which"
        if isinstance(error, HTTPException):
            said = NO_PAGE if error.detail == "Not Found" else error.detail
        if "text/html" not in request.headers.get("accept", ""):
            return PlainTextResponse(f"{said}\n", status)
        return console.render(request, "wrong.html", status=status, said=said)

    app = Starlette(
        routes=routes,
        exception_handlers={HTTPException: wrong, Exception: wrong},
        lifespan=lifespan,
        middleware=[
            Middleware(FromFrame, hub=console.hub),
            Middleware(Guard, access=console.access, hosts=own_names(console.settings.host)),
            Middleware(GZipMiddleware, minimum_size=LEAST_COMPRESSED),
        ],
    )
    app.state.console = console
    return app
