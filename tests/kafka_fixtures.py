"""A real Kafka for the tests: one for the whole run, and one of a test's own to break.

`kafka` starts at its first use and serves all tests; each test keeps to topics and groups that
begin with its own `prefix`. `own_kafka` is for tests that kill, freeze or restart it.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.local.kafka import LocalKafka
from streams.wire.topics import changelog, floor_topics

CreateTopic = Callable[..., str]


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalKafka]:
    """The run's Kafka, serving."""
    with LocalKafka(tmp_path_factory.mktemp("kafka")) as running:
        yield running


@pytest.fixture
def own_kafka(tmp_path: Path) -> Iterator[LocalKafka]:
    """A Kafka of the test's own, serving; the test may do to it what it likes."""
    with LocalKafka(tmp_path / "kafka") as running:
        yield running


@pytest.fixture
def prefix(request: pytest.FixtureRequest) -> str:
    """A topic prefix, also for group ids, that no other test has; ends with a dot."""
    name = request.node.name.partition("[")[0].removeprefix("test_").replace("_", "-")
    return f"{name[:60]}-{uuid.uuid4().hex[:8]}."


@pytest.fixture
def create_topic(kafka: LocalKafka, prefix: str) -> CreateTopic:
    """A function `(name, partitions=1, **settings)` that makes a topic and returns its full name.

    Settings are a topic's own with underscores for dots: ``cleanup_policy="compact"``.
    """

    def create(name: str, partitions: int = 1, **settings: str) -> str:
        full = prefix + name
        make_topic(kafka.bootstrap, full, partitions, settings)
        return full

    return create


@dataclass(frozen=True, slots=True)
class Floor:
    """A floor's topics on a broker: all names begin with `prefix`, the workers' too."""

    bootstrap: str
    prefix: str
    application: str
    partitions: int

    def topic(self, name: str) -> str:
        """Return a topic's full name: ``deals.v1`` with the prefix."""
        return self.prefix + name

    @property
    def changelog(self) -> str:
        """The workers' state topic."""
        return changelog(self.application)


CreateFloor = Callable[..., Floor]


@pytest.fixture
def create_floor(kafka: LocalKafka, prefix: str) -> CreateFloor:
    """A function `(partitions=4, kafka=the run's)` that makes all topics as `pitwatch topics`."""

    def create(partitions: int = 4, kafka: LocalKafka = kafka) -> Floor:
        return make_floor(kafka.bootstrap, prefix, partitions)

    return create


def make_floor(bootstrap: str, prefix: str, partitions: int = 4) -> Floor:
    """Make all topics of a floor as ``pitwatch topics --single`` does."""
    from streams.shell.topic_admin import cluster  # noqa: PLC0415  as in make_topic

    floor = Floor(bootstrap, prefix, f"{prefix}worker", partitions)
    with cluster(bootstrap) as admin:
        admin.create(
            floor_topics(
                prefix=prefix,
                application=floor.application,
                partitions=partitions,
                replication=1,
                in_sync=1,
            )
        )
    return floor


def make_topic(bootstrap: str, name: str, partitions: int, settings: Mapping[str, str]) -> None:
    """Make a topic and wait until each of its partitions has a leader."""
    from kafka import KafkaAdminClient  # noqa: PLC0415  tests without Kafka do not load it

    configs = {key.replace("_", "."): value for key, value in settings.items()}
    wanted = {name: {"num_partitions": partitions, "replication_factor": 1, "configs": configs}}
    client = KafkaAdminClient(bootstrap_servers=bootstrap)
    try:
        client.create_topics(wanted, wait_for_metadata=True)
    finally:
        client.close()
