"""Pages and fragments from the templates: one Jinja environment, with all values escaped."""

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from schemas.records import Alarm
from streams.console import alarm_list, wording
from streams.console.alarm_list import STATES, Flood, ordered
from streams.console.inventory import Inventory, Pit
from streams.console.live.floor import LiveFloor
from streams.console.live.tiles import (
    Figures,
    Tile,
    counts_of,
)
from streams.console.pace import QUARTERS
from streams.console.static_files import StaticFiles
from streams.core.alarms.alarm import RETURNED
from streams.core.book import Book

SIDE_LIST: Final = 40
"""Alarms of the side list, at most; the alarms page has all of them."""

SPARK_TOP: Final = 100
"""Rounds an hour at the top of a spark: all begin at nought, so that a steady table looks flat."""

PAGES: Final = (
    ("Floor", "/"),
    ("Alarms", "/alarms"),
    ("History", "/history"),
    ("Diagnostics", "/diagnostics"),
)
"""The stops of the navigation."""


class Renderer:
    """Makes pages and fragments.

    Args:
        book: the rulebook.
        zone: the floor's time zone.
        inventory: the floor as it is planned, for the pits of tables.
    """

    def __init__(self, book: Book, zone: tzinfo, inventory: Inventory) -> None:
        self.static = StaticFiles()
        self._book = book
        self._zone = zone
        self._environment = Environment(
            loader=PackageLoader("streams.console"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals.update(
            asset=self.static.path,
            alarm_list=alarm_list,
            book=book,
            pages=PAGES,
            pit_of=inventory.pit_of,
            clock=zoned,
            spark=spark_path,
            stub_limit=book.parameter("stub_count_overdue", "rounds"),
            words=wording,
            zone=zone,
        )
        macros = self._environment.get_template("macros.html").module
        self._macros: Any = macros

    @property
    def environment(self) -> Environment:
        """Return the templates, for pages that add their own globals."""
        return self._environment

    def fragment(self, template: str, **context: Any) -> str:  # noqa: ANN401  a template takes anything
        """Return what a template says, without a page around it."""
        return self._environment.get_template(template).render(context)

    def page(
        self,
        request: Request,
        template: str,
        **context: Any,  # noqa: ANN401  a template takes anything
    ) -> Response:
        """Return a page.

        Args:
            request: who asks for it, and the frame after which the page goes on.
            template: the template's name.
            context: what the template says beside ``base.html``'s own: ``status`` is the answer's.
        """
        status = context.get("status", 200)
        scope = {
            "path": request.url.path,
            "position": request.state.position,
            "user": getattr(request.state, "user", None),
            "csrf": getattr(request.state, "csrf", ""),
        }
        return HTMLResponse(self.fragment(template, **{**scope, **context}), status)

    def tile(self, tile: Tile) -> str:
        """Return a tile."""
        return str(self._macros.tile(tile))

    def heading(self, pit: Pit, place: int, tiles: list[Tile]) -> str:
        """Return a pit's heading."""
        return str(self._macros.pit_heading(pit, place, counts_of(tiles)))

    def pit(self, place: int, heading: str, tiles: Iterable[str]) -> str:
        """Return a pit with its tiles, all of them made already."""
        inside = "".join(tiles)
        return (
            f'<section class="pit panel" id="p-{place}" aria-labelledby="pit-{place}">'
            f'{heading}<ul class="tiles">{inside}</ul></section>'
        )

    def alarms(self, alarms: list[Alarm], flood: Flood | None, now: int) -> str:
        """Return the side list of open alarms, those that want an answer first."""
        folded = {alarm.id for alarm in flood.folded} if flood is not None else set()
        shown = [alarm for alarm in ordered(alarms) if alarm.id not in folded]
        groups = [
            (alarm_list.state_word(state), state, [each for each in shown if each.state == state])
            for state in STATES
        ]
        return self.fragment(
            "alarm_list.html", groups=groups, flood=flood, most=SIDE_LIST, total=len(shown), now=now
        )

    def figures(self, figures: Figures) -> str:
        """Return the key figures."""
        return self.fragment("figures.html", figures=figures)

    def sentence(self, alarm: Alarm) -> str:
        """Return a new alarm as one sentence."""
        again = "returned" if alarm.state == RETURNED else f"new {alarm.severity} alarm"
        return f"{alarm.table}: {wording.title_of(self._book, alarm.code)}, {again}."

    def facts(self, floor: LiveFloor, now: int) -> Mapping[str, Any]:
        """Return what every page is told with every frame."""
        return {
            "now": now // 1000,
            "asOfAt": None if floor.as_of is None else floor.as_of // 1000,
            "behind": None if floor.as_of is None else max(0, now - floor.as_of) // 1000,
            "lostAt": None if floor.lost_since is None else floor.lost_since // 1000,
            "zone": zone_of(now, self._zone),
            "tables": len(floor.tables),
        }


def zone_of(micros: int, zone: tzinfo) -> tuple[int, str]:
    """Return how many seconds a zone is ahead of UTC at a time, and its name then."""
    moment = datetime.fromtimestamp(micros // 1_000_000, zone)
    offset = moment.utcoffset()
    return 0 if offset is None else int(offset.total_seconds()), moment.strftime("%Z")


def zoned(micros: int, zone: tzinfo) -> str:
    """Return a time of day with its zone's name."""
    return datetime.fromtimestamp(micros // 1_000_000, zone).strftime("%H:%M:%S %Z")


def spark_path(values: tuple[int, ...], width: int, height: int) -> tuple[str, str]:
    """Return a spark's body and its line, as an SVG path and points, from nought at the bottom."""
    if not values:
        return "", ""
    step = (width - 2) / max(1, QUARTERS - 1)
    points = [
        (1 + index * step, height - min(value, SPARK_TOP) / SPARK_TOP * (height - 2))
        for index, value in enumerate(values)
    ]
    line = " ".join(f"{x:.0f},{y:.1f}" for x, y in points)
    return f"M1,{height} L{line} L{points[-1][0]:.0f},{height}Z", line
