"""Fixtures and settings that tests of every kind share: no test judges by the time it takes."""

from hypothesis import settings

from tests.database_fixtures import database_url, engine, postgresql
from tests.kafka_fixtures import create_floor, create_topic, kafka, own_kafka, prefix

__all__ = [
    "create_floor",
    "create_topic",
    "database_url",
    "engine",
    "kafka",
    "own_kafka",
    "postgresql",
    "prefix",
]

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
