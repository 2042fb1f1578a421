"""The floor file as commands take it: `floor.toml` where none is named."""

from pathlib import Path
from typing import Final

import click

from streams.console.floor_file import load_inventory
from streams.console.inventory import Inventory, InventoryFault

UNUSABLE: Final = 2
"""The exit status where the file holds what it may not."""

DEFAULT_FILE: Final = Path("floor.toml")


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
