"""Which events a device has already sent, so far as the gateway remembers.

A device that got no answer sends the same lines again. What is still known is counted and not
spooled twice; what is forgotten is spooled, for the worker knows duplicates too. An identity that
comes back with other content is passed on: the worker raises `conflicting_event`. Only what is on
the disk is remembered, so that a duplicate is never answered for an event that was not kept.
"""

from collections import OrderedDict
from typing import Final

MOST_OF_A_SOURCE: Final = 64
"""As many as the worker remembers of each source of a table."""

MOST_SOURCES: Final = 4096
"""A floor of some hundred tables has fewer; beyond it the source that was silent longest goes."""


class Identities:
    """The last identities of each (table, source), with a digest of what each said."""

    def __init__(
        self, most_sources: int = MOST_SOURCES, most_of_a_source: int = MOST_OF_A_SOURCE
    ) -> None:
        self._most_sources = most_sources
        self._most = most_of_a_source
        self._sources: OrderedDict[tuple[str, str], OrderedDict[tuple[int, int], bytes]] = (
            OrderedDict()
        )

    def known(self, table: str, source: str, boot: int, seq: int) -> bytes | None:
        """Return the digest of what an identity said first, or nothing where it is not known."""
        events = self._sources.get((table, source))
        return None if events is None else events.get((boot, seq))

    def remember(self, table: str, source: str, boot: int, seq: int, digest: bytes) -> None:
        """Keep what an identity said; one that is known keeps what it said first."""
        events = self._sources.get((table, source))
        if events is None:
            events = self._sources[table, source] = OrderedDict()
            if len(self._sources) > self._most_sources:
                self._sources.popitem(last=False)
        else:
            self._sources.move_to_end((table, source))
        if (boot, seq) not in events:
            events[boot, seq] = digest
            if len(events) > self._most:
                events.popitem(last=False)
