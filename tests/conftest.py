"""Fixtures that tests of every kind share."""

from tests.kafka_fixtures import create_floor, create_topic, kafka, own_kafka, prefix

__all__ = ["create_floor", "create_topic", "kafka", "own_kafka", "prefix"]
