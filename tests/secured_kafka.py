"""A secured Kafka for the tests: TLS, users with passwords, and the access lists of a small floor.

One serves the whole run. Tests add what they need (a user, a password) and take it away again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import TopicAuthorizationFailedError

from deploy.local.kafka import LocalKafka
from deploy.local.ports import LOOPBACK
from deploy.secure.certificates import today
from deploy.secure.cluster import security_of
from deploy.secure.folder import Secrets
from deploy.secure.users import add_users
from streams.brokers.access import KafkaAccess
from streams.shell.topic_admin import cluster
from streams.wire.acls import ADMIN, floor_acls, floor_users, gateway_user
from streams.wire.topics import APPLICATION, PREFIX, floor_topics

GATEWAYS: Final = ("east", "west")
EAST: Final = gateway_user("east")
PARTITIONS: Final = 2

FLOOR: Final = """\
[[pits]]
name = "main"
[[pits.tables]]
name = "BJ-01"
[[gateways]]
name = "east"
tables = ["BJ-01"]
[[gateways]]
name = "west"
tables = ["BJ-01"]
"""

BRIEF_MS: Final = 1_500
"""How long a client that is to be refused looks for a broker: each refusal takes milliseconds."""

PATIENT_MS: Final = 30_000
"""How long one that is to be let in looks for it, also on a busy machine."""

FETCH_MS: Final = 5_000
"""How long a fetch is waited for; one that is refused, or finds a record, is over at once."""


@dataclass(frozen=True, slots=True)
class Secured:
    """The Kafka and its floor's secrets."""

    node: LocalKafka
    kept: Secrets

    @property
    def bootstrap(self) -> str:
        """Its address."""
        return self.node.bootstrap

    @property
    def floor(self) -> Path:
        """Its floor's file."""
        return self.node.data.parent / "floor.toml"

    def access(self, user: str) -> KafkaAccess:
        """Return how a user speaks to it."""
        return self.kept.access(user)

    def producer(self, access: KafkaAccess, **how: object) -> Any:
        """Return a producer, which is connected."""
        return KafkaProducer(
            bootstrap_servers=self.bootstrap,
            **{"bootstrap_timeout_ms": PATIENT_MS, "max_block_ms": 5_000, **access.client(), **how},
        )

    def write(self, access: KafkaAccess, topic: str) -> None:
        """Write a record to a topic, and wait until it is acknowledged."""
        # An idempotent one asks for a number first, and is refused that where it may write nothing.
        producer = self.producer(access, enable_idempotence=False)
        try:
            producer.send(f"{PREFIX}{topic}", value=b"a").get(timeout=10)
        finally:
            producer.close(timeout=1)

    def read(self, access: KafkaAccess, topic: str) -> None:
        """Fetch from a topic, once.

        Raises:
            TopicAuthorizationFailedError: it is not shown to this user, or not read by it.
        """
        full = f"{PREFIX}{topic}"
        consumer = KafkaConsumer(
            bootstrap_servers=self.bootstrap,
            bootstrap_timeout_ms=PATIENT_MS,
            enable_auto_commit=False,
            **access.client(),
        )
        try:
            # It exists: whom Kafka tells that it does not may not know of it.
            if not consumer.partitions_for_topic(full):
                raise TopicAuthorizationFailedError(full)
            consumer.assign([TopicPartition(full, 0)])
            consumer.seek(TopicPartition(full, 0), 0)
            consumer.poll(timeout_ms=FETCH_MS)
        finally:
            consumer.close()


@contextmanager
def secured_kafka(folder: Path) -> Iterator[Secured]:
    """Give a secured Kafka, serving, with topics, users and access lists."""
    kept = Secrets(folder / "secrets")
    (folder / "floor.toml").write_text(FLOOR, encoding="utf-8")
    kept.prepare((LOOPBACK, "localhost"), floor_users(GATEWAYS), today())
    with LocalKafka(folder / "kafka", secrets=kept) as node:
        with security_of(node.bootstrap, kept.access(ADMIN)) as security:
            add_users(security, kept, floor_users(GATEWAYS))
            security.allow(floor_acls(GATEWAYS))
        with cluster(node.bootstrap, kept.access(ADMIN)) as admin:
            admin.create(
                floor_topics(
                    prefix=PREFIX,
                    application=APPLICATION,
                    partitions=PARTITIONS,
                    replication=1,
                    in_sync=1,
                )
            )
        yield Secured(node, kept)
