"""What files say at this moment: read at the start, and again whenever one of them changed.

| the files | what is known |
|---|---|
| are as they were | stays |
| changed and can be used | is what they say now |
| changed and cannot be used | stays, and that is told once for each change |

A change is a new time, size or inode, so that an atomic replacement and a mounted secret that is
swapped behind a link are seen as well. They are looked at once a second at most, by whoever asks.
"""

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Generic, TypeVar

LOOK_SECONDS: Final = 1.0

Known = TypeVar("Known")
Stamp = tuple[tuple[int, int, int] | None, ...]

_log: Final = logging.getLogger(__name__)


class Watched(Generic[Known]):
    """What files say; for one thread.

    Args:
        what: what they are, in one word, for logs and counts.
        paths: the files.
        load: reads them.
        now: seconds, never going back.

    Raises:
        ValueError: they cannot be used at the start.
        OSError: they cannot be read at the start.
    """

    def __init__(
        self,
        what: str,
        paths: Sequence[Path],
        load: Callable[[], Known],
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what = what
        self._paths = tuple(paths)
        self._load = load
        self._now = now
        self._stamp = self._stamped()
        self._known = load()
        self._look_at = now() + LOOK_SECONDS
        self.failures = 0
        """How often changed files could not be used."""
        self.failed: Callable[[str], None] | None = None
        """Told ``what`` each time changed files cannot be used."""

    def current(self) -> Known:
        """Return what the files say."""
        now = self._now()
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            self._look()
        return self._known

    def _look(self) -> None:
        stamp = self._stamped()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._known = self._load()
        except (OSError, ValueError) as error:
            _log.error(
                "a changed file cannot be used, what it said before holds",
                extra={"file": self._what, "fault": str(error)},
            )
            self.failures += 1
            if self.failed is not None:
                self.failed(self._what)
        else:
            _log.info("a changed file was read again", extra={"file": self._what})

    def _stamped(self) -> Stamp:
        return tuple(_stamp(path) for path in self._paths)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
