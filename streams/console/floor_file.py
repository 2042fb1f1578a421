"""Reads ``floor.toml`` and validates it whole: a fault names every problem, with its line."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from schemas.check import rules_of
from schemas.faults import found_text
from schemas.keys import KEY_NAME_WORDS, is_key_name
from schemas.records import DealEvent
from streams.console.inventory import (
    UNLISTED,
    GatewayEntry,
    Inventory,
    InventoryFault,
    InventoryProblem,
    Pit,
    Place,
    PlannedTable,
)
from streams.console.toml_lines import Lines, PathInFile
from streams.core.events import GAMES

LARGEST_FILE: Final = 1024 * 1024
MOST_PITS: Final = 100
MOST_TABLES: Final = 2_000
MOST_GATEWAYS: Final = 1_000
MOST_GATEWAY_KEYS: Final = 8
"""Keys of one gateway: the one it signs with, and those it signed with before."""
SILENCE: Final = (5, 86_400)
"""Seconds; no device's events are closer than a few seconds for long."""
PACE: Final = (1, 1_000)
"""Rounds an hour."""
PLACE: Final = (1, 1_000)
LONGEST_LINK: Final = 1_000
PLACEHOLDERS: Final = ("{table}", "{from}", "{to}")

SHARED_KEYS: Final = ("silence_seconds", "rounds_an_hour", "camera")
TABLE_KEYS: Final = ("name", "game", "row", "column", *SHARED_KEYS)
NAME_WORDS: Final = rules_of(DealEvent)["table"].expected
_LINK_TEXT: Final = re.compile(r"[!-~]+")
_BRACED: Final = re.compile(r"\{[^{}]*\}")


def load_inventory(path: Path) -> Inventory:
    """Return the inventory that a file describes.

    Raises:
        InventoryFault: the file cannot be read, is no TOML, or holds what it may not; with every
            problem found.
    """
    remedy = "give the path of a floor file, or none for a floor without one"
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        found = error.strerror or str(error)
        raise InventoryFault((InventoryProblem("file", "a file", found, remedy),)) from error
    if len(content) > LARGEST_FILE:
        raise InventoryFault(
            (InventoryProblem("file", f"at most {LARGEST_FILE} bytes", "more", remedy),)
        )
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = InventoryProblem("file", "UTF-8", "other bytes", "save it as UTF-8", line)
        raise InventoryFault((problem,)) from error
    return parse_inventory(text)


def parse_inventory(text: str) -> Inventory:
    """Return the inventory that the text of a file describes.

    Raises:
        InventoryFault: with every problem found.
    """
    try:
        mapping = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        said = str(error) or "tables nested without end"
        place = re.search(r"\(at line (\d+), column \d+\)", said)
        line = int(place[1]) if place else None
        found = said.partition(" (at ")[0]
        remedy = "mend the line after the rules of TOML 1.0"
        raise InventoryFault((InventoryProblem("file", "TOML", found, remedy, line),)) from error
    reader = _Reader(Lines(text))
    inventory = reader.inventory(mapping)
    if reader.problems:
        raise InventoryFault(tuple(reader.problems))
    return inventory


class _Reader:
    """Turns the mapping of a file into an inventory, and notes each problem on the way.

    Args:
        lines: where things stand in the file.
    """

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.problems: list[InventoryProblem] = []

    def problem(self, path: PathInFile, expected: str, found: str, remedy: str) -> None:
        """Note a problem."""
        line = self._lines.of(path)
        self.problems.append(InventoryProblem(_shown(path), expected, found, remedy, line))

    def inventory(self, mapping: Mapping[str, Any]) -> Inventory:
        """Return the inventory of a whole file; of use only where there is no problem."""
        self._keys((), mapping, ("pits",), ("defaults", "gateways"))
        shared = self._defaults(mapping.get("defaults", {}))
        pits = tuple(self._pits(mapping, shared))
        names = [table.name for pit in pits for table in pit.tables]
        if len(names) > MOST_TABLES:
            self.problem(
                ("pits",), f"at most {MOST_TABLES} tables", f"{len(names)}", "divide the floor"
            )
        gateways = tuple(self._gateways(mapping, frozenset(names)))
        return Inventory(pits, gateways, listed=True)

    def _defaults(self, table: object) -> PlannedTable:
        """Return a table without a name, with what all have that say nothing else."""
        path: PathInFile = ("defaults",)
        if not isinstance(table, Mapping):
            self.problem(path, "a table", _value(table), "write [defaults]")
            return PlannedTable("")
        self._keys(path, table, (), SHARED_KEYS)
        return self._shared(path, table, PlannedTable(""))

    def _pits(self, mapping: Mapping[str, Any], shared: PlannedTable) -> Iterator[Pit]:
        """Yield the pits of a file."""
        pits: set[str] = set()
        tables: set[str] = set()
        for path, row in self._rows((), mapping, "pits", 1, MOST_PITS):
            self._keys(path, row, ("name", "tables"), ())
            name = self._name((*path, "name"), row, pits, "pit")
            if name == UNLISTED:
                self.problem(
                    (*path, "name"),
                    "another name",
                    _value(name),
                    "tables without a pit are shown there",
                )
            places: set[Place] = set()
            planned: list[PlannedTable] = []
            for table_path, entry in self._rows(path, row, "tables", 1, MOST_TABLES):
                self._keys(table_path, entry, ("name",), TABLE_KEYS[1:])
                table = self._table(table_path, entry, shared, tables)
                if table.place in places:
                    found = f"row {entry['row']} column {entry['column']} again"
                    remedy = "give each table of a pit a place of its own"
                    self.problem(table_path, "a free place", found, remedy)
                elif table.place is not None:
                    places.add(table.place)
                planned.append(table)
            yield Pit(name, tuple(planned))

    def _table(
        self, path: PathInFile, entry: Mapping[str, Any], shared: PlannedTable, taken: set[str]
    ) -> PlannedTable:
        """Return one table of a pit."""
        name = self._name((*path, "name"), entry, taken, "table")
        game = entry.get("game")
        if "game" in entry and game not in GAMES:
            remedy = "name a game, or leave the key out"
            self.problem((*path, "game"), f"one of {', '.join(GAMES)}", _value(game), remedy)
        place = None
        if ("row" in entry) != ("column" in entry):
            have, lack = ("row", "column") if "row" in entry else ("column", "row")
            self.problem(path, f"a {lack} beside the {have}", "nothing", "give both or neither")
        row = self._number((*path, "row"), entry, PLACE)
        column = self._number((*path, "column"), entry, PLACE)
        if row is not None and column is not None:
            place = Place(row, column)
        planned = self._shared(path, entry, shared)
        return PlannedTable(
            name,
            game if isinstance(game, str) else None,
            place,
            planned.silence_seconds,
            planned.rounds_an_hour,
            planned.camera,
        )

    def _shared(
        self, path: PathInFile, entry: Mapping[str, Any], otherwise: PlannedTable
    ) -> PlannedTable:
        """Return a table with the settings that both a table and the defaults can have."""
        silence = self._number((*path, "silence_seconds"), entry, SILENCE)
        pace = self._number((*path, "rounds_an_hour"), entry, PACE)
        camera = self._camera((*path, "camera"), entry)
        return PlannedTable(
            "",
            silence_seconds=otherwise.silence_seconds if silence is None else silence,
            rounds_an_hour=otherwise.rounds_an_hour if pace is None else pace,
            camera=otherwise.camera if camera is None else camera,
        )

    def _gateways(
        self, mapping: Mapping[str, Any], tables: frozenset[str]
    ) -> Iterator[GatewayEntry]:
        """Yield the gateways of a file; two may share a table, for one takes over from another."""
        names: set[str] = set()
        taken: set[str] = set()
        for path, row in self._rows((), mapping, "gateways", 0, MOST_GATEWAYS):
            self._keys(path, row, ("name", "tables"), ("key",))
            name = self._name((*path, "name"), row, names, "gateway")
            keys = tuple(self._key_names((*path, "key"), row, taken))
            listed = row.get("tables", [])
            if not isinstance(listed, list):
                self.problem(
                    (*path, "tables"), "a list of tables", _value(listed), "write it in brackets"
                )
                listed = []
            for place, table in enumerate(listed):
                where: PathInFile = (*path, "tables", place)
                if not isinstance(table, str) or table not in tables:
                    remedy = "add it to its pit, or take it out here"
                    self.problem(where, "a table of a pit", _value(table), remedy)
                elif table in listed[:place]:
                    self.problem(where, "each table once", f"{table} again", "take it out here")
            yield GatewayEntry(name, tuple(each for each in listed if isinstance(each, str)), keys)

    def _key_names(
        self, path: PathInFile, row: Mapping[str, Any], taken: set[str]
    ) -> Iterator[str]:
        """Yield the names of a gateway's keys; no two gateways have one in common."""
        listed = row.get("key", [])
        names = listed if isinstance(listed, list) else [listed]
        if "key" in row and not 1 <= len(names) <= MOST_GATEWAY_KEYS:
            expected = f"the names of 1 to {MOST_GATEWAY_KEYS} keys"
            self.problem(path, expected, f"{len(names)}", "name its key, or leave the key out")
        for name in names[:MOST_GATEWAY_KEYS]:
            if not isinstance(name, str) or not is_key_name(name):
                remedy = "choose another name"
                self.problem(path, KEY_NAME_WORDS, _value(name), remedy)
            elif name in taken:
                remedy = "give each gateway a key of its own"
                self.problem(path, "each key once", f"{name} again", remedy)
            else:
                taken.add(name)
                yield name

    def _rows(
        self, path: PathInFile, mapping: Mapping[str, Any], key: str, least: int, most: int
    ) -> Iterator[tuple[PathInFile, Mapping[str, Any]]]:
        """Yield the tables of a list with their paths; what is no table is noted and left out."""
        if key not in mapping:
            return
        rows = mapping[key]
        path = (*path, key)
        header = "[[" + ".".join(str(each) for each in path if isinstance(each, str)) + "]]"
        if not isinstance(rows, list):
            self.problem(path, "a list of tables", _value(rows), f"write {header} above each")
            return
        if not least <= len(rows) <= most:
            expected = f"{least} to {most} entries"
            self.problem(path, expected, f"{len(rows)}", f"write {header} for each")
        for place, row in enumerate(rows[:most]):
            if isinstance(row, Mapping):
                yield (*path, place), row
            else:
                self.problem((*path, place), "a table", _value(row), f"write {header} above it")

    def _keys(
        self,
        path: PathInFile,
        mapping: Mapping[str, Any],
        needed: Sequence[str],
        optional: Sequence[str],
    ) -> None:
        """Note each key that is missing and each that is unknown."""
        for name in needed:
            if name not in mapping:
                self.problem((*path, name), "a value", "nothing", f"add the key {name}")
        for name in mapping:
            if name not in needed and name not in optional:
                known = ", ".join((*needed, *optional))
                self.problem(
                    (*path, name), f"one of {known}", "an unknown key", "correct it or take it out"
                )

    def _name(self, path: PathInFile, entry: Mapping[str, Any], taken: set[str], what: str) -> str:
        """Return the name of a thing, and note it as taken."""
        key = str(path[-1])
        name = entry.get(key)
        if key not in entry:
            return ""
        field = "gateway" if what == "gateway" else "table"
        fault = rules_of(DealEvent)[field].fault(name)
        if fault is not None or not isinstance(name, str):
            self.problem(
                path, fault.expected if fault else NAME_WORDS, _value(name), "choose another name"
            )
            return ""
        if name in taken:
            self.problem(path, f"each {what} once", f"{name} again", "give it another name")
        taken.add(name)
        return name

    def _number(
        self, path: PathInFile, entry: Mapping[str, Any], within: tuple[int, int]
    ) -> int | None:
        """Return a whole number of an entry, or nothing where it has none or no such one."""
        least, most = within
        value = entry.get(str(path[-1]))
        if value is None:
            return None
        if type(value) is not int or not least <= value <= most:
            expected = f"a whole number {least} to {most}"
            self.problem(path, expected, _value(value), "correct it, or leave the key out")
            return None
        return value

    def _camera(self, path: PathInFile, entry: Mapping[str, Any]) -> str | None:
        """Return the template of a camera link, or nothing where there is none or no such one."""
        link = entry.get("camera")
        if link is None:
            return None
        fault = camera_fault(link)
        if fault is not None:
            remedy = "write it as https://HOST/PATH?camera={table}&from={from}&to={to}"
            self.problem(path, fault, _value(link), remedy)
            return None
        return str(link)


def camera_fault(link: object) -> str | None:
    """Return what was expected of a camera link instead of what is there, or nothing.

    A placeholder may stand in the path, the query and the fragment alone: what a table is called
    must not choose the host that an operator is sent to.
    """
    if not isinstance(link, str) or not 0 < len(link) <= LONGEST_LINK:
        return f"a text of 1 to {LONGEST_LINK} characters"
    if not _LINK_TEXT.fullmatch(link):
        return "printable ASCII without spaces"
    others = [each for each in _BRACED.findall(link) if each not in PLACEHOLDERS]
    bare = _BRACED.sub("", link)
    if others or "{" in bare or "}" in bare:
        return f"only the placeholders {', '.join(PLACEHOLDERS)}"
    try:
        parts = urlsplit(link)
        host = parts.hostname
    except ValueError:
        return "an address with a host"
    if parts.scheme not in ("http", "https"):
        return "an address that begins with http:// or https://"
    if not host or "{" in parts.netloc or "@" in parts.netloc:
        return "a host written out, without a user or a placeholder"
    return None


def _shown(path: PathInFile) -> str:
    """Return a place as people count: ``pits 1, tables 2, game``."""
    words: list[str] = []
    for part in path:
        if isinstance(part, int):
            words[-1] += f" {part + 1}"
        else:
            words.append(part)
    return ", ".join(words)


def _value(value: object) -> str:
    """Return a value of the file as a problem names it."""
    return "a table" if isinstance(value, dict) else found_text("value", value)
