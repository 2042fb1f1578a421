"""What a worker writes down before it dies of a record, so that the next one knows.

One mark for each partition stands in the state log, under a key that no table can have:

| the worker | the mark then says |
|---|---|
| takes the first records of a partition | where it started, and how often in a row there |
| cannot judge a record, which ends it | how many workers that record has ended |
| judges singly, after three starts in one place | the record, before it is judged |

A record that has ended two workers is judged a third time with its error caught: it becomes a dead
letter, and judging goes on. One that ended the third as well, which no error can have been, is
not judged again.
"""

from dataclasses import dataclass, field, replace
from typing import Final, Self

import msgspec

MARK_KEY: Final = b"\x00judging"
"""The key of a partition's mark in the state log; a table's name begins with a letter or digit."""

MOST_DEATHS: Final = 2
"""How many workers a record may end."""

CAREFUL_AFTER: Final = 3
"""From this many starts at one offset on a partition is judged record by record."""

CAREFUL_RECORDS: Final = 2000
"""For how many records it is; a worker that died had not more of one partition in hand."""

MOST_RECORDS: Final = 64
"""Of how many records of a partition deaths are remembered, those of the highest offsets."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What earlier workers say of a partition.

    Attributes:
        due: the offset at which the last worker started.
        starts: how many workers in a row started there.
        deaths: how many workers a record ended, by its offset; none below ``due``.
    """

    due: int = -1
    starts: int = 0
    deaths: dict[int, int] = field(default_factory=dict)

    @property
    def careful(self) -> bool:
        """Say whether the partition is to be judged record by record."""
        return self.starts >= CAREFUL_AFTER

    def started(self, due: int) -> Self:
        """Return the mark of a worker that starts at an offset."""
        deaths = {offset: times for offset, times in self.deaths.items() if offset >= due}
        starts = self.starts + 1 if due == self.due else 1
        return replace(self, due=due, starts=starts, deaths=deaths)

    def ending(self, offset: int) -> Self:
        """Return the mark of a worker that a record has ended, or is about to."""
        deaths = {**self.deaths, offset: self.deaths.get(offset, 0) + 1}
        kept = sorted(deaths)[-MOST_RECORDS:]
        return replace(self, deaths={each: deaths[each] for each in kept})

    def survived(self, offset: int) -> Self:
        """Return the mark of a worker that a record did not end after all."""
        return replace(
            self, deaths={each: times for each, times in self.deaths.items() if each != offset}
        )

    def spared(self) -> dict[int, int]:
        """Return the records that have ended enough workers, with how many."""
        return {offset: times for offset, times in self.deaths.items() if times > MOST_DEATHS}

    def encoded(self) -> bytes:
        """Return the mark as the state log has it."""
        return msgspec.json.encode(self)


def read_mark(value: bytes | None) -> Mark:
    """Return a mark; one that cannot be read says nothing."""
    if value is None:
        return Mark()
    try:
        return msgspec.json.decode(value, type=Mark)
    except msgspec.MsgspecError:
        return Mark()
