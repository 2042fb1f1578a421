"""What browsers are told, as values: frames in order, kept for those that come back, and merged.

A frame has fragments of a page by the id of the element they replace, when each table was last
heard of, and the few words and figures that are not worth a fragment. Frames are numbered from 1;
with the boot of the console in front a number is an id that no other process gives.

A client is owed all frames after the last one it took. One that is slow, or comes back within the
ring, gets them merged: of each element the newest, in the order in which they last changed. So a
client costs nothing while it waits, and cannot be owed more than the page has elements.
"""

import json
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

RING: Final = 600
RING_MS: Final = 120_000
"""Frames kept: those of two minutes, in a flood of ten a second those of one."""

MOST_SHOUTS: Final = 500
"""Sentences of a merged frame; a page says at most one in 10 s, then how many there were."""

EVERYWHERE: Final = ""
"""The pit of what stands on every page."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of HTML, and the pit on whose pages it stands (``EVERYWHERE`` for all)."""

    pit: str
    html: str


@dataclass(frozen=True, slots=True)
class Frame:
    """What changed, all at once.

    Attributes:
        number: from 1.
        fragments: by the id of the element that each replaces.
        seen: when each table was last heard of, milliseconds since 1970-01-01 UTC, by pit.
        facts: what every page is told: the time, whether the feed is lost, counts.
        shouts: new critical and high alarms, a sentence each.
        says: other news, a sentence each.
        whole: whether it is a snapshot and not what changed.
        at: when it was made, milliseconds since 1970-01-01 UTC.
    """

    number: int
    fragments: Mapping[str, Fragment]
    seen: Mapping[str, Mapping[str, int]]
    facts: Mapping[str, Any]
    shouts: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    whole: bool = False
    at: int = 0

    def message(self, boot: str, pit: str | None) -> bytes:
        """Return the frame as a message of server-sent events.

        Args:
            boot: the console's boot, the first part of the id.
            pit: the pit of a pit's page, or nothing for all pits.
        """
        swaps = {
            element: fragment.html
            for element, fragment in self.fragments.items()
            if pit is None or fragment.pit in {EVERYWHERE, pit}
        }
        seen = {
            table: time
            for name, tables in self.seen.items()
            if pit is None or name == pit
            for table, time in tables.items()
        }
        told = {"swap": swaps, "seen": seen, "shout": self.shouts, "say": self.says}
        told = {**self.facts, **{key: value for key, value in told.items() if value}}
        data = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        kind = "snapshot" if self.whole else "frame"
        return f"id: {boot}-{self.number}\nevent: {kind}\ndata: {data}\n\n".encode()


def merged(frames: Iterable[Frame]) -> Frame:
    """Return frames as one: the newest of everything, what is told in words in order.

    Raises:
        ValueError: there is no frame.
    """
    each = list(frames)
    if not each:
        raise ValueError("expected a frame to merge, found none")
    if len(each) == 1:
        return each[0]
    fragments: dict[str, Fragment] = {}
    seen: dict[str, dict[str, int]] = {}
    facts: dict[str, Any] = {}
    for frame in each:
        for element, fragment in frame.fragments.items():
            # What replaced a whole pit must come before what changed in it since.
            fragments.pop(element, None)
            fragments[element] = fragment
        for pit, tables in frame.seen.items():
            seen.setdefault(pit, {}).update(tables)
        facts.update(frame.facts)
    return Frame(
        number=each[-1].number,
        fragments=fragments,
        seen=seen,
        facts=facts,
        shouts=tuple(shout for frame in each for shout in frame.shouts)[-MOST_SHOUTS:],
        says=tuple(said for frame in each for said in frame.says)[-MOST_SHOUTS:],
    )


@dataclass(slots=True)
class Ring:
    """The last frames, and what is owed at each place of each page, written once for all there.

    Two hundred pages that missed two frames are as cheap as one: to merge for each of them, while
    the machine is busy, would keep it so.
    """

    boot: str
    size: int = RING
    _frames: deque[Frame] = field(default_factory=deque)
    _owed: dict[tuple[int, str | None], bytes] = field(default_factory=dict)
    """Messages by the place before them and the page, up to the newest frame."""

    @property
    def number(self) -> int:
        """Return the newest frame's number, 0 before the first."""
        return self._frames[-1].number if self._frames else 0

    @property
    def position(self) -> str:
        """Return the id after which a page goes on that is made now."""
        return f"{self.boot}-{self.number}"

    def append(self, frame: Frame) -> None:
        """Add the next frame; what is too much or too old leaves the ring.

        Raises:
            ValueError: its number is not the next.
        """
        if frame.number != self.number + 1:
            raise ValueError(f"expected frame {self.number + 1}, found {frame.number}")
        self._frames.append(frame)
        self._owed.clear()
        while len(self._frames) > self.size or frame.at - self._frames[0].at > RING_MS:
            self._frames.popleft()

    def place_of(self, last: str) -> int | None:
        """Return the number of an id that a client took last, nothing if it cannot go on there."""
        boot, _, number = last.rpartition("-")
        if boot != self.boot or not number.isdecimal() or len(number) > 18:
            return None
        return self.reachable(int(number))

    def reachable(self, number: int) -> int | None:
        """Return a number if every frame after it is still here, else nothing."""
        oldest = self._frames[0].number if self._frames else 1
        return number if oldest - 1 <= number <= self.number else None

    def after(self, number: int, pit: str | None) -> bytes:
        """Return all that came after a reachable frame as one message; empty where nothing did."""
        missing = self.number - number
        if missing <= 0:
            return b""
        key = (number, pit)
        owed = self._owed.get(key)
        if owed is None:
            owed = merged(list(self._frames)[-missing:]).message(self.boot, pit)
            self._owed[key] = owed
        return owed
