"""Fixtures and settings that tests of every kind share: no test judges by the time it takes."""

from hypothesis import settings

from tests.container_fixtures import docker_engine, images
from tests.database_fixtures import database_url, engine, postgresql
from tests.kafka_fixtures import (
    create_floor,
    create_topic,
    kafka,
    new_broker,
    own_kafka,
    prefix,
)
from tests.secured_fixtures import secured

__all__ = [
    "create_floor",
    "create_topic",
    "database_url",
    "docker_engine",
    "engine",
    "images",
    "kafka",
    "new_broker",
    "own_kafka",
    "postgresql",
    "prefix",
    "secured",
]

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
