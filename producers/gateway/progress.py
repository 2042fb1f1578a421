"""How far publishing has come, kept in three slots of one small file.

Entries are acknowledged out of order, for tables go to many partitions. Progress is therefore a
low mark (everything below is done) and the positions above it that are done as well, so that a
restart sends again only what the broker never acknowledged. A slot that was being written has a
wrong digest, and the newest of the others holds:

    what happens    what holds is at least
    a kill          the progress written before: two slots are written in turn
    a power cut     the progress synced last: its slot is left alone until another one is synced

Some entries are then sent twice, and the worker knows them by their identity.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from struct import Struct
from typing import Final

import msgspec

SLOT_SIZE: Final = 64 * 1024
SLOTS: Final = 3

_HEADER: Final = Struct("<4sQI16s")
_MAGIC: Final = b"PWP\x01"


@dataclass(frozen=True, slots=True)
class Progress:
    """All positions below `low` are done, and so are those in `done`, which are not below it."""

    low: int = 1
    done: frozenset[int] = frozenset()

    def __contains__(self, position: int) -> bool:
        """Say whether the entry of a position is done."""
        return position < self.low or position in self.done


def runs_of(positions: Iterable[int]) -> list[tuple[int, int]]:
    """Return positions as runs (first, count), ascending."""
    runs: list[tuple[int, int]] = []
    for position in sorted(positions):
        if runs and position == sum(runs[-1]):
            first, count = runs[-1]
            runs[-1] = (first, count + 1)
        else:
            runs.append((position, 1))
    return runs


def encode_slot(generation: int, progress: Progress) -> bytes:
    """Return a slot's bytes, shorter than SLOT_SIZE.

    Runs that find no room are left out, the highest first; their entries may be sent twice.
    """
    runs = runs_of(progress.done)
    body = msgspec.msgpack.encode((progress.low, runs))
    while len(body) > SLOT_SIZE - _HEADER.size:
        runs = runs[: len(runs) // 2]
        body = msgspec.msgpack.encode((progress.low, runs))
    return _HEADER.pack(_MAGIC, generation, len(body), _digest(generation, body)) + body


def decode_slot(data: bytes) -> tuple[int, Progress] | None:
    """Return a slot's generation and progress, or nothing where it holds none that is sound."""
    if len(data) < _HEADER.size:
        return None
    magic, generation, length, digest = _HEADER.unpack_from(data)
    body = data[_HEADER.size : _HEADER.size + length]
    if magic != _MAGIC or len(body) != length or digest != _digest(generation, body):
        return None
    low, runs = msgspec.msgpack.decode(body, type=tuple[int, list[tuple[int, int]]])
    done = frozenset(first + place for first, count in runs for place in range(count))
    return generation, Progress(low, done)


def _digest(generation: int, body: bytes) -> bytes:
    return blake2b(generation.to_bytes(8, "little") + body, digest_size=16).digest()
