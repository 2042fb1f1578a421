"""A cluster's users and access lists, as its administrator sees and changes them.

kafka-python's admin client does it. Only what concerns a floor's own topics and group is looked at,
and of that every right of anybody: one that nobody is to have is as much a fault as one missing.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ConfigResource,
    ConfigResourceType,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from kafka.errors import KafkaError

from deploy.secure.broker import ITERATIONS
from streams.brokers.access import KafkaAccess
from streams.brokers.reason import reason
from streams.shell.topic_admin import administrator
from streams.wire.acls import Acl

REQUEST_MS: Final = 30_000
ANY_HOST: Final = "*"
USER: Final = "User:"

HARMLESS: Final = "max.connections"
"""A setting of a broker that may be set while it runs."""


class ClusterFault(Exception):
    """The cluster does not answer, or refuses; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a cluster's access lists differ from what they are to be.

    Attributes:
        absent: what is to be allowed and is not.
        beyond: what is allowed, or denied, and is on no list, as Kafka words it.
    """

    absent: tuple[Acl, ...]
    beyond: tuple[ACL, ...]


@contextmanager
def security_of(bootstrap: str, access: KafkaAccess) -> Iterator["Security"]:
    """Connect to a cluster as its administrator while the context lasts.

    Args:
        bootstrap: addresses of some brokers, ``host:port``, with commas between them.
        access: who asks.

    Raises:
        ClusterFault: no broker answers, or one refuses a request.
    """
    try:
        with administrator(bootstrap, access, REQUEST_MS) as client:
            yield Security(client)
    except KafkaError as error:
        raise ClusterFault(
            f"{bootstrap}: expected a Kafka cluster that does what its administrator asks, found: "
            f"{reason(bootstrap, access, error)}; check the address, and who --kafka-user is"
        ) from error


class Security:
    """The users and access lists of one cluster."""

    def __init__(self, client: Any) -> None:  # noqa: ANN401  kafka-python has no types
        self._client = client

    def set_password(self, user: str, password: bytes) -> None:
        """Make a user, or give one another password; connections that stand are not touched.

        Raises:
            ClusterFault: the cluster refuses.
        """
        self._alter(
            UserScramCredentialUpsertion(user, ScramMechanism.SCRAM_SHA_512, password, ITERATIONS)
        )

    def remove_user(self, user: str) -> None:
        """Let a user connect no more; what it may do goes with its access list.

        Raises:
            ClusterFault: the cluster refuses, or there is no such user.
        """
        self._alter(UserScramCredentialDeletion(user, ScramMechanism.SCRAM_SHA_512))

    def users(self) -> frozenset[str]:
        """Return who may connect with a password."""
        return frozenset(self._client.describe_user_scram_credentials())

    def reread_certificate(self, node: int) -> None:
        """Have a broker read the files of its certificates anew, on all its listeners.

        It does so some time after any setting of its own is set, be it to what it is already
        (KIP-226); a certificate of another name than before is not taken.

        Raises:
            ClusterFault: the broker refuses.
        """
        broker = str(node)
        asked = ConfigResource(ConfigResourceType.BROKER, broker, [HARMLESS])
        found = self._client.describe_configs([asked], config_filter="all")["broker"][broker]
        same = ConfigResource(
            ConfigResourceType.BROKER, broker, {HARMLESS: str(found[HARMLESS]["value"])}
        )
        answer = self._client.alter_configs([same])["broker"][broker]
        if answer != "OK":
            raise ClusterFault(
                f"broker {broker}: expected it to read its certificate anew, found: {answer}; "
                "only an administrator of the cluster may ask for that"
            )

    def compare(self, wanted: Iterable[Acl]) -> Comparison:
        """Return how what is allowed on a floor's topics and group differs from a list."""
        listed = tuple(wanted)
        expected = {as_kafka(each): each for each in listed}
        found: dict[ACL, None] = {}
        for resource, name in dict.fromkeys((each.resource, each.name) for each in listed):
            found |= dict.fromkeys(self._on(ResourceType[resource.upper()], name))
        return Comparison(
            tuple(acl for kafka, acl in expected.items() if kafka not in found),
            tuple(kafka for kafka in found if kafka not in expected),
        )

    def allow(self, acls: Iterable[Acl]) -> None:
        """Allow what is listed.

        Raises:
            ClusterFault: the cluster refuses some of it.
        """
        wanted = [as_kafka(each) for each in acls]
        if not wanted:
            return
        failed = self._client.create_acls(wanted)["failed"]
        if failed:
            raise ClusterFault(
                f"expected {len(wanted)} rights to be taken, found {len(failed)} refused: "
                f"{failed[0].__name__}; only an administrator of the cluster may give them"
            )

    def withdraw(self, beyond: Iterable[ACL]) -> None:
        """Take rights away, or what denies them; it holds at once, for connections that stand too.

        Raises:
            KafkaError: the cluster refuses.
        """
        filters = [
            ACLFilter(
                each.principal, each.host, each.operation, each.permission_type,
                ResourcePatternFilter(
                    each.resource_pattern.resource_type,
                    each.resource_pattern.resource_name,
                    each.resource_pattern.pattern_type,
                ),
            )
            for each in beyond
        ]  # fmt: skip
        if filters:
            for _, _, error in self._client.delete_acls(filters):
                if error.errno:
                    raise error

    def rights_of(self, user: str) -> list[ACL]:
        """Return all that is said of a user, anywhere on the cluster."""
        anywhere = ResourcePatternFilter(ResourceType.ANY, None, ACLResourcePatternType.ANY)
        found: list[ACL] = self._client.describe_acls(
            ACLFilter(f"{USER}{user}", None, ACLOperation.ANY, ACLPermissionType.ANY, anywhere)
        )[0]
        return found

    def _on(self, kind: ResourceType, name: str) -> list[ACL]:
        """Return all that is said of a topic or group, by its name, a prefix, or for all."""
        pattern = ResourcePatternFilter(kind, name, ACLResourcePatternType.MATCH)
        wanted = ACLFilter(None, None, ACLOperation.ANY, ACLPermissionType.ANY, pattern)
        found: list[ACL] = self._client.describe_acls(wanted)[0]
        return found

    def _alter(self, alteration: object) -> None:
        for user, error in self._client.alter_user_scram_credentials([alteration]).items():
            if error is not None:
                raise ClusterFault(
                    f"{user}: expected the cluster to change this user, found: {error}; "
                    "only an administrator of the cluster may"
                )


def as_kafka(acl: Acl) -> ACL:
    """Return what a user may do as Kafka words it."""
    return ACL(
        f"{USER}{acl.user}",
        ANY_HOST,
        ACLOperation[acl.operation.upper()],
        ACLPermissionType.ALLOW,
        ResourcePattern(ResourceType[acl.resource.upper()], acl.name),
    )
