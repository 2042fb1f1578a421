"""Replaying dead letters for `pitwatch dlq`: in bounded batches, and the rest to a recording."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from itertools import islice
from typing import BinaryIO, Final

import click

from deploy.cli.letters import FATES
from deploy.cli.progress import RecordProgress
from deploy.cli.terminal import plain_table, stderr_console, stdout_console
from schemas.keys import NamedKey
from streams.shell.letter_log import LetterLog, Window
from streams.shell.letters import Letter, Readable
from streams.shell.ports import Topics
from streams.shell.replay import REST, Fate, Replay
from streams.wire.inbound import to_line

BATCH: Final = 500
"""Letters between two looks at what the floor has written meanwhile."""

BATCH_BYTES: Final = 8 * 1024 * 1024
STDOUT: Final = "-"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which letters a command is about."""

    reasons: frozenset[str]
    tables: frozenset[str]
    since: int | None
    until: int | None

    def takes(self, letter: Letter) -> bool:
        """Say whether it is about a letter, whose time is seen to already."""
        return (not self.reasons or letter.reason in self.reasons) and (
            not self.tables or letter.table in self.tables
        )


class Rest:
    """The recording of what was not replayed; readable by its owner alone, for cards may lie in it.

    Args:
        path: where; nowhere where there is none.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.events = 0
        self._file: BinaryIO | None = None

    def begin(self) -> None:
        """Forget what was written."""
        self.events = 0
        if self._file is not None and self.path != STDOUT:
            self._file.seek(0)
            self._file.truncate()

    def add(self, piece: Readable) -> None:
        """Write an event.

        Raises:
            click.ClickException: the file cannot be written.
        """
        self.events += 1
        if self.path is None:
            return
        if self._file is None:
            self._file = self._opened(self.path)
        self._file.write(f"{to_line(piece.event)}\n".encode())

    def _opened(self, path: str) -> BinaryIO:
        if path == STDOUT:
            return click.get_binary_stream("stdout")
        try:
            return open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600))
        except OSError as error:
            raise click.ClickException(
                f"{path}: expected a file that can be written, found: {error.strerror}; "
                "say another with --rest"
            ) from error

    def close(self) -> None:
        """Write out what is left."""
        if self._file is not None:
            self._file.flush()
            if self.path != STDOUT:
                self._file.close()


def run(
    log: LetterLog,
    topics: Topics,
    wanted: Wanted,
    rest: Rest,
    key: NamedKey | None = None,
    *,
    dry_run: bool,
) -> Replay:
    """Replay what is next, until nothing is; return what became of all.

    Args:
        log: the floor's topics.
        topics: their names.
        wanted: which letters.
        rest: takes what is not replayed.
        key: a gateway's key, that its lines are signed with.
        dry_run: whether nothing is written.
    """
    windows = log.windows(wanted.since, wanted.until)
    places = log.read_places()
    version = metadata.version("pitwatch")
    done = Replay(places, dead=topics.dead, commands=topics.commands, version=version)
    while True:
        done.begin()
        rest.begin()
        for batch in batches(letters(log, windows, wanted)):
            log.follow(places)
            deals = []
            for judged in done.judge(batch):
                if judged.fate is Fate.NEXT:
                    deals.append(done.deal(judged))
                elif judged.fate in REST and isinstance(judged.piece, Readable):
                    rest.add(judged.piece)
            if deals and not dry_run:
                log.publish(deals, key)
        if not done.again:
            return done


def letters(log: LetterLog, windows: Mapping[int, Window], wanted: Wanted) -> Iterator[Letter]:
    """Yield the letters that are wanted, with a bar of how far the reading has come."""
    progress = RecordProgress()
    progress.begin("dead letters", sum(max(0, last - first) for first, last in windows.values()))
    try:
        yield from filter(wanted.takes, log.letters(windows, progress.moved))
    finally:
        progress.end()


def batches(letters: Iterable[Letter]) -> Iterator[list[Letter]]:
    """Yield letters some at a time, bounded by their number and by their bytes."""
    rest = iter(letters)
    while batch := list(islice(rest, 1)):
        size = len(batch[0].value or b"")
        while size < BATCH_BYTES and len(batch) < BATCH and (more := next(rest, None)) is not None:
            batch.append(more)
            size += len(more.value or b"")
        yield batch


def totals(done: Replay, rest: Rest) -> dict[str, object]:
    """Return how many events have each fate, and where the rest was written, as JSON has it."""
    counts = {fate.value: done.left[fate] for fate in FATES if fate is not Fate.NEXT}
    return {
        "replayed": done.replayed,
        **counts,
        "rest": rest.events,
        "file": rest.path if rest.events else None,
    }


def say(done: Replay, rest: Rest, *, err: bool, dry_run: bool) -> None:
    """Print what became of the letters' events."""
    console = stderr_console() if err else stdout_console()
    table = plain_table("events", "what became of them" if not dry_run else "what would become")
    counts = {**done.left, Fate.NEXT: done.replayed}
    for fate, text in FATES.items():
        if counts.get(fate):
            table.add_row(str(counts[fate]), text)
    console.print(table)
    if rest.events and rest.path is not None:
        where = "stdout" if rest.path == STDOUT else rest.path
        console.print(f"{rest.events} events were written to {where}: `pitwatch check` judges them")
