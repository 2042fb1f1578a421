"""`/history`: findings and rounds looked up, figures, a round in full, and what may be downloaded.

| address | is |
|---|---|
| ``/history`` | the page; ``show`` is findings, rounds or figures, ``opened_by`` a round in full |
| ``/history/download`` | findings or rounds of the search, as NDJSON or CSV, line by line |

The database blocks, so it is asked in a thread; a download goes on while the browser takes it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from anyio import move_on_after, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from streams.console.alarm_desk import user_of
from streams.console.alarm_list import shape, state_class, state_word
from streams.console.console import Console
from streams.console.history_page import finding_detail, history_page
from streams.console.history_search import asked, local
from streams.console.table_lines import states_by_finding
from streams.console.wording import game_word
from streams.core.book import SEVERITIES
from streams.core.events import GAMES
from streams.database.export import FORMATS, Format, What, export
from streams.database.opening import DatabaseFault
from streams.database.queries import FindingRow
from streams.database.search import Search

HTMX: Final = json.dumps(
    {
        "allowEval": False,
        "includeIndicatorStyles": False,
        # What a page showed is not kept in the browser for whoever sits there next.
        "historyCacheSize": 0,
        "refreshOnHistoryMiss": True,
        "selfRequestsOnly": True,
        # A history that does not answer says so in a page of its own.
        "responseHandling": [
            {"code": "[23]..", "swap": True},
            {"code": "503", "swap": True},
            {"code": "...", "swap": False, "error": True},
        ],
    }
)
"""How htmx is told to keep to the console's policy: nothing inline, nothing evaluated."""

TYPES: Final = {"ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}


MOST_DOWNLOADS: Final = 4
"""At once: each holds one of the console's 16 connections with the database."""

LONGEST_DOWNLOAD: Final = 1_800.0
"""Seconds after which one breaks off, for who reads no further holds it."""


@dataclass(slots=True)
class UnderWay:
    """How many downloads are under way."""

    count: int = 0


class Download(StreamingResponse):
    """Lines that were counted as under way, until they are sent."""

    def __init__(self, content: Iterator[str], under_way: UnderWay, **how: Any) -> None:  # noqa: ANN401  starlette's own
        super().__init__(content, **how)
        self._under_way = under_way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all, until the client is gone or its time is over.

        Raises:
            ClientDisconnect: it took too long: what was sent must not look like the whole.
        """
        try:
            with move_on_after(LONGEST_DOWNLOAD) as time:
                await super().__call__(scope, receive, send)
            if time.cancelled_caught:
                raise ClientDisconnect
        finally:
            self._under_way.count -= 1


def routes(console: Console) -> list[Route]:
    """Return the routes of the history."""
    under_way = UnderWay()

    async def page(request: Request) -> Response:
        zone = console.settings.zone
        wanted = asked(request.query_params, console.now(), zone)
        inventory = console.hub.inventory
        states = states_by_finding(console.floor.alarms.values())

        def mark_of(row: FindingRow) -> tuple[int, str, str]:
            state = states.get(row.id, "normal")
            said = f"{row.severity.capitalize()}, {state_word(state).lower()}"
            return shape(row.severity), state_class(state), said

        found, said, status = None, "", 200
        try:
            found = await to_thread.run_sync(
                partial(history_page, console.engine, wanted, inventory=inventory, zone=zone)
            )
        except DatabaseFault as fault:
            said, status = str(fault), 503
        return console.render(
            request,
            "history.html",
            asked=wanted,
            found=found,
            said=said,
            status=status,
            since=local(wanted.search.since, zone),
            until=local(wanted.search.until, zone),
            games={game: game_word(game) for game in GAMES},
            severities={severity: severity.capitalize() for severity in SEVERITIES},
            mark_of=mark_of,
            finding_detail=finding_detail,
            htmx=HTMX,
            may_download=console.access.may(user_of(request), "export", None, None) is None,
        )

    async def download(request: Request) -> Response:
        why = console.access.may(user_of(request), "export", None, None)
        if why is not None:
            return PlainTextResponse(f"{why}\n", 403)
        wanted = asked(request.query_params, console.now(), console.settings.zone)
        what: What = "rounds" if request.query_params.get("what") == "rounds" else "findings"
        format_ = next((one for one in FORMATS if one == request.query_params.get("format")), None)
        if format_ is None:
            return PlainTextResponse(f"format: expected one of {', '.join(FORMATS)}\n", 400)
        if under_way.count >= MOST_DOWNLOADS:
            said = (
                f"expected at most {MOST_DOWNLOADS} downloads at once, found as many; wait for one"
            )
            return PlainTextResponse(f"{said}\n", 503, headers={"Retry-After": "30"})
        under_way.count += 1
        try:
            act = f"{what} {format_} {request.url.query}"
            await console.access.record(request, "download", act)
        except BaseException:
            under_way.count -= 1
            raise
        name = f"pitwatch-{what}.{format_}"
        return Download(
            lines(console, what, wanted.search, format_),
            under_way,
            media_type=TYPES[format_],
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    return [
        Route("/history", page, name="history"),
        Route("/history/download", download, name="history_download"),
    ]


def lines(console: Console, what: What, search: Search, format_: Format) -> Iterator[str]:
    """Yield a download's lines; one that breaks off says so in its last."""
    try:
        yield from export(console.engine, what, search, format_)
    except DatabaseFault as fault:
        yield f"# incomplete: {fault}\n"
