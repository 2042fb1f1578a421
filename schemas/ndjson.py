"""Events as JSON lines: what devices send, and what recordings hold.

A good line goes the fast way: msgspec reads it into a flat record of its kind, with every range.
msgspec takes the last of two equal keys and takes ``null`` for an absent field; both are seen by
counting colons, for the same record written anew, without its absent fields, has as many as the
line had. A line that the fast way doubts, or that has an escape in it (which could hide a colon),
is read again by ``schemas.exact``, and that reading decides.
"""

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Any, BinaryIO, Final

import msgspec

from schemas.exact import MAX_LINE, read_exactly
from schemas.faults import LineFault
from schemas.fields import CLOCK_SOURCE
from schemas.kinds import TableOpened, entries_differ
from schemas.lines import BODY_OF, PLAIN_LINES
from schemas.names import is_source, is_table
from schemas.records import DealEvent, Finding
from schemas.times import format_time, parse_time

BOM: Final = b"\xef\xbb\xbf"

_any_line: Any = reduce(or_, PLAIN_LINES.values())
_decode: Final = msgspec.json.Decoder(_any_line).decode
_encode: Final = msgspec.json.Encoder().encode


def decode_line(raw: bytes) -> DealEvent | LineFault:
    """Return the event of one line, or why it is refused. Never raises.

    ``raw`` is the line without its end of line. A tick, the clock's source, and the fields that a
    gateway adds are refused: a device may send none of them.
    """
    if len(raw) > MAX_LINE or b"\\" in raw:
        return read_exactly(raw)
    try:
        line = _decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return read_exactly(raw)
    if raw.count(b":") != _encode(line).count(b":"):
        return read_exactly(raw)
    at = parse_time(line.at)
    body = BODY_OF[type(line)](line)
    if (
        at is None
        or not is_table(line.table)
        or not is_source(line.source)
        or line.source == CLOCK_SOURCE
        or (type(body) is TableOpened and not entries_differ(body))
    ):
        return read_exactly(raw)
    return DealEvent(line.table, line.source, line.boot, line.seq, at, body)


def encode_line(event: DealEvent) -> bytes:
    """Return an event as one JSON line, without an end of line.

    ``received`` and ``gateway`` are no part of a line. The event's own values are not checked.
    """
    body: dict[str, object] = msgspec.to_builtins(event.body)
    return _encode(
        {
            "table": event.table,
            "source": event.source,
            "boot": event.boot,
            "seq": event.seq,
            "at": format_time(event.at),
            **body,
        }
    )


def encode_finding(finding: Finding) -> bytes:
    """Return a finding as one JSON line, as `pitwatch check` prints it, without an end of line."""
    values: dict[str, object] = msgspec.to_builtins(finding)
    values["at"] = format_time(finding.at)
    return _encode(values)


def read_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield each line that is not blank, with its number from 1, without its end of line.

    A byte order mark before the first line and a carriage return at a line's end are taken off.
    A line over ``MAX_LINE`` is yielded cut, still too long, so that it is refused; memory is
    bounded however long it is.
    """
    number = 0
    while line := stream.readline(MAX_LINE + 3):
        number += 1
        if number == 1:
            line = line.removeprefix(BOM)
        if not line.endswith(b"\n"):
            _skip_rest(stream, line)
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        if line.strip() or len(line) > MAX_LINE:
            yield number, line


def _skip_rest(stream: BinaryIO, start: bytes) -> None:
    """Read on to the end of a line of which ``start`` is the cut beginning."""
    piece = start
    while piece and not piece.endswith(b"\n"):
        piece = stream.readline(MAX_LINE)
