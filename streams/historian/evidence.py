"""One bundle that proves a closed round: its events, the round, findings, alarms, acts, the book.

| file | holds |
|---|---|
| ``manifest.json`` | what the bundle is of, and each file's SHA-256 |
| ``events.ndjson`` | the table's events, as ``pitwatch check`` takes them |
| ``round.json`` | the round as it was judged |
| ``findings.ndjson``, ``alarms.ndjson``, ``acts.ndjson`` | what was said and done of it |
| ``book.toml`` | the rulebook it was judged by, where this version still has it |

The events go from the table's last opening before the round to the round's end and a count of its
stub, while Kafka has them; what ``check`` then finds is what was found. Else they are those of the
round alone. A bundle of the same round is the same, byte for byte: no time, no order of a file
system, no compression that another version does otherwise.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec import Struct

from schemas.codec import CODEC
from schemas.fields import CLOCK_SOURCE
from schemas.kinds import RoundClosed, StubCounted, StubPlaced, TableOpened
from schemas.ndjson import encode_finding, encode_line
from schemas.records import DealEvent, Round
from streams.database.export import with_times
from streams.database.queries import RoundInFull

MANIFEST: Final = "manifest.json"
VERSION: Final = 1

EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The first time that a ZIP can tell; no file of a bundle has one of its own."""

AFTER: Final = (StubPlaced, StubCounted)
"""What is told of a round after its end. Nothing else is taken: it may belong to an open round."""

MOST_EVENTS: Final = 200_000
"""Events of a table since its opening that are kept: two days at one a second."""

FROM_DEALS: Final = "deals"
FROM_ROUND: Final = "round"


@dataclass(frozen=True, slots=True)
class Events:
    """A table's events that prove a round.

    Attributes:
        lines: one JSON line each.
        source: ``deals`` where they are from the topic, ``round`` where from the round's record.
        from_opening: whether they begin with the table's opening, so that they can be judged anew.
        ticks: the worker's own ticks among them, which no recording has.
    """

    lines: tuple[bytes, ...]
    source: str
    from_opening: bool
    ticks: int = 0


def events_of(round_: Round, deals: Iterable[bytes]) -> Events:
    """Return the events that prove a round: those of the topic while it has them, else its own.

    Args:
        round_: the round; it is over.
        deals: the values of its partition, in order, from before its table was opened; no more of
            them are read than up to the round's end.
    """
    own = tuple(event.line.encode() for event in round_.events)
    # Of a round of more events than are kept the record does not know the last one.
    last = identity(own[-1]) if own and not round_.dropped_events else None
    taken: list[DealEvent] = []
    opened = begun = ended = False
    for event in _of_table(round_.table, deals):
        if ended and not isinstance(event.body, AFTER):
            break
        if not begun and isinstance(event.body, TableOpened):
            taken, opened = [], True
        if not begun and event.identity == round_.opened_by:
            begun = True
            taken = taken if opened else []
        if len(taken) == MOST_EVENTS:
            break
        taken.append(event)
        closed = round_.dropped_events > 0 and isinstance(event.body, RoundClosed)
        ended = ended or (begun and (closed or event.identity == last))
    if not ended:
        return Events(own, FROM_ROUND, from_opening=False)
    told = [event for event in taken if event.source != CLOCK_SOURCE]
    lines = tuple(encode_line(event) for event in told)
    return Events(lines, FROM_DEALS, opened, len(taken) - len(told))


def identity(line: bytes) -> str | None:
    """Return the identity of an event's JSON line; nothing where the line tells none."""
    try:
        told = msgspec.json.decode(line, type=_Identity)
    except msgspec.MsgspecError:
        return None
    return f"{told.table}/{told.source}/{told.boot}/{told.seq}"


class _Identity(Struct, frozen=True):
    table: str
    source: str
    boot: int
    seq: int


def _of_table(table: str, deals: Iterable[bytes]) -> Iterator[DealEvent]:
    for value in deals:
        event = CODEC.decode(value, DealEvent)
        if isinstance(event, DealEvent) and event.table == table:
            yield event


def files_of(whole: RoundInFull, events: Events, book: bytes | None) -> dict[str, bytes]:
    """Return a bundle's files by name, without the manifest.

    Args:
        whole: the round with what was said and done of it.
        events: the events that prove it.
        book: the text of the rulebook it was judged by, if it is known.
    """
    files = {
        "events.ndjson": _lines(events.lines),
        "round.json": _lines([_json(whole.round)]),
        "findings.ndjson": _lines(encode_finding(row.record) for row in whole.findings),
        "alarms.ndjson": _lines(_json(row.record) for row in whole.alarms),
        "acts.ndjson": _lines(_json(row) for row in whole.acts),
    }
    return files if book is None else {**files, "book.toml": book}


def manifest_of(
    whole: RoundInFull, events: Events, files: Mapping[str, bytes], version: str
) -> bytes:
    """Return the manifest of a bundle.

    Args:
        whole: the round.
        events: the events that prove it.
        files: the bundle's files.
        version: the program's version.
    """
    round_ = whole.round
    about: dict[str, Any] = {
        "bundle": VERSION,
        "version": version,
        "table": round_.table,
        "game": round_.game,
        "round": round_.number,
        "opened_by": round_.opened_by,
        "opened_at": round_.opened_at,
        "closed_at": round_.closed_at,
        "ended": round_.ended,
        "dealer": round_.dealer,
        "judged_by": {"version": round_.version, "book": round_.book},
        "events": {
            "count": len(events.lines),
            "source": events.source,
            "from_opening": events.from_opening,
            "ticks_left_out": events.ticks,
        },
        "files": [
            {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in files.items()
        ],
    }
    told = with_times(msgspec.to_builtins(about))
    return msgspec.json.format(msgspec.json.encode(told), indent=2) + b"\n"


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP of files, the same bytes for the same files on every machine."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.create_system = 3  # Unix, on every system
            entry.external_attr = 0o100600 << 16
            archive.writestr(entry, data)
    return whole.getvalue()


def _json(value: Any) -> bytes:  # noqa: ANN401  a record or a row
    return msgspec.json.encode(with_times(msgspec.to_builtins(value)))


def _lines(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
