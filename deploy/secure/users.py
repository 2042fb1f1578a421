"""Users of a floor's Kafka, on the cluster and in the folder of secrets in step."""

from collections.abc import Iterable

from deploy.secure.cluster import Security
from deploy.secure.folder import Secrets


def add_users(security: Security, kept: Secrets, users: Iterable[str]) -> tuple[str, ...]:
    """Give a cluster the users that it lacks; return who they are.

    Raises:
        ClusterFault: the cluster refuses.
        AccessFault: a password is not in the folder.
    """
    there = security.users()
    absent = tuple(user for user in users if user not in there)
    for user in absent:
        security.set_password(user, kept.password(user))
    return absent


def renew_user(security: Security, kept: Secrets, user: str) -> None:
    """Give a user a new password.

    It is on the disk before the cluster has it, and in its place right after: a process that
    connects between the two is refused once, and tries again.

    Raises:
        ClusterFault: the cluster refuses; then the old password stands.
        OSError: the new one cannot be written.
    """
    with kept.new_password(user) as new:
        security.set_password(user, new)


def revoke_user(security: Security, kept: Secrets, user: str) -> None:
    """Take from a user what it may do, its name and its password, in this order.

    Raises:
        ClusterFault: the cluster refuses.
        OSError: the password's file cannot be removed.
    """
    security.withdraw(security.rights_of(user))
    if user in security.users():
        security.remove_user(user)
    kept.password_file(user).unlink(missing_ok=True)
