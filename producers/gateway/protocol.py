"""What a device's request says: bytes in, verdicts out, with no connection and no disk.

Every line that is not blank gets one verdict, in order:

    the line                                verdict
    an event whose identity is not known    accepted: an entry for the spool
    an identity known, with other content   accepted: the worker raises conflicting_event
    an identity known, with this content    duplicate: counted
    anything else                           refused: named in the answer, and an entry that becomes
                                            a dead letter

After MOST_REFUSED refused lines the rest of the request is refused unread, a dead letter for all
lines that are judged at a stretch, so that a request of 1 MiB cannot make half a million of them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from io import BytesIO
from itertools import islice
from typing import Final

import msgspec

from producers.gateway.entries import LONGEST_RAW, Accepted, Entry, Refused
from producers.gateway.identities import Identities
from schemas.faults import LineFault, RecordFault
from schemas.fields import Table
from schemas.ndjson import BOM, decode_line
from schemas.records import DealEvent

MOST_REFUSED: Final = 1000
DIGEST_SIZE: Final = 16

BAD_LINE: Final = "bad_line"
UNKNOWN_KIND: Final = "unknown_kind"
BAD_FIELD: Final = "bad_field"
TOO_MANY_REFUSED: Final = "too_many_refused"
REASONS: Final = (BAD_LINE, UNKNOWN_KIND, BAD_FIELD, TOO_MANY_REFUSED)
"""Why a line is refused: no event at all, a kind there is none of, a field of it, or its place."""

Line = tuple[int, bytes]
"""A line that is not blank: its number from 1, and its bytes without the end of line."""

Identity = tuple[str, str, int, int]
"""Table, source, boot and seq: what names one event."""


class Rejection(msgspec.Struct, frozen=True):
    """What a device is told of a refused line."""

    line: int
    field: str
    expected: str
    found: str


class Answer(msgspec.Struct, frozen=True):
    """The body of an answer to a request whose lines were judged."""

    accepted: int
    duplicates: int
    rejected: tuple[Rejection, ...]


@dataclass(slots=True)
class Verdicts:
    """The verdicts on a request so far.

    Args:
        entries: accepted events and refused lines, in order, for the spool.
        said: the accepted events' identities with the digests of what each said first.
        tables: those that any line named, what was known too, in the order first named.
    """

    entries: list[Entry] = field(default_factory=list)
    said: dict[Identity, bytes] = field(default_factory=dict)
    tables: dict[str, None] = field(default_factory=dict)
    accepted: int = 0
    duplicates: int = 0
    rejected: list[Rejection] = field(default_factory=list)

    @property
    def answer(self) -> Answer:
        """Return what the device is told."""
        return Answer(self.accepted, self.duplicates, tuple(self.rejected))


class Judge:
    """Judges lines as they come.

    Args:
        gateway: this gateway's name, stamped on every event.
        encode: an event's bytes for the deal topic.
        identities: what is remembered of the sources.
    """

    def __init__(
        self, gateway: str, encode: Callable[[DealEvent], bytes], identities: Identities
    ) -> None:
        self._gateway = gateway
        self._encode = encode
        self._identities = identities

    def judge(self, lines: Sequence[Line], received: int, verdicts: Verdicts) -> None:
        """Add the verdicts on some lines.

        Args:
            lines: the next lines of the request.
            received: the gateway's clock, microseconds since 1970-01-01 UTC.
            verdicts: those on the lines before, which grow.
        """
        for place, (number, raw) in enumerate(lines):
            if len(verdicts.rejected) >= MOST_REFUSED:
                self._refuse_rest(lines[place:], received, verdicts)
                return
            event = decode_line(raw)
            fault = (
                event
                if isinstance(event, LineFault)
                else self._accept(raw, event, received, verdicts)
            )
            if fault is not None:
                _refuse(raw, fault, _reason(fault), received, verdicts)
                verdicts.rejected.append(
                    Rejection(number, fault.field, fault.expected, fault.found)
                )

    def remember(self, verdicts: Verdicts) -> None:
        """Remember what a request said, for it is on the disk."""
        for identity, digest in verdicts.said.items():
            self._identities.remember(*identity, digest)

    def _accept(
        self, raw: bytes, event: DealEvent, received: int, verdicts: Verdicts
    ) -> LineFault | None:
        """Accept an event, unless the version that is written has no place for it."""
        identity: Identity = (event.table, event.source, event.boot, event.seq)
        verdicts.tables[event.table] = None
        digest = blake2b(raw, digest_size=DIGEST_SIZE).digest()
        if digest in (self._identities.known(*identity), verdicts.said.get(identity)):
            verdicts.duplicates += 1
            return None
        stamped = msgspec.structs.replace(event, received=received, gateway=self._gateway)
        try:
            value = self._encode(stamped)
        except RecordFault as error:
            return LineFault(error.fault.field, error.fault.expected, error.fault.found)
        verdicts.entries.append(Accepted(*identity, event.at, received, digest, value))
        verdicts.accepted += 1
        verdicts.said.setdefault(identity, digest)
        return None

    def _refuse_rest(self, lines: Sequence[Line], received: int, verdicts: Verdicts) -> None:
        number = lines[0][0]
        fault = LineFault("line", f"at most {MOST_REFUSED} refused lines a request", "more")
        raw = b"\n".join(line for _, line in lines)
        _refuse(raw, fault, TOO_MANY_REFUSED, received, verdicts)
        if verdicts.rejected[-1].found != fault.found:
            verdicts.rejected.append(Rejection(number, fault.field, fault.expected, fault.found))


def split_lines(body: bytes) -> Iterator[Line]:
    """Yield a request's lines that are not blank; a BOM and carriage returns are taken off.

    One at a time, for a list of half a million lines takes sixty times the bytes of their body.
    """
    for number, line in enumerate(BytesIO(body.removeprefix(BOM)), start=1):
        if line.strip():
            yield number, line.removesuffix(b"\n").removesuffix(b"\r")


def in_parts(lines: Iterable[Line], size: int) -> Iterator[Sequence[Line]]:
    """Yield the lines in parts of `size`, so that long requests let others have their turn."""
    rest = iter(lines)
    while part := tuple(islice(rest, size)):
        yield part


class _TableOnly(msgspec.Struct):
    table: Table


def _refuse(raw: bytes, fault: LineFault, reason: str, received: int, verdicts: Verdicts) -> None:
    table = _table_of(raw)
    if table is not None:
        verdicts.tables[table] = None
    refused = Refused(
        table=table,
        received=received,
        raw=raw[:LONGEST_RAW],
        length=len(raw),
        reason=reason,
        field=fault.field,
        expected=fault.expected,
        found=fault.found,
    )
    verdicts.entries.append(refused)


def _table_of(raw: bytes) -> str | None:
    """Return the table that a refused line names, by which its dead letter is keyed."""
    try:
        return msgspec.json.decode(raw, type=_TableOnly).table
    except (msgspec.MsgspecError, RecursionError):
        return None


def _reason(fault: LineFault) -> str:
    match fault.field:
        case "line":
            return BAD_LINE
        case "kind":
            return UNKNOWN_KIND
        case _:
            return BAD_FIELD
