"""Makes fragments of the floor, each once for all browsers, and tells which of them changed.

What a fragment looks like is known to the templates; what it says to ``tiles``. A painter keeps the
last fragment of every element, so that a page is put together from what was painted already, and a
fragment that came out the same is not sent.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Protocol

from schemas.records import Alarm
from schemas.times import MICROS_IN_SECOND
from streams.console.alarm_list import Flood, find_flood, is_open, shape
from streams.console.inventory import Inventory, Pit
from streams.console.live.floor import AlarmChange, LiveFloor
from streams.console.live.frames import EVERYWHERE, Fragment, Frame
from streams.console.live.tiles import (
    Figures,
    Tile,
    figures_of,
    is_stale,
    tile_of,
)
from streams.core.alarms.alarm import TO_ANSWER
from streams.core.receipts import heard_at

REFRESH: Final = 60
"""Every table is painted once in so many seconds without news: paces fall while nothing happens."""

LOUD: Final = 2
"""Alarms of the first two shapes, critical and high, are shouted."""


class Brush(Protocol):
    """Makes HTML of what is to be said."""

    def tile(self, tile: Tile) -> str:
        """Return a tile, ``<li id="t-…">``."""

    def heading(self, pit: Pit, place: int, tiles: list[Tile]) -> str:
        """Return a pit's heading, ``<h2 id="pit-…">``."""

    def pit(self, place: int, heading: str, tiles: Iterable[str]) -> str:
        """Return a pit with its tiles, ``<section id="p-…">``."""

    def alarms(self, alarms: list[Alarm], flood: Flood | None, now: int) -> str:
        """Return the side list of open alarms, ``<div id="alarm-list">``, a flood as one line."""

    def figures(self, figures: Figures) -> str:
        """Return the key figures, ``<dl id="figures">``."""

    def sentence(self, alarm: Alarm) -> str:
        """Return a new alarm as one sentence."""

    def facts(self, floor: LiveFloor, now: int) -> Mapping[str, Any]:
        """Return the time of the floor, and since when the feed is lost, as pages say them."""


def tile_id(table: str) -> str:
    """Return the id of a table's tile."""
    return f"t-{table}"


class Painter:
    """Paints one floor.

    Args:
        floor: the model.
        inventory: the floor as it is planned.
        brush: makes the HTML.
    """

    def __init__(self, floor: LiveFloor, inventory: Inventory, brush: Brush) -> None:
        self.inventory = inventory
        self._floor = floor
        self._brush = brush
        self._tiles: dict[str, Tile] = {}
        self._sent: dict[str, Tile] = {}
        self._html: dict[str, tuple[Tile, str]] = {}
        self._painted: dict[str, str] = {}
        self._stale: set[str] = set()
        self._seen: dict[str, int] = {}
        self._waiting: set[str] = set()
        self.loud = False
        """Whether new alarms are news: what is read at the start stood before."""
        self._flood = False
        self._told = {pit.name: len(pit.tables) for pit in inventory.pits}

    def everything(self, number: int, now: int) -> Frame:
        """Return the frame of a second: all that changed since the last frame."""
        self._floor.forget_before(now)
        changes = self._floor.take_changes()
        tables = changes.tables | self._waiting | self._due(now)
        self._waiting = set()
        fragments = self._tables(tables, now)
        self._keep(fragments, "figures", EVERYWHERE, self._new_figures(now))
        return self._frame(number, now, fragments, changes.alarms, tables)

    def alarms(self, number: int, now: int) -> Frame | None:
        """Return a frame of alarms and their tables, nothing where no alarm changed."""
        changes = self._floor.take_changes()
        self._waiting |= changes.tables
        if not changes.alarms:
            return None
        tables = {
            alarm.table
            for change in changes.alarms
            for alarm in (change.before, change.after)
            if alarm is not None
        }
        self._waiting -= tables
        return self._frame(number, now, self._tables(tables, now), changes.alarms, tables)

    def snapshot(self, number: int, now: int) -> Frame:
        """Return everything, for a page that cannot go on where it was."""
        self.place()
        fragments = {
            f"p-{place}": Fragment(pit.name, self.pit(place, now))
            for place, pit in enumerate(self.inventory.pits)
        }
        fragments["alarm-list"] = Fragment(EVERYWHERE, self.alarm_list(now))
        fragments["figures"] = Fragment(EVERYWHERE, self.figures(now))
        facts = self._facts(now)
        return Frame(number, fragments, self._all_seen(), facts, whole=True)

    def place(self) -> None:
        """Give every table that was seen its place: the pit it is listed in, or the last place."""
        placed = {each.name for each in self.inventory.tables()}
        for table in sorted(self._floor.tables.keys() - placed):
            self.inventory = self.inventory.placed(table)

    def pit(self, place: int, now: int) -> str:
        """Return a pit with its tiles, as they were painted last."""
        pit = self.inventory.pits[place]
        self._tables({each.name for each in pit.tables if each.name not in self._tiles}, now)
        tiles = [self._tiles[each.name] for each in pit.tables]
        heading = self._brush.heading(pit, place, tiles)
        return self._brush.pit(place, heading, map(self._tile_html, tiles))

    def alarm_list(self, now: int) -> str:
        """Return the side list of alarms."""
        flood = find_flood(
            self._floor.alarms.values(),
            now,
            pit_of=self.inventory.pit_of,
            gateway_of=self._gateway_of,
        )
        self._flood = flood is not None
        return self._brush.alarms(self._standing(), flood, now)

    def figures(self, now: int) -> str:
        """Return the key figures."""
        return self._painted.get("figures") or self._new_figures(now)

    def unanswered(self) -> int:
        """Return how many alarms want an answer."""
        return sum(alarm.state in TO_ANSWER for alarm in self._floor.alarms.values())

    def _tables(self, tables: Iterable[str], now: int) -> dict[str, Fragment]:
        """Paint these tables' tiles and their pits' headings; return what came out new."""
        self.place()
        fragments: dict[str, Fragment] = {}
        wanted = set(tables)
        for place, pit in enumerate(self.inventory.pits):
            inside = [each for each in pit.tables if each.name in wanted]
            for planned in inside:
                live = self._floor.tables.get(planned.name)
                tile = tile_of(planned, live, self._floor.alarms_of(planned.name), now)
                if self._is_new(tile):
                    html = self._tile_html(tile)
                    fragments[tile_id(tile.table)] = Fragment(pit.name, html)
            if inside:
                self._pit_of(place, pit, fragments, now)
        return fragments

    def _pit_of(self, place: int, pit: Pit, fragments: dict[str, Fragment], now: int) -> None:
        if self._told.get(pit.name) != len(pit.tables):
            self._told[pit.name] = len(pit.tables)
            # A tile that the page does not have yet can replace nothing: the pit comes whole.
            for each in pit.tables:
                fragments.pop(tile_id(each.name), None)
            fragments[f"p-{place}"] = Fragment(pit.name, self.pit(place, now))
            return
        tiles = [self._tiles[each.name] for each in pit.tables if each.name in self._tiles]
        heading = self._brush.heading(pit, place, tiles)
        self._keep(fragments, f"pit-{place}", pit.name, heading)

    def _is_new(self, tile: Tile) -> bool:
        """Keep a tile, and return whether it says another thing than the one sent last.

        That its table was heard of again is told by a time alone, which is far shorter.
        """
        name = tile.table
        self._tiles[name] = tile
        (self._stale.add if tile.stale else self._stale.discard)(name)
        told = tile if tile.state == "closed" else replace(tile, since=None)
        if self._sent.get(name) == told:
            return False
        self._sent[name] = told
        return True

    def _tile_html(self, tile: Tile) -> str:
        painted = self._html.get(tile.table)
        if painted is None or painted[0] != tile:
            painted = self._html[tile.table] = (tile, self._brush.tile(tile))
        return painted[1]

    def _keep(self, fragments: dict[str, Fragment], element: str, pit: str, html: str) -> None:
        if self._painted.get(element) != html:
            self._painted[element] = html
            fragments[element] = Fragment(pit, html)

    def _due(self, now: int) -> set[str]:
        """Return the tables to paint without news: those that fall silent, and each in its turn."""
        second = now // MICROS_IN_SECOND % REFRESH
        due = set()
        for number, planned in enumerate(self.inventory.tables()):
            table = self._floor.tables.get(planned.name)
            stale = table is not None and is_stale(table.view, planned, now)
            if number % REFRESH == second or stale != (planned.name in self._stale):
                due.add(planned.name)
        return due

    def _frame(
        self,
        number: int,
        now: int,
        fragments: dict[str, Fragment],
        changes: list[AlarmChange],
        tables: set[str],
    ) -> Frame:
        if changes or self._flood:
            # A flood ends by the time alone.
            self._keep(fragments, "alarm-list", EVERYWHERE, self.alarm_list(now))
        facts = self._facts(now)
        news = _new(changes) if self.loud else []
        shouts = tuple(self._brush.sentence(alarm) for alarm in news if _loud(alarm))
        says = tuple(self._brush.sentence(alarm) for alarm in news if not _loud(alarm))
        seen = self._newly_seen(tables)
        return Frame(number, fragments, seen, facts, shouts, says, at=now // 1000)

    def _facts(self, now: int) -> dict[str, Any]:
        return {**self._brush.facts(self._floor, now), "unanswered": self.unanswered()}

    def _newly_seen(self, tables: Iterable[str]) -> dict[str, dict[str, int]]:
        seen: dict[str, dict[str, int]] = {}
        for name in tables:
            table = self._floor.tables.get(name)
            if table is not None and self._seen.get(name) != (time := heard_at(table.view)):
                self._seen[name] = time
                seen.setdefault(self.inventory.pit_of(name), {})[name] = time // 1000
        return seen

    def _all_seen(self) -> dict[str, dict[str, int]]:
        return {
            pit.name: {
                each.name: heard_at(self._floor.tables[each.name].view) // 1000
                for each in pit.tables
                if each.name in self._floor.tables
            }
            for pit in self.inventory.pits
        }

    def _standing(self) -> list[Alarm]:
        return [alarm for alarm in self._floor.alarms.values() if is_open(alarm)]

    def _gateway_of(self, table: str) -> str | None:
        return next((gateway.name for gateway in self.inventory.gateways_of(table)), None)

    def _new_figures(self, now: int) -> str:
        return self._brush.figures(figures_of(self._floor, now))


def _new(changes: Iterable[AlarmChange]) -> list[Alarm]:
    """Return the alarms that want an answer and wanted none before."""
    return [
        change.after
        for change in changes
        if change.after is not None
        and change.after.state in TO_ANSWER
        and (change.before is None or change.before.state not in TO_ANSWER)
    ]


def _loud(alarm: Alarm) -> bool:
    return shape(alarm.severity) <= LOUD
