"""What is fuzzed: functions of bytes that fail where a promise about any input does not hold.

| target | the bytes are | promised |
|---|---|---|
| ``ndjson`` | lines as a device sends them | an event or a fault, the same fast and exactly |
| ``avro`` | a value, as it came or after a schema's mark | a record, or a fault |
| ``snapshot`` | a state, as it came or under a sound checksum | a state or a ``SnapshotFault`` |
| ``spool`` | a segment, a file of progress, or entries in sound frames | it opens and goes on |
| ``http`` | what a client writes on a connection | answered or cut; what was accepted is kept |
| ``console`` | what a browser asks of the pages | answered safely; no act without its token |

The first byte of ``avro``, ``snapshot`` and ``spool`` chooses among what the rest may be.
"""

import re
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Final

from producers.gateway.entries import LONGEST_RAW, Accepted, Merged, Refused, encode_entry
from producers.gateway.progress import SLOT_SIZE, Progress, encode_slot
from producers.gateway.segment import MAGIC as MARK
from producers.gateway.segment import frame
from producers.gateway.spool import PROGRESS_NAME, Spool, SpoolReader
from schemas.catalog import SUBJECTS
from schemas.codec import CODEC, SINGLE_OBJECT
from schemas.exact import MAX_LINE, read_exactly
from schemas.faults import REASONS, CodecFault, LineFault
from schemas.ndjson import decode_line, encode_line, read_lines
from schemas.records import DealEvent
from streams.core.advance import advance_all
from streams.core.alarms.table_alarms import NO_ALARMS, fold
from streams.core.table import new_table
from streams.wire.alarms import encode_alarms
from streams.wire.inbound import to_event, to_record
from streams.wire.snapshot import (
    HEADER,
    MAGIC,
    VERSION,
    SnapshotFault,
    decode_offsets,
    decode_snapshot,
    decode_snapshot_alarms,
    encode_snapshot,
)
from tests.contract.make_golden import golden
from tests.crashing_files import CrashingFiles
from tests.fuzz.console_target import CONSOLE_WORDS, console, console_seeds
from tests.fuzz.http_target import HTTP_WORDS, http, http_seeds
from tests.record_strategies import RECORDS
from tests.shell_models import RECORDINGS, book, recorded

CARD: Final = re.compile(r"\W*(?:[A2-9TJQK]|10)\W*[SHDC]\W*", re.IGNORECASE)
LONGEST_TEXT: Final = 400
"""No part of a refusal is longer: it goes into headers, answers and logs."""


@dataclass(frozen=True, slots=True)
class Target:
    """One input that strangers write.

    Attributes:
        check: fails where the promise does not hold.
        seeds: good inputs, of which bad ones are made.
        words: pieces that an input of this kind is made of.
    """

    check: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    words: tuple[bytes, ...]


def ndjson(data: bytes) -> None:
    """Read lines, fast and exactly."""
    for _, line in read_lines(BytesIO(data)):
        assert len(line) <= MAX_LINE + 3
        found = decode_line(line)
        assert found == read_exactly(line)
        if isinstance(found, DealEvent):
            assert decode_line(encode_line(found)) == found
        else:
            _check_texts(found)


def _check_texts(fault: LineFault | CodecFault) -> None:
    for text in (fault.field, fault.expected, fault.found):
        assert text
        assert len(text) <= LONGEST_TEXT, text
        assert text.isprintable(), text
    for text in (fault.field, fault.found):
        assert not CARD.fullmatch(text), text


def ndjson_seeds() -> list[bytes]:
    """Return some lines of every recording."""
    return [
        b"\n".join(path.read_bytes().splitlines()[start : start + 3])
        for path in sorted(RECORDINGS.glob("*.ndjson"))
        for start in (0, 9, 30)
    ]


MARKS: Final = tuple(
    SINGLE_OBJECT + release.mark for subject in SUBJECTS for release in subject.releases
)


def avro(data: bytes) -> None:
    """Read a value as each record."""
    choice, rest = data[:1], data[1:]
    value = MARKS[choice[0]] + rest if choice and choice[0] < len(MARKS) else rest
    for struct in RECORDS:
        found = CODEC.decode(value, struct)
        if isinstance(found, CodecFault):
            assert found.reason in REASONS
            _check_texts(found)
        else:
            assert CODEC.decode(CODEC.encode(found), struct) == found
            if isinstance(found, DealEvent):
                assert to_record(to_event(found), found.gateway) == found


def avro_seeds() -> list[bytes]:
    """Return events of all recordings, and every kind of record, as values."""
    values = [CODEC.encode(record) for records in golden().values() for record in records.values()]
    for path in sorted(RECORDINGS.glob("*.ndjson")):
        for line in path.read_bytes().splitlines()[::5]:
            event = decode_line(line)
            if isinstance(event, DealEvent):
                values.append(CODEC.encode(event))
    bare = [bytes([MARKS.index(value[:10])]) + value[10:] for value in values]
    return [*bare, *(b"\xff" + value for value in values)]


def snapshot(data: bytes) -> None:
    """Read a state; one that is read from what this program wrote is written the same again."""
    choice, rest = data[:1], data[1:]
    value = rest
    if choice == b"\0":
        value = MAGIC + bytes((VERSION,)) + zlib.crc32(rest).to_bytes(4, "big") + rest
    with suppress(SnapshotFault):
        decode_offsets(value)
    try:
        state, offsets = decode_snapshot(value)
    except SnapshotFault:
        return
    assert decode_offsets(value) == offsets
    try:
        alarms, alarm_bytes = decode_snapshot_alarms(value)
    except SnapshotFault:
        return
    if value in _written():
        assert encode_alarms(alarms) == alarm_bytes
        assert encode_snapshot(state, offsets, alarm_bytes) == value


def snapshot_seeds() -> list[bytes]:
    """Return states of the tables of all recordings, in a round and at the end."""
    bodies = [b"\0" + value[HEADER:] for value in _written()]
    return [*bodies, *(b"\1" + value for value in _written())]


_STATES: Final[list[bytes]] = []


def _written() -> list[bytes]:
    if not _STATES:
        for path in sorted(RECORDINGS.glob("*.ndjson")):
            events = recorded(path.stem)
            for most in (25, 60):
                table = events[0].table
                own = [event for event in events[:most] if event.table == table]
                step = advance_all(new_table(table), own, book())
                caused = zip(step.effects, step.causes, strict=True)
                alarms = encode_alarms(fold(NO_ALARMS, own, caused)[0])
                offsets = {"pitwatch.deals.v1": len(own)}
                _STATES.append(encode_snapshot(step.state, offsets, alarms))
    return _STATES


NEW: Final = b"one more"


def spool(data: bytes) -> None:
    """Open a spool, read all of it, write on, and find the same again after a restart."""
    choice, rest = data[:1], data[1:]
    files = CrashingFiles()
    segment, progress = b"", b""
    match choice:
        case b"\0":
            progress = rest
            segment = frame(1, ENTRIES[0]) + frame(2, ENTRIES[1])
        case b"\1":
            segment = b"".join(
                frame(place, payload) for place, payload in enumerate(rest.split(CUT), 1)
            )
        case _:
            segment = rest
    if progress:
        files.create(PROGRESS_NAME)
        files.append(PROGRESS_NAME, progress)
    files.create(f"{1:020d}.log")
    files.append(f"{1:020d}.log", segment)
    before = _all(Spool(files, segment_bytes=1 << 20))
    opened = Spool(files, segment_bytes=1 << 20)
    assert _all(opened) == before
    position = opened.append([NEW])
    after = _all(opened)
    assert after[:-1] == before
    assert after[-1][0] == position
    again = Spool(files, segment_bytes=1 << 20)
    assert _all(again) == after
    assert again.next_position == position + 1


def _all(spool: Spool) -> list[tuple[int, bytes]]:
    """Return all that a spool gives to be published; positions only grow."""
    reader = SpoolReader(spool)
    found: list[tuple[int, bytes]] = []
    while entries := reader.read():
        found += [(position, encode_entry(entry)) for position, entry in entries]
    positions = [position for position, _ in found]
    assert positions == sorted(set(positions))
    for position, payload in found:
        assert len(payload) <= LONGEST_RAW + 4096, position
    return found


CUT: Final = b"\xc1|"
"""Between entries; MessagePack never begins a value with C1."""
ENTRIES: Final = (
    encode_entry(Accepted("CS-01", "gw/1", 1, 1, 0, 1, b"d" * 16, b"value")),
    encode_entry(Refused(None, 1, b"{", 1, "bad_line", "line", "a JSON object", "a bracket")),
    encode_entry(Accepted("CS-01", "gw/2", 1, 1, 0, 1, b"e" * 16, b"value", held=True)),
    encode_entry(Merged((3,))),
)


def spool_seeds() -> list[bytes]:
    """Return whole segments, entries, and files of progress."""
    whole = b"".join(frame(place, payload) for place, payload in enumerate(ENTRIES, 1))
    first = encode_slot(1, Progress(2, frozenset((3, 5, 6)))).ljust(SLOT_SIZE, b"\0")
    both = first + encode_slot(2, Progress(3, frozenset((5, 6, 7))))
    torn = [b"\2" + whole[:-7], b"\2" + whole + bytes(40)]
    return [b"\2" + whole, b"\1" + CUT.join(ENTRIES), *torn, b"\0" + both, b"\0" + first[:200]]


JSON_WORDS: Final = (
    *(b"null", b"true", b"1e999", b"-0", b"9007199254740992", b'""', b"[", b"{", b"\\u0000", b":"),
    *(b'"kind":', b'"kind":"tick"', b'"card":"AS"', b'"at":"2100-01-01T00:00:00Z"', b'"seq":0,'),
    *(b'"source":"pitwatch/clock"', b"\xef\xbb\xbf", b"\r\n", b"\xed\xa0\x80", b'"hand":1.0'),
    b"[" * 2000,
)
AVRO_WORDS: Final = (
    *(b"\0", b"\1", b"\2", b"\x80", b"\xff" * 9 + b"\1", b"\xfe" + b"\xff" * 8 + b"\1"),
    *(b"\xc3\x01", b"AS", b"\xed\xa0\x80"),
)
PACKED_WORDS: Final = (
    *(b"\xc0", b"\xc1", b"\xc2", b"\xcb" + b"\x7f\xf8" + bytes(6), b"\xcf" + b"\xff" * 8),
    *(b"\xdd\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\x90", b"\x80", b"\xa2AS"),
    b"\x91" * 2000,
)

TARGETS: Final = {
    "ndjson": Target(ndjson, ndjson_seeds, JSON_WORDS),
    "avro": Target(avro, avro_seeds, AVRO_WORDS),
    "snapshot": Target(snapshot, snapshot_seeds, PACKED_WORDS),
    "spool": Target(spool, spool_seeds, (*PACKED_WORDS, CUT, MARK, bytes(28))),
    "http": Target(http, http_seeds, (*JSON_WORDS, *HTTP_WORDS)),
    "console": Target(console, console_seeds, (*HTTP_WORDS, *CONSOLE_WORDS)),
}
