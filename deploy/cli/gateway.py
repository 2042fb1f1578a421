"""`pitwatch gateway`: takes the devices' events and publishes them."""

import logging
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Final

import click

from deploy.cli.admission import admission_options, check_admission
from deploy.cli.listening import loopback
from deploy.cli.options import (
    access_options,
    bootstrap_option,
    collector_option,
    prefix_option,
    signing_key,
    write_version_option,
)
from deploy.cli.registries import process_registry_option
from producers.gateway.entries import Accepted
from producers.gateway.sender import Headers, untraced
from producers.gateway.settings import (
    DAY,
    HOST,
    MEBIBYTE,
    PORT,
    Admission,
    PublishSettings,
    Settings,
)
from schemas.check import rules_of
from schemas.records import DealEvent
from streams.brokers.access import KafkaAccess
from streams.serving.tracing import Tracing, tracing_to

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
@access_options
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
@admission_options
@click.option(
    "--signing-key-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The gateway's key, NAME:HEX, that it signs events with; of several the first. Read again "
    "when it changes. Workers have it in their --gateway-keys.",
)
@write_version_option
@click.option(
    "--stalled",
    type=click.FloatRange(1, 3600),
    default=PublishSettings().stall_seconds,
    show_default=True,
    help="Seconds without an acknowledgement after which the producer is built anew.",
)
@collector_option
@process_registry_option
def command(
    spool: Path,
    bootstrap: str,
    access: KafkaAccess,
    topic_prefix: str,
    name: str,
    host: str,
    port: int,
    insecure_listen: bool,
    spool_mebibytes: int,
    spool_days: float,
    hold: float,
    signing_key_file: Path | None,
    admission: Admission,
    write_versions: tuple[tuple[str, int], ...],
    stalled: float,
    collector: str | None,
) -> None:
    """Take events on HTTP, keep them on disk, and publish them in order.

    Devices post NDJSON to /v1/events. An event that was answered with 202 is on the disk, and is
    published though this process is killed or Kafka is away for days.
    """
    check_admission(admission)
    if signing_key_file is not None:
        signing_key(signing_key_file)
    known = admission.certificate is not None and admission.devices is not None
    if not (insecure_listen or loopback(host) or known):
        raise click.UsageError(
            f"--host: expected a loopback address, found {host}: devices are not authenticated; "
            "give --tls-certificate, --tls-key and --device-tokens, or say --insecure-listen if "
            "only trusted machines reach it"
        )
    from producers.gateway.files import SpoolInUse  # noqa: PLC0415  others need no web server
    from producers.gateway.gateway import Gateway  # noqa: PLC0415  as above
    from streams.serving.logs import log_json  # noqa: PLC0415  as above

    counts = log_json()
    for library, level in NOISY.items():
        logging.getLogger(library).setLevel(level)
    settings = Settings(
        spool=spool,
        name=name,
        signing_key=signing_key_file,
        admission=admission,
        version=metadata.version("pitwatch"),
        host=host,
        port=port,
        spool_bytes=spool_mebibytes * MEBIBYTE,
        spool_seconds=spool_days * DAY,
        hold_seconds=hold,
        versions=dict(write_versions),
        publish=PublishSettings(
            bootstrap=bootstrap, access=access, prefix=topic_prefix, stall_seconds=stalled
        ),
    )
    tracing = tracing_to(collector, "pitwatch-gateway", settings.version)
    try:
        gateway = Gateway(settings, untraced if tracing is None else published_by(tracing))
    except (SpoolInUse, ValueError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(
            f"expected {host}:{port} free and {spool} writable, found: {error}; "
            "stop what has the port, or choose another --port or --spool"
        ) from error
    gateway.registry.register(counts)
    try:
        gateway.run()
    finally:
        if tracing is not None:
            tracing.close()


def published_by(tracing: Tracing) -> Callable[[Accepted], Headers]:
    """Return what records that an event is published: its trace begins with its receipt."""

    def trace(event: Accepted) -> Headers:
        return tracing.begin(
            "publish",
            event.received,
            table=event.table,
            source=event.source,
            boot=event.boot,
            seq=event.seq,
        )

    return trace
