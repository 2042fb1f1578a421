"""Frames: how one entry lies in a segment of the spool, and how damage is told from a torn end.

A frame is a header of 28 bytes and a payload. All numbers are little-endian.

    magic 4 | payload length 4 | position 8 | header check 4 | payload digest 8 | payload

Both checks are BLAKE2b (RFC 7693), cut to 4 and 8 bytes: the header's over the first 16 bytes, the
payload's over these and the payload. The header has a check of its own so that a length that rotted
cannot pass for an entry whose end was never written:

    what is found at the end of a segment          means
    fewer bytes than a header                      torn: the write did not finish
    a sound header, fewer bytes than its length    torn
    nothing but zeros                              torn: the file grew before its data came
    anything else that is no whole frame           damaged: it may have been acknowledged
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from struct import Struct
from typing import Final, assert_never

MAGIC: Final = b"\xf1PW\x01"
LARGEST_PAYLOAD: Final = 2 * 1024 * 1024
"""An entry's payload is never longer: a request's body is at most 1 MiB."""

_FIRST: Final = Struct("<4sIQ")
_SECOND: Final = Struct("<4s8s")
HEADER_SIZE: Final = _FIRST.size + _SECOND.size


@dataclass(frozen=True, slots=True)
class Whole:
    """A sound frame: `payload` at `position`; its bytes lie from `start` to `end` in the data."""

    start: int
    end: int
    position: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Damaged:
    """Bytes from `start` to `end` that are no frame and were not merely never finished."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Torn:
    """The bytes from `start` to the data's end are a frame that is not finished."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lost:
    """A place where an entry stood that cannot be read: damaged bytes, and the entry's position."""

    start: int
    end: int
    position: int


def frame(position: int, payload: bytes) -> bytes:
    """Return the frame of one entry.

    Args:
        position: the entry's number in the spool, from 1.
        payload: at most LARGEST_PAYLOAD bytes.

    Raises:
        ValueError: the payload is too long.
    """
    if len(payload) > LARGEST_PAYLOAD:
        raise ValueError(f"expected at most {LARGEST_PAYLOAD} bytes, found {len(payload)}")
    first = _FIRST.pack(MAGIC, len(payload), position)
    return first + _SECOND.pack(_check(first), _digest(first, payload)) + payload


def scan(data: bytes) -> Iterator[Whole | Damaged | Torn]:
    """Yield what `data` holds, in order and without a gap; Torn comes last if at all."""
    at, size = 0, len(data)
    while at < size:
        match _frame_at(data, at):
            case Whole() as whole:
                yield whole
                at = whole.end
            case Torn() as torn if _next_whole(data, at + 1) is None:
                yield torn
                return
            case _:
                following = _next_whole(data, at + 1)
                if following is not None:
                    yield Damaged(at, following)
                    at = following
                elif data.count(0, at) == size - at:
                    yield Torn(at, size)
                    return
                else:
                    end = _claimed_end(data, at)
                    yield Damaged(at, end)
                    at = end


def walk(data: bytes, previous: int) -> Iterator[Whole | Lost | Torn]:
    """Yield the entries of `data` in order, and where one was lost.

    Positions only grow, and a frame that says otherwise is damage. Damaged bytes between two
    positions that follow each other held no entry that was acknowledged, and are passed over.

    Args:
        data: whole frames, but for damage.
        previous: the position before the first.
    """
    damaged: Damaged | None = None
    strayed = False
    for find in scan(data):
        match find:
            case Damaged() if damaged is not None and strayed:
                damaged = Damaged(damaged.start, find.end)
            case Damaged():
                if damaged is not None:
                    previous += 1
                    yield Lost(damaged.start, damaged.end, previous)
                damaged = find
            case Whole() if find.position <= previous:
                # A block that a failing disk gave back from elsewhere: what stood here is damaged.
                damaged = Damaged(find.start if damaged is None else damaged.start, find.end)
                strayed = True
            case Whole():
                if damaged is not None and find.position > previous + 1:
                    yield Lost(damaged.start, damaged.end, previous + 1)
                damaged, strayed = None, False
                previous = find.position
                yield find
            case Torn():
                if damaged is not None:
                    previous += 1
                    yield Lost(damaged.start, damaged.end, previous)
                    damaged = None
                yield find
            case _:
                assert_never(find)
    if damaged is not None:
        yield Lost(damaged.start, damaged.end, previous + 1)


def _frame_at(data: bytes, at: int) -> Whole | Torn | None:
    body = at + HEADER_SIZE
    if body > len(data):
        return Torn(at, len(data))
    magic, length, position = _FIRST.unpack_from(data, at)
    check, digest = _SECOND.unpack_from(data, at + _FIRST.size)
    first = data[at : at + _FIRST.size]
    if magic != MAGIC or length > LARGEST_PAYLOAD or check != _check(first):
        return None
    end = body + length
    if end > len(data):
        return Torn(at, len(data))
    payload = data[body:end]
    if digest != _digest(first, payload):
        return None
    return Whole(at, end, position, payload)


def _next_whole(data: bytes, at: int) -> int | None:
    while (at := data.find(MAGIC, at)) >= 0:
        if isinstance(_frame_at(data, at), Whole):
            return at
        at += 1
    return None


def _claimed_end(data: bytes, at: int) -> int:
    """Return where a frame with a sound header and a rotten payload ends; else the data's end."""
    length: int
    magic, length, _ = _FIRST.unpack_from(data, at)
    check, _ = _SECOND.unpack_from(data, at + _FIRST.size)
    if magic == MAGIC and check == _check(data[at : at + _FIRST.size]):
        return min(at + HEADER_SIZE + length, len(data))
    return len(data)


def _check(first: bytes) -> bytes:
    return blake2b(first, digest_size=4).digest()


def _digest(first: bytes, payload: bytes) -> bytes:
    return blake2b(first + payload, digest_size=8).digest()
