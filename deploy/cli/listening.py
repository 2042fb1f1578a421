"""Where a process serves its health: on this machine alone, unless it is told otherwise."""

import ipaddress
from collections.abc import Callable

import click

from deploy.cli.options import Command


def loopback(host: str) -> bool:
    """Say whether a host is this machine's own loopback address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def health_options(port: int) -> Callable[[Command], Command]:
    """Return the options ``--host``, ``--port`` and ``--insecure-listen`` of health and metrics.

    Args:
        port: the port where none is said.
    """

    def give(command: Command) -> Command:
        for option in (
            click.option(
                "--insecure-listen",
                is_flag=True,
                help="Serve health and metrics on another than loopback.",
            ),
            click.option(
                "--port",
                type=click.IntRange(0, 65535),
                default=port,
                show_default=True,
                help="Its port.",
            ),
            click.option(
                "--host", default="127.0.0.1", show_default=True, help="Where health is served."
            ),
        ):
            command = option(command)
        return command

    return give


def refuse_others(host: str, *, insecure_listen: bool) -> None:
    """Refuse to serve health on an address that other machines reach, unless told to.

    Raises:
        click.UsageError: the host is no loopback address.
    """
    if not (insecure_listen or loopback(host)):
        raise click.UsageError(
            f"--host: expected a loopback address, found {host}: health and metrics have no "
            "authentication; say --insecure-listen if only trusted machines reach it"
        )
