"""The floor's inventory as a value: tables keep their place, links are filled in."""

from hypothesis import given
from hypothesis import strategies as st

from streams.console.inventory import (
    MAIN,
    SILENCE_SECONDS,
    UNLISTED,
    GatewayEntry,
    Inventory,
    Pit,
    PlannedTable,
)

NAMES = st.from_regex(r"[A-Z]{2}-[0-9]{2}", fullmatch=True)
LISTED = Inventory(
    (Pit("main", (PlannedTable("BJ-01"),)), Pit("high", (PlannedTable("CF-01"),))),
    (GatewayEntry("g1", ("BJ-01", "CF-01")), GatewayEntry("g2", ("CF-01",))),
    listed=True,
)


@given(st.lists(NAMES, max_size=12))
def test_without_a_file_tables_stand_in_the_order_first_seen(seen: list[str]) -> None:
    inventory = Inventory.without_file()
    for table in seen:
        inventory = inventory.placed(table)
    assert [pit.name for pit in inventory.pits] == [MAIN]
    assert [table.name for table in inventory.tables()] == list(dict.fromkeys(seen))
    assert all(inventory.pit_of(table) == MAIN for table in seen)


@given(st.lists(NAMES, max_size=12))
def test_what_is_seen_moves_no_table_of_a_file(seen: list[str]) -> None:
    inventory = LISTED
    for table in seen:
        inventory = inventory.placed(table)
    assert inventory.pits[:2] == LISTED.pits
    others = [table for table in dict.fromkeys(seen) if table not in ("BJ-01", "CF-01")]
    assert [pit.name for pit in inventory.pits[2:]] == ([UNLISTED] if others else [])
    assert [table.name for table in inventory.tables()] == ["BJ-01", "CF-01", *others]


def test_placing_a_known_table_changes_nothing() -> None:
    assert LISTED.placed("CF-01") is LISTED


def test_a_table_that_is_not_named_has_the_defaults() -> None:
    assert LISTED.table("XX-99") == PlannedTable("XX-99", silence_seconds=SILENCE_SECONDS)
    assert LISTED.pit_of("XX-99") == UNLISTED
    assert Inventory.without_file().pit_of("XX-99") == MAIN


def test_gateways_of_a_table() -> None:
    assert [each.name for each in LISTED.gateways_of("CF-01")] == ["g1", "g2"]
    assert LISTED.gateways_of("XX-99") == ()


def test_a_camera_link_has_the_seconds_around_the_time() -> None:
    table = PlannedTable("A.B-1", camera="https://cams.test/{table}?from={from}&to={to}#{table}")
    opened = 1_796_040_000_900_000
    assert table.camera_link(opened, opened + 1_200_000) == (
        "https://cams.test/A.B-1?from=2026-11-30T12%3A00%3A00Z&to=2026-11-30T12%3A00%3A03Z#A.B-1"
    )
    assert table.camera_link(1_796_040_000_000_000, 1_796_040_001_000_000) == (
        "https://cams.test/A.B-1?from=2026-11-30T12%3A00%3A00Z&to=2026-11-30T12%3A00%3A01Z#A.B-1"
    )
    assert PlannedTable("A").camera_link(opened, opened) is None
