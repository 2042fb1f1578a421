"""`/history`: findings and rounds looked up, figures, a round in full, and what may be downloaded.

| address | is |
|---|---|
| ``/history`` | the page; ``show`` is findings, rounds or figures, ``opened_by`` a round in full |
| ``/history/download`` | findings or rounds of the search, as NDJSON or CSV, line by line |

The database blocks, so it is asked in a thread; a download goes on while the browser takes it.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from streams.console.alarm_desk import user_of
from streams.console.alarm_list import SEVERITIES, shape, state_class, state_word
from streams.console.console import Console
from streams.console.history_page import finding_detail, history_page
from streams.console.history_search import asked, local
from streams.console.table_lines import states_by_finding
from streams.database.export import FORMATS, Format, What, export
from streams.database.opening import DatabaseFault
from streams.database.queries import FindingRow
from streams.database.search import Search

TYPES: Final = {"ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}


def routes(console: Console) -> list[Route]:
    """Return the routes of the history."""

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
            severities=SEVERITIES,
            mark_of=mark_of,
            finding_detail=finding_detail,
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
        if what == "findings" and wanted.search.dealer is not None:
            return PlainTextResponse(
                "dealer: findings do not name who dealt; download his rounds, which list them\n",
                400,
            )
        await console.access.record(request, "download", f"{what} {format_} {request.url.query}")
        name = f"pitwatch-{what}.{format_}"
        return StreamingResponse(
            lines(console, what, wanted.search, format_),
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
