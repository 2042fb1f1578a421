"""Records of the event contract to the core's events, and back.

Both have the same kinds with the same fields in the same order, so a body is taken over by
position. Bodies are frozen and few of them differ: a bounded cache gives the same object for the
same fields, which is three times as fast as building it and keeps a state small.
"""

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, cast

import msgspec

from schemas import kinds
from schemas.codec import CODEC
from schemas.deals import DealReader
from schemas.records import DealEvent
from schemas.times import format_time
from streams.core import events
from streams.core.events import Body, Event

BODIES_KEPT: Final = 4096
"""The most bodies that the cache keeps of one kind."""


def _converter(names: tuple[str, ...], target: type) -> Callable[[Any], Any]:
    """Return what builds ``target`` from an object with the attributes ``names``, in order.

    The cache's keys hold the type of each value, for ``1`` and ``True`` are equal in Python.
    """
    if not names:
        alone = target()
        return lambda _source: alone
    make = lru_cache(maxsize=BODIES_KEPT, typed=True)(target)
    take = attrgetter(*names)
    if len(names) == 1:
        return lambda source: make(take(source))
    return lambda source: make(*take(source))


_TO_CORE: Final = {
    body: _converter(body.__struct_fields__, events.KINDS[kind])
    for kind, body in kinds.KINDS.items()
}
_TO_RECORD: Final = {
    body: _converter(kinds.KINDS[kind].__struct_fields__, kinds.KINDS[kind])
    for kind, body in events.KINDS.items()
}


def to_body(body: kinds.AnyBody) -> Body:
    """Return the core's body of a record's."""
    return cast(Body, _TO_CORE[type(body)](body))


def to_event(record: DealEvent) -> Event:
    """Return the core's event of a record."""
    return Event(
        record.table,
        record.source,
        record.boot,
        record.seq,
        record.at,
        to_body(record.body),
        record.received,
    )


DEALS: Final = DealReader(CODEC, to_body, Event)
"""Reads the values of the deal topic as the core's events."""


@lru_cache(maxsize=BODIES_KEPT)
def _body_text(body: Body) -> str:
    """Return a body's fields as JSON, its kind first, up to the closing brace."""
    return msgspec.json.encode(_TO_RECORD[type(body)](body)).decode().removeprefix("{")


def to_line(event: Event) -> str:
    """Return a core's event as the JSON line that ``schemas.ndjson`` writes of its record.

    The names of tables and sources hold nothing that JSON escapes. A round's line is written from
    its body's remembered text, twice as fast as from a record.
    """
    return (
        f'{{"table":"{event.table}","source":"{event.source}","boot":{event.boot},'
        f'"seq":{event.seq},"at":"{format_time(event.at)}",{_body_text(event.body)}'
    )


def to_record(event: Event, gateway: str | None = None) -> DealEvent:
    """Return the record of a core's event, as received by ``gateway``.

    Its values are those of the event, unchecked: what encodes it to Avro checks them.
    """
    body = event.body
    return DealEvent(
        event.table,
        event.source,
        event.boot,
        event.seq,
        event.at,
        cast(kinds.AnyBody, _TO_RECORD[type(body)](body)),
        event.received,
        gateway,
    )
