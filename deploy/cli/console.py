"""`pitwatch console`: the operators' page."""

import ipaddress
import logging
import os
from datetime import UTC, tzinfo
from importlib import metadata
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from deploy.cli.listening import loopback
from deploy.cli.options import (
    NamedKeyType,
    access_options,
    bootstrap_option,
    collector_option,
    command_keys_option,
    database_option,
    prefix_option,
    write_version_option,
)
from deploy.cli.registries import process_registry_option
from deploy.cli.rulebook import rulebook_option
from schemas.keys import KeyFault, NamedKey
from streams.brokers.access import KafkaAccess
from streams.core.book import Book

LOCALTIME: Final = Path("/etc/localtime")
NOISY: Final = {
    "uvicorn": logging.WARNING,
    "kafka": logging.CRITICAL,
    "httpx": logging.WARNING,
    "httpcore": logging.WARNING,
}
"""Libraries that say every second what the console says once, and of each request that it went."""


def local_zone() -> tzinfo:
    """Return this machine's time zone, UTC where it has none."""
    if name := os.environ.get("TZ"):
        try:
            return ZoneInfo(name.lstrip(":"))
        except (ZoneInfoNotFoundError, ValueError):
            return UTC
    try:
        with LOCALTIME.open("rb") as file:
            return ZoneInfo.from_file(file, key="local")
    except (OSError, ValueError):
        return UTC


def checked_zone(_context: click.Context, _option: click.Parameter, value: str | None) -> tzinfo:
    """Return a time zone by its name, this machine's where none is given."""
    if value is None:
        return local_zone()
    try:
        return ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise click.BadParameter(
            f"expected a time zone's name such as America/New_York, found {value}"
        ) from error


def checked_proxies(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Return proxies' addresses and networks."""
    for value in values:
        try:
            ipaddress.ip_network(value)
        except ValueError as error:
            raise click.BadParameter(
                f"expected an address or a network such as 10.0.0.0/8, found {value}"
            ) from error
    return values


@click.command("console")
@bootstrap_option
@access_options
@prefix_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=7303, show_default=True, help="Its port."
)
@click.option(
    "--health-port",
    type=click.IntRange(0, 65535),
    default=7313,
    show_default=True,
    help="Where health and metrics are served, from a thread of their own.",
)
@click.option(
    "--insecure-listen",
    is_flag=True,
    help="Serve pages without HTTPS on another than a loopback address.",
)
@click.option(
    "--behind-https",
    is_flag=True,
    help="Browsers reach it over HTTPS alone, through a proxy: cookies are sent over nothing else.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    callback=checked_proxies,
    metavar="ADDRESS",
    help="A proxy's address or network, which says whom it asks for; repeatable. Without it "
    "sign-ins are limited by the proxy's address, for all who come through it together.",
)
@database_option
@click.option(
    "--floor",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The inventory, floor.toml.  [default: one pit, tables in the order first seen]",
)
@click.option(
    "--command-key",
    type=NamedKeyType(),
    metavar="NAME:HEX",
    help="Signs operators' acts; workers have the same. Without it, no act can be asked for.",
)
@command_keys_option
@click.option(
    "--zone", callback=checked_zone, help="The floor's time zone.  [default: this machine's]"
)
@click.option(
    "--clients",
    type=click.IntRange(1, 100_000),
    default=500,
    show_default=True,
    help="Live pages at once.",
)
@click.option(
    "--gateway",
    default="http://127.0.0.1:7301",
    show_default=True,
    help="Where devices post, as the page of an empty floor says it.",
)
@click.option(
    "--metrics",
    "metrics_addresses",
    multiple=True,
    metavar="URL",
    help="Where a worker, gateway or historian serves its metrics, http://HOST:PORT; repeatable. "
    "The diagnostics page asks them.",
)
@click.option(
    "--metrics-ca",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Who signed the certificates of those at https addresses, PEM.  [default: the system's]",
)
@write_version_option
@collector_option
@rulebook_option
@process_registry_option
def command(
    bootstrap: str,
    access: KafkaAccess,
    topic_prefix: str,
    host: str,
    port: int,
    health_port: int,
    insecure_listen: bool,
    behind_https: bool,
    proxies: tuple[str, ...],
    database: str,
    floor: Path | None,
    command_key: tuple[str, bytes] | None,
    command_keys_file: Path | None,
    zone: tzinfo,
    clients: int,
    gateway: str,
    metrics_addresses: tuple[str, ...],
    metrics_ca: Path | None,
    write_versions: tuple[tuple[str, int], ...],
    collector: str | None,
    book: Book,
) -> None:
    """Serve the operators' page: the live floor, alarms, tables and history.

    Any number of consoles may run beside each other: all show the same. Accounts are made with
    `pitwatch users`.
    """
    if not (insecure_listen or behind_https or loopback(host)):
        raise click.UsageError(
            f"--host: expected a loopback address, found {host}: passwords would cross the network "
            "in the clear; say --behind-https if a proxy ends TLS, or --insecure-listen"
        )
    from streams.console.inventory import InventoryFault  # noqa: PLC0415  others need no web server
    from streams.console.server import ConsoleProcess  # noqa: PLC0415  as above
    from streams.console.settings import ConsoleSettings  # noqa: PLC0415  as above
    from streams.database import DatabaseFault  # noqa: PLC0415  as above
    from streams.serving.logs import log_json  # noqa: PLC0415  as above

    counts = log_json()
    for library, level in NOISY.items():
        logging.getLogger(library).setLevel(level)
    settings = ConsoleSettings(
        book=book,
        version=metadata.version("pitwatch"),
        bootstrap=bootstrap,
        access=access,
        prefix=topic_prefix,
        host=host,
        port=port,
        health_port=health_port,
        database=database,
        floor=floor,
        command_key=NamedKey(*command_key) if command_key else None,
        command_keys=command_keys_file,
        secure_cookie=behind_https,
        proxies=proxies,
        zone=zone,
        clients=clients,
        gateway=gateway,
        metrics=metrics_addresses,
        metrics_ca=metrics_ca,
        versions=dict(write_versions),
        collector=collector,
    )
    try:
        console = ConsoleProcess(settings)
    except (InventoryFault, DatabaseFault, KeyFault) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(
            f"expected {host}:{port} and {host}:{health_port} free, found: {error}; "
            "stop what has the port, or choose another --port or --health-port"
        ) from error
    console.registry.register(counts)
    console.run()
