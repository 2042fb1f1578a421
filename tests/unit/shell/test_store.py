"""Reading the state log back never goes backwards and never fails."""

import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.core.table import new_table
from streams.shell.marks import MARK_KEY
from streams.shell.store import Absorbed, Stored, TableStore
from streams.wire.snapshot import encode_snapshot

KEY = b"T-1"


def value(deals: int, commands: int | None = None) -> bytes:
    offsets = {"deals": deals}
    if commands is not None:
        offsets["commands"] = commands
    return encode_snapshot(new_table("T-1"), offsets)


def held(store: TableStore) -> dict[str, int]:
    stored = store.get(0, KEY)
    assert stored is not None
    return dict(stored.offsets)


@pytest.fixture
def store() -> TableStore:
    return TableStore()


def test_newer_states_are_taken(store: TableStore) -> None:
    assert store.absorb(0, KEY, value(1)) is Absorbed.TAKEN
    assert store.absorb(0, KEY, value(2)) is Absorbed.TAKEN
    assert held(store) == {"deals": 2}
    assert store.stale(0) == []


def test_an_equal_state_is_taken(store: TableStore) -> None:
    store.absorb(0, KEY, value(2))
    assert store.absorb(0, KEY, value(2)) is Absorbed.TAKEN
    assert store.stale(0) == []


def test_an_older_state_after_a_newer_one_is_stale_and_the_newer_is_written_again(
    store: TableStore,
) -> None:
    store.absorb(0, KEY, value(9))
    assert store.absorb(0, KEY, value(5)) is Absorbed.STALE
    ((key, stored),) = store.stale(0)
    assert (key, stored.value) == (KEY, value(9))
    store.settle(0)
    assert store.stale(0) == []


def test_only_the_last_record_of_a_table_decides(store: TableStore) -> None:
    store.absorb(0, KEY, value(9))
    store.absorb(0, KEY, value(5))
    store.absorb(0, KEY, value(9))
    assert store.stale(0) == []


def test_a_lower_offset_of_any_topic_is_stale(store: TableStore) -> None:
    store.absorb(0, KEY, value(9, commands=4))
    assert store.absorb(0, KEY, value(10, commands=3)) is Absorbed.STALE
    assert store.absorb(0, KEY, value(10)) is Absorbed.STALE
    assert store.absorb(0, KEY, value(9, commands=5)) is Absorbed.TAKEN
    assert held(store) == {"deals": 9, "commands": 5}


@pytest.mark.parametrize("broken", [b"", b"{}", b"\x00" * 40, value(9)[:-1], value(9) + b"\x00"])
def test_a_state_that_cannot_be_read_is_reported_with_what_is_held(
    store: TableStore, broken: bytes
) -> None:
    assert store.absorb(0, KEY, broken) is Absorbed.UNREADABLE
    assert store.unreadable(0) == [(KEY, {})]
    assert store.stale(0) == []
    store.absorb(0, KEY, value(3))
    assert store.unreadable(0) == []
    store.absorb(0, KEY, broken)
    assert store.unreadable(0) == [(KEY, {"deals": 3})]
    assert [key for key, _ in store.stale(0)] == [KEY]


def test_a_state_that_is_found_unreadable_later_leaves_what_is_held(store: TableStore) -> None:
    """Its bytes are whole and have offsets, and are no state all the same."""
    body = msgspec.msgpack.encode(["T-1", {"deals": 9}])
    sealed = value(9)[:4] + zlib.crc32(body).to_bytes(4, "big") + body
    assert store.absorb(0, KEY, sealed) is Absorbed.TAKEN
    assert store.unreadable(0) == [(KEY, {})]
    store.absorb(0, KEY, value(3))
    assert held(store) == {"deals": 3}
    assert store.absorb(0, KEY, sealed) is Absorbed.TAKEN
    assert held(store) == {"deals": 3}
    assert store.unreadable(0) == [(KEY, {"deals": 3})]


def test_a_log_without_any_record_of_a_partition_is_told_from_one_that_has_some(
    store: TableStore,
) -> None:
    assert not store.has_log(0)
    store.absorb(0, MARK_KEY, b"{}")
    assert store.has_log(0)
    store.absorb(1, KEY, None)
    assert store.has_log(1)
    store.purge([0, 1])
    assert not store.has_log(0)


def test_what_is_put_stands_over_what_was_read_before(store: TableStore) -> None:
    store.absorb(0, KEY, value(3))
    store.put(0, KEY, Stored(value(9), new_table("T-1"), {"deals": 9}))
    assert held(store) == {"deals": 9}
    assert store.absorb(0, KEY, value(3)) is Absorbed.STALE
    assert held(store) == {"deals": 9}


def test_a_record_without_a_value_retires_its_table(store: TableStore) -> None:
    store.absorb(0, KEY, value(9))
    store.absorb(0, KEY, value(5))
    assert store.absorb(0, KEY, None) is Absorbed.RETIRED
    assert store.get(0, KEY) is None
    assert store.stale(0) == []
    assert store.absorb(0, b"T-2", None) is Absorbed.RETIRED


def test_a_record_without_a_key_is_ignored(store: TableStore) -> None:
    assert store.absorb(0, None, value(1)) is Absorbed.KEYLESS
    assert store.partitions() == []


def test_a_purge_forgets_only_its_partitions(store: TableStore) -> None:
    for partition in range(4):
        store.absorb(partition, KEY, value(9))
        store.absorb(partition, KEY, value(5))
    state = new_table("T-2")
    store.put(2, b"T-2", Stored(b"", state, {"deals": 1}))
    store.purge({1, 2})
    assert store.partitions() == [0, 3]
    assert store.get(2, b"T-2") is None
    assert store.stale(1) == store.stale(2) == []
    assert [key for key, _ in store.tables(3)] == [KEY]
    assert len(store.stale(3)) == 1


@given(st.lists(st.integers(0, 20), min_size=1))
def test_what_is_held_is_the_newest_whatever_the_order(offsets: list[int]) -> None:
    store = TableStore()
    for offset in offsets:
        store.absorb(0, KEY, value(offset))
    assert held(store) == {"deals": max(offsets)}
    assert bool(store.stale(0)) == (offsets[-1] < max(offsets))
