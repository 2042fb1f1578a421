"""`pitwatch floor`: checks the inventory, prints what it says, and arranges who may do what."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from deploy.cli.floor_keys import keys
from deploy.cli.floor_security import (
    acls,
    gateway_certificate,
    kafka_certificate,
    kafka_users,
    secrets,
)
from deploy.cli.inventory import DEFAULT_FILE, UnusableInventory, inventory_from
from deploy.cli.options import format_option
from deploy.cli.rights import key_problems
from deploy.cli.terminal import print_rows
from schemas.keys import KeyFault, load_keys
from streams.console.inventory import Inventory

OTHERS: Final = 0o007
"""The bits of a file's mode that say what everyone may do."""
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


class FloorGroup(click.Group):
    """A group whose first argument may be a file, or nothing: then the floor file is checked."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``check`` before arguments that name no subcommand."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["check", *args]
        return super().parse_args(ctx, args)


@click.group("floor", cls=FloorGroup)
def command() -> None:
    """Check a floor file, and say and arrange who may do what on the floor's Kafka.

    `pitwatch floor FILE` is `pitwatch floor check FILE`.
    """


command.add_command(acls)
command.add_command(gateway_certificate)
command.add_command(kafka_certificate)
command.add_command(kafka_users)
command.add_command(keys)
command.add_command(secrets)


@command.command("check")
@click.argument(
    "file", type=click.Path(path_type=Path, dir_okay=False), default=DEFAULT_FILE, required=False
)
@click.option(
    "--gateway-keys",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Check too that each gateway is known by a key of this file, which workers have.",
)
@format_option("table", "json", "A table, or one JSON object a line.")
def check(file: Path, gateway_keys: Path | None, format_: str) -> None:
    """Check a floor file, floor.toml where none is named, and print its tables.

    The exit status is 0 where the file can be used. It is 2 where it cannot: then every problem
    is named with its line, what was expected, what was found and what to do.
    """
    inventory = inventory_from(file)
    if gateway_keys is not None:
        check_keys(inventory, gateway_keys)
    print_rows(floor_rows(inventory), COLUMNS, format_, cell)


def check_keys(inventory: Inventory, path: Path) -> None:
    """Refuse keys by which a floor's gateways are not known.

    Raises:
        UnusableInventory: with every problem of the keys.
    """
    try:
        problems = key_problems(inventory, load_keys(path))
        if path.stat().st_mode & OTHERS:
            problems.append(
                "expected a secret of its owner and its group alone, found one that everyone can "
                f"read; take it for known: make new keys, or chmod 600 {path}"
            )
    except OSError as error:
        problems = [f"expected a file of keys, found: {error.strerror}"]
    except KeyFault as fault:
        problems = [str(fault)]
    if problems:
        raise UnusableInventory(
            f"{path} cannot be used:\n" + "\n".join(f"  {problem}" for problem in problems)
        )


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
