"""Of the views of a table that wait together the newest alone is read; of all else every record."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from schemas.codec import CODEC
from schemas.records import AnyRecord
from streams.console.live.feed import Feed
from streams.console.live.floor import LiveFloor
from tests import floor_records as made

NOW = 1_796_000_000_000_000
PREFIX = "floor."


@dataclass(frozen=True, slots=True)
class Waiting:
    """A record as the client gives it."""

    topic: str
    key: bytes
    value: bytes | None
    partition: int = 0
    offset: int = 0
    headers: Sequence[tuple[str, bytes]] = ()
    timestamp: int = 0


def waiting(topic: str, key: str, record: AnyRecord | None) -> Waiting:
    value = None if record is None else CODEC.encode(record)
    return Waiting(PREFIX + topic, key.encode(), value)


def handed_over(records: Sequence[Waiting]) -> tuple[Feed, LiveFloor]:
    async def hand_over() -> tuple[Feed, LiveFloor]:
        floor = LiveFloor()
        loop = asyncio.get_running_loop()
        feed = Feed("nowhere:1", PREFIX, floor, loop, lambda: None, lambda: None)
        await asyncio.to_thread(feed.hand_over, records)
        return feed, floor

    return asyncio.run(hand_over())


def view(table: str, number: int) -> Waiting:
    return waiting("tables.v1", table, made.view(table, NOW, random.Random(1), round=number))


def test_the_newest_view_of_each_table_is_read_and_no_other() -> None:
    alarm = made.alarm("BJ-01", "wrong_face", NOW)
    told = [msgspec.structs.replace(alarm, count=count) for count in (1, 2, 3)]
    alarms = [waiting("alarms.v1", alarm.id, each) for each in told]
    views = [view("BJ-01", 1), view("BJ-02", 7), view("BJ-01", 2), view("BJ-01", 3)]
    feed, floor = handed_over([*views[:2], *alarms[:2], *views[2:], *alarms[2:]])
    assert {name: table.view.round for name, table in floor.tables.items()} == {
        "BJ-01": 3,
        "BJ-02": 7,
    }
    assert feed.records == {"tables.v1": 2, "alarms.v1": 3}
    assert [each.after for each in floor.take_changes().alarms] == told


def test_a_tombstone_that_waits_last_takes_the_table_away() -> None:
    gone = waiting("tables.v1", "BJ-01", None)
    _, floor = handed_over([view("BJ-01", 1), gone])
    assert floor.tables == {}
    _, floor = handed_over([gone, view("BJ-01", 1)])
    assert list(floor.tables) == ["BJ-01"]
