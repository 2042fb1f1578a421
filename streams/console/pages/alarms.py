"""`/alarms`: the list of alarms, one in detail, and what persons do to them.

| address | is |
|---|---|
| ``/alarms`` | the page; ``alarm`` opens one in detail, ``act`` asks for one |
| ``/alarms/list`` | the parts that change: heading, groups, rows |
| ``/alarms/detail`` | one alarm in detail |
| ``/alarms/ask/ACT`` | the dialog of an act |
| ``/alarms/acts`` | takes a dialog's form |

Everything works without script too: an act is then a page with its dialog open.
"""

import json
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from streams.console.acts import ACT_WORDS, REASONS, Fault, read_act
from streams.console.alarm_desk import AlarmsDesk, Ask, asked_again, opened, user_of
from streams.console.alarm_list import is_open
from streams.console.console import Console
from streams.console.wording import DISPOSITIONS

MOST_LISTS: Final = 64
"""Lists that are kept for all who look at the same: they change with a frame, not with a client."""


class Lists:
    """The changing parts of the list, made once for all who look at the same.

    They are made anew when an alarm changed or a frame was made, for floods end by time alone.

    Args:
        desk: What the page's routes share.
        macros: Makes the templates' parts for who asks.
    """

    def __init__(self, desk: AlarmsDesk, macros: Callable[[Request], Any]) -> None:
        self._desk = desk
        self._macros = macros
        self._kept: OrderedDict[object, tuple[object, bytes]] = OrderedDict()

    def of(self, request: Request) -> bytes:
        """Return the parts as JSON: the HTML of each by the id of its element."""
        user, console = user_of(request), self._desk.console
        key = (user.role, user.pits, request.url.query)
        version = (console.hub.position, tuple(console.floor.alarms.values()))
        kept = self._kept.get(key)
        if kept is None or kept[0] != version:
            kept = self._kept[key] = (version, self._made(request))
            self._kept.move_to_end(key)
            if len(self._kept) > MOST_LISTS:
                self._kept.popitem(last=False)
        return kept[1]

    def _made(self, request: Request) -> bytes:
        listed, chosen = self._desk.listed(request)
        made = self._macros(request)
        groups = (
            f'<div class="seg" role="group" aria-label="State" id="alarm-groups">'
            f"{made.groups(listed, chosen)}</div>"
        )
        return json.dumps(
            {
                "alarms-head": str(made.head(listed)),
                "alarm-groups": groups,
                "alarm-rows": str(made.rows(listed)),
            }
        ).encode()


def routes(console: Console) -> list[Route]:
    """Return the routes of the alarms page."""
    desk = AlarmsDesk(console)
    environment = console.renderer.environment

    def macros(request: Request) -> Any:  # noqa: ANN401  a template's module
        scope = {
            "csrf": getattr(request.state, "csrf", ""),
            "user": user_of(request),
            "dispositions": DISPOSITIONS,
            "reasons": REASONS,
        }
        return environment.get_template("alarm_parts.html").make_module(scope)

    async def whole(
        request: Request, *, said: str = "", status: int = 200, ask: Ask | None = None
    ) -> Response:
        listed, chosen = desk.listed(request)
        id_ = request.query_params.get("alarm", "")
        found = desk.detail(request, id_) if id_ else None
        first = next((row.alarm.id for row in listed.rows if not row.folded), None)
        if found is None and first is not None:
            found = desk.detail(request, first)
        detail, camera = found or (None, None)
        return console.render(
            request,
            "alarms.html",
            list=listed,
            chosen=chosen,
            pits=[pit.name for pit in console.hub.inventory.pits],
            detail=detail,
            camera=camera,
            figures=await desk.burden(),
            dispositions=DISPOSITIONS,
            reasons=REASONS,
            said=said,
            unfolded=request.query_params.get("flood") == "show",
            status=status,
            ask=ask,
        )

    async def page(request: Request) -> Response:
        act = request.query_params.get("act", "")
        meant = desk.meant(request) if act in ACT_WORDS else []
        if not meant:
            return await whole(request)
        ask = desk.ask(act, meant)
        return await whole(request, ask=opened(ask))

    lists = Lists(desk, macros)

    async def parts(request: Request) -> Response:
        return Response(lists.of(request), media_type="application/json")

    async def detail(request: Request) -> Response:
        found = desk.detail(request, request.query_params.get("alarm", ""))
        if found is None:
            return HTMLResponse("the alarm is not known any more", 404)
        return HTMLResponse(str(macros(request).detail(*found)))

    async def ask(request: Request) -> Response:
        act = request.path_params["act"]
        meant = desk.meant(request) if act in ACT_WORDS else []
        if not meant:
            return HTMLResponse("expected an act and an alarm that is known", 404)
        return HTMLResponse(str(macros(request).dialog(desk.ask(act, meant))))

    async def act(request: Request) -> Response:
        form = await request.form()
        fields = {name: [str(value) for value in form.getlist(name)] for name in form}
        asked = read_act(fields)
        scripted = "application/json" in request.headers.get("accept", "")
        if isinstance(asked, Fault):
            if scripted:
                return JSONResponse({"field": asked.field, "fault": asked.words}, 422)
            again = asked_again(desk, fields, asked)
            return await whole(request, said=asked.words, status=422, ask=again)
        outcome = await desk.carry_out(request, asked)
        said = desk.said(asked, outcome)
        status = 200 if outcome.done or outcome.pending else 409
        if not scripted:
            return await whole(request, said=said, status=status)
        open_ = [id_ for id_ in outcome.done if _still(console, id_)]
        return JSONResponse(
            {
                "say": said,
                "done": outcome.done,
                "refused": outcome.refused,
                "pending": outcome.pending,
                "open": open_,
            },
            status,
        )

    return [
        Route("/alarms", page, name="alarms"),
        Route("/alarms/list", parts, name="alarms_list"),
        Route("/alarms/detail", detail, name="alarm_detail"),
        Route("/alarms/ask/{act}", ask, name="alarm_ask"),
        Route("/alarms/acts", act, methods=["POST"], name="alarm_acts"),
    ]


def _still(console: Console, id_: str) -> bool:
    alarm = console.floor.alarms.get(id_)
    return alarm is not None and is_open(alarm)
