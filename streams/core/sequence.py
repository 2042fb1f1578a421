"""Where an event stands in its source's sequence.

=========  ==================================================================================
fresh      the next of its source, or the first ever seen of it
gap        later than the next: ``missing`` events never came; it is applied
duplicate  among the last 64 identities of its source, with the same content
conflict   among the last 64 identities of its source, with other content; the first stands
late       any other identity at or below the last applied one; set aside, never applied
=========  ==================================================================================

A boot orders before a seq, so a restarted source goes on from its new boot.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final
from zlib import crc32

from streams.core.events import BODIES, Event
from streams.core.table import MOST_LATE_BOOTS, MOST_SOURCES, RECENT_IDENTITIES, SourceState

BODIES_KEPT: Final = 16384
"""The most bodies whose digests are remembered."""


class Place(Enum):
    """An event's place in its source's sequence."""

    FRESH = "fresh"
    GAP = "gap"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Sequenced:
    """The verdict on one event; ``first`` is false for a repeated conflict or late boot."""

    place: Place
    missing: int = 0
    first: bool = True


FRESH: Final = Sequenced(Place.FRESH)
DUPLICATE: Final = Sequenced(Place.DUPLICATE)


def _values(body: type[Any]) -> Callable[[Any], tuple[object, ...]]:
    names = [field.name for field in fields(body)]
    if not names:
        return lambda _: ()
    read = attrgetter(*names)
    return read if len(names) > 1 else lambda one: (read(one),)


_VALUES: Final = {body: _values(body) for body in BODIES}


@lru_cache(maxsize=BODIES_KEPT)
def _body_digest(body: Any) -> int:  # noqa: ANN401  a body of any kind
    """Return the CRC-32 of a body's kind and fields, without absent fields at the end."""
    values = _VALUES[type(body)](body)
    end = len(values)
    while end and values[end - 1] is None:
        end -= 1
    return crc32(repr((body.kind, values[:end])).encode())


def content_digest(event: Event | bytes) -> bytes:
    """Return four bytes that tell one content from another; a digest is returned as it is.

    Absent fields at the end do not count, so that a field added in a later version leaves the
    digest of an event without it as it was. ``received`` is no content: a device that sends
    again does so at another time. A CRC is enough: it is to show a device that errs, and one that
    forges needs no equal content. Of the few different bodies it is taken once.
    """
    if isinstance(event, bytes):
        return event
    return crc32(event.at.to_bytes(8), _body_digest(event.body)).to_bytes(4)


def place_of(source: SourceState, event: Event) -> tuple[Place, int]:
    """Return an event's place after what its source sent, and how many are missing before it."""
    boot = event.boot
    known = source.recent.get((boot, event.seq))
    if known is not None:
        same = content_digest(known) == content_digest(event)
        return (Place.DUPLICATE if same else Place.CONFLICT), 0
    if boot == source.boot:
        missing = event.seq - source.seq - 1
    elif boot > source.boot:
        missing = event.seq - 1
    else:
        missing = -1
    if missing < 0:
        return Place.LATE, 0
    return (Place.GAP if missing else Place.FRESH), missing


def sequence(sources: dict[str, SourceState], event: Event) -> Sequenced:
    """Place an event in its source's sequence and remember it there.

    ``sources`` is changed: the source moves to the event if it is to be applied, and to the end of
    them, so that the first of them is the one longest silent.
    """
    boot, seq = identity = (event.boot, event.seq)
    source = sources.get(event.source)
    if source is None:
        if len(sources) >= MOST_SOURCES:
            del sources[next(iter(sources))]
        sources[event.source] = SourceState(boot, seq, {identity: event})
        return FRESH
    place, missing = place_of(source, event)
    if place is Place.DUPLICATE:
        return DUPLICATE
    if place is Place.CONFLICT:
        first = identity not in source.conflicts
        source.conflicts.add(identity)
        return Sequenced(place, first=first)
    if place is Place.LATE:
        return _late(source, boot)
    source.boot, source.seq = boot, seq
    if next(reversed(sources)) != event.source:
        sources[event.source] = sources.pop(event.source)
    recent = source.recent
    if len(recent) >= RECENT_IDENTITIES:
        oldest = next(iter(recent))
        del recent[oldest]
        source.conflicts.discard(oldest)
    recent[identity] = event
    return Sequenced(place, missing) if missing else FRESH


def _late(source: SourceState, boot: int) -> Sequenced:
    if boot in source.late_boots:
        return Sequenced(Place.LATE, first=False)
    if len(source.late_boots) >= MOST_LATE_BOOTS:
        del source.late_boots[0]
    source.late_boots.append(boot)
    return Sequenced(Place.LATE)
