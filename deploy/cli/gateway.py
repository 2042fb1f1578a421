"""`pitwatch gateway`: takes the devices' events and publishes them."""

import logging
from importlib import metadata
from pathlib import Path
from typing import Final

import click

from deploy.cli.listening import loopback
from deploy.cli.options import bootstrap_option, prefix_option
from producers.gateway.settings import (
    DAY,
    HOST,
    MEBIBYTE,
    PORT,
    PublishSettings,
    Settings,
)
from schemas.check import rules_of
from schemas.records import DealEvent

NOISY: Final = {"uvicorn": logging.WARNING, "kafka": logging.CRITICAL}
"""Libraries that say every second what the gateway says once: that no broker answers."""


def checked_name(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """Return a gateway's name, which is stamped on events."""
    fault = rules_of(DealEvent)["gateway"].fault(value)
    if fault is not None:
        raise click.BadParameter(f"expected {fault.expected}, found {fault.found}")
    return value


@click.command("gateway")
@click.option(
    "--spool",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder that keeps events until Kafka has them; one gateway's own.",
)
@bootstrap_option
@prefix_option
@click.option(
    "--name",
    default="gateway",
    show_default=True,
    callback=checked_name,
    help="Stamped on every event; each gateway of a floor has its own.",
)
@click.option("--host", default=HOST, show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Its port."
)
@click.option(
    "--insecure-listen", is_flag=True, help="Take events on another than a loopback address."
)
@click.option(
    "--spool-mebibytes",
    type=click.IntRange(8, 1024 * 1024),
    default=1024,
    show_default=True,
    help="How much the spool may hold; then devices are told to come back.",
)
@click.option(
    "--spool-days",
    type=click.FloatRange(min=0, min_open=True, max=35),
    default=7.0,
    show_default=True,
    help="How old an unpublished event may be; then devices are told to come back.",
)
@click.option(
    "--hold",
    type=click.FloatRange(0, 5),
    default=0.15,
    show_default=True,
    help="Seconds in which events of a table's several devices are put in order; 0: never.",
)
@click.option(
    "--event-version",
    type=click.IntRange(min=1),
    help="The version of deal_event to write; the newest where none is given.",
)
@click.option(
    "--stalled",
    type=click.FloatRange(1, 3600),
    default=PublishSettings().stall_seconds,
    show_default=True,
    help="Seconds without an acknowledgement after which the producer is built anew.",
)
def command(
    spool: Path,
    bootstrap: str,
    topic_prefix: str,
    name: str,
    host: str,
    port: int,
    insecure_listen: bool,
    spool_mebibytes: int,
    spool_days: float,
    hold: float,
    event_version: int | None,
    stalled: float,
) -> None:
    """Take events on HTTP, keep them on disk, and publish them in order.

    Devices post NDJSON to /v1/events. An event that was answered with 202 is on the disk, and is
    published though this process is killed or Kafka is away for days.
    """
    if not (insecure_listen or loopback(host)):
        raise click.UsageError(
            f"--host: expected a loopback address, found {host}: devices are not authenticated; "
            "say --insecure-listen if only trusted machines reach it"
        )
    from producers.gateway.files import SpoolInUse  # noqa: PLC0415  others need no web server
    from producers.gateway.gateway import Gateway  # noqa: PLC0415  as above
    from streams.shell.logs import log_json  # noqa: PLC0415  as above

    log_json()
    for library, level in NOISY.items():
        logging.getLogger(library).setLevel(level)
    settings = Settings(
        spool=spool,
        name=name,
        version=metadata.version("pitwatch"),
        host=host,
        port=port,
        spool_bytes=spool_mebibytes * MEBIBYTE,
        spool_seconds=spool_days * DAY,
        hold_seconds=hold,
        event_version=event_version,
        publish=PublishSettings(bootstrap=bootstrap, prefix=topic_prefix, stall_seconds=stalled),
    )
    try:
        gateway = Gateway(settings)
    except (SpoolInUse, ValueError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(
            f"expected {host}:{port} free and {spool} writable, found: {error}; "
            "stop what has the port, or choose another --port or --spool"
        ) from error
    gateway.run()
