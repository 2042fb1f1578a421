"""The open round within a snapshot: its events, each once, and what the core keeps of them.

An event stands with its time relative to the round's opening, its source and boot by their place
in a list, its sequence number counted back from the last of them, and its body as it was once
written; what the core keeps by reference (cards) stands by place.
"""

from dataclasses import fields
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec

from streams.core.events import BODIES, Body, Event
from streams.core.table import RoundState
from streams.wire.snapshot_rows import EventRow, RoundFields

BODIES_KEPT: Final = 16384
"""The most bodies that are kept as they are written."""

_ENCODER: Final = msgspec.msgpack.Encoder()
_KIND: Final = {body: index for index, body in enumerate(BODIES)}
_NAMES: Final[dict[type[Any], tuple[str, ...]]] = {
    body: tuple(field.name for field in fields(body)) for body in BODIES
}

B = TypeVar("B")

Speakers = dict[tuple[str, int], tuple[int, int]]
"""Of each source and boot its place in their list, and the seq from which its events' are told."""


def body_fields(body: Body) -> list[object]:
    """Return a body's fields in order, without the absent ones at its end."""
    values: list[object] = [getattr(body, name) for name in _NAMES[type(body)]]
    while values and values[-1] is None:
        values.pop()
    return values


def read_body(kind: type[B], values: list[Any]) -> B:
    """Return a body of what MessagePack gave back of its fields.

    Raises:
        ValueError: they are more than it has, one is missing, or one is of another type.
    """
    names = _NAMES[kind]
    if len(values) > len(names):
        raise ValueError(
            f"expected at most {len(names)} fields of {kind.__name__}, found {len(values)}"
        )
    return msgspec.convert(dict(zip(names, values, strict=False)), kind)


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
    return msgspec.Raw(_ENCODER.encode(body_fields(body)))


def _read_event(row: EventRow, opened_at: int, table: str, speakers: list[Any]) -> Event:
    kind, place, back, at, received, values = row
    source, boot, last = speakers[place]
    return Event(
        table,
        source,
        boot,
        last - back,
        at + opened_at,
        read_body(BODIES[kind], values),
        None if received is None else received + at + opened_at,
    )


def encode_round(round_: RoundState, speakers: Speakers) -> list[object]:
    """Return a round's fields in order; ``speakers`` grows by whom no source tells of any more."""
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


def decode_round(values: list[Any], table: str, speakers: list[Any]) -> RoundState:
    """Return the round whose fields these are, ``speakers`` as they were after it was written.

    Raises:
        ValueError: a field is of another type.
    """
    row = msgspec.convert([values], RoundFields).row
    opened_at, kept = row[1], row[6]
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
        in_play=row[17],
        next_place=row[18],
        dealing_hand=row[19],
        holding=row[20],
        no_more_bets=row[21],
        lockout=row[22],
        settling=row[23],
        stub_placed=row[24],
        stub_count=row[25],
        cards_at_stub=row[26],
        findings=row[27],
        reader_at_fault=row[28],
    )
