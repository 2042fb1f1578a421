"""A table's state as bytes, for the changelog, and back.

    "PWS", version (1 byte), CRC-32 of the rest (4 bytes, big-endian), MessagePack of nested lists

Fields stand by position, so the version grows with any change to `streams.core.table`. A snapshot
that cannot be read, or that a newer program wrote, is a `SnapshotFault`: its table is then built
anew from its deals. Sizes: an idle table at most 2 KiB, an open round at most 6 KiB. The last field
are the table's alarms as `streams.wire.alarms` writes them, of a size of their own.
"""

import zlib
from collections.abc import Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any, Final

import msgspec

from streams.core.alarms.table_alarms import TableAlarms
from streams.core.events import Event, TableOpened
from streams.core.fold import begin_play
from streams.core.games import game_of
from streams.core.round_play import ErrorCard
from streams.core.sequence import content_digest
from streams.core.table import (
    RECENT_IDENTITIES,
    LastRound,
    SourceState,
    Standing,
    Stock,
    TableState,
    observed,
)
from streams.wire.alarms import NO_BYTES, decode_alarms
from streams.wire.snapshot_round import (
    body_fields,
    decode_round,
    encode_round,
    read_body,
)
from streams.wire.snapshot_rows import SourceRow, TableFields

MAGIC: Final = b"PWS"
VERSION: Final = 1
HEADER: Final = len(MAGIC) + 1 + 4
DIGEST: Final = 4
"""Bytes of a content digest."""
CONFLICTS: Final = RECENT_IDENTITIES // 8
"""Bytes with a bit for each of a source's recent identities."""
FIRST_CARDS: Final = 8
"""Bytes that stand for the first cards of a load."""

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder()
_FIELDS: Final = msgspec.msgpack.Decoder(list[msgspec.Raw])
_OFFSETS: Final = msgspec.msgpack.Decoder(dict[str, int])
_UNREADABLE: Final = (ValueError, IndexError, RecursionError)
_STANDING: Final = attrgetter(*(field.name for field in fields(Standing)))


class SnapshotFault(ValueError):
    """A snapshot cannot be read: damaged, cut, or written by a newer version."""


def encode_snapshot(
    state: TableState, offsets: Mapping[str, int], alarms: bytes = NO_BYTES
) -> bytes:
    """Return a state with the last applied offset of each source topic.

    Args:
        state: the state.
        offsets: the last applied offset of each source topic.
        alarms: the table's alarms, encoded.
    """
    speakers = {
        (name, source.boot): (place, source.seq)
        for place, (name, source) in enumerate(state.sources.items())
    }
    payload = [
        state.table,
        dict(offsets),
        None if state.setup is None else body_fields(state.setup),
        state.opening,
        state.open,
        state.dealer,
        state.last_event_at,
        state.last_received,
        state.round_number,
        None if state.last_round is None else _last_round(state.last_round),
        state.rounds_since_stub_count,
        state.shuffle,
        state.shuffle_unnamed,
        state.stock_in_hand,
        state.last_dealer,
        sorted(state.burns_due),
        state.bonus_ascertained,
        [[one.card, one.exposed] for one in state.errors_waiting],
        [_source(name, source) for name, source in state.sources.items()],
        [_stock(name, stock) for name, stock in state.stocks.items()],
        b"".join(state.first_cards),
        [_standing(one) for one in state.standing.values()],
        sorted(state.raised, key=str),
        None if state.round is None else encode_round(state.round, speakers),
        [
            [name, boot, seq]
            for (name, boot), (place, seq) in speakers.items()
            if place >= len(state.sources)
        ],
        msgspec.Raw(alarms),
    ]
    body = _ENCODER.encode(payload)
    return MAGIC + bytes((VERSION,)) + zlib.crc32(body).to_bytes(4, "big") + body


def decode_snapshot(data: bytes) -> tuple[TableState, dict[str, int]]:
    """Return a state and the last applied offset of each source topic.

    Raises:
        SnapshotFault: the bytes are no snapshot of this or an earlier version.
    """
    body = _body(data)
    try:
        return _state(_DECODER.decode(body))
    except (*_UNREADABLE, TypeError, KeyError, AttributeError) as error:
        raise SnapshotFault(f"expected the fields of a table, found: {error}") from error


def decode_offsets(data: bytes) -> dict[str, int]:
    """Return the last applied offset of each source topic alone, thirty times as fast.

    Raises:
        SnapshotFault: as `decode_snapshot`; what comes after the offsets is not looked at.
    """
    body = _body(data)
    try:
        return _OFFSETS.decode(_FIELDS.decode(body)[1])
    except _UNREADABLE as error:
        raise SnapshotFault(f"expected the offsets of a table, found: {error}") from error


def decode_snapshot_alarms(data: bytes) -> tuple[TableAlarms, bytes]:
    """Return a table's alarms alone, and their bytes.

    Raises:
        SnapshotFault: as `decode_snapshot`; what stands before the alarms is not looked at.
    """
    body = _body(data)
    try:
        values = _FIELDS.decode(body)
        alarms = bytes(values[-1])
        return decode_alarms(msgspec.convert(_DECODER.decode(values[0]), str), alarms), alarms
    except (*_UNREADABLE, TypeError, KeyError) as error:
        raise SnapshotFault(f"expected the alarms of a table, found: {error}") from error


def _body(data: bytes) -> bytes:
    if len(data) < HEADER or data[:3] != MAGIC:
        raise SnapshotFault(f"expected a snapshot beginning with {MAGIC!r}, found {data[:3]!r}")
    if data[3] != VERSION:
        raise SnapshotFault(f"expected a snapshot of version {VERSION}, found {data[3]}")
    body = data[HEADER:]
    if zlib.crc32(body) != int.from_bytes(data[4:HEADER], "big"):
        raise SnapshotFault("expected a snapshot with its own checksum, found another's")
    return body


def _state(payload: list[Any]) -> tuple[TableState, dict[str, int]]:
    table, offsets, setup, *rest = payload
    (
        opening,
        is_open,
        dealer,
        last_event_at,
        last_received,
        round_number,
        last_round,
        rounds_since,
        shuffle,
        shuffle_unnamed,
        stock_in_hand,
        last_dealer,
        burns_due,
        bonus_ascertained,
        errors_waiting,
        source_rows,
        stocks,
        first_cards,
        standing,
        raised,
        round_,
        restarted,
        _,
    ) = msgspec.convert([rest], TableFields).row
    speakers = [*((row[0], row[1], row[2]) for row in source_rows), *restarted]
    opened = None if setup is None else read_body(TableOpened, setup)
    state = TableState(
        table=msgspec.convert(table, str),
        setup=opened,
        observes=frozenset() if opened is None else observed(opened),
        opening=opening,
        open=is_open,
        dealer=dealer,
        last_event_at=last_event_at,
        last_received=last_received,
        round_number=round_number,
        last_round=None if last_round is None else LastRound(*last_round),
        rounds_since_stub_count=rounds_since,
        shuffle=shuffle,
        shuffle_unnamed=shuffle_unnamed,
        stock_in_hand=stock_in_hand,
        last_dealer=last_dealer,
        burns_due=set(burns_due),
        bonus_ascertained=bonus_ascertained,
        errors_waiting=tuple(ErrorCard(*row) for row in errors_waiting),
        sources=dict(_read_source(row) for row in source_rows),
        stocks={row[0]: _read_stock(row[1:]) for row in stocks},
        first_cards=[
            first_cards[at : at + FIRST_CARDS] for at in range(0, len(first_cards), FIRST_CARDS)
        ],
        standing={(row[0], row[1]): Standing(*row) for row in standing},
        raised=set(raised),
        round=None if round_ is None else decode_round(round_, table, speakers),
    )
    if state.round is not None and opened is not None:
        begin_play(state, state.round, game_of(opened))
    return state, msgspec.convert(offsets, dict[str, int])


def _last_round(last: LastRound) -> list[object]:
    return [last.number, last.stock, last.stock_named, last.left, last.gap]


def _standing(one: Standing) -> list[object]:
    *values, detail = _STANDING(one)
    return [*values, dict(detail)]


def _source(name: str, source: SourceState) -> list[object]:
    """Return a source; its identities as runs of boot, first seq and length."""
    runs: list[list[int]] = []
    digests: list[bytes] = []
    for identity, content in source.recent.items():
        boot, seq = identity
        if runs and runs[-1][0] == boot and runs[-1][1] + runs[-1][2] == seq:
            runs[-1][2] += 1
        else:
            runs.append([boot, seq, 1])
        digest = content_digest(content)
        if digest is not content:
            # The digest says all that is asked of the event from now on, and is taken only once.
            source.recent[identity] = digest
        digests.append(digest)
    return [
        name,
        source.boot,
        source.seq,
        runs,
        b"".join(digests),
        _conflicts(source),
        source.late_boots,
    ]


def _conflicts(source: SourceState) -> bytes:
    """Return the conflicts, all among the recent identities, as a bit for each of these."""
    marks = 0
    if source.conflicts:
        for place, identity in enumerate(source.recent):
            marks |= (identity in source.conflicts) << place
    return marks.to_bytes(CONFLICTS, "little").rstrip(b"\0")


def _read_source(row: SourceRow) -> tuple[str, SourceState]:
    name, boot, seq, runs, digests, conflicts, late_boots = row
    recent: dict[tuple[int, int], Event | bytes] = {}
    at = 0
    for run_boot, first, length in runs:
        if length > RECENT_IDENTITIES:
            raise ValueError(f"a run of {length} identities, where {RECENT_IDENTITIES} are kept")
        for run_seq in range(first, first + length):
            recent[run_boot, run_seq] = digests[at : at + DIGEST]
            at += DIGEST
    marks = int.from_bytes(conflicts, "little")
    known = {each for place, each in enumerate(recent) if marks >> place & 1} if marks else set()
    return name, SourceState(boot, seq, recent, known, late_boots)


def _stock(name: str, stock: Stock) -> list[object]:
    return [
        name,
        stock.shuffle,
        stock.shuffled,
        stock.cut_round,
        stock.emptied,
        stock.unemptied,
        stock.left,
        stock.loaded,
        "".join(stock.seen),
        list(stock.seen.values()),
        stock.seen_in_round,
        stock.last,
        stock.rising,
        stock.falling,
        "".join(stock.first),
        sorted(stock.raised),
    ]


def _cards(text: str) -> list[Any]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def _read_stock(row: tuple[Any, ...]) -> Stock:
    return Stock(
        shuffle=row[0],
        shuffled=row[1],
        cut_round=row[2],
        emptied=row[3],
        unemptied=row[4],
        left=row[5],
        loaded=row[6],
        seen=dict(zip(_cards(row[7]), row[8], strict=True)),
        seen_in_round=row[9],
        last=row[10],
        rising=row[11],
        falling=row[12],
        first=_cards(row[13]),
        raised=set(row[14]),
    )
