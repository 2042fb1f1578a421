"""`pitwatch floor`: checks the inventory and prints what it says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from deploy.cli.options import format_option
from deploy.cli.terminal import print_rows
from streams.console.floor_file import load_inventory
from streams.console.inventory import Inventory, InventoryFault

UNUSABLE: Final = 2
"""The exit status where the file holds what it may not."""

DEFAULT_FILE: Final = Path("floor.toml")
MISSING: Final = "\N{EN DASH}"
COLUMNS: Final = (
    "pit",
    "table",
    "game",
    "row",
    "column",
    "silence_seconds",
    "rounds_an_hour",
    "gateways",
    "camera",
)


class UnusableInventory(click.ClickException):
    """A floor file holds something that it may not, or lacks something that it must have."""

    exit_code = UNUSABLE


def inventory_from(path: Path) -> Inventory:
    """Return the inventory of a file.

    Raises:
        UnusableInventory: with every problem of the file.
    """
    try:
        return load_inventory(path)
    except InventoryFault as fault:
        problems = "\n".join(f"  {problem}" for problem in fault.problems)
        raise UnusableInventory(f"{path} cannot be used:\n{problems}") from fault


@click.command("floor")
@click.argument(
    "file", type=click.Path(path_type=Path, dir_okay=False), default=DEFAULT_FILE, required=False
)
@format_option("table", "json", "A table, or one JSON object a line.")
def command(file: Path, format_: str) -> None:
    """Check a floor file, floor.toml where none is named, and print its tables.

    The exit status is 0 where the file can be used. It is 2 where it cannot: then every problem
    is named with its line, what was expected, what was found and what to do.
    """
    print_rows(floor_rows(inventory_from(file)), COLUMNS, format_, cell)


def floor_rows(inventory: Inventory) -> Iterator[dict[str, Any]]:
    """Yield each table of the inventory as it is listed, pit by pit."""
    for pit in inventory.pits:
        for table in pit.tables:
            yield {
                "pit": pit.name,
                "table": table.name,
                "game": table.game,
                "row": table.place.row if table.place else None,
                "column": table.place.column if table.place else None,
                "silence_seconds": table.silence_seconds,
                "rounds_an_hour": table.rounds_an_hour,
                "gateways": [each.name for each in inventory.gateways_of(table.name)],
                "camera": table.camera,
            }


def cell(_: str, value: object) -> Text:
    """Return a value as a table shows it; one that is not there is a dash."""
    if isinstance(value, list):
        return Text(", ".join(str(each) for each in value) or MISSING)
    return Text(MISSING if value is None else str(value))
