"""The devices of a soak: tables that play without end, posted at an even pace and recorded.

Most of the rounds are legal. Some of the stubs are put down exposed, and some events never come,
so that there are findings to compare.
"""

import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from producers.simulator.floor import Floor
from producers.simulator.lines import line
from producers.simulator.night import ENDLESS
from streams.core.events import Event, StubPlaced
from tests.bench.workload import GAMES, START
from tests.gateway_harness import RunningGateway

EXPOSED: Final = 0.05
"""The share of stubs that are put down with their cards showing."""

LOST: Final = 0.001
"""The share of events that never come; the next of their source tells of a gap."""

MOST_LINES: Final = 500
BEATS: Final = 20
"""Requests a second, each with what is due."""

BEHIND: Final = 0.5
"""Seconds of what is due that are caught up with; `clock_skew` is raised from 2 s on."""

PATIENCE: Final = 120.0
"""Seconds for which a request is sent again; a restarted gateway needs some."""

ACCEPTED: Final = 202


def deals(tables: int, seed: int) -> Iterator[Event]:
    """Yield what the devices of so many tables send, without end."""
    chance = random.Random(seed)
    for what in Floor(GAMES, tables, ENDLESS, seed, START).stream():
        if not isinstance(what, Event) or chance.random() < LOST:
            continue
        if isinstance(what.body, StubPlaced) and chance.random() < EXPOSED:
            yield replace(what, body=StubPlaced(exposed=True))
        else:
            yield what


@dataclass
class Load(threading.Thread):
    """Posts so many events a second until it is stopped, and keeps them as a recording.

    Attributes:
        gateway: where it posts; another is set when it is restarted.
        sent: events that were answered with 202.
        again: requests that had to be sent once more.
        failure: why it gave up, nothing while it has not.
    """

    gateway: RunningGateway
    recording: Path
    rate: float
    tables: int
    seed: int = 7
    sent: int = 0
    again: int = 0
    failure: str = ""
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    __hash__ = threading.Thread.__hash__

    def run(self) -> None:
        """Post until stopped."""
        events = deals(self.tables, self.seed)
        due = time.time()
        with self.recording.open("wb") as file:
            while not self.over.is_set() and not self.failure:
                now = time.time()
                # What a restart held up is not caught up with, for the device's clock would be off.
                due = max(due, now - BEHIND)
                count = min(MOST_LINES, int((now - due) * self.rate))
                if count == 0:
                    self.over.wait(1 / BEATS)
                    continue
                # A device's time is that of the sending, so that its clock is never off.
                body = b"".join(
                    line(replace(next(events), at=int((due + number / self.rate) * 1_000_000)))
                    for number in range(count)
                )
                due += count / self.rate
                self._post(body)
                file.write(body)
                self.sent += count

    def _post(self, body: bytes) -> None:
        give_up = time.monotonic() + PATIENCE
        while True:
            answer = self.gateway.post(body)
            if answer is not None and answer.status_code == ACCEPTED:
                return
            found = "no answer" if answer is None else f"{answer.status_code} {answer.text[:200]}"
            refused = answer is not None and answer.status_code not in {429, 503}
            if refused or time.monotonic() > give_up:
                self.failure = f"expected a gateway that accepts, found {found}"
                return
            self.again += 1
            time.sleep(0.1)
