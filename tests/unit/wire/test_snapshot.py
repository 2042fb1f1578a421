"""A snapshot is read back whole, or refused; never read wrong and never a crash."""

import zlib
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.core.advance import advance_all
from streams.core.alarms.table_alarms import NO_ALARMS, TableAlarms
from streams.core.cards import Card
from streams.core.events import DrawnInError, SupervisorCalled
from streams.core.table import MOST_ROUND_EVENTS, new_table
from streams.wire.alarms import NO_BYTES, encode_alarms
from streams.wire.snapshot import (
    HEADER,
    MAGIC,
    VERSION,
    SnapshotFault,
    decode_offsets,
    decode_snapshot,
    decode_snapshot_alarms,
    encode_snapshot,
)
from tests.alarm_scene import POINT, STANDING, Scene, acknowledge, finding
from tests.blackjack_rounds import SINGLE, script, table
from tests.traces import BOOK, CARIBBEAN, SHUFFLE, events, legal, opened

TRACE = events([opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)[:14]])
STATE = advance_all(new_table("T"), TRACE, BOOK).state
OFFSETS = {"pitwatch.deals.v1": 41, "pitwatch.commands.v1": 0}
SNAPSHOT = encode_snapshot(STATE, OFFSETS)


def alarms() -> TableAlarms:
    scene = Scene()
    for code in (POINT, STANDING):
        scene.raise_(finding(code))
    acknowledge(scene)
    return replace(
        scene.alarms, alarms=tuple(replace(each, table="T") for each in scene.alarms.alarms)
    )


ALARMS = alarms()
ALARMED = encode_snapshot(STATE, OFFSETS, encode_alarms(ALARMS))


def sealed(body: bytes, version: int = VERSION) -> bytes:
    return MAGIC + bytes([version]) + zlib.crc32(body).to_bytes(4, "big") + body


def test_it_is_read_back_whole() -> None:
    assert decode_snapshot(SNAPSHOT) == (STATE, OFFSETS)
    assert decode_snapshot(encode_snapshot(new_table("T"), {})) == (new_table("T"), {})


def test_its_alarms_are_read_back_beside_it() -> None:
    assert decode_snapshot(ALARMED) == (STATE, OFFSETS)
    assert decode_snapshot_alarms(ALARMED) == (ALARMS, encode_alarms(ALARMS))
    assert decode_snapshot_alarms(SNAPSHOT) == (NO_ALARMS, NO_BYTES)
    assert decode_offsets(ALARMED) == OFFSETS


def test_a_card_drawn_in_error_before_the_round_is_waited_for_all_the_same() -> None:
    drawn = [*table(SINGLE), DrawnInError(exposed=True, card=Card("5H")), *script("w1 w2")]
    state = advance_all(new_table("T"), events(drawn), BOOK).state
    assert state.errors_waiting
    assert decode_snapshot(encode_snapshot(state, OFFSETS)) == (state, OFFSETS)


@pytest.mark.parametrize("content", [[], ["T", [[1]]], [1, None], ["T", 7], {}, "T"])
def test_alarms_that_are_none_are_refused(content: object) -> None:
    with pytest.raises(SnapshotFault, match="expected the alarms of a table"):
        decode_snapshot_alarms(sealed(msgspec.msgpack.encode(content)))


def test_cards_of_a_round_that_keeps_no_more_events_are_read_back() -> None:
    trace = [opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)[:9]]
    talk = [SupervisorCalled()] * MOST_ROUND_EVENTS
    state = advance_all(
        new_table("T"), events([*trace, *talk, *legal(CARIBBEAN)[9:14]]), BOOK
    ).state
    assert state.round is not None
    assert state.round.dropped_events
    assert decode_snapshot(encode_snapshot(state, OFFSETS)) == (state, OFFSETS)


def test_the_same_state_gives_the_same_bytes() -> None:
    assert encode_snapshot(decode_snapshot(SNAPSHOT)[0], OFFSETS) == SNAPSHOT


def test_its_offsets_are_read_alone() -> None:
    assert decode_offsets(SNAPSHOT) == OFFSETS
    assert decode_offsets(encode_snapshot(new_table("T"), {})) == {}


@pytest.mark.parametrize("content", [[], ["T"], ["T", []], ["T", {"deals": "1"}], {}, "T"])
def test_offsets_that_are_none_are_refused(content: object) -> None:
    with pytest.raises(SnapshotFault, match="expected the offsets of a table"):
        decode_offsets(sealed(msgspec.msgpack.encode(content)))


@given(st.integers(0, len(SNAPSHOT) - 1), st.integers(1, 255))
def test_a_changed_byte_is_refused(place: int, change: int) -> None:
    changed = bytearray(SNAPSHOT)
    changed[place] ^= change
    with pytest.raises(SnapshotFault):
        decode_snapshot(bytes(changed))
    with pytest.raises(SnapshotFault):
        decode_offsets(bytes(changed))


@given(st.integers(0, len(SNAPSHOT) - 1))
def test_a_cut_one_is_refused(length: int) -> None:
    with pytest.raises(SnapshotFault):
        decode_snapshot(SNAPSHOT[:length])
    with pytest.raises(SnapshotFault):
        decode_offsets(SNAPSHOT[:length])


@given(st.integers(0, len(ALARMED) - 1))
def test_one_with_alarms_is_refused_where_it_is_cut(length: int) -> None:
    for read in (decode_snapshot, decode_offsets, decode_snapshot_alarms):
        with pytest.raises(SnapshotFault):
            read(ALARMED[:length])


@given(st.binary(max_size=200))
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(SnapshotFault):
        decode_snapshot(data)


LEAVES = st.none() | st.booleans() | st.integers(-5, 2**40) | st.text(max_size=4)


def nested(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=4), inner, max_size=4)


@given(st.recursive(LEAVES | st.binary(max_size=4), nested))
def test_other_content_with_a_right_checksum_is_refused(content: object) -> None:
    with pytest.raises(SnapshotFault):
        decode_snapshot(sealed(msgspec.msgpack.encode(content)))


def test_a_newer_version_is_refused_by_name() -> None:
    with pytest.raises(SnapshotFault, match=f"expected a snapshot of version {VERSION}, found 9"):
        decode_snapshot(sealed(SNAPSHOT[HEADER:], version=9))
