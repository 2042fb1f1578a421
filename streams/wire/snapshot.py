"""A table's state as bytes, for the changelog, and back.

    "PWS", version (1 byte), CRC-32 of the rest (4 bytes, big-endian), MessagePack of nested lists

Fields stand by position, so the version grows with any change to `streams.core.table`. A snapshot
that cannot be read, or that a newer program wrote, is a `SnapshotFault`: its table is then built
anew from its deals. Sizes: an idle table at most 2 KiB, an open round at most 6 KiB.

Events of the round are written once each, with their time relative to the round's opening, its
receipt relative to that, their source and boot by their place in a list of speakers, and their seq
counted back from that speaker's last; what the core keeps by reference (cards) is written by place.
"""

import zlib
from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

import msgspec

from streams.core.events import BODIES, Body, Event, TableOpened
from streams.core.fold import begin_play
from streams.core.games import game_of
from streams.core.sequence import content_digest
from streams.core.table import (
    RECENT_IDENTITIES,
    LastRound,
    RoundState,
    SourceState,
    Standing,
    Stock,
    TableState,
    observed,
)

MAGIC: Final = b"PWS"
VERSION: Final = 1
HEADER: Final = len(MAGIC) + 1 + 4
BODIES_KEPT: Final = 16384
"""The most bodies that are kept as they are written."""
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
_KIND: Final = {body: index for index, body in enumerate(BODIES)}
_NAMES: Final = {body: tuple(field.name for field in fields(body)) for body in BODIES}
_STANDING: Final = attrgetter(*(field.name for field in fields(Standing)))


Speakers = dict[tuple[str, int], tuple[int, int]]
"""Of each source and boot its place in their list, and the seq from which its events' are told."""


class SnapshotFault(ValueError):
    """A snapshot cannot be read: damaged, cut, or written by a newer version."""


def encode_snapshot(state: TableState, offsets: Mapping[str, int]) -> bytes:
    """Return a state with the last applied offset of each source topic."""
    speakers = {
        (name, source.boot): (place, source.seq)
        for place, (name, source) in enumerate(state.sources.items())
    }
    payload = [
        state.table,
        dict(offsets),
        None if state.setup is None else _values(state.setup),
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
        [_source(name, source) for name, source in state.sources.items()],
        [_stock(name, stock) for name, stock in state.stocks.items()],
        b"".join(state.first_cards),
        [_standing(one) for one in state.standing.values()],
        sorted(state.raised, key=str),
        None if state.round is None else _round(state.round, speakers),
        [
            [name, boot, seq]
            for (name, boot), (place, seq) in speakers.items()
            if place >= len(state.sources)
        ],
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
        source_rows,
        stocks,
        first_cards,
        standing,
        raised,
        round_,
        restarted,
    ) = rest
    speakers = [*((row[0], row[1], row[2]) for row in source_rows), *restarted]
    opened = None if setup is None else TableOpened(*_tuples(setup))
    state = TableState(
        table=table,
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
        sources=dict(_read_source(row) for row in source_rows),
        stocks={row[0]: _read_stock(row[1:]) for row in stocks},
        first_cards=[
            first_cards[at : at + FIRST_CARDS] for at in range(0, len(first_cards), FIRST_CARDS)
        ],
        standing={(row[0], row[1]): Standing(*row) for row in standing},
        raised={(code, position, hand) for code, position, hand in raised},
        round=None if round_ is None else _read_round(round_, table, speakers),
    )
    if state.round is not None and opened is not None:
        begin_play(state, state.round, game_of(opened))
    return state, msgspec.convert(offsets, dict[str, int])


def _values(body: Body) -> list[object]:
    """Return a body's fields in order, without the absent ones at its end."""
    values: list[object] = [getattr(body, name) for name in _NAMES[type(body)]]
    while values and values[-1] is None:
        values.pop()
    return values


def _tuples(values: list[Any]) -> list[Any]:
    return [tuple(value) if isinstance(value, list) else value for value in values]


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


def _read_source(row: list[Any]) -> tuple[str, SourceState]:
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


def _read_stock(row: list[Any]) -> Stock:
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


def _event(event: Event, opened_at: int, speakers: Speakers) -> list[object]:
    speaker = speakers.get((event.source, event.boot))
    if speaker is None:
        # A source that restarted in the round, or was forgotten since.
        speaker = speakers[event.source, event.boot] = (len(speakers), event.seq)
    place, last = speaker
    return [
        _KIND[type(event.body)],
        place,
        last - event.seq,
        event.at - opened_at,
        None if event.received is None else event.received - event.at,
        _body_values(event.body),
    ]


@lru_cache(maxsize=BODIES_KEPT)
def _body_values(body: Body) -> msgspec.Raw:
    """Return a body's fields as they stand in a snapshot; few bodies differ, so they are kept."""
    return msgspec.Raw(_ENCODER.encode(_values(body)))


def _read_event(row: list[Any], opened_at: int, table: str, speakers: list[Any]) -> Event:
    kind, place, back, at, received, values = row
    source, boot, last = speakers[place]
    return Event(
        table,
        source,
        boot,
        last - back,
        at + opened_at,
        BODIES[kind](*_tuples(values)),
        None if received is None else received + at + opened_at,
    )


def _round(round_: RoundState, speakers: Speakers) -> list[object]:
    kept = {id(event): index for index, event in enumerate(round_.events)}
    events = list(round_.events)
    for event in round_.cards:
        if id(event) not in kept:
            kept[id(event)] = len(events)
            events.append(event)
    return [
        round_.number,
        round_.opened_at,
        round_.stock,
        round_.stock_named,
        round_.gap,
        round_.voided,
        len(round_.events),
        [_event(event, round_.opened_at, speakers) for event in events],
        round_.dropped_events,
        [kept[id(event)] for event in round_.cards],
        round_.dealt,
        round_.left,
        [[*key, indices] for key, indices in round_.hands.items()],
        list(round_.turned.items()),
        list(round_.readings.items()),
        round_.loose,
        sorted(round_.wagered),
        round_.in_play,
        round_.next_place,
        round_.dealing_hand,
        round_.holding,
        round_.no_more_bets,
        round_.lockout,
        round_.settling,
        round_.stub_placed,
        round_.stub_count,
        round_.cards_at_stub,
        round_.findings,
        round_.reader_at_fault,
    ]


def _read_round(row: list[Any], table: str, speakers: list[Any]) -> RoundState:
    opened_at, kept, in_play = row[1], row[6], row[17]
    events = [_read_event(event, opened_at, table, speakers) for event in row[7]]
    return RoundState(
        number=row[0],
        opened_at=opened_at,
        stock=row[2],
        stock_named=row[3],
        gap=row[4],
        voided=row[5],
        events=events[:kept],
        dropped_events=row[8],
        cards=[events[index] for index in row[9]],
        dealt=row[10],
        left=row[11],
        hands={(to, position, hand): indices for to, position, hand, indices in row[12]},
        turned=dict(row[13]),
        readings=dict(row[14]),
        loose=row[15],
        wagered=set(row[16]),
        in_play=None if in_play is None else tuple(in_play),
        next_place=row[18],
        dealing_hand=row[19],
        holding=row[20],
        no_more_bets=row[21],
        lockout=row[22],
        settling=row[23],
        stub_placed=row[24],
        stub_count=row[25],
        cards_at_stub=row[26],
        findings=[(code, finding) for code, finding in row[27]],
        reader_at_fault=row[28],
    )
