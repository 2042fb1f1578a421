"""`pitwatch devices`: which devices may speak to a gateway, for which tables, and their tokens."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from deploy.cli.options import format_option
from deploy.cli.terminal import print_rows, stderr_console
from deploy.secure.files import locked, write_private
from producers.gateway.devices import (
    Device,
    DeviceFile,
    DevicesFault,
    encode_devices,
    load_devices,
    new_token,
    with_device,
    with_new_token,
    without_device,
)
from schemas.times import MICROS_IN_HOUR, format_time

DEFAULT_FILE: Final = Path("devices.json")
COLUMNS: Final = ("device", "tables", "known_by", "added", "ends")
MISSING: Final = "\N{EN DASH}"


def now() -> int:
    """Return the time, microseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1000


@click.group("devices")
@click.option(
    "--file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=DEFAULT_FILE,
    show_default=True,
    help="The file of devices, which gateways have as --device-tokens.",
)
@click.pass_context
def command(context: click.Context, file: Path) -> None:
    """Say which devices may speak to a gateway, and for which tables.

    A gateway reads the file again when it changes, so that what is added, rotated or revoked holds
    within a second. A token is shown once; the file has only its digest.
    """
    context.obj = file


@command.command("add")
@click.argument("name")
@click.option(
    "--table", "tables", multiple=True, required=True, help="A table of the device; repeatable."
)
@click.option(
    "--certificate",
    is_flag=True,
    help="It has no token: it is known by its certificate, whose common name is NAME.",
)
@click.pass_obj
def add(file: Path, name: str, tables: tuple[str, ...], certificate: bool) -> None:
    """Let a device speak for its tables, and print its token on stdout."""
    token = None if certificate else new_token()
    with changing(file) as change:
        change(lambda devices: with_device(devices, name, tables, token, now()))
    show(name, token)


@command.command("rotate")
@click.argument("name")
@click.option(
    "--overlap",
    type=click.FloatRange(0, 30 * 24),
    default=0.0,
    show_default=True,
    help="Hours that the token before it holds beside the new one.",
)
@click.pass_obj
def rotate(file: Path, name: str, overlap: float) -> None:
    """Give a device a new token, and print it on stdout."""
    token, at = new_token(), now()
    with changing(file) as change:
        ends_at = at + int(overlap * MICROS_IN_HOUR)
        change(lambda devices: with_new_token(devices, name, token, at, ends_at))
    show(name, token)


@command.command("revoke")
@click.argument("name")
@click.pass_obj
def revoke(file: Path, name: str) -> None:
    """Let a device speak no more."""
    with changing(file) as change:
        change(lambda devices: without_device(devices, name))
    stderr_console().print(f"{name} may speak no more", markup=False)


@command.command("list")
@format_option("table", "json", "A table, or one JSON object a line.")
@click.pass_obj
def list_(file: Path, format_: str) -> None:
    """List the devices; never a token or its digest."""
    try:
        devices = load_devices(file).devices
    except (OSError, DevicesFault) as error:
        raise unusable(file, error) from error
    print_rows(rows(devices), COLUMNS, format_, cell)


def rows(devices: tuple[Device, ...]) -> Iterator[dict[str, Any]]:
    """Yield what is listed of devices: a row for each token."""
    for device in devices:
        row = {"device": device.name, "tables": list(device.tables)}
        if not device.tokens:
            yield row | {"known_by": "certificate", "added": None, "ends": None}
        for token in device.tokens:
            ends = None if token.ends_at is None else format_time(token.ends_at)
            yield row | {"known_by": "token", "added": format_time(token.added_at), "ends": ends}


def cell(_: str, value: object) -> Text:
    """Return a value as a table shows it; one that is not there is a dash."""
    if isinstance(value, list):
        return Text(", ".join(str(each) for each in value))
    return Text(MISSING if value is None else str(value))


def show(name: str, token: str | None) -> None:
    """Print a token on stdout, where a pipe takes it, and what to do with it on stderr."""
    if token is None:
        stderr_console().print(
            f"{name} is known by its certificate, whose common name is {name}", markup=False
        )
        return
    stderr_console().print(
        f"The token of {name}; it is shown this once. The device sends it as: Authorization: "
        "Bearer TOKEN",
        markup=False,
        soft_wrap=True,
    )
    click.echo(token)


Change = Callable[[Callable[[DeviceFile], DeviceFile]], None]


@contextmanager
def changing(file: Path) -> Iterator[Change]:
    """Change a file of devices, one that is not there yet too; two changes wait for each other.

    Raises:
        click.ClickException: it cannot be read or written, or holds what it may not.
    """
    folder = file.absolute().parent

    def change(changed: Callable[[DeviceFile], DeviceFile]) -> None:
        before = load_devices(file) if file.exists() else DeviceFile()
        write_private(file, encode_devices(changed(before)))

    try:
        with locked(folder):
            yield change
    except (OSError, DevicesFault) as error:
        raise unusable(file, error) from error


def unusable(file: Path, error: OSError | DevicesFault) -> click.ClickException:
    """Return what a person is told of a file that cannot be used."""
    if isinstance(error, DevicesFault):
        return click.ClickException(f"{file}: {error}")
    return click.ClickException(
        f"{file}: expected a file of devices, found: {error.strerror}; say another with --file"
    )
