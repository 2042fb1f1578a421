"""Fetches that wait for the judge, which takes all that wait as one.

A fetch is acknowledged once, whatever its size: with 2,000 events a second and four fetches of 100
records in a queue each event waited for the acknowledgements of all four, 230 ms; taken together
they wait for those of one.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

from streams.shell.ports import SourceRecord

Fetch = Mapping[tuple[str, int], Sequence[SourceRecord]]
"""Records by topic and partition, none empty."""

MOST_WAITING: Final = 8
"""Fetches; Faust's queue holds fewer, so that one is dropped only where it lost count."""


class Arrivals:
    """The fetches that wait, oldest first.

    Args:
        most: records that are taken together; a single fetch may have more.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: deque[Fetch] = deque()
        self._told = False

    def put(self, fetch: Fetch) -> None:
        """Let a fetch wait."""
        if len(self._waiting) == MOST_WAITING:
            # What it had is read again, for a later fetch shows the hole.
            self._waiting.popleft()
        self._waiting.append(fetch)

    def tell(self) -> bool:
        """Say whether the judge is to be told; if it was and did not come yet, it need not.

        Where much waits it is told again: that holds the reading back, and what it was told may
        have been lost around a change of the group.
        """
        if self._told and len(self._waiting) < MOST_WAITING // 2:
            return False
        self._told = True
        return True

    def take(self) -> dict[tuple[str, int], Sequence[SourceRecord]]:
        """Return what waits, as one fetch; empty where it was taken already.

        A fetch that does not go on where those before it end waits for the next time: between
        the two the partition was read again from elsewhere.
        """
        taken: dict[tuple[str, int], Sequence[SourceRecord]] = {}
        count = 0
        while self._waiting:
            fetch = self._waiting[0]
            size = sum(map(len, fetch.values()))
            if taken and (count + size > self._most or not _goes_on(taken, fetch)):
                break
            self._waiting.popleft()
            for place, records in fetch.items():
                before = taken.get(place)
                taken[place] = records if before is None else [*before, *records]
            count += size
        self._told = False
        return taken

    def clear(self) -> None:
        """Forget what waits: the partitions are read from elsewhere."""
        self._waiting.clear()
        self._told = False


def _goes_on(taken: Fetch, fetch: Fetch) -> bool:
    return all(
        records[0].offset == taken[place][-1].offset + 1
        for place, records in fetch.items()
        if place in taken
    )
