"""How far a long command has come, on stderr and only where that is a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Self

from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from deploy.cli.terminal import stderr_console

WORTH_SHOWING: Final = 4 * 1024 * 1024
"""The least bytes of a file that take long enough for a bar: about a second."""


class FileProgress:
    """A bar for the bytes read of a file; nothing at all where nobody looks or it is short."""

    def __init__(self, name: str, size: int | None) -> None:
        self._bar: Progress | None = None
        if sys.stderr.isatty() and (size is None or size >= WORTH_SHOWING):
            self._bar = _bar_with(DownloadColumn())
            self._task = self._bar.add_task(name, total=size)

    def __enter__(self) -> Self:
        """Show the bar."""
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def at(self, position: int) -> None:
        """Move the bar to a position in the file, in bytes."""
        if self._bar is not None:
            self._bar.update(self._task, completed=position)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the bar away while something else is written to the terminal."""
        if self._bar is not None:
            self._bar.stop()
        yield
        if self._bar is not None:
            self._bar.start()


class RecordProgress:
    """A bar for the records read of a topic; nothing at all where nobody looks."""

    def __init__(self) -> None:
        self._bar: Progress | None = None

    def begin(self, name: str, total: int) -> None:
        """Show a bar for so many records, in place of the one before."""
        self.end()
        if sys.stderr.isatty():
            self._bar = _bar_with(MofNCompleteColumn())
            self._task = self._bar.add_task(name, total=total)
            self._bar.start()

    def moved(self, records: int) -> None:
        """Move the bar on."""
        if self._bar is not None:
            self._bar.update(self._task, advance=records)

    def end(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _bar_with(column: ProgressColumn) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        column,
        TimeRemainingColumn(),
        console=stderr_console(),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
