"""`pitwatch floor acls`, `kafka-users` and `secrets`: who may do what on the floor's Kafka."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.text import Text

from deploy.cli.inventory import DEFAULT_FILE, inventory_from
from deploy.cli.options import (
    Command,
    access_options,
    application_option,
    bootstrap_option,
    format_option,
    prefix_option,
)
from deploy.cli.terminal import print_rows
from streams.brokers.access import AccessFault, KafkaAccess
from streams.wire.acls import Acl, floor_acls, floor_users, gateway_user

if TYPE_CHECKING:
    from kafka.admin import ACL

    from deploy.secure.cluster import Comparison
    from deploy.secure.folder import Secrets

GATEWAY: Final = "gateway"
"""The one gateway of a floor without a file, as `pitwatch gateway` calls itself."""

DIFFERS: Final = 1
COLUMNS: Final = ("user", "resource", "name", "operation")
DIFFERENCES: Final = ("what", *COLUMNS)

file_argument = click.argument(
    "file", type=click.Path(path_type=Path, dir_okay=False), required=False
)
folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Where the secrets are; for its owner alone.",
)


def host_option(what: str) -> Callable[[Command], Command]:
    """Return the option of a certificate's names; ``what`` is whose, such as ``Kafka is``."""
    return click.option(
        "--host",
        "hosts",
        multiple=True,
        default=("127.0.0.1", "localhost"),
        show_default=True,
        help=f"A name or address by which {what} dialled; repeatable.",
    )


def gateways_of(file: Path | None) -> tuple[str, ...]:
    """Return the gateways of a floor file; of a floor without one, the one it has.

    Raises:
        UnusableInventory: the file holds what it may not.
    """
    if file is None and not DEFAULT_FILE.exists():
        return (GATEWAY,)
    return tuple(each.name for each in inventory_from(file or DEFAULT_FILE).gateways)


@click.command("acls")
@file_argument
@bootstrap_option
@access_options
@prefix_option
@application_option
@click.option(
    "--check", is_flag=True, help="Say how the cluster differs; exit status 1 if it does."
)
@click.option("--apply", is_flag=True, help="Make the cluster's lists as they are to be.")
@format_option("table", "json", "A table, or one JSON object a line.")
def acls(
    file: Path | None,
    bootstrap: str,
    access: KafkaAccess,
    topic_prefix: str,
    application: str,
    check: bool,
    apply: bool,
    format_: str,
) -> None:
    """List who may do what on the floor's topics, made of a floor file, floor.toml if it is there.

    With --check or --apply the cluster's own lists are compared with it, and the differences are
    printed: what is absent, and what is allowed or denied beyond it. All that is not listed is
    denied where Kafka has an authorizer and allow.everyone.if.no.acl.found=false.
    """
    wanted = floor_acls(gateways_of(file), prefix=topic_prefix, application=application)
    if not (check or apply):
        print_rows((row_of(each) for each in wanted), COLUMNS, format_, cell)
        return
    found = compared(bootstrap, access, wanted, apply=apply)
    print_rows(differences(found, applied=apply), DIFFERENCES, format_, cell)
    sys.exit(DIFFERS if check and not apply and (found.absent or found.beyond) else 0)


def compared(
    bootstrap: str, access: KafkaAccess, wanted: Iterable[Acl], *, apply: bool
) -> "Comparison":
    """Return how a cluster's lists differ from a list, or differed before it was applied.

    Raises:
        click.ClickException: the cluster does not answer, or refuses.
    """
    # kafka-python takes 0.3 s to import, which the list alone need not wait for.
    from deploy.secure.cluster import ClusterFault, security_of  # noqa: PLC0415  see above

    try:
        with security_of(bootstrap, access) as security:
            found = security.compare(wanted)
            if apply:
                security.allow(found.absent)
                security.withdraw(found.beyond)
    except ClusterFault as fault:
        raise click.ClickException(str(fault)) from fault
    return found


def row_of(acl: Acl) -> dict[str, Any]:
    """Return what a user may do as it is listed."""
    return {
        "user": acl.user,
        "resource": acl.resource,
        "name": acl.name,
        "operation": acl.operation,
    }


def differences(found: "Comparison", *, applied: bool) -> Iterator[dict[str, Any]]:
    """Yield the differences as they are listed."""
    for acl in found.absent:
        yield {"what": "allowed" if applied else "absent", **row_of(acl)}
    for each in found.beyond:
        yield {"what": "withdrawn" if applied else "beyond", **row_beyond(each)}


def row_beyond(acl: "ACL") -> dict[str, Any]:
    """Return what a cluster has beyond the list: of a rule that denies, the operation says so."""
    operation = acl.operation.name.lower()
    pattern = acl.resource_pattern
    return {
        "user": acl.principal.removeprefix("User:"),
        "resource": f"{pattern.resource_type.name} {pattern.pattern_type.name}".lower(),
        "name": pattern.resource_name,
        "operation": operation if acl.permission_type.name == "ALLOW" else f"not {operation}",
    }


def cell(_: str, value: object) -> Text:
    """Return a value as a table shows it; a cluster's own names may hold anything."""
    text = str(value)
    return Text(text if text.isprintable() else ascii(text)[1:-1])


@contextmanager
def usable(folder: Path) -> Iterator["Secrets"]:
    """Give a folder of secrets, and say in words what is wrong with it.

    Raises:
        click.ClickException: something in it cannot be used.
    """
    # cryptography takes 0.1 s to import, which the list of rights need not wait for.
    from deploy.secure.certificates import CertificateFault  # noqa: PLC0415  see above
    from deploy.secure.files import FileFault  # noqa: PLC0415  see above
    from deploy.secure.folder import Secrets  # noqa: PLC0415  see above

    try:
        yield Secrets(folder.absolute())
    except (AccessFault, CertificateFault, FileFault) as fault:
        raise click.ClickException(str(fault)) from fault
    except OSError as error:
        raise click.ClickException(
            f"{folder}: expected a folder of secrets that can be read and written, found: {error}"
        ) from error


@click.command("secrets")
@file_argument
@folder_option
@host_option("Kafka is")
def secrets(file: Path | None, folder: Path, hosts: tuple[str, ...]) -> None:
    """Make a floor's own authority, Kafka's certificate and a password for each user of Kafka.

    What is there is kept; Kafka's certificate is made anew when it has 30 days left of 90.
    """
    from deploy.secure.certificates import today  # noqa: PLC0415  as in usable

    users = floor_users(gateways_of(file))
    with usable(folder) as kept:
        kept.prepare(hosts, users, today())
    click.echo(f"{folder}: Kafka's certificate and passwords of {', '.join(users)}", err=True)


@click.command("gateway-certificate")
@folder_option
@host_option("gateways are")
def gateway_certificate(folder: Path, hosts: tuple[str, ...]) -> None:
    """Make a certificate for a floor's gateways, signed by its own authority.

    Key and certificate stand in gateway.pem, which a gateway takes as --tls-certificate and
    --tls-key, and devices know it by authority.pem. One that is there is kept; it is made anew when
    it has 30 days left of 90, or lacks a name. A gateway that runs takes it within a second.
    """
    from deploy.secure.certificates import today  # noqa: PLC0415  as in usable

    with usable(folder) as kept:
        kept.prepare_gateways(hosts, today())
    click.echo(f"{folder}: gateway.pem for {', '.join(hosts)}", err=True)


@click.command("kafka-certificate")
@folder_option
@host_option("Kafka is")
@bootstrap_option
@access_options
@click.option("--node", type=click.IntRange(0), default=1, show_default=True, help="The broker's.")
def kafka_certificate(
    folder: Path, hosts: tuple[str, ...], bootstrap: str, access: KafkaAccess, node: int
) -> None:
    """Make Kafka's certificate anew, and have a Kafka that runs take it.

    Connections that stand are not touched. The names and addresses must be those it has.
    """
    from deploy.secure.certificates import today  # noqa: PLC0415  as in usable
    from deploy.secure.cluster import ClusterFault, security_of  # noqa: PLC0415  as above
    from deploy.secure.served import NotServed, wait_served  # noqa: PLC0415  as above

    try:
        with usable(folder) as kept, security_of(bootstrap, access) as security:
            kept.renew_certificate(hosts, today())
            security.reread_certificate(node)
            wait_served(bootstrap, kept.keystore)
    except (ClusterFault, NotServed) as fault:
        raise click.ClickException(str(fault)) from fault
    click.echo(f"{bootstrap} shows the new certificate", err=True)


@click.command("kafka-users")
@file_argument
@folder_option
@bootstrap_option
@access_options
@click.option("--renew", metavar="USER", help="Give this user a new password.")
@click.option(
    "--revoke", metavar="USER", help="Let this user connect no more, and take its rights away."
)
def kafka_users(
    file: Path | None,
    folder: Path,
    bootstrap: str,
    access: KafkaAccess,
    renew: str | None,
    revoke: str | None,
) -> None:
    """Give the cluster the users of a floor with their passwords, as `pitwatch floor secrets` made.

    Users that the cluster has already keep their passwords there. --renew changes one on the
    cluster and in the folder; processes that are connected go on, and read it when they connect
    again. --revoke also ends what a connected process may do.
    """
    from deploy.secure.cluster import ClusterFault, security_of  # noqa: PLC0415  as above
    from deploy.secure.users import add_users, renew_user, revoke_user  # noqa: PLC0415  as above

    users = floor_users(gateways_of(file))
    if renew is not None and renew not in users:
        raise click.UsageError(
            f"--renew: expected one of {', '.join(users)}, found {renew}; gateways are called "
            f"{gateway_user('NAME')} after the floor file"
        )
    try:
        with usable(folder) as kept, security_of(bootstrap, access) as security:
            if revoke is not None:
                revoke_user(security, kept, revoke)
                done = f"revoked {revoke}"
            elif renew is not None:
                renew_user(security, kept, renew)
                done = f"renewed {renew}"
            else:
                added = add_users(security, kept, users)
                done = f"added {', '.join(added)}" if added else "no user was missing"
    except ClusterFault as fault:
        raise click.ClickException(str(fault)) from fault
    click.echo(done, err=True)
