"""Events that are not delivered yet, on disk, in order: what makes a kill and an outage harmless.

    queue/00000007.ndjson   segments: a CRC-32 and an event a line, each synced before it counts
    progress                up to where all is delivered, and what was dropped, replaced as a whole

An event is in the queue when ``append`` returns. A line whose end is missing was being written
when the process was killed, so nobody was told that it counts; it is left out. A line that was
changed on the disk is dropped and counted. Each start writes to a segment of its own, and a
segment is deleted when all of it is delivered, so nothing that is on the disk is ever changed.
The segment that is written is up to 1 MiB of what is delivered already, beside what may wait.
"""

import os
from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from producers.client.disk import (
    OWNER_FILE,
    checked,
    make_folder,
    read_file,
    replace_file,
    sync_folder,
    unchecked,
)

SEGMENTS: Final = "queue"
PROGRESS: Final = "progress"
SEGMENT_BYTES: Final = 1024 * 1024

QUEUE_FULL: Final = "queue_full"
TOO_LONG: Final = "too_long"
REFUSED: Final = "refused"
DAMAGED: Final = "damaged"
DISK_FAILED: Final = "disk_failed"
REASONS: Final = (QUEUE_FULL, TOO_LONG, REFUSED, DAMAGED, DISK_FAILED)
"""Why an event is dropped: no room, longer than a gateway takes, refused by it as no event,
changed on the disk, or never on it."""


Place = tuple[int, int]
"""A segment's number, and bytes of it."""


@dataclass(slots=True)
class _Segment:
    number: int
    end: int
    """Bytes that count; what stands behind them was never synced."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The next lines to be sent, in order.

    Args:
        lines: the events' lines, without ends.
        end: where they end in the queue: the segment's number and the bytes.
        damaged: changed lines before, between and behind them, which are left out.
    """

    lines: tuple[bytes, ...]
    end: Place
    damaged: int


class DiskQueue:
    """The queue in a folder. Not for several threads at once.

    Args:
        folder: one process's own.
        most_bytes: what the segments may take.

    Raises:
        OSError: the folder cannot be read or written.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder = folder / SEGMENTS
        make_folder(self._folder)
        self._progress = folder / PROGRESS
        self._most_bytes = most_bytes
        values = read_file(self._progress) or {}
        self._at = (int(values.get("segment", 0)), int(values.get("offset", 0)))
        self._drops = Counter({str(name): int(n) for name, n in values.get("drops", {}).items()})
        self._waiting = 0
        self._segments = deque(self._recovered())
        self._next = max([self._at[0], *(each.number for each in self._segments)]) + 1
        self._file: int | None = None

    @property
    def waiting(self) -> int:
        """Return how many lines are not delivered."""
        return self._waiting

    @property
    def drops(self) -> Mapping[str, int]:
        """Return how many events were dropped since the folder was made, by reason."""
        return dict(self._drops)

    def append(self, line: bytes) -> bool:
        """Put an event's line at the end, synced; return false where there is no room for it.

        Raises:
            OSError: the disk does not write; the event is not in the queue.
        """
        data = checked(line)
        if self._size() + len(data) > self._most_bytes:
            return False
        try:
            file = self._file
            if file is None or self._segments[-1].end >= SEGMENT_BYTES:
                file = self._begin()
            segment = self._segments[-1]
            written = 0
            while written < len(data):
                written += os.pwrite(file, data[written:], segment.end + written)
            os.fsync(file)
        except OSError:
            self._give_up()
            raise
        segment.end += len(data)
        self._waiting += 1
        return True

    def batch(self, most_lines: int, most_bytes: int) -> Batch | None:
        """Return the next lines, one at least if any can be read; nothing where none waits.

        Raises:
            OSError: the disk does not read.
        """
        lines: list[bytes] = []
        size = damaged = 0
        end = self._at
        with closing(self._lines()) as waiting:
            for line, where in waiting:
                if line is None:
                    damaged += 1
                else:
                    size += len(line) + 1
                    if lines and (len(lines) == most_lines or size > most_bytes):
                        break
                    lines.append(line)
                end = where
        return None if end == self._at else Batch(tuple(lines), end, damaged)

    def delivered(self, batch: Batch, dropped: Mapping[str, int]) -> None:
        """Take that a batch is delivered or dropped, on disk before this returns.

        Args:
            batch: the one that was returned last.
            dropped: how many of its lines were dropped, by reason.

        Raises:
            OSError: the disk does not write; after a restart the lines are sent again.
        """
        self._drops.update({name: number for name, number in dropped.items() if number})
        if batch.damaged:
            self._drops[DAMAGED] += batch.damaged
        self._waiting -= len(batch.lines) + batch.damaged
        self._at = batch.end
        done = [each for each in self._segments if self._is_done(each)]
        self.save()
        for segment in done:
            self._segments.remove(segment)
            self._path(segment.number).unlink(missing_ok=True)

    def drop(self, reason: str) -> None:
        """Count an event that never came into the queue, on disk if that writes."""
        self._drops[reason] += 1
        self.save()

    def save(self) -> None:
        """Put the place and the counts on disk."""
        segment, offset = self._at
        values = {"segment": segment, "offset": offset, "drops": dict(self._drops)}
        replace_file(self._progress, values)

    def close(self) -> None:
        """Close the segment that is written."""
        self._end_segment()

    def _size(self) -> int:
        """Return the bytes that are not delivered."""
        number, offset = self._at
        return sum(each.end - (offset if each.number == number else 0) for each in self._segments)

    def _is_done(self, segment: _Segment) -> bool:
        """Say whether all of a segment is delivered and nothing more comes into it."""
        number, offset = self._at
        written = self._file is not None and segment is self._segments[-1]
        delivered = segment.number < number or (segment.number == number and offset >= segment.end)
        return delivered and not written

    def _begin(self) -> int:
        """Begin a segment and return its file."""
        self._end_segment()
        path = self._path(self._next)
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        self._file = os.open(path, flags, OWNER_FILE)
        self._segments.append(_Segment(self._next, 0))
        self._next += 1
        sync_folder(self._folder)
        return self._file

    def _end_segment(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            # a deferred write error was already told by fsync
            with suppress(OSError):
                os.close(file)

    def _give_up(self) -> None:
        """Be done with the segment that is written, and leave none on the disk that is empty.

        After a failed sync the kernel may call the next one good, so each try has a new segment.
        """
        if self._file is None:
            return
        self._end_segment()
        if not self._segments[-1].end:
            with suppress(OSError):
                self._path(self._segments.pop().number).unlink()

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:08d}.ndjson"

    def _recovered(self) -> Iterator[_Segment]:
        """Yield the segments that are not delivered, each as far as its last whole line."""
        for path in sorted(self._folder.glob("*.ndjson")):
            number, data = int(path.stem), path.read_bytes()
            end = data.rfind(b"\n") + 1
            start = self._at[1] if number == self._at[0] else 0
            if number < self._at[0] or start >= end:
                path.unlink()
            else:
                self._waiting += data.count(b"\n", start, end)
                yield _Segment(number, end)

    def _lines(self) -> Generator[tuple[bytes | None, Place], None, None]:
        """Yield what waits: a line, or nothing where it was changed, and where it ends."""
        for segment in self._segments:
            end = self._at[1] if segment.number == self._at[0] else 0
            with self._path(segment.number).open("rb") as file:
                file.seek(end)
                while end < segment.end and (line := file.readline()):
                    end += len(line)
                    yield unchecked(line.removesuffix(b"\n")), (segment.number, end)
