"""What Faust's consumer is given in place of its own scheduler and its own account of reading."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from faust.transport.utils import DefaultSchedulingStrategy
from faust.types import TP


class BatchScheduler(DefaultSchedulingStrategy):
    """Yields the fetched records of all source partitions at once, of others a list for each.

    Partitions that are fetched together are then judged and acknowledged together: at 500 events a
    second one pair of acknowledgements is waited for 100 times a second, not for each partition.
    States that are read back one by one take Faust 0.1 ms each.
    """

    def __init__(self, sources: frozenset[str]) -> None:
        self._sources = sources

    def iterate(self, records: Mapping[TP, list[Any]]) -> Iterator[tuple[TP, Any]]:
        """Iterate over one fetch."""
        sources = {}
        for tp, fetched in records.items():
            if fetched and tp.topic in self._sources:
                sources[tp] = fetched
            elif fetched:
                yield tp, fetched
        if sources:
            yield next(iter(sources)), sources


class ReadOffsets(defaultdict[TP, int | None]):
    """What Faust has read of each partition; of source partitions it is told nothing.

    Faust throws away what lies below, also after a seek backwards that it raced with; for source
    partitions the contiguity check decides instead.
    """

    def __init__(self, sources: frozenset[str]) -> None:
        super().__init__(lambda: None)
        self._sources = sources

    def __setitem__(self, tp: TP, offset: int | None) -> None:
        if tp.topic not in self._sources:
            super().__setitem__(tp, offset)

    def update(self, offsets: Mapping[TP, int | None]) -> None:  # type: ignore[override]  # Faust calls it with a mapping only
        """Set several."""
        for tp, offset in offsets.items():
            self[tp] = offset
