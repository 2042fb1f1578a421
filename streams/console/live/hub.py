"""Tells every browser what changed: one frame a second for all of them, alarms at once.

| when | what |
|---|---|
| a second is over | what changed is painted once and is the next frame; else the time |
| an alarm changed | the alarms and their tables' tiles, at once, ten times a second at most |
| a client takes a frame | the next ones it is owed; slow ones get several as one |
| nothing was sent for 15 s | a comment, so that a broken connection is noticed |
| a client is gone | it is forgotten with its connection |

Everything happens in the event loop: the model changes between two awaits and never under a page
that is being made.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Final

from streams.console.inventory import Inventory
from streams.console.live.floor import LiveFloor
from streams.console.live.frames import Ring
from streams.console.live.painter import Painter

FRAME_SECONDS: Final = 1.0
ALARM_SECONDS: Final = 0.1
"""Between two frames of alarms: a thousand of them at once are ten frames a second."""

HEARTBEAT_SECONDS: Final = 15.0
RETRY: Final = b"retry: 2000\n: pitwatch\n\n"
"""The first bytes of every stream: browsers come back after two seconds."""

HEARTBEAT: Final = b": alive\n\n"

_log: Final = logging.getLogger(__name__)


class Hub:
    """The frames and who takes them.

    Args:
        floor: the model.
        painter: makes fragments of it.
        boot: this process's part of the ids of frames.
        clients: live pages at once.
        clock: the time in microseconds since 1970-01-01 UTC.
    """

    def __init__(
        self,
        floor: LiveFloor,
        painter: Painter,
        *,
        boot: str,
        clients: int,
        clock: Callable[[], int],
    ) -> None:
        self._floor = floor
        self._painter = painter
        self._ring = Ring(boot)
        self._most = clients
        self._clock = clock
        self._news = asyncio.Event()
        self._urgent = asyncio.Event()
        self._closing = False
        self.look: Callable[[], None] = lambda: None
        """Called before a frame is made: says whether the feed is lost."""
        self.failed = False
        self.clients = 0
        self.refused = 0

    @property
    def position(self) -> str:
        """Return the id after which a page goes on that is made now."""
        return self._ring.position

    @property
    def frames(self) -> int:
        """Return how many frames were made."""
        return self._ring.number

    @property
    def inventory(self) -> Inventory:
        """Return the floor with the tables that were seen."""
        return self._painter.inventory

    @property
    def painter(self) -> Painter:
        """Return what makes fragments of the floor."""
        return self._painter

    def hurry(self) -> None:
        """Tell it that an alarm changed."""
        self._urgent.set()

    def begin(self) -> None:
        """Tell it that all that stood before the start is read: what comes now is news."""
        self.paint()
        self._painter.loud = True

    def paint(self, *, urgent: bool = False) -> None:
        """Make the next frame.

        Args:
            urgent: whether only alarms and their tables are told, the rest with the next second.
        """
        self.look()
        number = self._ring.number + 1
        now = self._clock()
        paint = self._painter.alarms if urgent else self._painter.everything
        frame = paint(number, now)
        if frame is None:
            return
        self._ring.append(frame)
        self._tell()

    async def run(self) -> None:
        """Make frames until it is cancelled; where that fails, no page may think all is well."""
        try:
            await self._run()
        except Exception:
            self.failed = True
            self.close()
            _log.exception("frames cannot be made")

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due += FRAME_SECONDS
            while (left := due - loop.time()) > 0:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._urgent.wait(), left)
                    self._urgent.clear()
                    self.paint(urgent=True)
                    await asyncio.sleep(min(ALARM_SECONDS, max(0.0, due - loop.time())))
            if left < -FRAME_SECONDS:
                _log.warning("frames are late", extra={"seconds": -left})
                due = loop.time()
            self.paint()

    def close(self) -> None:
        """End all streams: the console is about to stop."""
        self._closing = True
        self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    @property
    def full(self) -> bool:
        """Return whether there are as many live pages as may be; each time counts as a refusal."""
        if self.clients < self._most:
            return False
        self.refused += 1
        return True

    def enter(self) -> None:
        """Count a client in."""
        self.clients += 1

    def leave(self) -> None:
        """Count a client out."""
        self.clients -= 1

    async def stream(self, last: str, pit: str | None) -> AsyncIterator[bytes]:
        """Yield what a client is to be sent, until the hub is closed.

        Args:
            last: the id of the last frame it has, or any other text.
            pit: the pit it shows, or nothing for all.
        """
        yield RETRY
        at = self._ring.place_of(last)
        while not self._closing:
            news = self._news
            place = None if at is None else self._ring.reachable(at)
            if place is None:
                at = self._ring.number
                yield self._painter.snapshot(at, self._clock()).message(self._ring.boot, pit)
                continue
            message, at = self._ring.after(place, pit), self._ring.number
            if message:
                yield message
                continue
            try:
                await asyncio.wait_for(news.wait(), HEARTBEAT_SECONDS)
            except TimeoutError:
                yield HEARTBEAT
