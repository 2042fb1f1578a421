"""The states of the tables whose partitions this worker owns, and how a state log is read back.

A worker that was paused may have written an old state over a newer one, so reading back never
goes backwards:

| a state record | held is then | the record is |
|---|---|---|
| has no offset lower than what is held | the record's | the truth |
| has a lower offset than what is held | unchanged | stale: the better one is written again |
| cannot be read | unchanged | a reason to read the table's deals again, from what is held on |
| has no value | gone | a table that was retired |
| has no key | unchanged | ignored |
| is the partition's mark | unchanged | kept as the mark, see ``streams.shell.marks`` |

A partition of which there is no record at all was never judged, or its log was lost.

Only the last record of a table decides whether it is stale or unreadable. A log has many records
of a table, of which one will be needed: of each only the offsets are read, and states are decoded
when the first of their partition is asked for.
"""

import enum
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from streams.core.alarms.table_alarms import NO_ALARMS, TableAlarms
from streams.core.table import TableState
from streams.shell.marks import MARK_KEY, Mark, read_mark
from streams.wire.alarms import NO_BYTES
from streams.wire.snapshot import (
    SnapshotFault,
    decode_offsets,
    decode_snapshot,
    decode_snapshot_alarms,
)


@dataclass(frozen=True, slots=True)
class Stored:
    """A table's state as bytes and decoded, with the last applied offset of each source topic.

    ``alarms`` are the table's alarms, and ``alarm_bytes`` how they stand in ``value``.
    """

    value: bytes
    state: TableState
    offsets: Mapping[str, int]
    alarms: TableAlarms = NO_ALARMS
    alarm_bytes: bytes = NO_BYTES


class Absorbed(enum.Enum):
    """What became of a state record that was read back."""

    TAKEN = "taken"
    STALE = "stale"
    UNREADABLE = "unreadable"
    RETIRED = "retired"
    KEYLESS = "keyless"


class TableStore:
    """Tables by partition and key; one worker's memory, bounded by the tables it owns."""

    def __init__(self) -> None:
        self._tables: dict[int, dict[bytes, Stored]] = {}
        self._undecoded: dict[int, dict[bytes, tuple[bytes, Mapping[str, int]]]] = {}
        self._marks: dict[int, Mark] = {}
        self._stale: dict[int, set[bytes]] = {}
        self._unreadable: dict[int, set[bytes]] = {}

    def get(self, partition: int, key: bytes) -> Stored | None:
        """Return a table's state, or nothing where it has none."""
        return self._decoded(partition).get(key)

    def put(self, partition: int, key: bytes, stored: Stored) -> None:
        """Keep a state that the state log has acknowledged."""
        self._decoded(partition)
        self._tables.setdefault(partition, {})[key] = stored

    def mark(self, partition: int) -> Mark:
        """Return what earlier workers, or this one, noted of a partition."""
        return self._marks.get(partition, Mark())

    def put_mark(self, partition: int, mark: Mark) -> None:
        """Keep what is noted of a partition."""
        self._marks[partition] = mark

    def absorb(self, partition: int, key: bytes | None, value: bytes | None) -> Absorbed:
        """Take one record of the state log, in the log's order; return what became of it."""
        if key is None:
            return Absorbed.KEYLESS
        if key == MARK_KEY:
            self._marks[partition] = read_mark(value)
            return Absorbed.TAKEN
        tables = self._tables.setdefault(partition, {})
        undecoded = self._undecoded.setdefault(partition, {})
        stale = self._stale.setdefault(partition, set())
        unreadable = self._unreadable.setdefault(partition, set())
        if value is None:
            tables.pop(key, None)
            undecoded.pop(key, None)
            stale.discard(key)
            unreadable.discard(key)
            return Absorbed.RETIRED
        try:
            offsets = decode_offsets(value)
        except SnapshotFault:
            unreadable.add(key)
            return Absorbed.UNREADABLE
        if key in undecoded:
            _, held = undecoded[key]
        else:
            held = tables[key].offsets if key in tables else {}
        if _lower(offsets, held):
            stale.add(key)
            return Absorbed.STALE
        undecoded[key] = value, offsets
        stale.discard(key)
        unreadable.discard(key)
        return Absorbed.TAKEN

    def _decoded(self, partition: int) -> Mapping[bytes, Stored]:
        """Return a partition's tables, all decoded; one that cannot be is held as it was."""
        if undecoded := self._undecoded.pop(partition, None):
            tables = self._tables[partition]
            for key, (value, offsets) in undecoded.items():
                try:
                    state, _ = decode_snapshot(value)
                    alarms, alarm_bytes = decode_snapshot_alarms(value)
                except SnapshotFault:
                    self._unreadable.setdefault(partition, set()).add(key)
                else:
                    tables[key] = Stored(value, state, offsets, alarms, alarm_bytes)
        return self._tables.get(partition, {})

    def stale(self, partition: int) -> list[tuple[bytes, Stored]]:
        """Return the tables whose last state record is not what is held, with what is."""
        tables = self._decoded(partition)
        keys = self._stale.get(partition, set()) | self._unreadable.get(partition, set())
        return [(key, tables[key]) for key in sorted(keys) if key in tables]

    def unreadable(self, partition: int) -> list[tuple[bytes, Mapping[str, int]]]:
        """Return the tables whose last state record cannot be read, with the offsets held."""
        tables = self._decoded(partition)
        return [
            (key, tables[key].offsets if key in tables else {})
            for key in sorted(self._unreadable.get(partition, set()))
        ]

    def has_log(self, partition: int) -> bool:
        """Say whether the state log has anything of a partition; it has where one judged it."""
        return partition in self._tables or partition in self._marks

    def settle(self, partition: int) -> None:
        """Forget what was stale or unreadable: it is written again or being read again."""
        self._stale.pop(partition, None)
        self._unreadable.pop(partition, None)

    def purge(self, partitions: Collection[int]) -> None:
        """Forget the tables of partitions that left or are read back from nothing."""
        for partition in partitions:
            self._tables.pop(partition, None)
            self._marks.pop(partition, None)
            self._undecoded.pop(partition, None)
            self.settle(partition)

    def partitions(self) -> list[int]:
        """Return the partitions that have a table."""
        return sorted(self._tables)

    def tables(self, partition: int) -> Iterator[tuple[bytes, Stored]]:
        """Iterate over a partition's tables; they may change between two steps."""
        yield from list(self._decoded(partition).items())


def _lower(offsets: Mapping[str, int], held: Mapping[str, int]) -> bool:
    return any(offsets.get(topic, -1) < offset for topic, offset in held.items())
