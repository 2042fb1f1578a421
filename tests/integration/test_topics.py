"""`pitwatch topics` on a real broker: made once, checked after, never changed."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from deploy.local.ports import free_port
from streams.shell.topic_admin import cluster
from streams.wire.topics import floor_topics
from tests.kafka_fixtures import Broker, CreateFloor, make_topic

pytestmark = pytest.mark.kafka


def topics(kafka: Broker, prefix: str, *arguments: str) -> Result:
    own = [
        "--bootstrap",
        kafka.bootstrap,
        "--topic-prefix",
        prefix,
        "--application",
        f"{prefix}worker",
    ]
    return CliRunner().invoke(main, ["topics", *own, *arguments])


def test_topics_are_made_once_and_found_as_expected_after(kafka: Broker, prefix: str) -> None:
    first = topics(kafka, prefix, "--single", "--partitions", "3")
    second = topics(kafka, prefix, "--single", "--partitions", "3")
    check = topics(kafka, prefix, "--single", "--partitions", "3", "--check")

    assert (first.exit_code, second.exit_code, check.exit_code) == (0, 0, 0), first.output
    assert first.stdout.count("created") == 8
    assert second.stdout.count("as expected") == 8
    assert check.stdout == second.stdout
    wanted = floor_topics(
        prefix=prefix, application=f"{prefix}worker", partitions=3, replication=1, in_sync=1
    )
    with cluster(kafka.bootstrap) as admin:
        found = admin.found([topic.name for topic in wanted])
    for topic in wanted:
        assert found[topic.name].partitions == 3
        assert found[topic.name].settings.items() >= topic.settings.items()


def test_check_creates_nothing_and_names_what_is_absent(kafka: Broker, prefix: str) -> None:
    result = topics(kafka, prefix, "--single", "--check")

    assert result.exit_code == 1
    assert result.stderr.count("expected it to exist, found none; run `pitwatch topics`") == 8
    with cluster(kafka.bootstrap) as admin:
        assert admin.found([f"{prefix}deals.v1"]) == {}


def test_other_partitions_are_refused_and_nothing_is_made(kafka: Broker, prefix: str) -> None:
    make_topic(kafka.bootstrap, f"{prefix}rounds.v1", 2, {"retention.ms": str(7 * 86_400_000)})

    result = topics(kafka, prefix, "--single", "--partitions", "3")

    assert result.exit_code == 1
    assert f"{prefix}rounds.v1: partitions: expected 3, found 2; tables would" in result.stderr
    with cluster(kafka.bootstrap) as admin:
        assert admin.found([f"{prefix}deals.v1"]) == {}


def test_production_settings_need_as_many_brokers(kafka: Broker, prefix: str) -> None:
    result = topics(kafka, prefix)

    assert result.exit_code == 1
    assert "expected at least 3 brokers for replication 3, found 1; add brokers" in result.stderr


def test_production_settings_are_not_met_by_topics_of_one_machine(
    kafka: Broker, create_floor: CreateFloor
) -> None:
    floor = create_floor(partitions=2)

    result = topics(kafka, floor.prefix, "--partitions", "2")

    assert result.exit_code == 1
    assert "deals.v1: replication: expected at least 3, found 1; reassign" in result.stderr
    assert "deals.v1: min.insync.replicas: expected 2, found 1; set it" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--replication", "2"], "--replication of at least 3"),
        (["--in-sync", "1"], "--in-sync of at least 2"),
        (["--single", "--in-sync", "2"], "--in-sync of at most --replication (1), found 2"),
    ],
)
def test_unsafe_settings_are_refused(
    kafka: Broker, prefix: str, arguments: list[str], expected: str
) -> None:
    result = topics(kafka, prefix, *arguments)

    assert result.exit_code == 2
    assert expected in result.stderr


def test_two_at_once_make_them_together(kafka: Broker, prefix: str) -> None:
    wanted = floor_topics(prefix=prefix, partitions=2, replication=1, in_sync=1)[:2]
    with cluster(kafka.bootstrap) as admin:
        admin.create(wanted[:1])
        admin.create(wanted)
        assert sorted(admin.found([topic.name for topic in wanted])) == sorted(
            topic.name for topic in wanted
        )


def test_a_cluster_that_refuses_is_told(kafka: Broker, prefix: str) -> None:
    result = topics(kafka, prefix + os.sep, "--single")

    assert result.exit_code == 1
    assert "expected a Kafka cluster that answers, found:" in result.stderr
    assert "deals.v1" in result.stderr


@pytest.mark.slow
def test_no_cluster_is_told(prefix: str) -> None:
    address = f"127.0.0.1:{free_port()}"
    # In a process of its own: kafka-python leaves the sockets of failed attempts open.
    result = subprocess.run(
        [sys.executable, "-m", "deploy.cli", "topics", "--bootstrap", address, "--single"],
        capture_output=True,
        check=False,
        text=True,
    )

    assert result.returncode == 1
    assert f"{address}: expected a Kafka cluster that answers, found:" in result.stderr
    assert "Traceback" not in result.stderr
