"""`pitwatch doctor` on a real broker: topics as they must be, no worker, and a clock ahead."""

import json
import time

import pytest
from click.testing import CliRunner
from kafka import KafkaProducer

from deploy.cli.main import main
from deploy.local.ports import free_port
from tests.kafka_fixtures import CreateFloor, Floor, make_topic

pytestmark = pytest.mark.kafka


def doctor(floor: Floor, *arguments: str) -> tuple[int, dict[str, list[dict[str, str]]]]:
    """Return the exit status and what is said of the cluster, by check."""
    own = ["--bootstrap", floor.bootstrap, "--topic-prefix", floor.prefix, "--format", "json"]
    own += ["--application", floor.application, "--partitions", str(floor.partitions)]
    own += ["--gateway-port", str(free_port()), "--worker-port", str(free_port())]
    result = CliRunner().invoke(main, ["doctor", *own, *arguments])
    said: dict[str, list[dict[str, str]]] = {}
    for row in map(json.loads, result.stdout.splitlines()):
        said.setdefault(row["check"], []).append(row)
    return result.exit_code, said


def write(floor: Floor, seconds_ahead: float) -> None:
    producer = KafkaProducer(bootstrap_servers=floor.bootstrap)
    try:
        at = int((time.time() + seconds_ahead) * 1000)
        producer.send(floor.topic("deals.v1"), b"deal", timestamp_ms=at).get(30)
    finally:
        producer.close()


def test_topics_as_made_are_right_and_the_absence_of_workers_is_told(
    create_floor: CreateFloor,
) -> None:
    floor = create_floor(partitions=2)

    status, said = doctor(floor)

    assert status == 0, said
    assert said["kafka"][0]["verdict"] == "ok"
    assert said["topics"][0]["found"] == "8 with 2 partitions, as they must be"
    assert (said["workers"][0]["verdict"], said["clocks"][0]["verdict"]) == ("warn", "ok")

    write(floor, 0.0)
    status, said = doctor(floor)
    assert status == 1
    assert said["workers"][0]["found"] == "0 in the group, 1 deals not judged yet"
    assert said["clocks"][0]["verdict"] == "ok"

    write(floor, 600.0)
    _, said = doctor(floor)
    assert said["clocks"][0]["verdict"] == "fail"
    assert "keep them by NTP" in said["clocks"][0]["todo"]


def test_each_difference_of_a_topic_is_told_with_what_to_do(create_floor: CreateFloor) -> None:
    floor = create_floor(partitions=2)
    other = Floor(floor.bootstrap, f"{floor.prefix}other.", floor.application, 2)
    make_topic(floor.bootstrap, other.topic("deals.v1"), 3, {"retention.ms": "1000"})

    status, said = doctor(other)

    assert status == 1
    texts = [(row["found"], row["todo"]) for row in said["topics"]]
    assert any("deals.v1: partitions: expected 2, found 3" in found for found, _ in texts)
    assert any("retention.ms" in found and "kafka-configs" in todo for found, todo in texts)
    assert any("run `pitwatch topics`" in todo for _, todo in texts)
    assert "workers" not in said


def test_no_cluster_is_a_failure_that_says_how_to_have_one(create_floor: CreateFloor) -> None:
    floor = create_floor(partitions=1)
    nobody = Floor(f"127.0.0.1:{free_port()}", floor.prefix, floor.application, 1)

    status, said = doctor(nobody)

    assert status == 1
    assert said["kafka"][0]["verdict"] == "fail"
    assert "`pitwatch up` brings one" in said["kafka"][0]["todo"]
