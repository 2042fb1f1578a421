"""The spool: accepted events on disk until the broker has acknowledged them.

An append-only log in segments, named by the position of their first entry. One thread appends, one
reads and drops; each entry has a position, which only grows. What `append` returned for is on the
disk: a completed fdatasync lies between. A segment all of whose entries are done is deleted.

After an error of the disk the segment is cut back to its last synced end and never written again,
for the kernel may have dropped what it failed to write and report the next sync as good. The
positions of the failed entries stay unused.
"""

import logging
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from producers.gateway.entries import (
    LONGEST_RAW,
    Entry,
    EntryFault,
    Merged,
    Refused,
    decode_entry,
)
from producers.gateway.files import Files
from producers.gateway.progress import SLOT_SIZE, SLOTS, Progress, decode_slot, encode_slot
from producers.gateway.segment import Lost, Torn, Whole, frame, walk

PROGRESS_NAME: Final = "progress"
PROBE_NAME: Final = "probe"
PROBE_SIZE: Final = 64 * 1024
"""More than a request at a floor's pace, so that what fits it fits one of those too."""

DAMAGE: Final = "spool_damage"
"""The reason of a dead letter that holds the bytes of an entry which the disk did not keep."""

_SEGMENT_NAME: Final = re.compile(r"(\d{20})\.log")
_log: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class Segment:
    """One file of the log: its first position, and how many of its bytes are synced."""

    first: int
    size: int

    @property
    def name(self) -> str:
        """Return the file's name."""
        return f"{self.first:020d}.log"


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was found when the spool was opened.

    Args:
        waiting: entries to publish.
        oldest: when the oldest of them was received; nothing where none says it.
        lost: those of them that could not be read, each of which becomes a dead letter.
        torn: bytes cut off the end, of a write that never finished and was never acknowledged.
    """

    waiting: int
    oldest: int | None
    lost: int
    torn: int


class Spool:
    """A log of entries in one folder.

    Args:
        files: the folder.
        segment_bytes: a segment that has reached this size is followed by another.
        on_entry: told each readable entry found at the start with its position, in order.

    Raises:
        OSError: the folder cannot be read or written.
    """

    def __init__(
        self,
        files: Files,
        *,
        segment_bytes: int,
        on_entry: Callable[[int, Entry], None] = lambda _position, _entry: None,
    ) -> None:
        self._files = files
        self._segment_bytes = segment_bytes
        self._guard = threading.Lock()
        self._segments: list[Segment] = []
        self._active: Segment | None = None
        self._generation = 0
        self._written_slot = self._synced_slot = -1
        self.progress = self._open_progress()
        self.next_position = max([self.progress.low, *(each + 1 for each in self.progress.done)])
        self.last_position = 0
        """The highest position that has an entry on the disk; 0 where there is none."""
        self.recovered = self._recover(on_entry)

    @property
    def size(self) -> int:
        """Return the bytes that all segments take."""
        with self._guard:
            return sum(segment.size for segment in self._segments)

    def append(self, payloads: Sequence[bytes]) -> int:
        """Write entries and return the first one's position, when all are on the disk.

        Raises:
            OSError: the disk is full or failing; none of the entries counts as written.
        """
        first = self.next_position
        self.next_position = first + len(payloads)
        segment = self._segment_for(first)
        data = b"".join(frame(first + place, payload) for place, payload in enumerate(payloads))
        try:
            self._files.append(segment.name, data)
            self._files.sync(segment.name)
        except OSError:
            self._abandon(segment)
            raise
        with self._guard:
            segment.size += len(data)
            self.last_position = self.next_position - 1
        return first

    def segments_from(self, position: int) -> list[Segment]:
        """Return the segments that may hold entries from `position` on, oldest first."""
        with self._guard:
            later = [place for place, each in enumerate(self._segments) if each.first <= position]
            return [
                Segment(each.first, each.size)
                for each in self._segments[(later[-1] if later else 0) :]
            ]

    def read_segment(self, segment: Segment, offset: int) -> bytes:
        """Return the bytes of a segment from `offset` up to the size that it gives."""
        return self._files.read(segment.name, offset, segment.size - offset)

    def drop_below(self, position: int) -> None:
        """Delete every segment all of whose entries are below `position`; never the last one."""
        while True:
            with self._guard:
                if len(self._segments) < 2 or self._segments[1].first > position:
                    return
                segment = self._segments.pop(0)
            self._files.remove(segment.name)

    def save_progress(self, progress: Progress) -> None:
        """Write how far publishing has come; a kill keeps it, a power cut keeps the last synced."""
        self.progress = progress
        self._generation += 1
        slot = next(
            slot for slot in range(SLOTS) if slot not in (self._written_slot, self._synced_slot)
        )
        self._files.overwrite(
            PROGRESS_NAME, slot * SLOT_SIZE, encode_slot(self._generation, progress)
        )
        self._written_slot = slot

    def sync_progress(self) -> None:
        """Return when the progress written last is on the disk."""
        self._files.sync(PROGRESS_NAME)
        self._synced_slot = self._written_slot

    def probe(self) -> None:
        """Write, sync and delete a small file.

        Raises:
            OSError: the disk is full or failing.
        """
        if PROBE_NAME in self._files.names():
            self._files.remove(PROBE_NAME)
        self._files.create(PROBE_NAME)
        self._files.append(PROBE_NAME, bytes(PROBE_SIZE))
        self._files.sync(PROBE_NAME)
        self._files.remove(PROBE_NAME)

    def _segment_for(self, position: int) -> Segment:
        if self._active is not None and self._active.size < self._segment_bytes:
            return self._active
        if self._active is not None:
            self._files.release(self._active.name)
        segment = Segment(position, 0)
        self._files.create(segment.name)
        with self._guard:
            self._segments.append(segment)
        self._active = segment
        return segment

    def _abandon(self, segment: Segment) -> None:
        self._active = None
        try:
            if segment.size == 0:
                with self._guard:
                    self._segments.remove(segment)
                self._files.remove(segment.name)
            else:
                self._files.truncate(segment.name, segment.size)
        except OSError as error:
            # The leftover may be read and published after a restart; the device was told 503 and
            # sends the events again, and the worker knows them by their identity.
            _log.warning("spool segment not cut", extra={"segment": segment.name, "error": error})
        finally:
            self._files.release(segment.name)

    def _open_progress(self) -> Progress:
        if PROGRESS_NAME not in self._files.names():
            self._files.create(PROGRESS_NAME)
            return Progress()
        slots = [
            decode_slot(self._files.read(PROGRESS_NAME, slot * SLOT_SIZE, SLOT_SIZE))
            for slot in range(SLOTS)
        ]
        sound = [(*found, slot) for slot, found in enumerate(slots) if found is not None]
        if not sound:
            return Progress()
        self._generation, progress, slot = max(sound, key=lambda each: each[0])
        self._written_slot = self._synced_slot = slot
        return progress

    def _recover(self, on_entry: Callable[[int, Entry], None]) -> Recovered:
        waiting, lost, torn = 0, 0, 0
        oldest: int | None = None
        names = [name for name in self._files.names() if _SEGMENT_NAME.fullmatch(name)]
        for name in names:
            segment = Segment(int(name.removesuffix(".log")), self._files.size(name))
            sound = True
            # A segment may have been made and the process killed before its first entry: what
            # comes next stands in it, and is taken for damage where its number is below its name.
            self.next_position = max(self.next_position, segment.first)
            for find in walk(self.read_segment(segment, 0), segment.first - 1):
                match find:
                    case Whole(position=position, payload=payload):
                        self.next_position = max(self.next_position, position + 1)
                        self.last_position = position
                        entry = read_entry(payload)
                        if not isinstance(entry, Merged) and position not in self.progress:
                            waiting += 1
                            oldest = oldest or entry.received or None
                        on_entry(position, entry)
                    case Lost(start=start, end=end, position=position):
                        self.next_position = max(self.next_position, position + 1)
                        self.last_position = position
                        waiting += position not in self.progress
                        lost += position not in self.progress
                        sound = False
                        _log.error(
                            "spool entry damaged",
                            extra={"segment": name, "from": start, "to": end, "entry": position},
                        )
                    case Torn(start=start, end=end):
                        if name == names[-1]:
                            self._files.truncate(name, start)
                            segment.size = start
                        torn += end - start
                        _log.warning(
                            "spool end torn", extra={"segment": name, "from": start, "to": end}
                        )
                    case _:
                        assert_never(find)
            self._segments.append(segment)
            # What follows damage decides how many entries it is taken for, so nothing may follow.
            self._active = segment if sound else None
        return Recovered(waiting, oldest, lost, torn)


class SpoolReader:
    """Reads the entries of a spool in order, each once, from where publishing has come to."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._previous = spool.progress.low - 1
        self._first: int | None = None
        self._offset = 0

    @property
    def next_position(self) -> int:
        """Return the lowest position that was not read yet."""
        return self._previous + 1

    def read(self) -> list[tuple[int, Entry]]:
        """Return the next entries with their positions; empty when there are none yet.

        At most one segment is read at a time, so memory is bounded by its size. An entry that
        cannot be read comes as the dead letter of its bytes.
        """
        for segment in self._spool.segments_from(self._previous + 1):
            start = self._offset if segment.first == self._first else 0
            if start >= segment.size:
                continue
            data = self._spool.read_segment(segment, start)
            before = self._previous if start else segment.first - 1
            entries = [
                (position, entry)
                for position, entry in _entries(data, before)
                if position > self._previous
            ]
            self._first, self._offset = segment.first, start + len(data)
            if entries:
                self._previous = entries[-1][0]
                return entries
        return []


def read_entry(payload: bytes) -> Entry:
    """Return the entry of a payload, or the dead letter of one that this program cannot read."""
    try:
        return decode_entry(payload)
    except EntryFault as fault:
        return _dead(payload, "an entry of this program's version", str(fault))


def _entries(data: bytes, before: int) -> list[tuple[int, Entry]]:
    entries: list[tuple[int, Entry]] = []
    for find in walk(data, before):
        match find:
            case Whole(position=position, payload=payload):
                entries.append((position, read_entry(payload)))
            case Lost(start=start, end=end, position=position):
                lost = _dead(data[start:end], "an entry that matches its digest", "damaged bytes")
                entries.append((position, lost))
            case Torn():
                # never acknowledged: said when the spool was opened
                continue
            case _:
                assert_never(find)
    return entries


def _dead(raw: bytes, expected: str, found: str) -> Refused:
    return Refused(
        table=None,
        received=0,
        raw=raw[:LONGEST_RAW],
        length=len(raw),
        reason=DAMAGE,
        field="line",
        expected=expected,
        found=found,
    )
