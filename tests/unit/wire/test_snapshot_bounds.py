"""A snapshot with a sound checksum that asks for too much is refused, and at once."""

import zlib
from dataclasses import replace

import msgspec
import pytest

from streams.core.advance import advance_all
from streams.core.events import SupervisorCalled
from streams.core.table import MOST_SOURCES, new_table
from streams.wire.snapshot import (
    HEADER,
    MAGIC,
    VERSION,
    SnapshotFault,
    decode_offsets,
    decode_snapshot,
    encode_snapshot,
)
from tests.traces import BOOK, CARIBBEAN, SHUFFLE, events, legal, opened

STATE = advance_all(new_table("T"), events([opened(CARIBBEAN), SHUFFLE]), BOOK).state
BODY = encode_snapshot(STATE, {"deals": 1})[HEADER:]


def sealed(body: bytes) -> bytes:
    return MAGIC + bytes([VERSION]) + zlib.crc32(body).to_bytes(4, "big") + body


def test_a_run_of_more_identities_than_are_kept_is_refused_before_it_is_made() -> None:
    payload = msgspec.msgpack.decode(BODY)
    assert decode_snapshot(sealed(msgspec.msgpack.encode(payload))) == (STATE, {"deals": 1})
    (name,) = STATE.sources
    source = next(
        each[0] for each in payload if isinstance(each, list) and each and name in each[0]
    )
    source[3] = [[1, 1, 2**40]]
    with pytest.raises(SnapshotFault, match="a run of 1099511627776 identities, where 64 are kept"):
        decode_snapshot(sealed(msgspec.msgpack.encode(payload)))


@pytest.mark.parametrize("body", [b"\x91" * 100_000, b"\x92\xc0" + b"\x91" * 100_000 + b"\xc0"])
def test_lists_nested_too_deeply_are_refused(body: bytes) -> None:
    with pytest.raises(SnapshotFault):
        decode_snapshot(sealed(body))
    with pytest.raises(SnapshotFault):
        decode_offsets(sealed(body))


def test_offsets_of_another_shape_are_refused() -> None:
    payload = msgspec.msgpack.decode(BODY)
    payload[1] = 25
    with pytest.raises(SnapshotFault, match="Expected `object`, got `int`"):
        decode_snapshot(sealed(msgspec.msgpack.encode(payload)))
    with pytest.raises(SnapshotFault, match="expected the offsets of a table"):
        decode_offsets(sealed(msgspec.msgpack.encode(payload)))


def test_events_of_a_source_that_is_forgotten_since_are_read_back() -> None:
    round_ = events([opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)[:6]])
    others = [
        replace(round_[-1], source=f"other/{each}", body=SupervisorCalled())
        for each in range(MOST_SOURCES)
    ]
    state = advance_all(new_table("T"), [*round_, *others], BOOK).state
    assert state.round is not None
    assert round_[0].source not in state.sources
    assert decode_snapshot(encode_snapshot(state, {})) == (state, {})
