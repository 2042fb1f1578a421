"""Create and read topics on a cluster.

kafka-python's admin client does it: it is synchronous, as the commands that use it are, and it can
wait until a new topic has leaders, which aiokafka's cannot.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import KafkaError, NoError, TopicAlreadyExistsError, for_code

from streams.brokers.access import PLAINTEXT, KafkaAccess
from streams.brokers.reason import reason
from streams.wire.topics import FoundTopic, Topic

ANSWER_MS: Final = 10_000
"""How long the cluster may take to be found at all."""

CREATE_MS: Final = 30_000


class TopicsUnavailable(Exception):
    """The cluster does not answer, or refuses; the text says what to do."""


@contextmanager
def administrator(
    bootstrap: str, access: KafkaAccess, request_ms: int
) -> Iterator[KafkaAdminClient]:
    """Connect a client that administers a cluster while the context lasts.

    Args:
        bootstrap: addresses of some brokers, ``host:port``, with commas between them.
        access: who asks.
        request_ms: how long one request may take.

    Raises:
        KafkaError: no broker answers.
    """
    client = KafkaAdminClient(
        bootstrap_servers=bootstrap.split(","),
        bootstrap_timeout_ms=ANSWER_MS,
        request_timeout_ms=request_ms,
        **access.client(),
    )
    try:
        yield client
    finally:
        client.close()


@contextmanager
def cluster(bootstrap: str, access: KafkaAccess = PLAINTEXT) -> Iterator["TopicAdmin"]:
    """Connect to a cluster while the context lasts.

    Args:
        bootstrap: addresses of some brokers, ``host:port``, with commas between them.
        access: who asks.

    Raises:
        TopicsUnavailable: no broker answers, or one refuses a request.
    """
    try:
        with administrator(bootstrap, access, CREATE_MS) as client:
            yield TopicAdmin(client)
    except KafkaError as error:
        raise TopicsUnavailable(
            f"{bootstrap}: expected a Kafka cluster that answers, found: "
            f"{reason(bootstrap, access, error)}; check the address, and whether the brokers run"
        ) from error


class TopicAdmin:
    """The topics of one cluster."""

    def __init__(self, client: KafkaAdminClient) -> None:
        self._client = client

    def brokers(self) -> int:
        """Return how many brokers the cluster has."""
        return len(self._client.describe_cluster()["brokers"])

    def found(self, names: Sequence[str]) -> dict[str, FoundTopic]:
        """Return those of the named topics that exist."""
        described = {
            topic["name"]: topic["partitions"]
            for topic in self._client.describe_topics(list(names))
            if topic["error_code"] == 0
        }
        if not described:
            return {}
        resources = [ConfigResource(ConfigResourceType.TOPIC, name) for name in described]
        settings = self._client.describe_configs(resources, config_filter="all")["topic"]
        return {
            name: FoundTopic(
                partitions=len(partitions),
                replication=min(len(partition["replica_nodes"]) for partition in partitions),
                settings={key: str(entry["value"]) for key, entry in settings[name].items()},
            )
            for name, partitions in described.items()
        }

    def create(self, topics: Sequence[Topic]) -> None:
        """Create topics and return when every partition of them has a leader.

        One that another process made in the meantime is left as it is.
        """
        if not topics:
            return
        wanted: dict[str, dict[str, Any]] = {
            topic.name: {
                "num_partitions": topic.partitions,
                "replication_factor": topic.replication,
                "configs": dict(topic.settings),
            }
            for topic in topics
        }
        answer = self._client.create_topics(wanted, timeout_ms=CREATE_MS, raise_errors=False)
        for topic in answer["topics"]:
            kind = for_code(topic["error_code"])
            if kind not in {NoError, TopicAlreadyExistsError}:
                raise kind(f"{topic['name']}: {topic['error_message']}")
        self._client.wait_for_topics(list(wanted), timeout_ms=CREATE_MS)
