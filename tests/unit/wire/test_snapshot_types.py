"""A snapshot with a sound checksum and a value of another type is refused, wherever it stands."""

import zlib
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import msgspec
import pytest

from streams.core.advance import advance_all
from streams.core.table import new_table
from streams.wire.snapshot import HEADER, SnapshotFault, decode_snapshot, encode_snapshot
from tests.shell_models import recorded
from tests.traces import BOOK

NO_TYPE = 0.5
"""No field of any state is a fraction."""

ALARMS = -1
"""Where the alarms stand, which are read apart."""

NIGHTS = ("cs-overdue-then-counted-between-rounds", "bj-missed-card-made-up", "cf-legal")


def payload_of(name: str) -> list[Any]:
    """Return the fullest state, by its fields, that a recording's first events come to."""
    night = recorded(name)
    state, fullest = new_table(night[0].table), list[Any]()
    for event in night[:80]:
        state = advance_all(state, [event], BOOK).state
        payload = unsealed(encode_snapshot(state, {"deals": 7}))
        fullest = max(fullest, payload, key=lambda each: len(list(places(each))))
    return fullest


def unsealed(snapshot: bytes) -> list[Any]:
    fields: list[Any] = msgspec.msgpack.decode(snapshot[HEADER:])
    return fields


def sealed(payload: list[Any]) -> bytes:
    body = msgspec.msgpack.encode(payload)
    head = encode_snapshot(new_table("T"), {})[: HEADER - 4]
    return head + zlib.crc32(body).to_bytes(4, "big") + body


def places(value: object, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to everything in a value."""
    items: Any = ()
    if isinstance(value, list):
        items = enumerate(value)
    elif isinstance(value, dict):
        items = value.items()
    for key, inner in items:
        yield (*way, key)
        yield from places(inner, (*way, key))


def with_another(payload: list[Any], way: tuple[Any, ...], value: object) -> list[Any]:
    changed = deepcopy(payload)
    inner: Any = changed
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = value
    return changed


@pytest.mark.parametrize("name", NIGHTS)
def test_a_value_of_another_type_is_a_fault_wherever_it_stands(name: str) -> None:
    payload = payload_of(name)
    assert decode_snapshot(sealed(payload))
    ways = [way for way in places(payload) if way[0] != len(payload) + ALARMS]
    assert len(ways) > 180
    taken = []
    for way in ways:
        try:
            decode_snapshot(sealed(with_another(payload, way, NO_TYPE)))
        except SnapshotFault:
            continue
        taken.append(way)
    assert taken == []


def test_a_body_of_more_fields_than_it_has_is_a_fault() -> None:
    payload = payload_of(NIGHTS[0])
    payload[2] += [None] * 40
    with pytest.raises(SnapshotFault, match="at most 14 fields of TableOpened"):
        decode_snapshot(sealed(payload))


def test_a_place_that_counts_from_the_end_is_a_fault() -> None:
    payload = payload_of(NIGHTS[0])
    rounds = next(place for place, each in enumerate(payload) if is_round(each))
    for place in (0, 1):
        changed = deepcopy(payload)
        changed[rounds][7][0][place] = -1
        with pytest.raises(SnapshotFault, match="`int` >= 0"):
            decode_snapshot(sealed(changed))


def is_round(value: object) -> bool:
    return isinstance(value, list) and len(value) == 29
