"""Fixtures and settings that tests of every kind share: no test judges by the time it takes."""

from hypothesis import settings

from tests.kafka_fixtures import create_floor, create_topic, kafka, own_kafka, prefix

__all__ = ["create_floor", "create_topic", "kafka", "own_kafka", "prefix"]

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
