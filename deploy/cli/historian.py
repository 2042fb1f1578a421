"""`pitwatch historian`: keeps history in a database; exports it, and holds it for the law."""

import signal
from importlib import metadata

import click
from sqlalchemy.exc import DBAPIError

from deploy.cli.options import bootstrap_option, database_option, prefix_option
from deploy.cli.worker import loopback
from streams.historian.settings import AWAY_SECONDS, PORT, HistorianSettings


@click.group("historian", invoke_without_command=True)
@database_option
@bootstrap_option
@prefix_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where health is served.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Its port."
)
@click.option(
    "--insecure-listen", is_flag=True, help="Serve health and metrics on another than loopback."
)
@click.option(
    "--keep",
    type=click.IntRange(0, 36_500),
    default=0,
    show_default=True,
    metavar="DAYS",
    help="Delete what is older, unless it is held; 0 keeps all.",
)
@click.option(
    "--away",
    type=click.FloatRange(1, 86_400),
    default=AWAY_SECONDS,
    show_default=True,
    help="Seconds that Kafka or the database may be away before the historian ends.",
)
@click.pass_context
def command(
    ctx: click.Context,
    database: str,
    bootstrap: str,
    topic_prefix: str,
    host: str,
    port: int,
    insecure_listen: bool,
    keep: int,
    away: float,
) -> None:
    """Write rounds, findings, alarms and acts into a database, until it is told to stop.

    One historian writes to a database at a time. Killed at any point it has lost nothing and
    repeats nothing: how far it has read stands in the database, in the same transaction. Exit
    status 1 asks for a restart where Kafka or the database was away for too long.
    """
    if ctx.invoked_subcommand is not None:
        ctx.obj = database
        return
    if not (insecure_listen or loopback(host)):
        raise click.UsageError(
            f"--host: expected a loopback address, found {host}: health and metrics have no "
            "authentication; say --insecure-listen if only trusted machines reach it"
        )
    settings = HistorianSettings(
        bootstrap=bootstrap,
        version=metadata.version("pitwatch"),
        prefix=topic_prefix,
        host=host,
        port=port,
        keep_days=keep,
        away_seconds=away,
    )
    run(database, settings)


def run(database: str, settings: HistorianSettings) -> None:
    """Run a historian until SIGTERM or SIGINT.

    Raises:
        click.ClickException: it cannot start or go on.
    """
    # kafka-python takes 0.3 s to import, which help and exports need not wait for.
    from streams.database import DatabaseFault, open_database  # noqa: PLC0415  see above
    from streams.historian.metrics import HistorianMetrics  # noqa: PLC0415  see above
    from streams.historian.run import GaveUp, Historian  # noqa: PLC0415  see above
    from streams.serving.health import HealthServer  # noqa: PLC0415  see above
    from streams.shell.logs import log_json  # noqa: PLC0415  see above

    log_json()
    metrics = HistorianMetrics(settings.version)
    try:
        engine = open_database(database)
        historian = Historian(settings, engine, metrics)
        health = HealthServer(
            settings.host,
            settings.port,
            registry=metrics.registry,
            alive=historian.alive,
            ready=historian.ready,
        )
    except OSError as error:
        raise click.ClickException(
            f"expected {settings.host}:{settings.port} free for health and metrics, found: "
            f"{error}; stop what has it or choose another --port"
        ) from error
    except DatabaseFault as fault:
        raise click.ClickException(str(fault)) from fault
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: historian.stop())
    health.start()
    try:
        historian.run()
    except (DatabaseFault, GaveUp) as fault:
        raise click.ClickException(str(fault)) from fault
    except DBAPIError as error:
        raise click.ClickException(
            f"expected the database to take the history, found: {error.orig}; "
            "see what its user may do there"
        ) from error
    finally:
        health.stop()
        engine.dispose()
