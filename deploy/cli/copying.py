"""`pitwatch topics copy`: a floor's deals into topics of another number of partitions."""

import signal
import threading
from dataclasses import dataclass
from typing import Final

import click

from deploy.cli.moments import Moment
from deploy.cli.progress import RecordProgress
from streams.brokers.access import KafkaAccess

DEALS: Final = "deals.v1"


@dataclass(frozen=True, slots=True)
class Source:
    """The floor whose deals are copied.

    Attributes:
        bootstrap: Kafka's addresses.
        access: who reads and writes.
        prefix: before the names of its topics.
    """

    bootstrap: str
    access: KafkaAccess
    prefix: str


@click.command("copy")
@click.option(
    "--to",
    "target",
    metavar="PREFIX",
    required=True,
    help="What the names of the topics begin with that are to have the deals; these are empty.",
)
@click.option("--since", type=Moment(), help="The earliest time, or such as 2d.  [default: all]")
@click.option("--follow", is_flag=True, help="Go on with what comes, until Ctrl-C or SIGTERM.")
@click.pass_obj
def copy(source: Source, target: str, since: int | None, follow: bool) -> None:
    """Copy the deals into topics of another prefix, each table's in their order.

    All that there is, and with --follow what comes, until it is told to stop: then up to what is
    the end. One that fails or is killed is begun anew, with the new topics made anew.
    """
    from streams.shell.deal_copy import CopyFault, deal_copy  # noqa: PLC0415  help needs no Kafka

    told = threading.Event()
    if not follow:
        told.set()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told.set())
    progress = RecordProgress()
    try:
        with deal_copy(
            source.bootstrap, source.prefix + DEALS, target + DEALS, source.access
        ) as copying:
            progress.begin("deals", copying.begin(since))
            count = copying.run(progress.moved, told.is_set)
    except CopyFault as fault:
        raise click.ClickException(str(fault)) from fault
    finally:
        progress.end()
    click.echo(f"{count} deals copied to {target}{DEALS}")
