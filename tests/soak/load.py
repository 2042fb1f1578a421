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
from typing import Final, Protocol

import httpx

from producers.simulator.floor import Floor
from producers.simulator.lines import line
from producers.simulator.night import ENDLESS
from streams.core.events import Event, StubPlaced
from tests.bench.workload import GAMES, START

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


class Takes(Protocol):
    """A gateway that takes events, wherever it is."""

    def post(self, body: bytes) -> httpx.Response | None:
        """Post lines; nothing where no one answers."""


def deals(tables: int, seed: int, floor: str = "", boot: int = 1) -> Iterator[Event]:
    """Yield what the devices of so many tables send, without end.

    The tables' names begin with the floor's; devices that are started again have another boot.
    """
    chance = random.Random(seed)
    for what in Floor(GAMES, tables, ENDLESS, seed, START, boot=boot).stream():
        if not isinstance(what, Event) or chance.random() < LOST:
            continue
        event = replace(what, table=f"{floor}{what.table}") if floor else what
        if isinstance(what.body, StubPlaced) and chance.random() < EXPOSED:
            yield replace(event, body=StubPlaced(exposed=True))
        else:
            yield event


@dataclass
class Load(threading.Thread):
    """Posts so many events a second until it is stopped, and keeps them as a recording.

    Attributes:
        gateway: where it posts; another is set when it is restarted.
        floor: what the tables' names begin with.
        boot: the boot of the tables' devices.
        sent: events that were answered with 202.
        again: requests that had to be sent once more.
        failure: why it gave up, nothing while it has not.
    """

    gateway: Takes
    recording: Path
    rate: float
    tables: int
    seed: int = 7
    floor: str = ""
    boot: int = 1
    sent: int = 0
    again: int = 0
    failure: str = ""
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    __hash__ = threading.Thread.__hash__

    def run(self) -> None:
        """Post until stopped."""
        events = deals(self.tables, self.seed, self.floor, self.boot)
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
