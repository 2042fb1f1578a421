"""`pitwatch floor keys`: the keys that gateways, workers and consoles sign with."""

from pathlib import Path

import click

from deploy.cli.floor_security import file_argument, folder_option, gateways_of
from deploy.cli.inventory import inventory_from


@click.command("keys")
@file_argument
@folder_option
@click.option(
    "--device",
    metavar="NAME",
    help="A device that is known too, its token in device-NAME.token: for simulated tables.",
)
@click.option("--table", "tables", multiple=True, help="A table of that device; repeatable.")
def keys(file: Path | None, folder: Path, device: str | None, tables: tuple[str, ...]) -> None:
    """Make the keys by which a floor's gateways and operators' acts are known.

    Each gateway has its own, under the name that the floor file says; workers have all of them and
    one of their own; consoles and workers have that of acts. What is there is kept: to replace a
    key, name a second one in the floor file before the first, and run this again. devices.json is
    there for `pitwatch devices`, which prints a token once and keeps none.
    """
    if (device is None) != (not tables):
        have, lack = ("--table", "--device") if device is None else ("--device", "--table")
        raise click.UsageError(f"{lack}: expected it beside {have}, found none")
    from deploy.secure.floor_keys import FloorKeys  # noqa: PLC0415  others need no secrets

    names: dict[str, tuple[str, ...]] = {name: (name,) for name in gateways_of(file)}
    if file is not None:
        names = {each.name: each.keys or (each.name,) for each in inventory_from(file).gateways}
    kept = FloorKeys(folder)
    try:
        kept.prepare(names, {} if device is None else {device: tables})
    except ValueError as error:
        raise click.ClickException(f"{folder}: {error}") from error
    except OSError as error:
        raise click.ClickException(
            f"{error.filename or folder}: expected a folder for secrets, found: {error.strerror}"
        ) from error
    click.echo(
        f"{folder}: gateway-keys for workers, command-keys for workers and consoles, "
        f"gateway-NAME.key for {', '.join(names)}",
        err=True,
    )
