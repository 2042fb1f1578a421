"""`pitwatch worker`: judges what the devices said."""

from importlib import metadata
from pathlib import Path

import click

from deploy.cli.listening import health_options, refuse_others
from deploy.cli.options import (
    NamedKeyType,
    access_options,
    application_option,
    bootstrap_option,
    collector_option,
    command_keys_option,
    prefix_option,
    write_version_option,
)
from deploy.cli.registries import process_registry_option
from deploy.cli.rights import rights_from
from deploy.cli.rulebook import rulebook_option
from streams.brokers.access import KafkaAccess
from streams.core.book import Book
from streams.shell.config import (
    AWAY_SECONDS,
    FETCH_RECORDS,
    PORT,
    PRODUCE_SECONDS,
    SESSION_SECONDS,
    STALLED_SECONDS,
    TICK_SECONDS,
    WorkerSettings,
)


@click.command("worker")
@bootstrap_option
@access_options
@prefix_option
@application_option
@click.option(
    "--instance-id",
    help="A name that this worker keeps over restarts; no two that run may share it.",
)
@health_options(PORT)
@click.option(
    "--session",
    type=click.FloatRange(1, 300),
    default=SESSION_SECONDS,
    show_default=True,
    help="Seconds without a sign of life after which others take over.",
)
@click.option(
    "--produce",
    type=click.FloatRange(1, 3600),
    default=PRODUCE_SECONDS,
    show_default=True,
    help="Seconds after which a write that Kafka has not acknowledged ends the worker.",
)
@click.option(
    "--tick",
    type=click.FloatRange(0.1, 3600),
    default=TICK_SECONDS,
    show_default=True,
    help="Seconds of silence after which an open round is told the time.",
)
@click.option(
    "--stalled",
    type=click.FloatRange(1, 3600),
    default=STALLED_SECONDS,
    show_default=True,
    help="Seconds with a backlog and no progress after which the worker ends.",
)
@click.option(
    "--away",
    type=click.FloatRange(1, 86_400),
    default=AWAY_SECONDS,
    show_default=True,
    help="Seconds that Kafka or its topics may be away at the start before the worker ends.",
)
@click.option(
    "--fetch",
    type=click.IntRange(1, 100_000),
    default=FETCH_RECORDS,
    show_default=True,
    help="The most records judged at once; so many are judged again after a kill.",
)
@click.option(
    "--command-key",
    "command_keys",
    type=NamedKeyType(),
    multiple=True,
    help="A key that operators' commands may be signed with; repeatable. Without one no act is "
    "carried out.",
)
@command_keys_option
@click.option(
    "--floor",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The inventory, floor.toml: which gateway may speak for which table, and the pits in "
    "which operators may act.  [default: neither is asked for]",
)
@click.option(
    "--gateway-keys",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The keys that gateways sign with, and the workers' own, clock; NAME:HEX a line. With it "
    "a record that no gateway of its table has signed is set aside. Needs --floor.",
)
@write_version_option
@collector_option
@rulebook_option
@process_registry_option
def command(
    bootstrap: str,
    access: KafkaAccess,
    topic_prefix: str,
    application: str,
    instance_id: str | None,
    host: str,
    port: int,
    insecure_listen: bool,
    session: float,
    produce: float,
    tick: float,
    stalled: float,
    away: float,
    fetch: int,
    command_keys: tuple[tuple[str, bytes], ...],
    command_keys_file: Path | None,
    floor: Path | None,
    gateway_keys: Path | None,
    write_versions: tuple[tuple[str, int], ...],
    collector: str | None,
    book: Book,
) -> None:
    """Judge the deals of the tables that this worker is given, until it is told to stop.

    Any number of workers share the tables. Exit statuses 75 (the seat in the group is lost), 76
    (a batch could not be finished) and 77 (no progress) ask for a restart: nothing is lost by it.
    78 says that nothing of any table can be read: look at its topic and version before.
    """
    refuse_others(host, insecure_listen=insecure_listen)
    rights = rights_from(floor, gateway_keys, dict(command_keys), command_keys_file)
    from streams.serving.logs import log_json  # noqa: PLC0415  as above
    from streams.shell.app import build_app  # noqa: PLC0415  Faust takes most of a second

    counts = log_json()
    settings = WorkerSettings(
        bootstrap=bootstrap,
        access=access,
        book=book,
        version=metadata.version("pitwatch"),
        prefix=topic_prefix,
        application=application,
        instance_id=instance_id,
        host=host,
        port=port,
        session_seconds=session,
        produce_seconds=produce,
        tick_seconds=tick,
        stalled_seconds=stalled,
        away_seconds=away,
        fetch_records=fetch,
        rights=rights,
        versions=dict(write_versions),
        collector=collector,
    )
    try:
        worker = build_app(settings)
    except OSError as error:
        raise click.ClickException(
            f"expected {host}:{port} free for health and metrics, found: {error}; "
            "stop what has it or choose another --port"
        ) from error
    worker.metrics.registry.register(counts)
    worker.run()
