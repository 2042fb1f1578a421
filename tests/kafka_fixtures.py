"""A real Kafka for the tests: one for the whole run, and one of a test's own to break.

`kafka` starts at its first use and serves all tests; each test keeps to topics and groups that
begin with its own `prefix`. `own_kafka` is for tests that kill, freeze or restart it.

Both are the embedded one. With ``PITWATCH_KAFKA=container`` they are containers of the image
`pitwatch-kafka`, which is built first where it is not there (tests/container_fixtures.py).
"""

import os
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import pytest

from deploy.local.kafka import LocalKafka
from streams.wire.topics import changelog, floor_topics

if TYPE_CHECKING:
    from deploy.images.build import Images
    from deploy.images.engine import Engine

CreateTopic = Callable[..., str]

KIND: Final = os.environ.get("PITWATCH_KAFKA", "embedded")


class Broker(Protocol):
    """A Kafka that tests may break: embedded or a container."""

    @property
    def bootstrap(self) -> str:
        """The address that clients take."""

    @property
    def running(self) -> bool:
        """Whether it lives, even if it is frozen."""

    def start(self) -> None:
        """Start it and return when it serves; what it had it still has."""

    def kill(self) -> None:
        """End it at once, as a crash does."""

    def pause(self) -> None:
        """Freeze it: connections stay open and nothing answers."""

    def resume(self) -> None:
        """Let it go on."""


NewBroker = Callable[[Path], AbstractContextManager[Broker]]


@pytest.fixture(scope="session")
def new_broker(request: pytest.FixtureRequest) -> NewBroker:
    """A function of a folder that gives a Kafka, serving while its context is open."""
    if KIND == "embedded":
        return LocalKafka
    assert KIND == "container", f"PITWATCH_KAFKA: expected embedded or container, found {KIND}"
    from tests.container_kafka import ContainerKafka  # noqa: PLC0415  testcontainers takes a second

    one: Engine = request.getfixturevalue("docker_engine")
    images: Images = request.getfixturevalue("images")
    return lambda _folder: ContainerKafka(one, images.kafka)


@pytest.fixture(scope="session")
def kafka(new_broker: NewBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """The run's Kafka, serving."""
    with new_broker(tmp_path_factory.mktemp("kafka")) as running:
        yield running


@pytest.fixture
def own_kafka(new_broker: NewBroker, tmp_path: Path) -> Iterator[Broker]:
    """A Kafka of the test's own, serving; the test may do to it what it likes."""
    with new_broker(tmp_path / "kafka") as running:
        yield running


@pytest.fixture
def prefix(request: pytest.FixtureRequest) -> str:
    """A topic prefix, also for group ids, that no other test has; ends with a dot."""
    name = request.node.name.partition("[")[0].removeprefix("test_").replace("_", "-")
    return f"{name[:60]}-{uuid.uuid4().hex[:8]}."


@pytest.fixture
def create_topic(kafka: Broker, prefix: str) -> CreateTopic:
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
def create_floor(kafka: Broker, prefix: str) -> CreateFloor:
    """A function `(partitions=4, kafka=the run's)` that makes all topics as `pitwatch topics`."""

    def create(partitions: int = 4, kafka: Broker = kafka) -> Floor:
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
