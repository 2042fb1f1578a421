"""The floor's inventory: which pits and tables there are, and which gateway speaks for which table.

It is read from a TOML file, ``floor.toml``:

| table of the file | key | what it says |
|---|---|---|
| ``[defaults]`` | ``silence_seconds``, ``rounds_an_hour``, ``camera`` | of all others |
| ``[[pits]]`` | ``name`` | |
| ``[[pits.tables]]`` | ``name`` | |
| | ``game`` | the one expected |
| | ``row``, ``column`` | its place in the pit, both or neither |
| | ``silence_seconds`` | how long it may be silent while it is open |
| | ``rounds_an_hour`` | its target |
| | ``camera`` | a link, with ``{table}``, ``{from}`` and ``{to}`` to fill in |
| ``[[gateways]]`` | ``name``, ``tables`` | who speaks for which tables |
| | ``key`` | the name of the key it signs with, or several in a list while one takes over |

Nothing is believed unchecked: a fault names every problem at once. Without a file there is one pit,
``main``, with the tables in the order in which they were first seen; a table that a file does not
name is shown too, in the pit ``unlisted``, for a page that hides a table shows health nowhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import quote

MAIN: Final = "main"
"""The one pit of a floor without a file."""

UNLISTED: Final = "unlisted"
"""The pit of tables that the file does not name; no pit of a file has this name."""

SILENCE_SECONDS: Final = 60
"""How long an open table may be silent where nothing else is said: betting takes about half."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table stands in its pit, counted from 1 at the upper left."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class PlannedTable:
    """What the inventory says of one table; ``game`` is the one expected, if one is."""

    name: str
    game: str | None = None
    place: Place | None = None
    silence_seconds: int = SILENCE_SECONDS
    rounds_an_hour: int | None = None
    camera: str | None = None

    def camera_link(self, opened: int, closed: int) -> str | None:
        """Return the address of this table's pictures of a time, or nothing where it has none.

        Args:
            opened: where the time begins, microseconds since 1970 UTC; the whole second before.
            closed: where it ends, likewise; the whole second after.
        """
        if self.camera is None:
            return None
        return (
            self.camera.replace("{table}", quote(self.name, safe=""))
            .replace("{from}", quote(_second(opened), safe=""))
            .replace("{to}", quote(_second(closed + 999_999), safe=""))
        )


@dataclass(frozen=True, slots=True)
class Pit:
    """A pit with its tables, in the order in which they are shown."""

    name: str
    tables: tuple[PlannedTable, ...]


@dataclass(frozen=True, slots=True)
class GatewayEntry:
    """A gateway with the tables whose devices speak to it, and the names of its keys."""

    name: str
    tables: tuple[str, ...]
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Inventory:
    """The floor as it is planned; ``listed`` says that a file names its tables."""

    pits: tuple[Pit, ...]
    gateways: tuple[GatewayEntry, ...] = ()
    listed: bool = False
    _by_name: Mapping[str, tuple[str, PlannedTable]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the tables: pages ask for the pit of each alarm in every frame."""
        found: dict[str, tuple[str, PlannedTable]] = {}
        for pit in self.pits:
            for table in pit.tables:
                found.setdefault(table.name, (pit.name, table))
        object.__setattr__(self, "_by_name", found)

    @classmethod
    def without_file(cls) -> "Inventory":
        """Return the inventory of a floor that has no file: one empty pit."""
        return cls((Pit(MAIN, ()),))

    def tables(self) -> Iterator[PlannedTable]:
        """Yield every table, pit by pit."""
        for pit in self.pits:
            yield from pit.tables

    def table(self, name: str) -> PlannedTable:
        """Return a table; one that is not named has the defaults of every table."""
        found = self._by_name.get(name)
        return PlannedTable(name) if found is None else found[1]

    def pit_of(self, table: str) -> str:
        """Return the name of a table's pit, for one that is not named the one it would be in."""
        found = self._by_name.get(table)
        if found is not None:
            return found[0]
        return UNLISTED if self.listed else MAIN

    def gateways_of(self, table: str) -> tuple[GatewayEntry, ...]:
        """Return the gateways that may speak for a table."""
        return tuple(each for each in self.gateways if table in each.tables)

    def placed(self, table: str) -> "Inventory":
        """Return the inventory with a table that was seen; itself where it has that table.

        A new table comes last, so that none that is shown moves.
        """
        if table in self._by_name:
            return self
        name = self.pit_of(table)
        new = PlannedTable(table)
        if all(pit.name != name for pit in self.pits):
            return replace(self, pits=(*self.pits, Pit(name, (new,))))
        pits = tuple(
            replace(pit, tables=(*pit.tables, new)) if pit.name == name else pit
            for pit in self.pits
        )
        return replace(self, pits=pits)


@dataclass(frozen=True, slots=True)
class InventoryProblem:
    """One thing wrong with a floor file: where, what was expected and found, and what to do."""

    path: str
    expected: str
    found: str
    remedy: str
    line: int | None = None

    def __str__(self) -> str:
        """Return the problem as one line."""
        where = self.path if self.line is None else f"line {self.line}: {self.path}"
        return f"{where}: expected {self.expected}, found {self.found}; {self.remedy}"


class InventoryFault(ValueError):
    """A floor file cannot be used; ``problems`` lists everything wrong with it."""

    def __init__(self, problems: tuple[InventoryProblem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


def _second(micros: int) -> str:
    """Return a time's whole second as ISO 8601 in UTC."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=micros // 1_000_000)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
