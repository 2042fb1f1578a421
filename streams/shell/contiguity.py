"""Where each source partition stands: what comes next, and what is done and may be committed.

Faust delivers early batches around its own seek, so a batch is taken only where the last one ended:

| the batch | answer |
|---|---|
| arrives before the committed offset is known | dropped, the seek brings it again |
| ends below what is due | dropped, it was done |
| begins at or below what is due | taken from what is due on |
| begins above what is due | nothing is done, the partition is read again from what is due |
| begins there a third time after reading again | taken: the log itself has a hole |
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

from streams.shell.ports import SourceRecord

Record = TypeVar("Record", bound=SourceRecord)

READ_AGAIN: Final = 2
"""How often a partition is read again for the same hole before the hole is believed."""


class Partition(NamedTuple):
    """A partition of a topic."""

    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class Take(Generic[Record]):
    """Judge these records; ``missing`` is how many offsets before them the log does not have."""

    records: Sequence[Record]
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Drop:
    """Nothing of the batch is due."""


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Something before the batch is missing: read the partition again from ``offset``."""

    offset: int


class Progress:
    """What is due next and what is done, for each source partition.

    ``due`` moves only by ``start`` and ``finish``. ``done`` is what may be committed: it is empty
    after a start, so that nothing is committed before a batch of this assignment was finished.
    """

    def __init__(self) -> None:
        self.due: dict[Partition, int] = {}
        self.done: dict[Partition, int] = {}
        self._holes: dict[Partition, tuple[int, int]] = {}

    def forget(self) -> None:
        """Forget all: the assignment is changing, no batch is taken until the next start."""
        self.due.clear()
        self.done.clear()
        self._holes.clear()

    def start(self, due: Mapping[Partition, int]) -> None:
        """Begin an assignment: ``due`` is the next offset of every source partition."""
        self.forget()
        self.due.update(due)

    def check(
        self, partition: Partition, records: Sequence[Record]
    ) -> Take[Record] | Drop | ReadAgain:
        """Return what is to be done with a batch, not empty and in the order of its offsets."""
        due = self.due.get(partition)
        if due is None or records[-1].offset < due:
            return Drop()
        first = records[0].offset
        if first <= due:
            return Take(records if first == due else [r for r in records if r.offset >= due])
        at, times = self._holes.get(partition, (first, 0))
        if at == first and times >= READ_AGAIN:
            return Take(records, missing=first - due)
        self._holes[partition] = (first, times + 1 if at == first else 1)
        return ReadAgain(due)

    def finish(self, partition: Partition, last: int) -> None:
        """Mark everything up to offset ``last`` done: its effects and state are acknowledged."""
        self.due[partition] = self.done[partition] = last + 1
        self._holes.pop(partition, None)
