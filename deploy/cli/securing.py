"""What `pitwatch up --secure` does beyond `pitwatch up`: secrets, users and access lists.

| when | what |
|---|---|
| before Kafka starts | its certificate and all passwords are in the floor's folder |
| its storage is made | the administrator is its first user |
| beside it | so are the keys, the devices and the gateway's certificate |
| it serves | the other users are added, and may do what is on the list |
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from deploy.local.ports import LOOPBACK
from deploy.local.stack import GATEWAY
from streams.wire.acls import ADMIN, floor_acls, floor_users

if TYPE_CHECKING:
    from deploy.secure.folder import Secrets
    from deploy.secure.trust import Trust

FOLDER: Final = "secrets"
FLOOR: Final = "floor.toml"
STORAGE: Final = Path("kafka", "log")
"""Where the floor's Kafka keeps its topics, and with them its users."""


def floor_secrets(folder: Path, *, secure: bool) -> "Secrets | None":
    """Return the secrets of a floor, made where they are not there yet; none of one in the clear.

    Args:
        folder: the floor's.
        secure: whether it is to be a secured one.

    Raises:
        click.ClickException: the floor was begun otherwise, or a secret cannot be used.
    """
    begun = (folder / FOLDER).exists()
    if not secure:
        if begun:
            # A flag that is forgotten must not open to everybody what was secured.
            raise click.ClickException(
                f"{folder}: expected a floor in the clear, found one that was begun with --secure; "
                "say --secure, or choose another --data"
            )
        return None
    if (folder / STORAGE).exists() and not begun:
        raise click.ClickException(
            f"{folder}: expected a new folder, or a floor that was begun with --secure, found one "
            "in the clear, whose Kafka knows no users; choose another --data, or go without"
        )
    # cryptography takes 0.1 s to import, which a floor in the clear need not wait for.
    from deploy.cli.floor_security import usable  # noqa: PLC0415  see above
    from deploy.secure.certificates import today  # noqa: PLC0415  see above

    with usable(folder / FOLDER) as kept:
        kept.prepare((LOOPBACK, "localhost"), floor_users((GATEWAY,)), today())
    return kept


def floor_trust(folder: Path, kept: "Secrets", tables: int) -> "Trust":
    """Return by what a secured floor knows its gateway, devices and operators' acts.

    Args:
        folder: the floor's.
        kept: its secrets.
        tables: how many simulated tables it may have, which its floor file names at first.

    Raises:
        click.ClickException: a file cannot be used.
    """
    from deploy.cli.floor_security import usable  # noqa: PLC0415  as above
    from deploy.local.floor import endless_floor  # noqa: PLC0415  the simulator takes 0.2 s
    from deploy.secure.certificates import today  # noqa: PLC0415  as above
    from deploy.secure.trust import Trust  # noqa: PLC0415  as above

    names = [each.night.setup.table for each in endless_floor(tables, 1, 1_000_000).tables]
    trust = Trust(folder / FLOOR, kept, GATEWAY)
    try:
        with usable(kept.folder):
            trust.prepare(names, today())
    except (OSError, ValueError) as error:
        raise click.ClickException(f"{trust.floor} and {kept.folder}: {error}") from error
    return trust


def let_in(bootstrap: str, kept: "Secrets") -> None:
    """Give a Kafka that serves the floor's users, and let each do what is on the list.

    Raises:
        click.ClickException: it refuses.
    """
    from deploy.secure.cluster import ClusterFault, security_of  # noqa: PLC0415  as above
    from deploy.secure.users import add_users  # noqa: PLC0415  as above

    try:
        with security_of(bootstrap, kept.access(ADMIN)) as security:
            add_users(security, kept, floor_users((GATEWAY,)))
            found = security.compare(floor_acls((GATEWAY,)))
            security.allow(found.absent)
            security.withdraw(found.beyond)
    except ClusterFault as fault:
        raise click.ClickException(str(fault)) from fault
