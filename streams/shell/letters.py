"""Dead letters read back: what their headers say, and what their bytes are to this program.

A letter is of the deals or of the commands, as the topic in its headers says; one without a topic
is a line that a gateway refused, or several where a request had too many. Nothing in it is
trusted: its headers may be anyone's, and its bytes are what could not be used.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import msgspec

from schemas.codec import CODEC
from schemas.faults import LineFault, RecordFault
from schemas.ndjson import decode_line
from schemas.record_signing import GATEWAY, KEY, SIGNATURE
from streams.core.events import Event
from streams.shell.deadletters import CONNECT, OWN, Refusal
from streams.shell.ports import Headers, SourceRecord
from streams.shell.translate import read_event, read_own_event
from streams.wire.inbound import to_event

UNNAMED: Final = "none"
"""The reason of a letter that says none."""

BAD_LINE: Final = "bad_line"

SIGNED: Final = (GATEWAY, KEY, SIGNATURE)
"""The headers by which a worker knows whose a deal is."""


class LetterRecord(SourceRecord, Protocol):
    """One record of the topic of dead letters."""

    @property
    def timestamp(self) -> int:
        """Return when it was written, in milliseconds since 1970-01-01 UTC."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One dead letter.

    Attributes:
        partition: where it stands.
        offset: its place there.
        at: when it was written, microseconds since 1970-01-01 UTC.
        table: what its key says, which may be no table's name.
        value: the bytes as they came.
        reason: why they were not applied, and with ``field``, ``expected`` and ``found`` what was
            wrong with them; empty where the headers do not say.
        version: of the program that set it aside.
        stage: where, in Kafka Connect's words.
        topic: what it was read from; a gateway's line has none.
        source_partition: where it stood there.
        source_offset: its place there.
        gateway: which gateway refused it.
        length: how long the bytes were, where they were cut.
        stack: the end of the stack of the error that judging it raised.
        signed: the headers that say whose it is, where it was read from the deals.
    """

    partition: int
    offset: int
    at: int
    table: str | None
    value: bytes | None
    reason: str
    field: str
    expected: str
    found: str
    version: str
    stage: str
    topic: str | None
    source_partition: int | None
    source_offset: int | None
    gateway: str | None
    length: int | None
    stack: str | None
    signed: Headers = ()

    @property
    def name(self) -> str:
        """Return ``partition/offset``, by which commands name it."""
        return f"{self.partition}/{self.offset}"


def read_letter(record: LetterRecord) -> Letter:
    """Return what a record of the topic of dead letters says."""
    said = {name: value.decode("utf-8", "replace") for name, value in record.headers if value}
    return Letter(
        partition=record.partition,
        offset=record.offset,
        at=record.timestamp * 1000,
        table=None if record.key is None else record.key.decode("utf-8", "backslashreplace"),
        value=record.value,
        reason=said.get(f"{OWN}reason", UNNAMED),
        field=said.get(f"{OWN}field", ""),
        expected=said.get(f"{OWN}expected", ""),
        found=said.get(f"{OWN}found", ""),
        version=said.get(f"{OWN}version", ""),
        stage=said.get(f"{CONNECT}stage", ""),
        topic=said.get(f"{CONNECT}topic"),
        source_partition=_number(said.get(f"{CONNECT}partition")),
        source_offset=_number(said.get(f"{CONNECT}offset")),
        gateway=said.get(f"{OWN}gateway"),
        length=_number(said.get(f"{OWN}length")),
        stack=said.get(f"{CONNECT}exception.stacktrace"),
        signed=tuple(each for each in record.headers if each[0] in SIGNED),
    )


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None


@dataclass(frozen=True, slots=True)
class Readable:
    """An event that a letter holds, and the bytes by which it stands on the deal topic."""

    event: Event
    value: bytes


def contents(letter: Letter) -> Iterator[Readable | Refusal]:
    """Yield what a letter of the deals or of a gateway holds, to this version of the program."""
    value = letter.value or b""
    if letter.topic is not None:
        event = read_event(letter.value)
        yield event if isinstance(event, Refusal) else Readable(event, value)
        return
    for line in value.split(b"\n"):
        yield _line(letter, line.removesuffix(b"\r"))


def own_event(key: bytes | None, value: bytes | None) -> Event | None:
    """Return the event of a deal record, if a worker takes it for the table of its key."""
    event = read_own_event(key, value)
    return event if isinstance(event, Event) else None


def _line(letter: Letter, line: bytes) -> Readable | Refusal:
    """Return a refused line's event, stamped as it would have been."""
    record = decode_line(line)
    if isinstance(record, LineFault):
        return Refusal(BAD_LINE, record.field, record.expected, record.found)
    stamped = msgspec.structs.replace(record, received=letter.at, gateway=letter.gateway)
    try:
        return Readable(to_event(stamped), CODEC.encode(stamped))
    except RecordFault as error:
        return Refusal(error.fault.reason, *_parts(error))


def _parts(error: RecordFault) -> Sequence[str]:
    return error.fault.field, error.fault.expected, error.fault.found
