"""Deal events off the wire, fast: what repeats in them is remembered by its bytes.

    header   table  source  boot  seq  at   body   received  gateway
    10 or 5  text   text    long  long long union  02 long   02 text

The tables of a floor have few names and its events few bodies, so each is decoded and checked
once and then found by its bytes, four times as fast. Where the body ends is not known before it is
read, but what stands behind it is as long as it last was from the same source: a guess, that is
proved by finding the body, for a decoder that reads these bytes stops after them wherever they
stand. What is not remembered, is in another schema or format, has no ``received``, or is not as
Avro's shortest form writes it goes the slow way, through the codec, whose answer is final.
"""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from schemas.avro_writer import NO, PRESENT, long_bytes, string_bytes, writer_of
from schemas.catalog import BY_STRUCT
from schemas.codec import CONFLUENT_HEADER, SINGLE_OBJECT, SINGLE_OBJECT_HEADER, Codec
from schemas.faults import CodecFault
from schemas.fields import EARLIEST, LATEST, SAFE_INT
from schemas.kinds import AnyBody
from schemas.records import DealEvent

NAMES_KEPT: Final = 4096
"""The most tables and the most sources that are remembered."""
BODIES_KEPT: Final = 16384
"""The most bodies that are remembered: about 3 MiB."""

MICROS_BYTES: Final = 8
"""A time of the years 2000 to 2100 has 51 to 53 bits with its sign."""
COUNTER_BITS: Final = 53
"""The most bits of a boot or sequence number."""
MORE: Final = 0x80
"""A byte of a long from here on has another behind it."""
ENDS: Final = 0x8080808080808080
GOES_ON: Final = 0x0080808080808080
"""Of the eight bytes of a time all but the last have another behind them."""

B = TypeVar("B")
E = TypeVar("E")

_RELEASE: Final = BY_STRUCT[DealEvent].newest
_HEAD: Final = SINGLE_OBJECT + _RELEASE.mark
_WRITE: Final = writer_of(DealEvent, _RELEASE.schema)


class DealReader(Generic[B, E]):
    """Reads deal events as whatever its caller makes of them.

    Args:
        codec: reads what is not remembered.
        body: makes the caller's body of a record's; its results are shared between events.
        event: makes the caller's event of table, source, boot, seq, at, body and received.
    """

    def __init__(
        self,
        codec: Codec,
        body: Callable[[AnyBody], B],
        event: Callable[[str, str, int, int, int, B, int | None], E],
    ) -> None:
        self._codec = codec
        self._body = body
        self._event = event
        self._tables: dict[bytes, str] = {}
        self._sources: dict[bytes, tuple[str, bytes]] = {}
        self._bodies: dict[bytes, B] = {}

    def read(self, data: bytes) -> E | CodecFault:
        """Return the event that a message holds, or why it holds none. Never raises."""
        # Asked here, for a call costs a fiftieth of reading an event.
        header = SINGLE_OBJECT_HEADER if data.startswith(_HEAD) else self._header(data)
        event = self._remembered(data, header) if header else None
        return self._slowly(data) if event is None else event

    def _header(self, data: bytes) -> int:
        """Return how long the header is before a newest event; 0 where there is none."""
        if data.startswith(_HEAD):
            return SINGLE_OBJECT_HEADER
        return CONFLUENT_HEADER if data[:CONFLUENT_HEADER] in self._codec.newest_deals else 0

    def _remembered(self, data: bytes, header: int) -> E | None:
        """Return the event, or ``None`` where anything of it is new or doubtful."""
        try:
            end = header + 1 + (data[header] >> 1)
            table = self._tables[data[header:end]]
            start, end = end, end + 1 + (data[end] >> 1)
            source, gateway = self._sources[data[start:end]]
            boot, end = _counter(data, end)
            seq, end = _counter(data, end)
            at = _micros(data, end)
            behind = len(data) - len(gateway) - MICROS_BYTES - 1
            body = self._bodies[data[end + MICROS_BYTES : behind]]
            received = _micros(data, behind + 1)
        except (IndexError, KeyError):
            return None
        whole = data[behind] == PRESENT[0] and data.endswith(gateway)
        if not (whole and at and received and boot and seq):
            return None
        return self._event(table, source, boot, seq, at, body, received)

    def _slowly(self, data: bytes) -> E | CodecFault:
        record = self._codec.decode(data, DealEvent)
        if isinstance(record, CodecFault):
            return record
        body = self._body(record.body)
        self._remember(data, record, body)
        return self._event(
            record.table,
            record.source,
            record.boot,
            record.seq,
            record.at,
            body,
            record.received,
        )

    def _remember(self, data: bytes, record: DealEvent, body: B) -> None:
        """Remember the parts of a message that is as this program itself would write it."""
        header = self._header(data)
        if record.received is None or not header or _WRITE(record) != data[header:]:
            return
        table, source = string_bytes(record.table), string_bytes(record.source)
        numbers = b"".join(map(long_bytes, (record.boot, record.seq, record.at)))
        gateway = NO if record.gateway is None else PRESENT + string_bytes(record.gateway)
        start = header + len(table) + len(source) + len(numbers)
        end = len(data) - len(gateway) - MICROS_BYTES - 1
        _keep(self._tables, table, record.table, NAMES_KEPT)
        _keep(self._sources, source, (record.source, gateway), NAMES_KEPT)
        _keep(self._bodies, data[start:end], body, BODIES_KEPT)


K = TypeVar("K")
V = TypeVar("V")


def _keep(kept: dict[K, V], key: K, value: V, most: int) -> None:
    """Keep one more, and nothing else once there are as many as may be."""
    if len(kept) >= most:
        kept.clear()
    kept[key] = value


def _counter(data: bytes, start: int) -> tuple[int, int]:
    """Return a boot or a sequence number and where it ends; 0 where it is not in its range."""
    byte = data[start]
    if byte < MORE:
        return (0 if byte & 1 else byte >> 1), start + 1
    value, shift, end = byte & 0x7F, 7, start + 1
    while (byte := data[end]) >= MORE:
        if shift > COUNTER_BITS:
            return 0, end
        value |= (byte & 0x7F) << shift
        shift += 7
        end += 1
    value |= byte << shift
    # A last byte of nought is a longer form than is needed.
    return (value >> 1 if byte and not value & 1 and value >> 1 <= SAFE_INT else 0), end + 1


def _micros(data: bytes, start: int) -> int:
    """Return the time that stands in eight bytes, seven bits in each; 0 where none does."""
    word = int.from_bytes(data[start : start + MICROS_BYTES], "little")
    if word & ENDS != GOES_ON:
        return 0
    word &= 0x7F7F7F7F7F7F7F7F
    word = (word & 0x007F007F007F007F) | (word & 0x7F007F007F007F00) >> 1
    word = (word & 0x00003FFF00003FFF) | (word & 0x3FFF00003FFF0000) >> 2
    word = (word & 0x0FFFFFFF) | word >> 32 << 28
    return word >> 1 if not word & 1 and EARLIEST <= word >> 1 <= LATEST else 0
