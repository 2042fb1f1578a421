"""Where a table's records stand: Kafka's own rule for keys, as gateways' producers follow it."""

from functools import lru_cache
from typing import Final

from kafka.partitioner.default import murmur2

TABLES_KEPT: Final = 4096
"""Keys whose hash is remembered: it is written in Python and takes 20 µs."""


@lru_cache(maxsize=TABLES_KEPT)
def _hashed(key: bytes) -> int:
    hashed: int = murmur2(key)
    return hashed & 0x7FFFFFFF


def partition_of(key: bytes, partitions: int) -> int:
    """Return the partition of a key, of so many."""
    return _hashed(key) % partitions
