"""A console over a real Kafka: what it reads it shows, and it says when it can read no more."""

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from kafka import KafkaConsumer

from schemas.codec import CODEC
from schemas.keys import NamedKey
from schemas.records import OperatorCommand
from schemas.signing import signed_by
from streams.console.live.commands import CommandFault, CommandWriter
from tests import floor_records as made
from tests.browser_scene import now
from tests.console_harness import RunningConsole, running_console, sign_in
from tests.floor_records import Topics
from tests.gateway_harness import until
from tests.kafka_fixtures import Broker, CreateFloor, Floor, make_floor

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

KEY = NamedKey("console", b"k" * 32)
NO_KAFKA = "expected a Kafka that answers and has the topics, found: "


@dataclass
class Stream:
    """A live page: its messages as they come."""

    lines: Iterator[str]

    def next(self) -> tuple[str, str, dict[str, Any]]:
        """Return the next message: its id, kind and data."""
        fields: dict[str, str] = {}
        for line in self.lines:
            if not line and "data" in fields:
                return fields["id"], fields["event"], json.loads(fields["data"])
            name, _, value = line.partition(": ")
            fields[name] = value
        raise AssertionError("the stream ended")

    def until(self, holds: Any) -> dict[str, Any]:
        """Return the first message's data of which something holds."""
        while not holds(data := self.next()[2]):
            pass
        return data


@contextmanager
def streaming(console: RunningConsole, **query: str) -> Iterator[Stream]:
    with httpx.Client(base_url=console.url, trust_env=False, timeout=30) as client:
        sign_in(client, "viewer")
        accept = {"accept": "text/event-stream"}
        with client.stream("GET", "/feed", params=query, headers=accept) as answer:
            assert answer.status_code == 200
            yield Stream(answer.iter_lines())


def command(**changes: Any) -> OperatorCommand:
    asked = OperatorCommand(
        id="c1",
        act="acknowledge",
        table="BJ-01",
        alarm=made.digest("alarm"),
        code=None,
        by="op-27",
        role="operator",
        pits=(),
        at=now(),
        until=None,
        disposition="confirmed",
        note=None,
        key="",
        signature=b"",
    )
    return msgspec.structs.replace(asked, **changes)


def read(floor: Floor, topic: str) -> list[Any]:
    consumer = KafkaConsumer(
        floor.topic(topic),
        bootstrap_servers=floor.bootstrap,
        auto_offset_reset="earliest",
        consumer_timeout_ms=5_000,
    )
    records = list(consumer)
    consumer.close()
    return records


def test_a_command_is_signed_and_written_where_its_tables_records_are(
    create_floor: CreateFloor,
) -> None:
    floor = create_floor(partitions=4)
    known = {"BJ-01": 3}
    writer = CommandWriter(floor.bootstrap, floor.topic("commands.v1"), lambda: KEY, known.get)
    for table, id_ in (("BJ-01", "c1"), ("CS-01", "c2")):
        signed = asyncio.run(writer.write(command(table=table, id=id_)))
        assert signed_by(signed, {"console": KEY.key})
    writer.close()
    places = {}
    for record in read(floor, "commands.v1"):
        got = CODEC.decode(record.value, OperatorCommand)
        assert isinstance(got, OperatorCommand)
        assert signed_by(got, {"console": KEY.key})
        assert not signed_by(got, {"console": b"x" * 32})
        places[got.table] = (record.key, record.partition)
    topics = Topics(floor.bootstrap, floor.prefix)
    assert places == {"BJ-01": (b"BJ-01", 3), "CS-01": (b"CS-01", topics.partition("CS-01"))}
    topics.close()


def test_a_command_that_kafka_does_not_take_is_a_fault_and_not_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.console.live.commands.ACKNOWLEDGE_SECONDS", 1.0)
    writer = CommandWriter("127.0.0.1:1", "commands", lambda: KEY, lambda _table: None)
    with pytest.raises(CommandFault, match="expected Kafka to acknowledge"):
        asyncio.run(writer.write(command()))
    writer.close()


def test_two_consoles_show_the_same_whenever_they_were_started(
    create_floor: CreateFloor, tmp_path: Path
) -> None:
    floor = create_floor(partitions=4)
    topics = Topics(floor.bootstrap, floor.prefix)
    at = now()
    busy = made.busy(at)
    views = list(busy.views.values())
    rounds = [each for each in busy.rounds if each.table in {"BJ-01", "CS-01"}]
    topics.write(*views[:40], *rounds[::2])
    text = made.inventory()
    where = (floor.bootstrap, floor.prefix)
    with running_console(*where, tmp_path / "first", floor=text) as first:
        topics.write(*busy.alarms, *views[40:], *rounds)
        topics.forget_alarm(busy.alarms[0])
        with running_console(*where, tmp_path / "second", floor=text) as second:
            # A table falls silent between two looks, a round leaves the hour: they are equal soon.
            shown = until("both to show the same", lambda: same(snapshot(first), snapshot(second)))
        unreadable = 'pitwatch_console_unreadable_records_total{topic="tables.v1"} 0.0'
        assert unreadable in first.get("/metrics")
    assert len(shown["seen"]) == 60
    assert busy.alarms[0].id not in shown["swap"]["alarm-list"]
    assert busy.alarms[1].id in shown["swap"]["alarm-list"]
    topics.close()


def same(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    return one if one == other else None


def snapshot(console: RunningConsole) -> dict[str, Any]:
    with streaming(console, last="") as stream:
        _, kind, data = stream.next()
    assert kind == "snapshot"
    swaps = {key: html for key, html in data["swap"].items() if key != "figures"}
    return {"swap": swaps, "seen": data["seen"], "unanswered": data["unanswered"]}


def test_records_that_cannot_be_read_are_counted_and_the_others_shown(
    create_floor: CreateFloor, tmp_path: Path
) -> None:
    from kafka import KafkaProducer  # noqa: PLC0415  one test's own

    floor = create_floor(partitions=4)
    producer = KafkaProducer(bootstrap_servers=floor.bootstrap)
    producer.send(floor.topic("tables.v1"), key=b"BJ-09", value=b"nothing of ours")
    producer.flush()
    producer.close()
    topics = Topics(floor.bootstrap, floor.prefix)
    topics.write(made.view("BJ-01", now(), random.Random(1)))
    with running_console(floor.bootstrap, floor.prefix, tmp_path) as console:
        assert list(snapshot(console)["seen"]) == ["BJ-01"]
        unreadable = 'pitwatch_console_unreadable_records_total{topic="tables.v1"} 1.0'
        assert unreadable in console.get("/metrics")
        (said,) = console.said("a record cannot be read")
        assert said["key"] == "BJ-09"
    topics.close()


def says(console: RunningConsole, text: str, port: int) -> bool:
    return text in console.get("/readyz", port)


def test_without_kafka_the_feed_is_lost_and_says_since_when_and_comes_back(
    own_kafka: Broker, tmp_path: Path
) -> None:
    floor = make_floor(own_kafka.bootstrap, "lost.", 2)
    topics = Topics(floor.bootstrap, floor.prefix)
    stood = made.alarm("BJ-01", "stub_exposed", now(), "high")
    topics.write(made.view("BJ-01", now(), random.Random(1), round=1), stood)
    topics.write(msgspec.structs.replace(stood, state="acknowledged"))
    with (
        running_console(floor.bootstrap, floor.prefix, tmp_path) as console,
        streaming(console, last="") as stream,
    ):
        assert stream.until(lambda data: data["asOfAt"])["lostAt"] is None
        before = now() // 1000
        own_kafka.kill()
        data = stream.until(lambda data: data["lostAt"])
        assert before - 3_000 <= data["lostAt"] <= data["now"] - 5_000
        for port in (console.health_port, console.port):
            until("it to say why", partial(says, console, NO_KAFKA, port))
            assert console.get("/healthz", port) == "ok\n"
            assert "pitwatch_console_feed_lost 1.0" in console.get("/metrics", port)
        own_kafka.start()
        topics.close()
        topics = Topics(floor.bootstrap, floor.prefix)
        fresh = made.alarm("BJ-02", "stub_exposed", now(), "high")
        topics.write(fresh, made.view("BJ-01", now(), random.Random(1), round=2))
        shouts: list[str] = []

        def is_back(data: dict[str, Any]) -> bool:
            shouts.extend(data.get("shout", []))
            return bool(shouts)

        stream.until(is_back)
        assert [said.partition(":")[0] for said in shouts] == ["BJ-02"], "what stood is no news"
        assert stream.until(lambda data: data["lostAt"] is None)["tables"] == 1
        until("it to be ready again", console.ready)
        assert "r 2" in snapshot(console)["swap"]["p-0"]
    topics.close()
