"""The gateway on a real Kafka: what it has accepted arrives, in order, whatever happens between."""

import gc
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from deploy.local.kafka import LocalKafka
from deploy.local.ports import free_port
from producers.gateway.entries import Accepted, encode_entry
from producers.gateway.files import OsFiles
from producers.gateway.metrics import GatewayMetrics
from producers.gateway.publisher import BrokerAway, KafkaPublisher, Record
from producers.gateway.sender import Destination, Sender
from producers.gateway.settings import PublishSettings
from producers.gateway.spool import Spool
from producers.gateway.window import IN_FLIGHT_OF_A_LANE
from tests.gateway_harness import (
    RunningGateway,
    line,
    published,
    running_gateway,
    seqs_by_table,
    start_gateway,
    until,
)
from tests.kafka_fixtures import Broker, CreateFloor, CreateTopic, make_floor, make_topic

pytestmark = pytest.mark.kafka

TABLES = ("CS-01", "CS-02", "FC-01")


def test_it_starts_and_accepts_without_kafka_and_publishes_when_kafka_comes(
    tmp_path: Path, prefix: str
) -> None:
    kafka = LocalKafka(tmp_path / "kafka", port=free_port())
    with running_gateway(tmp_path / "gateway", kafka.bootstrap, prefix, "--name", "pit-1") as gate:
        before = time.time_ns() // 1_000_000
        for seq in range(1, 31):
            answer = gate.post(b"\n".join(line(seq, table) for table in TABLES))
            assert answer is not None
            assert answer.status_code == 202
        after = time.time_ns() // 1_000_000
        assert gate.metric("pitwatch_gateway_accepted_total") == 90
        assert gate.metric("pitwatch_gateway_spooled_events") == 90
        oldest = gate.metric("pitwatch_gateway_oldest_spooled_timestamp_seconds")
        assert before / 1000 <= oldest <= after / 1000
        assert gate.ready()
        with kafka:
            floor = make_floor(kafka.bootstrap, prefix)
            until("all to be published", gate.drained)
            assert gate.metric("pitwatch_gateway_published_total") == 90
            records = published(kafka.bootstrap, floor.topic("deals.v1"))
            assert seqs_by_table(records) == {table: list(range(1, 31)) for table in TABLES}
            for record in records:
                assert record.event.gateway == "pit-1"
                assert record.event.received is not None
                assert record.timestamp == record.event.received // 1000
                assert before <= record.timestamp <= after


def test_refused_lines_become_dead_letters_and_duplicates_are_not_published(
    tmp_path: Path, kafka: Broker, create_floor: CreateFloor
) -> None:
    floor = create_floor()
    bad = line(2, kind="card_flung")
    with running_gateway(tmp_path, kafka.bootstrap, floor.prefix) as gate:
        answer = gate.post(b"\n".join([line(1), bad, b"{no json", line(1)]))
        assert answer is not None
        assert answer.status_code == 400
        assert answer.json()["accepted"] == 1
        assert answer.json()["duplicates"] == 1
        until("all to be published", gate.drained)
    letters = published(kafka.bootstrap, floor.topic("deals.dead.v1"))
    assert sorted(letter.value for letter in letters) == sorted([bad, b"{no json"])
    (flung,) = [letter for letter in letters if letter.value == bad]
    assert flung.key == b"CS-01"
    assert flung.headers["pitwatch.reason"] == b"unknown_kind"
    assert flung.headers["pitwatch.field"] == b"kind"
    assert {"pitwatch.expected", "pitwatch.found", "pitwatch.version"} <= set(flung.headers)
    assert seqs_by_table(published(kafka.bootstrap, floor.topic("deals.v1"))) == {"CS-01": [1]}


def test_a_lock_out_that_was_pressed_before_a_card_stands_before_it_though_it_came_later(
    tmp_path: Path, kafka: Broker, create_floor: CreateFloor
) -> None:
    floor = create_floor()
    with running_gateway(tmp_path, kafka.bootstrap, floor.prefix, "--hold", "4") as gate:
        for second, source in [(1, "shoe"), (2, "button")]:
            sent_at(gate, source, 1, second)
        until("the first events to be published", gate.drained)
        sent_at(gate, "shoe", 2, 12)
        sent_at(gate, "button", 2, 11)
        sent_at(gate, "shoe", 3, 13)
        until("the merged events to be published", gate.drained)
        sent_at(gate, "button", 3, 5)
        until("the late event to be published", gate.drained)
        assert gate.metric("pitwatch_gateway_late_events_total") == 1
    events = [record.event for record in published(kafka.bootstrap, floor.topic("deals.v1"))]
    assert [(event.source, event.seq) for event in events] == [
        ("shoe", 1),
        ("button", 1),
        ("button", 2),
        ("shoe", 2),
        ("shoe", 3),
        ("button", 3),
    ]


def sent_at(gate: RunningGateway, source: str, seq: int, second: int) -> None:
    """Post the event of one device that happened at a second by its clock."""
    answer = gate.post(line(seq, source=source, at=f"2026-11-30T12:00:{second:02d}Z"))
    assert answer is not None
    assert answer.status_code == 202


def test_a_kill_between_accepting_and_publishing_loses_nothing(
    tmp_path: Path, kafka: Broker, create_floor: CreateFloor
) -> None:
    floor = create_floor()
    away = f"127.0.0.1:{free_port()}"
    with running_gateway(tmp_path, away, floor.prefix) as gate:
        for seq in range(1, 101):
            answer = gate.post(b"\n".join(line(seq, table) for table in TABLES))
            assert answer is not None
            assert answer.status_code == 202
        gate.kill()
    with running_gateway(tmp_path, kafka.bootstrap, floor.prefix) as gate:
        assert gate.said("spool opened")[0]["waiting"] == 300
        until("all to be published", gate.drained)
        known = gate.post(line(100))
        assert known is not None
        assert known.json()["duplicates"] == 1
        assert gate.terminate() == 0
    tables = seqs_by_table(published(kafka.bootstrap, floor.topic("deals.v1")))
    assert tables == {table: list(range(1, 101)) for table in TABLES}


def test_kills_while_it_publishes_lose_nothing_and_repeat_few(
    tmp_path: Path, kafka: Broker, create_floor: CreateFloor
) -> None:
    floor = create_floor()
    accepted = 0
    for kill in range(3):
        with running_gateway(tmp_path, kafka.bootstrap, floor.prefix) as gate:
            stop = accepted + 40 * (kill + 1)
            while accepted < stop:
                accepted = posted(gate, accepted)
            gate.kill()
    with running_gateway(tmp_path, kafka.bootstrap, floor.prefix) as gate:
        until("all to be published", gate.drained)
        assert gate.terminate() == 0
    tables = seqs_by_table(published(kafka.bootstrap, floor.topic("deals.v1")))
    for table in TABLES:
        assert list(dict.fromkeys(tables[table])) == list(range(1, accepted + 1))
        assert max(setbacks(tables[table]), default=0) <= IN_FLIGHT_OF_A_LANE


def posted(gate: RunningGateway, accepted: int, count: int = 10) -> int:
    """Post the next events of every table; return the last that was accepted."""
    seqs = range(accepted + 1, accepted + count + 1)
    answer = gate.post(b"\n".join(line(seq, table) for seq in seqs for table in TABLES))
    assert answer is not None
    assert answer.status_code == 202
    return accepted + count


def setbacks(seqs: list[int]) -> list[int]:
    """Return by how many events each step back goes back."""
    highest = 0
    steps = []
    for seq in seqs:
        if seq <= highest:
            steps.append(highest - seq + 1)
        highest = max(highest, seq)
    return steps


def test_when_told_to_stop_it_publishes_what_it_has_and_sends_nothing_twice(
    tmp_path: Path, kafka: Broker, create_floor: CreateFloor
) -> None:
    floor = create_floor()
    with running_gateway(tmp_path, kafka.bootstrap, floor.prefix) as gate:
        posted(gate, 0, 200)
        assert gate.terminate() == 0
        assert gate.said("gateway stopped")[0]["published"]
    with running_gateway(tmp_path, kafka.bootstrap, floor.prefix) as gate:
        assert gate.said("spool opened")[0]["waiting"] == 0
        assert gate.terminate() == 0
    tables = seqs_by_table(published(kafka.bootstrap, floor.topic("deals.v1")))
    assert tables == {table: list(range(1, 201)) for table in TABLES}


def test_a_spool_that_is_in_use_is_refused(tmp_path: Path, prefix: str) -> None:
    away = f"127.0.0.1:{free_port()}"
    with running_gateway(tmp_path, away, prefix), pytest.raises(AssertionError, match="in use"):
        start_gateway(tmp_path, away, prefix)


@contextmanager
def sending(
    folder: Path, settings: PublishSettings, metrics: GatewayMetrics
) -> Iterator[Callable[[int, int], Sender]]:
    """Run a sender in this process; yield what appends events to its spool."""
    files = OsFiles(folder)
    spool = Spool(files, segment_bytes=100_000)
    sender = Sender(
        spool,
        partial(KafkaPublisher, settings, "gateway-7"),
        Destination(settings.deals, settings.dead, "gateway-7", "1.2.3"),
        metrics,
        monotonic=time.monotonic,
        stall_seconds=settings.stall_seconds,
    )

    def append(first: int, count: int) -> Sender:
        received = time.time_ns() // 1000
        spool.append(
            [
                encode_entry(Accepted(table, "gw-1", 1, seq, 1, received, b"", b"%d" % seq))
                for seq in range(first, first + count)
                for table in TABLES
            ]
        )
        sender.wake()
        return sender

    sender.start()
    try:
        yield append
    finally:
        sender.stop(20)
        files.close()


def values_by_key(bootstrap: str, topic: str) -> dict[str, list[int]]:
    tables: dict[str, list[int]] = {}
    for record in published(bootstrap, topic):
        assert record.key is not None
        tables.setdefault(record.key.decode(), []).append(int(record.value))
    return tables


@pytest.fixture
def collected() -> Iterator[None]:
    """Collect what the test leaves while its own filter of warnings holds."""
    yield
    gc.collect()


# kafka-python leaves a socket that could not connect to the garbage collector
unclosed_sockets = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")


@unclosed_sockets
@pytest.mark.usefixtures("collected")
@pytest.mark.parametrize("outage", ["frozen", "killed"])
def test_a_broker_that_is_away_longer_than_the_delivery_timeout_does_not_stop_it_for_ever(
    tmp_path: Path, own_kafka: Broker, prefix: str, outage: str
) -> None:
    make_floor(own_kafka.bootstrap, prefix)
    settings = PublishSettings(
        own_kafka.bootstrap, prefix, delivery_seconds=3.0, request_seconds=1.0, stall_seconds=2.0
    )
    metrics = GatewayMetrics("1.2.3")
    with sending(tmp_path / "spool", settings, metrics) as append:
        sender = append(1, 50)
        until("the first events to be published", lambda: sender.drained)
        if outage == "frozen":
            own_kafka.pause()
        else:
            own_kafka.kill()
        append(51, 50)
        resent = "pitwatch_gateway_resent_total"
        until("the producer to be given up", lambda: metrics.registry.get_sample_value(resent))
        append(101, 50)
        if outage == "frozen":
            own_kafka.resume()
        else:
            own_kafka.start()
        until("everything to be published", lambda: sender.drained)
        append(151, 10)
        until("the last events to be published", lambda: sender.drained)
    for seqs in values_by_key(own_kafka.bootstrap, settings.deals).values():
        assert list(dict.fromkeys(seqs)) == list(range(1, 161))
        assert max(setbacks(seqs), default=0) <= IN_FLIGHT_OF_A_LANE


@unclosed_sockets
@pytest.mark.usefixtures("collected")
def test_a_producer_that_failed_a_record_writes_nothing_after_it(
    kafka: Broker, create_topic: CreateTopic
) -> None:
    topic = create_topic("small", max_message_bytes="2000")
    settled: list[tuple[int, str | None]] = []
    done = threading.Event()

    def settle(number: int, error: str | None) -> None:
        settled.append((number, error))
        if len(settled) == 30:
            done.set()

    producer = KafkaPublisher(
        PublishSettings(kafka.bootstrap, linger_seconds=0.0), "gateway-7", settle
    )
    for number in range(30):
        value = bytes(5000 if number == 3 else 10)
        producer.send(number, Record(topic, b"k", b"%d" % number + value, (), None))
        if number == 3:
            until("a record to fail", lambda: any(error for _, error in settled))
            break
    with pytest.raises(BrokerAway):
        producer.send(4, Record(topic, b"k", b"4", (), None))
    producer.abandon()
    written = [int(record.value.rstrip(b"\0")) for record in published(kafka.bootstrap, topic)]
    assert written == [0, 1, 2]
    assert [number for number, error in settled if error is None] == [0, 1, 2]
    assert not done.is_set()


@unclosed_sockets
@pytest.mark.usefixtures("collected")
def test_a_topic_that_is_missing_is_waited_for(tmp_path: Path, kafka: Broker, prefix: str) -> None:
    settings = PublishSettings(kafka.bootstrap, prefix)
    metrics = GatewayMetrics("1.2.3")
    with sending(tmp_path / "spool", settings, metrics) as append:
        sender = append(1, 5)
        resent = "pitwatch_gateway_resent_total"
        until("a failure", lambda: metrics.registry.get_sample_value(resent))
        make_topic(kafka.bootstrap, settings.deals, 2, {})
        until("everything to be published", lambda: sender.drained)
    tables = values_by_key(kafka.bootstrap, settings.deals)
    assert tables == {table: [1, 2, 3, 4, 5] for table in TABLES}
