"""Sources that send what cannot be read, counted and kept from drowning everything else.

What cannot be read names no source, so a source is here the key of its records, which is a table.

| of a source's records | it is | its unreadable records become dead letters |
|---|---|---|
| at most 20 in 1,000 unreadable | well | each |
| more, at once when they are | quarantined | at most 10 a second, the others are counted |
| at most 20 in the next whole 1,000 | well again | each |

No record is lost by it: its bytes stay in the deals for as long as those are kept, and the next
letter of the source says how many stand there before it without a letter. They are not replayed as
letters are, for that would drown everything else again.

A worker that has read nothing at all of several sources is itself at fault, or its topic is: it
stops.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

log = logging.getLogger(__name__)

WINDOW: Final = 1000
"""Records of a source among which the unreadable are counted."""
MOST_UNREADABLE: Final = 20
LETTERS_PER_SECOND: Final = 10
MOST_SOURCES: Final = 4096
"""Sources that are counted; the one longest silent is forgotten first, and begins anew."""

HOPELESS_SOURCES: Final = 3
"""Of at least so many sources nothing at all was read, and so many records were, to give up."""
HOPELESS_RECORDS: Final = 1000


@dataclass(slots=True)
class _Source:
    """One source's count within its window, and how many letters it may still write."""

    seen: int = 0
    unreadable: int = 0
    quarantined: bool = False
    letters: float = LETTERS_PER_SECOND
    since: float = 0.0
    withheld: int = 0


class Poison:
    """Counts what could and could not be read, by source.

    Args:
        now: seconds, never going back.
        shown: returns a key as a log may show it.
    """

    def __init__(self, now: Callable[[], float], shown: Callable[[bytes | None], str]) -> None:
        self._now = now
        self._shown = shown
        self._sources: dict[bytes | None, _Source] = {}
        self._anything_read = False
        self._refused = 0

    @property
    def quarantined(self) -> int:
        """Return how many sources are quarantined."""
        return sum(source.quarantined for source in self._sources.values())

    @property
    def hopeless(self) -> bool:
        """Say whether nothing of any source was read, though there was enough of several."""
        return (
            not self._anything_read
            and self._refused >= HOPELESS_RECORDS
            and len(self._sources) >= HOPELESS_SOURCES
        )

    def read(self, key: bytes | None, count: int) -> None:
        """Count records of a source that were read."""
        if not count:
            return
        self._anything_read = True
        if key in self._sources:
            self._count(key, self._sources[key], count, 0)

    def refused(self, key: bytes | None) -> bool:
        """Count one record that could not be read; say whether it becomes a dead letter."""
        source = self._sources.pop(key, None)
        if source is None:
            if len(self._sources) >= MOST_SOURCES:
                del self._sources[next(iter(self._sources))]
            source = _Source(since=self._now())
        self._sources[key] = source
        self._refused += 1
        self._count(key, source, 1, 1)
        if not source.quarantined:
            return True
        now = self._now()
        earned = (now - source.since) * LETTERS_PER_SECOND
        source.letters = min(LETTERS_PER_SECOND, source.letters + earned)
        source.since = now
        if source.letters < 1:
            source.withheld += 1
            return False
        source.letters -= 1
        return True

    def withheld(self, key: bytes | None) -> int:
        """Return how many of a source's records became no letter since this was last asked."""
        source = self._sources.get(key)
        if source is None:
            return 0
        count, source.withheld = source.withheld, 0
        return count

    def _count(self, key: bytes | None, source: _Source, seen: int, unreadable: int) -> None:
        source.seen += seen
        source.unreadable += unreadable
        if source.unreadable > MOST_UNREADABLE and not source.quarantined:
            source.quarantined = True
            source.since = self._now()
            log.error(
                "a table's records cannot be read and are quarantined",
                extra={"table": self._shown(key), "unreadable": source.unreadable}
                | {"of": source.seen},
            )
        if source.seen >= WINDOW:
            if source.quarantined and source.unreadable <= MOST_UNREADABLE:
                source.quarantined = False
                log.warning(
                    "a table's records can be read again", extra={"table": self._shown(key)}
                )
            source.seen = source.unreadable = 0
