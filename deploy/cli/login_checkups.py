"""What `pitwatch doctor` looks at of a login to Kafka.

Who can read its password, and how long Kafka's certificate is believed.
"""

import stat
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509

from deploy.cli.checkups import FAIL, OK, WARN, Checkup
from deploy.secure.served import served
from streams.brokers.access import Login

SOON: Final = timedelta(days=14)
"""Two weeks are enough to renew a certificate in office hours, whoever signs it."""


def login(bootstrap: str, who: Login, now: datetime) -> Iterator[Checkup]:
    """Look at a login that Kafka takes.

    Args:
        bootstrap: addresses of some brokers, ``host:port``, with commas between them.
        who: the user.
        now: by this machine's clock.
    """
    yield password(who)
    for address in bootstrap.split(","):
        try:
            shown = x509.load_der_x509_certificate(served(address))
        except (OSError, ValueError) as error:
            todo = "see whether this broker runs, and speaks TLS there"
            yield Checkup("certificate", WARN, f"{address} shows none, {error}", todo)
        else:
            yield certificate(address, shown.not_valid_after_utc, now)


def password(who: Login) -> Checkup:
    """Look at who can read a user's password."""
    path = who.password.path
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & stat.S_IRWXO:
        return Checkup(
            "password",
            WARN,
            f"{path} has mode {mode:04o}: everyone on this machine can be {who.user}",
            f"chmod o-rwx {path}, and give {who.user} a new one",
        )
    return Checkup("password", OK, f"of {who.user}, in {path} with mode {mode:04o}")


def certificate(address: str, ends: datetime, now: datetime) -> Checkup:
    """Look at how long a broker's certificate is believed."""
    left = ends - now
    found = f"{address}: until {ends:%Y-%m-%d}, {max(left.days, 0)} days"
    if left > SOON:
        return Checkup("certificate", OK, found)
    todo = "renew it before it ends, with `pitwatch floor kafka-certificate` or your cluster's tool"
    return Checkup("certificate", WARN if left > timedelta() else FAIL, found, todo)
