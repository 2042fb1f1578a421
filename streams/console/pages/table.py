"""`/tables/NAME`: one table, and `/tables/NAME/live`, its panels as they change.

| when | what is sent |
|---|---|
| a client comes | every panel, whole |
| the table changed | the panels that came out new, four times a second at most |
| a second is over | those of which time alone changed: the timeline goes on while a round is open |
| a frame of the floor is made | that frame, for the time, the feed's state and alarms |

A table that is known by an alarm alone, for alarms are told before views, or by the floor file
alone, has a page that waits: its first panels make the browser ask for the page anew.

A panel is made once for all browsers that look at the table. What lies face down is in no view, and
so in no panel.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from schemas.times import MICROS_IN_SECOND
from streams.console.alarm_list import ordered
from streams.console.console import Console
from streams.console.live.frames import EVERYWHERE
from streams.console.live.hub import Hub
from streams.console.streaming import live_stream
from streams.console.table_page import TablePage, page_of

PANELS: Final = {
    "table-head": "heading",
    "table-felt": "felt",
    "table-round": "round",
    "table-alarms": "alarms",
    "table-stock": "stock",
    "table-rounds": "rounds",
    "table-pace": "pace",
}
"""Each panel's macro by the id of its element."""

STEP_SECONDS: Final = 0.25
"""Between two looks at a table: four changes a second are as many as can be read."""

IDLE_SECONDS: Final = 15
"""How often a table is drawn anew at which nothing happens: its pace falls, and it may go stale."""

MOST_BOARDS: Final = 256
"""Tables whose panels are kept; the one that was looked at longest ago leaves."""


class Boards:
    """The panels of the tables that are looked at, made when something changed.

    Args:
        console: the console's parts.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._kept: OrderedDict[str, tuple[object, Mapping[str, str]]] = OrderedDict()

    def page(self, table: str) -> TablePage | None:
        """Return a table's page, nothing where no view of it is known."""
        console = self._console
        live = console.floor.tables.get(table)
        if live is None:
            return None
        return page_of(
            console.floor,
            live,
            inventory=console.hub.inventory,
            book=console.book,
            zone=console.settings.zone,
            now=console.now(),
        )

    def panels(self, table: str) -> Mapping[str, str] | None:
        """Return a table's panels by the ids of their elements, nothing for an unknown table."""
        live = self._console.floor.tables.get(table)
        if live is None:
            return None
        now = self._console.now()
        alarms = tuple(self._console.floor.alarms_of(table))
        last = live.rounds[-1] if live.rounds else None
        pause = 1 if live.view.round_open else IDLE_SECONDS
        key = (live.view, last, alarms, now // (pause * MICROS_IN_SECOND))
        kept = self._kept.get(table)
        if kept is not None and kept[0] == key:
            return kept[1]
        page = self.page(table)
        if page is None:
            return None
        made = self._made(page, now)
        self._kept[table] = (key, made)
        self._kept.move_to_end(table)
        if len(self._kept) > MOST_BOARDS:
            self._kept.popitem(last=False)
        return made

    def _made(self, page: TablePage, now: int) -> Mapping[str, str]:
        template = self._console.renderer.environment.get_template("table_panels.html")
        macros: Any = template.make_module({"now": now})
        return {
            element: str(macros.alarms(page.alarms, now))
            if macro == "alarms"
            else str(getattr(macros, macro)(page))
            for element, macro in PANELS.items()
        }


def routes(console: Console) -> list[Route]:
    """Return the routes of a table's page."""
    boards = Boards(console)

    async def table(request: Request) -> Response:
        name = request.path_params["name"]
        page, panels = boards.page(name), boards.panels(name)
        if page is None or panels is None:
            alarms = console.floor.alarms_of(name)
            if not alarms and all(each.name != name for each in console.inventory.tables()):
                raise HTTPException(404, f"expected a table of the floor, found {name!r}")
            return console.render(
                request,
                "table_silent.html",
                table=name,
                known=bool(alarms),
                stand=ordered(alarms),
                now=console.now(),
            )
        return console.render(
            request,
            "table.html",
            table=name,
            panels=panels,
            previous=page.previous,
            following=page.following,
        )

    async def live(request: Request) -> Response:
        name = request.path_params["name"]
        return live_stream(console, request, lambda last: stream(console.hub, boards, name, last))

    return [
        Route("/tables/{name}", table, name="table"),
        Route("/tables/{name}/live", live, name="table_live"),
    ]


async def stream(hub: Hub, boards: Boards, table: str, last: str) -> AsyncIterator[bytes]:
    """Yield the floor's frames, and a table's panels as they change, until the hub is closed."""
    frames = hub.stream(last, EVERYWHERE)
    following: asyncio.Future[bytes] = asyncio.ensure_future(anext(frames))
    had: Mapping[str, str] = {}
    try:
        while True:
            done, _ = await asyncio.wait({following}, timeout=STEP_SECONDS)
            if done:
                yield following.result()
                following = asyncio.ensure_future(anext(frames))
            panels = boards.panels(table)
            if panels is None or panels is had:
                continue
            changed = [(name, html) for name, html in panels.items() if had.get(name) != html]
            had = panels
            if changed:
                yield message(changed)
    except StopAsyncIteration:
        return
    finally:
        following.cancel()


def message(panels: Iterable[tuple[str, str]]) -> bytes:
    """Return panels as a message: it has no id, for a client that comes back gets all of them."""
    data = json.dumps({"swap": dict(panels)}, ensure_ascii=False, separators=(",", ":"))
    return f"event: panels\ndata: {data}\n\n".encode()
