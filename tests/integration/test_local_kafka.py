"""The embedded Kafka serves, survives kill -9, and dies with the process that started it."""

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaTimeoutError

from deploy.local.kafka import KafkaFault, LocalKafka
from deploy.local.ports import answers, free_port
from tests.kafka_fixtures import KIND, CreateTopic, make_topic
from tests.loopback_only import loopback_only

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.skipif(KIND != "embedded", reason="it is about the embedded Kafka alone"),
]


def write(bootstrap: str, topic: str, *values: bytes) -> None:
    producer = KafkaProducer(bootstrap_servers=bootstrap)
    for value in values:
        producer.send(topic, value).get(20)
    producer.close()


def read(bootstrap: str, topic: str, count: int) -> list[bytes]:
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest")
    consumer.assign([TopicPartition(topic, 0)])
    try:
        return [next(consumer).value for _ in range(count)]
    finally:
        consumer.close()


def test_what_is_written_is_read(kafka: LocalKafka, create_topic: CreateTopic) -> None:
    topic = create_topic("deals.v1")

    write(kafka.bootstrap, topic, b"one", b"two")

    assert read(kafka.bootstrap, topic, 2) == [b"one", b"two"]


def test_topics_are_never_made_by_use(kafka: LocalKafka, prefix: str) -> None:
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap, max_block_ms=1_000)
    with pytest.raises(KafkaTimeoutError):
        producer.send(prefix + "deals.v1", b"one").get(5)
    producer.close()


def test_its_log_is_a_file_and_its_output_is_quiet(kafka: LocalKafka) -> None:
    # After many tests its beginning is in a file that was set aside.
    logs = [path.read_text() for path in kafka.data.glob("kafka.log*")]
    assert any("Kafka Server started" in text for text in logs)
    assert "ERROR" not in (kafka.data / "kafka.out").read_text()
    assert "WARN" not in (kafka.data / "kafka.out").read_text()


def test_topics_outlive_kill_and_restart_on_the_same_port(own_kafka: LocalKafka) -> None:
    port = own_kafka.port
    make_topic(own_kafka.bootstrap, "kept", 1, {})
    write(own_kafka.bootstrap, "kept", b"before the kill")

    own_kafka.kill()
    assert not own_kafka.running
    own_kafka.start()
    write(own_kafka.bootstrap, "kept", b"before the stop")
    own_kafka.restart()

    assert own_kafka.port == port
    assert read(own_kafka.bootstrap, "kept", 2) == [b"before the kill", b"before the stop"]


def test_data_goes_on_under_another_port(tmp_path: Path) -> None:
    with LocalKafka(tmp_path) as first:
        make_topic(first.bootstrap, "kept", 1, {})
        write(first.bootstrap, "kept", b"one")

    with LocalKafka(tmp_path) as second:
        assert second.port != first.port
        assert read(second.bootstrap, "kept", 1) == [b"one"]


def test_paused_it_answers_nobody_and_resumed_it_goes_on(own_kafka: LocalKafka) -> None:
    make_topic(own_kafka.bootstrap, "kept", 1, {})
    producer = KafkaProducer(bootstrap_servers=own_kafka.bootstrap)
    producer.send("kept", b"one").get(20)

    own_kafka.pause()
    held = producer.send("kept", b"two")
    with pytest.raises(KafkaTimeoutError):
        held.get(1)
    own_kafka.resume()

    held.get(20)
    producer.close()
    assert read(own_kafka.bootstrap, "kept", 2) == [b"one", b"two"]


def test_stop_ends_it_even_when_it_is_paused(own_kafka: LocalKafka) -> None:
    own_kafka.pause()

    own_kafka.stop()

    assert not own_kafka.running
    assert not answers(own_kafka.port)


def test_a_taken_port_is_refused(kafka: LocalKafka, tmp_path: Path) -> None:
    with pytest.raises(KafkaFault, match=r"expected .* free for Kafka, found a server there"):
        LocalKafka(tmp_path, port=kafka.port).start()


def test_a_start_that_fails_shows_the_end_of_the_log(tmp_path: Path) -> None:
    broken = LocalKafka(tmp_path, settings={"num.io.threads": "none"})

    with pytest.raises(KafkaFault, match=r"(?s)ended with status 1.*num\.io\.threads.*kafka\.log"):
        broken.start()

    assert not broken.running


def test_it_dies_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    port = free_port()
    program = textwrap.dedent(
        f"""
        import signal
        from pathlib import Path
        from deploy.local.kafka import LocalKafka
        running = LocalKafka(Path({str(tmp_path)!r}), port={port})
        running.start()
        print(running.pid, flush=True)
        signal.pause()
        """
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        assert answers(port)

        parent.send_signal(signal.SIGKILL)

    gone, _ = psutil.wait_procs([child], timeout=20)
    assert gone == [child]
    deadline = time.monotonic() + 20
    while answers(port):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_with_its_jars_in_place_it_starts_without_a_network(
    tmp_path: Path, kafka: LocalKafka
) -> None:
    assert kafka.running  # so all jars are in the cache
    program = textwrap.dedent(
        f"""
        import socket
        from pathlib import Path
        from deploy.local.kafka import LocalKafka
        try:
            socket.create_connection(("203.0.113.1", 80), timeout=5)
        except OSError as error:
            print(error)
        with LocalKafka(Path({str(tmp_path)!r})):
            print("serves")
        """
    )
    result = subprocess.run(
        [*loopback_only(), sys.executable, "-c", program],
        capture_output=True,
        check=False,
        text=True,
    )
    assert result.stdout.splitlines() == ["[Errno 101] Network is unreachable", "serves"]
    assert result.stderr == ""
