"""Fixtures that tests of every kind share."""

import pytest

from tests.kafka_fixtures import create_floor, create_topic, kafka, own_kafka, prefix

__all__ = ["create_floor", "create_topic", "kafka", "own_kafka", "prefix"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # kafka-python leaves the socket of a failed attempt to connect to the garbage collector, and a
    # test with a Kafka of its own to break makes it fail.
    leaks = [
        pytest.mark.filterwarnings("ignore:Exception ignored in. <socket"),
        pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    ]
    for item in items:
        if "own_kafka" in getattr(item, "fixturenames", ()):
            for leak in leaks:
                item.add_marker(leak)
