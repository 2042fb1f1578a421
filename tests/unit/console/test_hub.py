"""The hub tells each client everything once, paints once for all, and says when it cannot."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from streams.console.inventory import Inventory, Pit, PlannedTable
from streams.console.live import hub as hubs
from streams.console.live.floor import LiveFloor
from streams.console.live.hub import HEARTBEAT, RETRY, Hub
from streams.console.live.painter import Painter
from streams.console.rendering import Renderer
from tests import floor_records as made

NOW = 1_796_000_000_000_000
MINUTE = made.MINUTE
PITS = Inventory(
    (
        Pit("1", (PlannedTable("BJ-01"), PlannedTable("BJ-02"))),
        Pit("2", (PlannedTable("CS-01"),)),
    ),
    listed=True,
)


class Floor:
    """A floor with a hub and a clock to turn."""

    def __init__(self, inventory: Inventory = PITS, clients: int = 2) -> None:
        self.now = NOW
        self.floor = LiveFloor()
        brush = Renderer(made.BOOK, ZoneInfo("America/New_York"), inventory)
        self.painter = Painter(self.floor, inventory, brush)
        self.hub = Hub(self.floor, self.painter, boot="b", clients=clients, clock=lambda: self.now)
        self.chance = random.Random(1)
        self.painter.loud = True

    def view(self, table: str, **changes: Any) -> None:
        heard = {"last_received": self.now, "last_event_at": self.now}
        self.floor.view(made.view(table, self.now, self.chance, **{**heard, **changes}), 0)


def run(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(scene)


def read(message: bytes) -> tuple[str, dict[str, Any]]:
    fields = dict(line.split(": ", 1) for line in message.decode().strip().split("\n"))
    return fields["event"], json.loads(fields["data"])


async def opened(hub: Hub, last: str, pit: str | None = None) -> Callable[[], Awaitable[Any]]:
    """Return what gives the next message of a stream."""
    stream: AsyncIterator[bytes] = hub.stream(last, pit)
    assert await anext(stream) == RETRY

    async def following() -> tuple[str, dict[str, Any]]:
        return read(await asyncio.wait_for(anext(stream), 10))

    return following


def test_a_page_goes_on_where_it_was_made_and_an_unknown_id_gets_a_snapshot() -> None:
    async def scene() -> None:
        here = Floor()
        here.view("BJ-01", round=1)
        here.hub.paint()
        place = here.hub.position
        here.view("BJ-01", round=2)
        here.hub.paint()
        kind, data = await (await opened(here.hub, place))()
        assert kind == "frame"
        assert "r 2" in data["swap"]["t-BJ-01"]
        assert "t-CS-01" not in data["swap"]
        kind, data = await (await opened(here.hub, "other-17"))()
        assert kind == "snapshot"
        assert set(data["swap"]) == {"p-0", "p-1", "alarm-list", "figures"}
        assert "r 2" in data["swap"]["p-0"]
        _, data = await (await opened(here.hub, "other-17", "2"))()
        assert set(data["swap"]) == {"p-1", "alarm-list", "figures"}

    run(scene())


def test_a_slow_client_gets_the_newest_state_of_all_it_missed_in_one_message() -> None:
    async def scene() -> None:
        here = Floor()
        here.hub.paint()
        following = await opened(here.hub, here.hub.position)
        for number in (1, 2, 3):
            here.now += 1_000_000
            here.view("BJ-01", round=number)
            here.floor.alarm(made.alarm("BJ-01", "wrong_face", here.now, "critical"))
            here.hub.paint()
        _, data = await following()
        assert "r 3" in data["swap"]["t-BJ-01"]
        assert len(data["shout"]) == 3
        assert data["now"] == here.now // 1000
        task = asyncio.ensure_future(following())
        await asyncio.sleep(0)
        assert not task.done(), "there is nothing more"
        here.hub.paint()
        _, data = await task
        assert "swap" not in data

    run(scene())


def test_what_is_read_at_the_start_is_no_news() -> None:
    async def scene() -> None:
        here = Floor()
        here.painter.loud = False
        here.hub.paint()
        following = await opened(here.hub, here.hub.position)
        here.floor.alarm(made.alarm("BJ-01", "wrong_face", NOW, "critical"))
        here.hub.paint(urgent=True)
        here.floor.alarm(made.alarm("BJ-02", "wrong_face", NOW, "low"))
        here.hub.begin()
        here.floor.alarm(made.alarm("CS-01", "wrong_face", NOW, "critical"))
        here.hub.paint(urgent=True)
        _, data = await following()
        assert [said.partition(":")[0] for said in data["shout"]] == ["CS-01"]
        assert "say" not in data
        assert data["unanswered"] == 3

    run(scene())


def test_one_beyond_the_ring_begins_anew() -> None:
    async def scene() -> None:
        here = Floor()
        here.hub.paint()
        following = await opened(here.hub, here.hub.position)
        for _ in range(130):
            here.now += 1_000_000
            here.hub.paint()
        assert (await following())[0] == "snapshot"
        here.hub.paint()
        assert (await following())[0] == "frame"

    run(scene())


def test_alarms_are_told_at_once_and_the_rest_with_the_next_second() -> None:
    async def scene() -> None:
        here = Floor()
        here.hub.paint()
        here.view("BJ-02", round=5)
        here.floor.alarm(made.alarm("BJ-01", "stub_exposed", NOW, "high"))
        following = await opened(here.hub, here.hub.position)
        here.hub.paint(urgent=True)
        _, data = await following()
        assert set(data["swap"]) == {"t-BJ-01", "pit-0", "alarm-list"}
        assert data["unanswered"] == 1
        assert data["shout"] == [f"BJ-01: {made.BOOK.rules['stub_exposed'].title}, new high alarm."]
        here.hub.paint(urgent=True)
        assert here.hub.frames == 2, "no alarm changed, so there is no frame"
        here.hub.paint()
        _, data = await following()
        assert set(data["swap"]) == {"t-BJ-02", "pit-0", "figures"}

    run(scene())


def test_frames_come_each_second_and_at_once_for_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "FRAME_SECONDS", 0.05)
    monkeypatch.setattr(hubs, "ALARM_SECONDS", 0.0)

    async def scene() -> None:
        here = Floor()
        looked = []
        here.hub.look = lambda: looked.append(here.hub.frames)
        running = asyncio.ensure_future(here.hub.run())
        following = await opened(here.hub, here.hub.position)
        await following()
        here.floor.alarm(made.alarm("BJ-01", "stub_exposed", NOW, "high"))
        here.hub.hurry()
        while "shout" not in (await following())[1]:
            pass
        assert len(looked) >= 2
        running.cancel()

    run(scene())


def test_a_frame_that_cannot_be_made_ends_every_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "FRAME_SECONDS", 0.01)

    async def scene() -> None:
        here = Floor()
        here.hub.paint()

        def broken() -> None:
            raise ArithmeticError("expected a frame")

        here.hub.look = broken
        stream = here.hub.stream(here.hub.position, None)
        assert await anext(stream) == RETRY
        await here.hub.run()
        assert here.hub.failed
        assert [message async for message in stream] == []

    run(scene())


def test_a_quiet_stream_is_kept_alive_and_a_closed_hub_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hubs, "HEARTBEAT_SECONDS", 0.01)

    async def scene() -> None:
        here = Floor()
        stream = here.hub.stream(here.hub.position, None)
        assert await anext(stream) == RETRY
        assert await anext(stream) == HEARTBEAT
        here.hub.close()
        assert [message async for message in stream] == []

    run(scene())


def test_clients_are_counted_and_those_too_many_are_refused() -> None:
    hub = Floor(clients=2).hub
    full = []
    for act in (hub.enter, hub.enter, hub.leave, hub.enter):
        full.append(hub.full)
        act()
    assert full == [False, False, True, False]
    assert (hub.clients, hub.refused) == (2, 1)


def test_that_a_table_was_heard_of_again_is_told_by_a_time_alone() -> None:
    async def scene() -> None:
        here = Floor()
        here.view("BJ-01", round=1, state="betting", dealer="D-1")
        here.hub.paint()
        following = await opened(here.hub, here.hub.position)
        view = here.floor.tables["BJ-01"].view
        here.now += 3_000_000
        later = {"last_received": here.now, "last_event_at": here.now}
        here.floor.view(msgspec.structs.replace(view, **later), 0)
        here.hub.paint()
        _, data = await following()
        assert data["seen"] == {"BJ-01": here.now // 1000}
        assert "swap" not in data
        assert f'data-t="{here.now // 1000}"' in here.painter.pit(0, here.now)

    run(scene())


def test_a_table_that_falls_silent_becomes_stale_without_an_event() -> None:
    async def scene() -> None:
        here = Floor()
        here.view("BJ-01")
        here.hub.paint()
        following = await opened(here.hub, here.hub.position)
        here.now += 59_000_000
        here.hub.paint()
        await following()
        here.now += 2_000_000
        here.hub.paint()
        _, data = await following()
        assert ' stale"' in data["swap"]["t-BJ-01"]
        assert "1 stale" in data["swap"]["pit-0"]
        here.view("BJ-01")
        here.hub.paint()
        _, data = await following()
        assert ' stale"' not in data["swap"]["t-BJ-01"]

    run(scene())


def test_a_table_that_no_one_listed_comes_with_its_whole_pit() -> None:
    async def scene() -> None:
        here = Floor(Inventory.without_file())
        here.hub.paint()
        following = await opened(here.hub, here.hub.position)
        here.view("CS-09", round=4)
        here.hub.paint()
        _, data = await following()
        assert set(data["swap"]) == {"p-0"}
        assert 'id="t-CS-09"' in data["swap"]["p-0"]
        assert data["tables"] == 1
        assert [pit.name for pit in here.hub.inventory.pits] == ["main"]
        listed = Floor()
        listed.hub.paint()
        listed.view("FP-99")
        listed.hub.paint()
        assert [pit.name for pit in listed.hub.inventory.pits] == ["1", "2", "unlisted"]

    run(scene())


def test_a_tombstone_leaves_the_place_of_its_table() -> None:
    async def scene() -> None:
        here = Floor()
        here.view("BJ-01")
        here.hub.paint()
        following = await opened(here.hub, here.hub.position)
        here.floor.forget_table("BJ-01")
        here.hub.paint()
        _, data = await following()
        assert "no event yet" in data["swap"]["t-BJ-01"]

    run(scene())


def test_names_of_tables_and_notes_are_escaped() -> None:
    renderer = Renderer(made.BOOK, ZoneInfo("UTC"), PITS)
    page = renderer.fragment("empty.html", gateway="<script>", path="/", position="b-1", user=None)
    assert "<script>/v1" not in page
    assert "&lt;script&gt;/v1" in page


def test_a_flood_is_one_line_that_goes_by_the_time_alone() -> None:
    async def scene() -> None:
        here = Floor()
        here.hub.paint()
        following = await opened(here.hub, here.hub.position)
        codes = ["wrong_face", "deal_order", "burn_missing", "burn_exposed", "stub_exposed"]
        for table in ("BJ-01", "BJ-02", "CS-01"):
            for code in codes:
                here.floor.alarm(made.alarm(table, code, here.now, "high"))
        here.floor.alarm(made.alarm("BJ-01", "cards_missing", here.now, "critical"))
        here.hub.paint(urgent=True)
        _, data = await following()
        assert "<b>15 alarms</b> in a flood" in data["swap"]["alarm-list"]
        assert data["swap"]["alarm-list"].count('<li class="al') == 1, "the critical one is shown"
        here.now += 11 * MINUTE
        here.hub.paint()
        _, data = await following()
        assert "in a flood" not in data["swap"]["alarm-list"]
        assert data["swap"]["alarm-list"].count('<li class="al') == 16

    run(scene())
