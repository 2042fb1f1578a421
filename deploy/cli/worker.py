"""`pitwatch worker`: judges what the devices said."""

from importlib import metadata

import click

from deploy.cli.listening import health_options, refuse_others
from deploy.cli.options import (
    NamedKeyType,
    application_option,
    bootstrap_option,
    prefix_option,
)
from deploy.cli.rulebook import rulebook_option
from streams.core.book import Book
from streams.shell.config import (
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
@rulebook_option
def command(
    bootstrap: str,
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
    fetch: int,
    command_keys: tuple[tuple[str, bytes], ...],
    book: Book,
) -> None:
    """Judge the deals of the tables that this worker is given, until it is told to stop.

    Any number of workers share the tables. Exit statuses 75 (the seat in the group is lost), 76
    (a batch could not be finished) and 77 (no progress) ask for a restart: nothing is lost by it.
    78 says that nothing of any table can be read: look at its topic and version before.
    """
    refuse_others(host, insecure_listen=insecure_listen)
    from streams.shell.app import build_app  # noqa: PLC0415  Faust takes most of a second
    from streams.shell.logs import log_json  # noqa: PLC0415  as above

    log_json()
    settings = WorkerSettings(
        bootstrap=bootstrap,
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
        fetch_records=fetch,
        command_keys=dict(command_keys),
    )
    try:
        worker = build_app(settings)
    except OSError as error:
        raise click.ClickException(
            f"expected {host}:{port} free for health and metrics, found: {error}; "
            "stop what has it or choose another --port"
        ) from error
    worker.run()
