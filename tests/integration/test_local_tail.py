"""A tail has what is written after it was made, also when Kafka was away in between."""

import time

import pytest
from kafka import KafkaProducer

from deploy.local.tail import Tail
from tests.kafka_fixtures import Broker, make_topic

pytestmark = pytest.mark.kafka

DEADLINE_SECONDS = 60.0


def write(kafka: Broker, *values: bytes) -> None:
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
    for number, value in enumerate(values):
        producer.send("findings", value, partition=number % 2).get(20)
    producer.close()


def read(tail: Tail, count: int) -> list[bytes]:
    values: list[bytes] = []
    deadline = time.monotonic() + DEADLINE_SECONDS
    while len(values) < count:
        assert time.monotonic() < deadline, f"only {values} came"
        values += tail.poll(0.2)
    return sorted(values)


def test_what_comes_is_read_and_what_was_there_is_not(own_kafka: Broker) -> None:
    make_topic(own_kafka.bootstrap, "findings", 2, {})
    write(own_kafka, b"old", b"older")
    tail = Tail(own_kafka.bootstrap, "findings")

    write(own_kafka, b"1", b"2", b"3")
    assert read(tail, 3) == [b"1", b"2", b"3"]

    own_kafka.kill()
    own_kafka.start()
    write(own_kafka, b"4", b"5")
    assert read(tail, 2) == [b"4", b"5"]
    tail.close()
