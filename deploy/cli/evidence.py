"""`pitwatch evidence`: what proves a closed round, in one file."""

import hashlib
import os
import sys
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from deploy.cli.moments import Moment
from deploy.cli.options import (
    access_options,
    bootstrap_option,
    database_option,
    prefix_option,
)
from deploy.cli.registries import registry_option
from schemas.times import MICROS_IN_HOUR, format_time
from streams.brokers.access import KafkaAccess
from streams.core.book import BookFault
from streams.rulebooks import load, names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine

    from schemas.records import BookName, Round
    from streams.database.queries import RoundRow
    from streams.historian.evidence import Events

STDOUT: Final = "-"

LOOK_BACK: Final = (6 * MICROS_IN_HOUR, 48 * MICROS_IN_HOUR)
"""How long before a round its table's opening is looked for among the deals: a shift, two days."""


@click.command("evidence")
@click.argument("table")
@click.argument("number", metavar="ROUND", type=click.IntRange(1))
@database_option
@bootstrap_option
@access_options
@prefix_option
@click.option(
    "--opened",
    type=Moment(),
    help="When the round was opened, where the table had several of this number.",
)
@click.option(
    "--without-deals", is_flag=True, help="Do not ask Kafka: the round's own events alone."
)
@click.option(
    "--output",
    metavar="FILE",
    help="Where it is written; - is stdout.  [default: evidence-TABLE-ROUND.zip]",
)
@registry_option
def command(
    table: str,
    number: int,
    database: str,
    bootstrap: str,
    access: KafkaAccess,
    topic_prefix: str,
    opened: int | None,
    without_deals: bool,
    output: str | None,
) -> None:
    """Write one bundle of a closed round: events, round, findings, alarms, acts and rulebook.

    Its events are taken by `pitwatch check`, and begin with the table's opening while Kafka has
    them. The bundle of a round is always the same, and its manifest has each file's SHA-256. It
    holds the cards of the round: only an administrator may read the deals.
    """
    # SQLAlchemy and kafka-python take half a second to import, which help need not wait for.
    from streams.database import DatabaseFault, open_database  # noqa: PLC0415  see above
    from streams.database.queries import round_in_full, rounds_of  # noqa: PLC0415  see above
    from streams.historian import evidence  # noqa: PLC0415  see above
    from streams.historian.topics import LogAway  # noqa: PLC0415  see above

    try:
        engine = open_database(database)
        chosen = the_round(table, number, opened, rounds_of(engine, table, number))
        whole = round_in_full(engine, chosen.opened_by)
        assert whole is not None  # noqa: S101  it was just found; rounds are deleted years later
        own = evidence.events_of(whole.round, ())
        events = (
            own
            if without_deals
            else from_deals(engine, whole.round, bootstrap, topic_prefix, access)
        )
    except (DatabaseFault, LogAway) as fault:
        raise click.ClickException(str(fault)) from fault
    files = evidence.files_of(whole, events, book_text(whole.round.book))
    manifest = evidence.manifest_of(whole, events, files, metadata.version("pitwatch"))
    bundle = evidence.packed({evidence.MANIFEST: manifest, **files})
    name = output or f"evidence-{table}-{number}.zip"
    write(name, bundle)
    click.echo(
        f"{name}: {len(events.lines)} events, {len(whole.findings)} findings, "
        f"{len(whole.acts)} acts; SHA-256 {hashlib.sha256(bundle).hexdigest()}",
        err=True,
    )
    if events.source == evidence.FROM_ROUND and not without_deals:
        click.echo("Kafka has the deals no more: the events are those of the round alone", err=True)


def the_round(
    table: str, number: int, opened: int | None, found: "Sequence[RoundRow]"
) -> "RoundRow":
    """Return the round that is meant.

    Raises:
        click.ClickException: there is none, or more than one.
    """
    meant = [each for each in found if opened in {None, each.opened_at}]
    if len(meant) == 1:
        return meant[0]
    times = ", ".join(format_time(each.opened_at) for each in found)
    if not meant:
        has = f"only those opened at {times}" if found else "none"
        raise click.ClickException(
            f"expected a round {number} of {table} that is over and in the database, found {has}; "
            "a round that is open has no evidence yet; see whether the historian runs"
        )
    raise click.ClickException(
        f"expected one round {number} of {table}, found {len(meant)}, opened at {times}: numbers "
        "begin anew with each opening of a table; say which with --opened"
    )


def from_deals(
    engine: "Engine", round_: "Round", bootstrap: str, prefix: str, access: KafkaAccess
) -> "Events":
    """Return a round's events as Kafka has them, from the table's opening if that is found.

    Raises:
        LogAway: Kafka does not answer.
        DatabaseFault: the database does not answer.
    """
    from streams.database.queries import partition_of  # noqa: PLC0415  as in the command
    from streams.historian.deals import DEALS, deals_of  # noqa: PLC0415  as in the command
    from streams.historian.evidence import events_of  # noqa: PLC0415  as in the command

    partition = partition_of(engine, round_.opened_by)
    received = round_.events[0].received if round_.events else None
    began = received or round_.opened_at
    for look_back in LOOK_BACK:
        since = began - look_back
        with deals_of(bootstrap, f"{prefix}{DEALS}", partition, since, access) as deals:
            events = events_of(round_, deals)
        if events.from_opening:
            break
    return events


def book_text(book: "BookName") -> bytes | None:
    """Return the text of a built-in rulebook, if it is the one that is named."""
    if book.name not in names():
        return None
    try:
        known = load(book.name)
    except BookFault:
        return None
    if known.sha256 != book.sha256:
        return None
    return (resources.files("streams.rulebooks") / f"{book.name}.toml").read_bytes()


def write(name: str, data: bytes) -> None:
    """Write a bundle to stdout, or to a file that its owner alone can read.

    Raises:
        click.ClickException: the file cannot be written.
    """
    if name == STDOUT:
        sys.stdout.buffer.write(data)
        return
    path = Path(name)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
    except OSError as error:
        raise click.ClickException(
            f"{path}: expected a file that can be written, found: {error.strerror}"
        ) from error
