"""What the spool holds: an accepted event, a refused line, or a decision on order.

Each is one msgpack array whose first element names it; a later version may add elements at the end.
Times are microseconds since 1970-01-01 UTC.
"""

from typing import Final

import msgspec
from msgspec import Struct


class Accepted(Struct, frozen=True, array_like=True, tag="event", gc=False):
    """An event that was accepted, ready for publishing.

    `value` is its Avro encoding, `digest` that of the line it came on, by which a device's retry is
    known. A `held` event is published where a later `Merged` puts it, any other in the place where
    it stands.
    """

    table: str
    source: str
    boot: int
    seq: int
    at: int
    received: int
    digest: bytes
    value: bytes
    held: bool = False


class Refused(Struct, frozen=True, array_like=True, tag="refused", gc=False):
    """A line that was refused: its bytes as they came, and why.

    `raw` is cut where it is longer than a dead letter may be; `length` is what it was.
    """

    table: str | None
    received: int
    raw: bytes
    length: int
    reason: str
    field: str
    expected: str
    found: str


class Merged(Struct, frozen=True, array_like=True, tag="merged"):
    """The order in which held events of one table are published, by their positions."""

    positions: tuple[int, ...]


Entry = Accepted | Refused | Merged

LONGEST_RAW: Final = 512 * 1024
"""A dead letter's value is never longer, so that with its headers it fits a Kafka message."""

_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final[msgspec.msgpack.Decoder[Entry]] = msgspec.msgpack.Decoder(Entry)


class EntryFault(Exception):
    """A payload that is no entry of this program: a newer one may have written it."""


def encode_entry(entry: Entry) -> bytes:
    """Return the payload of an entry."""
    return _encoder.encode(entry)


def decode_entry(payload: bytes) -> Entry:
    """Return the entry of a payload.

    Raises:
        EntryFault: the payload is none.
    """
    try:
        return _decoder.decode(payload)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise EntryFault(str(error)) from None
