"""Recorded events from files: NDJSON, plain or gzip, read in chunks so that no file is too long."""

import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, cast

import click

from schemas.faults import LineFault
from schemas.ndjson import decode_line, read_lines
from streams.core.events import Event
from streams.wire.inbound import to_event

STDIN: Final = "-"
GZIP_MAGIC: Final = b"\x1f\x8b"
CHUNK_LINES: Final = 32_768
"""Lines judged at once: enough that a table's state is copied rarely, few enough to stay small."""

READ_BYTES: Final = 256 * 1024
_SOURCE: Final = re.compile(rb'"source"\s*:\s*"([A-Za-z0-9][A-Za-z0-9._/-]{0,63})"')


class UnreadableFile(click.ClickException):
    """A file cannot be opened."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was refused; ``source`` is who it says it is from, where that can be made out."""

    number: int
    fault: LineFault
    source: str | None

    def __str__(self) -> str:
        """Return the line's number and fault, as they are told after the name of the file."""
        return f"line {self.number}: {self.fault}"


@dataclass(slots=True)
class Chunk:
    """Some lines of a file, in order: the good ones' events and the bad ones' faults."""

    events: list[Event] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Recording:
    """An open file; ``size`` is its length in bytes where it is known."""

    name: str
    stream: BinaryIO
    raw: BinaryIO
    size: int | None

    def position(self) -> int:
        """Return how many of the file's bytes were read; 0 where that cannot be told."""
        return self.raw.tell() if self.size is not None else 0

    def chunks(self) -> Iterator[Chunk]:
        """Yield the file's lines in chunks; blank ones are skipped.

        Data that cannot be read, such as the end of a cut gzip file, is told as a bad line.
        """
        chunk = Chunk()
        number = 0
        try:
            for number, raw in read_lines(self.stream):
                decoded = decode_line(raw)
                if isinstance(decoded, LineFault):
                    chunk.bad.append(BadLine(number, decoded, _named_source(raw)))
                else:
                    chunk.events.append(to_event(decoded))
                chunk.lines += 1
                if chunk.lines == CHUNK_LINES:
                    yield chunk
                    chunk = Chunk()
        except (OSError, EOFError, zlib.error) as error:
            fault = LineFault("line", "data that can be read", str(error))
            chunk.bad.append(BadLine(number + 1, fault, None))
        yield chunk


@contextmanager
def open_recording(name: str) -> Iterator[Recording]:
    """Open a recording by its path, ``-`` for standard input; gzip is seen by its first bytes.

    Raises:
        UnreadableFile: it cannot be opened.
    """
    if name == STDIN:
        yield _recording(name, click.get_binary_stream("stdin"), None)
        return
    try:
        file = Path(name).open("rb", buffering=READ_BYTES)  # noqa: SIM115  closed by the with below
    except OSError as error:
        message = f"{name}: expected a file that can be read, found: {error.strerror}"
        raise UnreadableFile(message) from error
    with file:
        yield _recording(name, file, Path(name).stat().st_size)


def _recording(name: str, raw: BinaryIO, size: int | None) -> Recording:
    buffered = (
        raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, raw))
    )
    if buffered.peek(len(GZIP_MAGIC))[: len(GZIP_MAGIC)] != GZIP_MAGIC:
        return Recording(name, buffered, buffered, size)
    import gzip  # noqa: PLC0415  most recordings are plain

    # Read by itself: a buffer around it would lose the lines just before a fault.
    unzipped = cast(BinaryIO, gzip.GzipFile(fileobj=buffered))
    return Recording(name, unzipped, buffered, size)


def _named_source(raw: bytes) -> str | None:
    """Return the source that a refused line names."""
    match = _SOURCE.search(raw)
    return match.group(1).decode() if match else None
