"""`pitwatch topics`: the topics of a floor, made once and checked ever after; deals copied."""

from collections.abc import Sequence
from typing import Final

import click

from deploy.cli.copying import Source, copy
from deploy.cli.options import (
    access_options,
    application_option,
    bootstrap_option,
    prefix_option,
)
from deploy.cli.terminal import plain_table, stdout_console
from streams.brokers.access import PLAINTEXT, KafkaAccess
from streams.shell.topic_admin import TopicsUnavailable, cluster
from streams.wire.topics import (
    IN_SYNC,
    PARTITIONS,
    REPLICATION,
    Topic,
    TopicFault,
    faults,
    floor_topics,
)

MOST_PARTITIONS: Final = 1_000
"""More than the workers that any floor could use; a typing error is stopped before Kafka has it."""


@click.group("topics", invoke_without_command=True)
@bootstrap_option
@access_options
@prefix_option
@application_option
@click.option(
    "--partitions",
    type=click.IntRange(1, MOST_PARTITIONS),
    default=PARTITIONS,
    show_default=True,
    help="Of every topic; fixed once they exist.",
)
@click.option(
    "--replication",
    type=click.IntRange(1),
    help=f"Brokers that hold each partition.  [default: {REPLICATION}, with --single 1]",
)
@click.option(
    "--in-sync",
    type=click.IntRange(1),
    help=f"Replicas that must have a record.  [default: {IN_SYNC}, with --single 1]",
)
@click.option(
    "--single",
    is_flag=True,
    help="Allow fewer replicas: for one machine, where its loss is the loss of the data.",
)
@click.option("--check", is_flag=True, help="Create nothing, only say what differs.")
@click.pass_context
def command(
    ctx: click.Context,
    bootstrap: str,
    access: KafkaAccess,
    topic_prefix: str,
    application: str,
    partitions: int,
    replication: int | None,
    in_sync: int | None,
    single: bool,
    check: bool,
) -> None:
    """Create the topics of a floor, or check those that exist.

    What exists is never changed. Exit status 1 says that something differs.
    """
    if ctx.invoked_subcommand is not None:
        ctx.obj = Source(bootstrap, access, topic_prefix)
        return
    replication = replication or (1 if single else REPLICATION)
    in_sync = in_sync or (1 if single else IN_SYNC)
    refuse_unsafe(replication, in_sync, single)
    wanted = floor_topics(
        prefix=topic_prefix,
        application=application,
        partitions=partitions,
        replication=replication,
        in_sync=in_sync,
    )
    try:
        created = ensure(bootstrap, wanted, create=not check, access=access)
    except TopicsUnavailable as error:
        raise click.ClickException(str(error)) from error
    show(wanted, created)


command.add_command(copy)


def refuse_unsafe(replication: int, in_sync: int, single: bool) -> None:
    """Refuse settings under which one lost broker loses or halts a floor.

    Raises:
        click.UsageError: they are such and `single` does not allow it, or no write could succeed.
    """
    if not single and (replication < REPLICATION or in_sync < IN_SYNC):
        raise click.UsageError(
            f"expected --replication of at least {REPLICATION} and --in-sync of at least "
            f"{IN_SYNC}, found {replication} and {in_sync}: with fewer, one lost broker loses "
            f"deals. Say --single if this is one machine."
        )
    if in_sync > replication:
        raise click.UsageError(
            f"expected --in-sync of at most --replication ({replication}), found {in_sync}: "
            f"nothing could be written"
        )


def ensure(
    bootstrap: str, wanted: tuple[Topic, ...], *, create: bool, access: KafkaAccess = PLAINTEXT
) -> frozenset[str]:
    """Make sure that a cluster has the topics as wanted; return the names of those created.

    Nothing is created while something that exists differs.

    Raises:
        click.ClickException: something differs or is absent.
        TopicsUnavailable: the cluster does not answer or refuses.
    """
    with cluster(bootstrap, access) as admin:
        found = admin.found([topic.name for topic in wanted])
        absent = [topic for topic in wanted if topic.name not in found] if create else []
        kept = [topic for topic in wanted if topic not in absent]
        refuse(faults(kept, found))
        most = max((topic.replication for topic in absent), default=0)
        brokers = admin.brokers() if absent else most
        if brokers < most:
            raise click.ClickException(
                f"{bootstrap}: expected at least {most} brokers for replication {most}, "
                f"found {brokers}; add brokers, or say --single if this is one machine"
            )
        admin.create(absent)
        refuse(faults(absent, admin.found([topic.name for topic in absent])) if absent else [])
    return frozenset(topic.name for topic in absent)


def refuse(differences: Sequence[TopicFault]) -> None:
    """End with status 1, each difference said on stderr, if there is any.

    Raises:
        click.ClickException: there is one.
    """
    if differences:
        raise click.ClickException("\n".join(str(one) for one in differences))


def show(wanted: tuple[Topic, ...], created: frozenset[str]) -> None:
    """Print a line for each topic: what it is and whether it is new."""
    table = plain_table("topic", "partitions", "replication", "policy", "")
    for topic in wanted:
        table.add_row(
            topic.name,
            str(topic.partitions),
            str(topic.replication),
            topic.settings["cleanup.policy"],
            "created" if topic.name in created else "as expected",
        )
    stdout_console().print(table)
