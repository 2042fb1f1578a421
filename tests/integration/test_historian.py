"""A historian on a real broker: nothing is lost and nothing is twice, whatever ends it."""

import random
import time
from pathlib import Path

import pytest

from schemas.times import MICROS_IN_DAY
from streams.database import history, writing
from streams.database.holds import add_hold
from streams.historian.rows import COMMANDS, FINDINGS, ROUNDS
from streams.historian.writer import positions
from tests.historian_harness import HistorianFloor, expected, found, night
from tests.history_database import rows_in
from tests.history_records import a_finding, an_alarm, digest
from tests.kafka_fixtures import CreateFloor, make_floor
from tests.worker_harness import until

pytestmark = [pytest.mark.kafka, pytest.mark.slow]


@pytest.fixture
def floor(create_floor: CreateFloor, database_url: str, tmp_path: Path) -> HistorianFloor:
    return HistorianFloor(create_floor(partitions=4), database_url, tmp_path)


@pytest.mark.timeout(240)
def test_killed_at_random_while_records_come_in_it_is_exact(floor: HistorianFloor) -> None:
    chance = random.Random(8)
    records = night(chance, tables=12, rounds=80)
    share = len(records) // 10
    floor.write(records[: 4 * share])
    for life in range(5):
        historian = floor.start()
        historian.wait_rows(0)
        floor.write(records[(4 + life) * share : (5 + life) * share])
        # One that found nothing of its predecessor's left makes at least 130 rows of its share.
        historian.wait_rows(chance.choice((0, 1, 50, 130)))
        historian.kill()
    floor.write(records[9 * share :])
    with floor.historian() as historian, floor.opened() as engine:
        historian.wait_done()
        assert found(engine) == expected(floor.written)
        assert all(row["by"] for row in rows_in(engine, history.acts))
        with engine.connect() as connection:
            assert positions(connection) == floor.ends()
        assert historian.terminate() == 0


def test_what_cannot_be_read_is_counted_and_skipped(floor: HistorianFloor) -> None:
    topic = floor.floor.topic
    floor.write_raw(
        [
            (topic(FINDINGS), 0, None, b"junk"),
            (topic(ROUNDS), 1, None, b"\xc3\x01" + bytes(40)),
            (topic(COMMANDS), 2, b"CS-01", None),
        ]
    )
    floor.write([a_finding(1), a_finding(2)])
    with floor.historian() as historian, floor.opened() as engine:
        historian.wait_done()
        assert found(engine)["findings"] == expected(floor.written)["findings"]
        assert historian.metric("pitwatch_historian_skipped_events_total") == 3
        said = historian.said("a record makes no row and is skipped")
        assert {line["reason"] for line in said} == {
            "unknown_format",
            "unknown_fingerprint",
            "no_value",
        }


def test_records_that_kafka_has_no_more_are_told_loudly(floor: HistorianFloor) -> None:
    floor.write([a_finding(number) for number in range(1, 6)])
    place = floor.floor.topic(FINDINGS), floor.partition("CS-01")
    with floor.opened() as engine:
        with writing(engine) as connection:
            connection.execute(
                history.offsets.insert().values(topic=place[0], partition=place[1], next=2)
            )
        delete_below(floor, place, 4)
        with floor.historian() as historian:
            historian.wait_done()
            (said,) = historian.said("records were deleted before they were read")
            assert (said["level"], said["expected"], said["missed"]) == ("error", 2, 2)
            assert historian.metric("pitwatch_historian_missed_events_total") == 2
            assert len(rows_in(engine, history.findings)) == 1


def delete_below(floor: HistorianFloor, place: tuple[str, int], offset: int) -> None:
    from kafka import KafkaAdminClient, TopicPartition  # noqa: PLC0415  tests without it load none

    admin = KafkaAdminClient(bootstrap_servers=floor.floor.bootstrap)
    try:
        admin.delete_records({TopicPartition(*place): offset})
    finally:
        admin.close()


def test_a_topic_made_anew_is_read_from_its_beginning(floor: HistorianFloor) -> None:
    floor.write([a_finding(1)])
    topic = floor.floor.topic(FINDINGS)
    with floor.opened() as engine:
        with writing(engine) as connection:
            connection.execute(
                history.offsets.insert().values(
                    topic=topic, partition=floor.partition("CS-01"), next=5000
                )
            )
        with floor.historian() as historian:
            historian.wait_done()
            (said,) = historian.said("a topic was made anew, it is read from its beginning")
            assert (said["topic"], said["expected"]) == (topic, 5000)
            assert len(rows_in(engine, history.findings)) == 1


def test_topics_with_another_prefix_are_read_over_the_rows_of_the_first(
    floor: HistorianFloor,
) -> None:
    """An alarm's new record has a lower offset there than the one that its row came from."""
    floor.write([an_alarm(1, count=number) for number in range(1, 4)])
    with floor.historian() as historian:
        historian.wait_done()
    first = floor.floor
    floor.floor = make_floor(first.bootstrap, f"{first.prefix}more.", partitions=6)
    floor.write([an_alarm(1, count=5)])
    with floor.historian() as historian, floor.opened() as engine:
        historian.wait_done()
        (row,) = rows_in(engine, history.alarms)
        assert (row["count"], row["partition"]) == (5, floor.partition(row["table"]))


def test_what_is_older_than_has_to_be_kept_is_deleted_while_it_runs(
    floor: HistorianFloor,
) -> None:
    now = time.time_ns() // 1000
    floor.write([a_finding(number, at=now - 3 * MICROS_IN_DAY) for number in range(1, 4)])
    floor.write([a_finding(4, at=now), a_finding(5, table="CS-02", at=now - 3 * MICROS_IN_DAY)])
    with floor.opened() as engine:
        add_hold(engine, "CS-02", now - 4 * MICROS_IN_DAY, None, "case 26-118", "ann", now)
        with floor.historian("--keep", "1") as historian:
            historian.wait_done()
            until("two rows left", lambda: len(rows_in(engine, history.findings)) == 2)
            assert {row["id"] for row in rows_in(engine, history.findings)} == {
                digest(4),
                digest(5),
            }
            assert historian.metric("pitwatch_historian_deleted_rows_total") == 3


def test_a_second_historian_is_told_of_the_first(floor: HistorianFloor) -> None:
    with floor.historian() as first:
        until("the first to be ready", first.ready)
        second = floor.start()
        assert second.process.wait(60) == 1
        assert "expected to be its only historian, found another one" in second.tail()
        assert first.ready()
