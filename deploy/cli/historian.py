"""`pitwatch historian`: keeps history in a database; exports it, and holds it for the law."""

import getpass
import signal
import sys
import time
from importlib import metadata
from typing import TYPE_CHECKING

import click
from sqlalchemy.exc import DBAPIError

from deploy.cli.listening import health_options, refuse_others
from deploy.cli.moments import Moment
from deploy.cli.options import (
    access_options,
    bootstrap_option,
    database_option,
    format_option,
    prefix_option,
)
from deploy.cli.registries import process_registry_option
from schemas.times import format_time
from streams.brokers.access import KafkaAccess
from streams.core.book import SEVERITIES
from streams.core.codes import CODES
from streams.core.events import GAMES
from streams.historian.settings import AWAY_SECONDS, PORT, HistorianSettings

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from streams.database.export import Format, What


@click.group("historian", invoke_without_command=True)
@database_option
@bootstrap_option
@access_options
@prefix_option
@health_options(PORT)
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
@process_registry_option
@click.pass_context
def command(
    ctx: click.Context,
    database: str,
    bootstrap: str,
    access: KafkaAccess,
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
    refuse_others(host, insecure_listen=insecure_listen)
    settings = HistorianSettings(
        bootstrap=bootstrap,
        access=access,
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
    from streams.serving.logs import log_json  # noqa: PLC0415  see above

    counts = log_json()
    metrics = HistorianMetrics(settings.version)
    metrics.registry.register(counts)
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


@command.command("export")
@click.option(
    "--what",
    type=click.Choice(["rounds", "findings", "alarms", "acts"]),
    required=True,
    help="Of which rows.",
)
@click.option("--since", type=Moment(), required=True, help="The earliest time, or such as 7d.")
@click.option("--until", type=Moment(), help="The first time that is too late.  [default: now]")
@click.option("--table", multiple=True, help="Only those of this table; repeatable.")
@click.option("--game", type=click.Choice(sorted(GAMES)), help="Only those of this game.")
@click.option("--dealer", help="Only those of the rounds that this dealer dealt.")
@click.option("--clause", help="Only those of this clause, or of all that begin so.")
@click.option("--code", type=click.Choice(sorted(CODES)), metavar="CODE", help="Only this code's.")
@click.option("--severity", type=click.Choice(SEVERITIES), help="Only those of this severity.")
@format_option("ndjson", "csv", "One JSON object a line, or a table for a spreadsheet.")
@click.pass_obj
def export_(
    database: str,
    /,
    what: "What",
    since: int,
    until: int | None,
    table: tuple[str, ...],
    format_: "Format",
    **asked: str | None,
) -> None:
    """Write the history of a time to stdout, the oldest first.

    Rounds count by when they were opened, findings and acts by when they were, alarms by when they
    were raised. Rounds are found by the findings raised in them, alarms by who dealt when they were
    raised, acts by their alarms. NDJSON has the whole records, CSV the main columns; a text in CSV
    that a spreadsheet would take for a formula has a ' before it.
    """
    from streams.database import DatabaseFault  # noqa: PLC0415  SQLAlchemy takes a while to import
    from streams.database.export import export  # noqa: PLC0415  as above
    from streams.database.search import Search  # noqa: PLC0415  as above

    last = time.time_ns() // 1000 if until is None else until
    search = Search(since, last, frozenset(table) or None, **asked)
    engine = opened(database)
    try:
        for line in export(engine, what, search, format_):
            sys.stdout.write(line)
    except DatabaseFault as fault:
        raise click.ClickException(str(fault)) from fault
    finally:
        engine.dispose()


@command.group("hold")
def hold() -> None:
    """Keep rows for the law, however old they are; list what is held, lift a hold."""


@hold.command("add")
@click.option("--table", help="The table.  [default: all]")
@click.option("--since", type=Moment(), required=True, help="What happened from then on.")
@click.option("--until", type=Moment(), help="Up to then.  [default: without an end]")
@click.option("--reason", required=True, help="Who asked for it and why; for those who come after.")
@click.pass_obj
def add(database: str, table: str | None, since: int, until: int | None, reason: str) -> None:
    """Hold the rows of a time: none of them is deleted until the hold is lifted."""
    from streams.database.holds import add_hold  # noqa: PLC0415  as in export

    engine = opened(database)
    now = time.time_ns() // 1000
    click.echo(add_hold(engine, table, since, until, reason, getpass.getuser(), now))


@hold.command("list")
@click.pass_obj
def list_(database: str) -> None:
    """List what is held: id, table, from when, until when, by whom, why."""
    from streams.database.holds import list_holds  # noqa: PLC0415  as in export

    for each in list_holds(opened(database)):
        until = "" if each.until is None else format_time(each.until)
        click.echo(
            f"{each.id}  {each.table or '*':<12} {format_time(each.since)}  {until:<24}  "
            f"{each.by}  {each.reason}"
        )


@hold.command("lift")
@click.argument("hold_id", metavar="ID")
@click.pass_obj
def lift(database: str, hold_id: str) -> None:
    """Lift a hold: what is older than has to be kept is deleted again."""
    from streams.database.holds import lift_hold  # noqa: PLC0415  as in export

    if not lift_hold(opened(database), hold_id):
        raise click.ClickException(
            f"expected the id of a hold, found {hold_id}; see `pitwatch historian hold list`"
        )


def opened(database: str) -> "Engine":
    """Return a database whose tables are of this version.

    Raises:
        click.ClickException: it cannot be opened, does not answer or is of a newer version.
    """
    from streams.database import DatabaseFault, migrate, open_database  # noqa: PLC0415  as in export

    try:
        engine = open_database(database)
        migrate(engine)
    except DatabaseFault as fault:
        raise click.ClickException(str(fault)) from fault
    return engine
