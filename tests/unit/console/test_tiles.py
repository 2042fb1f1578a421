"""What tiles, headings and key figures say of a floor at a time."""

import random
from typing import Any

import pytest

from schemas.times import MICROS_IN_DAY, MICROS_IN_HOUR
from streams.console.inventory import PlannedTable
from streams.console.live.floor import LiveFloor, LiveTable
from streams.console.live.tiles import (
    Glyph,
    PitCounts,
    Tile,
    counts_of,
    figures_of,
    part_in_flood,
    spark_of,
    tile_of,
)
from tests import floor_records as made

NOW = 1_796_000_000_000_000
SECOND = made.SECOND
MINUTE = made.MINUTE
PLANNED = PlannedTable("BJ-01", "blackjack")


def tile(*alarms: Any, closed: tuple[int, ...] = (), **changes: Any) -> Tile:
    view = made.view("BJ-01", NOW, random.Random(1), **changes)
    floor = LiveFloor()
    for number, time in enumerate(closed):
        floor.round(made.round_of("BJ-01", number, time))
    floor.view(view, 0)
    return tile_of(PLANNED, floor.tables["BJ-01"], alarms, NOW)


@pytest.mark.parametrize(
    ("changes", "state", "stale"),
    [
        ({"state": "settling"}, "settling", False),
        ({"state": None, "round_open": True}, "dealing", False),
        ({"state": None, "round_open": False}, "between", False),
        ({"last_received": NOW - 60 * SECOND}, "betting", False),
        ({"last_received": NOW - 61 * SECOND}, "stale", True),
        ({"last_received": None, "last_event_at": NOW - 61 * SECOND}, "stale", True),
        ({"last_received": NOW, "last_event_at": NOW - MICROS_IN_HOUR}, "betting", False),
        ({"open": False, "last_received": NOW - MICROS_IN_HOUR}, "closed", False),
    ],
)
def test_the_state_is_one_word_and_stale_where_an_open_table_is_silent(
    changes: dict[str, Any], state: str, stale: bool
) -> None:
    shown = tile(**({"state": "betting"} | changes))
    assert (shown.state, shown.stale) == (state, stale)


def test_a_table_says_its_game_round_dealer_stub_and_last_event() -> None:
    shown = tile(dealer="D-114", round=219, rounds_since_stub_count=6, last_received=NOW - SECOND)
    assert (shown.game, shown.dealer, shown.round, shown.stub) == ("blackjack", "D-114", 219, 6)
    assert shown.since == NOW - SECOND
    assert (shown.pace, shown.spark) == (None, ()), "without rounds there is no pace, not nought"
    assert tile(game=None, round=0).game == "blackjack"
    assert tile(round=0).round is None


def test_a_table_without_events_is_silent_and_keeps_its_place() -> None:
    shown = tile_of(PLANNED, None, [made.alarm("BJ-01", "wrong_face", NOW)], NOW)
    assert (shown.table, shown.state, shown.since, shown.pace) == ("BJ-01", "silent", None, None)
    assert shown.border == Glyph("medium", "unacknowledged", 1)


def test_the_pace_is_of_the_last_hour_and_the_spark_of_whole_quarters_from_nought() -> None:
    last = NOW // (15 * MINUTE)
    start = last * 15 * MINUTE
    times = [start - 2 * 15 * MINUTE + 1, start - 2 * 15 * MINUTE + 2, start + 1, NOW]
    shown = tile(closed=tuple(times))
    assert shown.pace == sum(time > NOW - MICROS_IN_HOUR for time in times)
    assert shown.spark == (*[0] * 12, 8, 0)
    assert len(spark_of([NOW], NOW)) == 14
    assert tile(closed=(NOW - 2 * MICROS_IN_HOUR,)).pace == 0


def test_a_tile_has_two_shapes_and_a_count_of_the_rest() -> None:
    alarms = [
        made.alarm("BJ-01", "wrong_face", NOW, "low", state="acknowledged"),
        made.alarm("BJ-01", "burn_missing", NOW, "medium"),
        made.alarm("BJ-01", "deal_order", NOW + 1, "medium"),
        made.alarm("BJ-01", "stub_exposed", NOW, "critical", state="returned_unacknowledged"),
        made.alarm("BJ-01", "burn_exposed", NOW, "high", state="shelved"),
        made.alarm("BJ-01", "cards_missing", NOW, "high", state="out_of_service"),
        made.alarm("BJ-01", "cards_touched", NOW, "high", state="normal"),
    ]
    shown = tile(*alarms)
    assert shown.glyphs == (
        Glyph("medium", "unacknowledged", 2),
        Glyph("critical", "returned_unacknowledged", 1),
    )
    assert shown.more == 2
    assert shown.border == shown.glyphs[0]
    assert tile(alarms[4]).border is None, "a shelved alarm leaves its tile calm"


def test_a_heading_counts_its_tiles() -> None:
    tiles = [
        tile(made.alarm("BJ-01", "wrong_face", NOW)),
        tile(last_received=NOW - MICROS_IN_HOUR),
        tile(open=False),
        tile_of(PLANNED, None, (), NOW),
        tile(made.alarm("BJ-01", "wrong_face", NOW, state="acknowledged")),
    ]
    assert counts_of(tiles) == PitCounts(5, 2, 1, 1, 1, 1)


def test_the_figures_are_those_of_the_alarms() -> None:
    floor = LiveFloor()
    empty = figures_of(floor, NOW)
    assert (empty.hourly, empty.standing, empty.flood, empty.shares) == (0, 0, 0, None)
    assert empty.events_a_second is None
    for each in made.alarms(NOW):
        floor.alarm(each)
    floor.events_a_second = 212.4
    shown = figures_of(floor, NOW)
    assert shown.hourly == 8, "two of ten are older than an hour"
    assert shown.standing == 9, "one of ten is closed"
    assert dict(shown.by_severity) == {"critical": 1, "high": 3, "medium": 3, "low": 2}
    assert shown.unanswered == 5
    assert shown.shares == (20, 40, 40)
    assert shown.events_a_second == 212.4


def test_a_flood_lasts_from_more_than_ten_to_fewer_than_five_in_ten_minutes() -> None:
    start = NOW // MINUTE * MINUTE
    assert part_in_flood([start + each for each in range(10)], start + MICROS_IN_HOUR) == 0
    burst = [start + each for each in range(11)]
    day = MICROS_IN_DAY
    assert part_in_flood(burst, start + MICROS_IN_HOUR) == pytest.approx(10 * MINUTE / day)
    trickle = [start + 5 * MINUTE * each for each in range(1, 13)]
    assert part_in_flood(sorted(burst + trickle), start + 2 * MICROS_IN_HOUR) == pytest.approx(
        10 * MINUTE / day
    ), "two in ten minutes end it"


def test_a_live_table_has_its_view_partition_and_rounds() -> None:
    floor = LiveFloor()
    floor.view(made.view("BJ-01", NOW, random.Random(1)), 5)
    table = floor.tables["BJ-01"]
    assert isinstance(table, LiveTable)
    assert table.partition == 5
