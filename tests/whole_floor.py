"""A whole floor that a browser works at: Kafka, gateway, worker, historian and console as users run
them, without simulated tables; the test deals itself, through the gateway."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import httpx
from playwright.sync_api import Browser

from streams.console.access.accounts import Accounts
from streams.console.access.passwords import Passwords
from streams.console.access.trail import By
from streams.core.events import Event
from streams.database import open_database
from streams.wire.inbound import to_line
from tests.browser_scene import Site, now, wait
from tests.console_harness import PASSWORD, USERS
from tests.console_scene import recorded
from tests.floor_process import UP, FloorProcess

FLOOR: Final = (*UP, "--no-simulator", "--partitions", "2")


@dataclass
class WholeFloor(Site):
    """One floor with its console.

    Attributes:
        sent: every event that was posted, in order.
    """

    process: FloorProcess
    sent: list[Event] = field(default_factory=list)

    def send(self, events: Sequence[Event]) -> None:
        """Post events to the gateway, as devices do."""
        body = "".join(f"{to_line(event)}\n" for event in events)
        answer = httpx.post(
            f"http://127.0.0.1:{self.process.gateway}/v1/events",
            content=body.encode(),
            timeout=30,
            trust_env=False,
        )
        assert answer.status_code == 202, answer.text
        self.sent += events

    def log(self) -> str:
        """Return the last of what the console said."""
        return (self.process.data / "console.log").read_text()[-4_000:]


@contextmanager
def whole_floor(browser: Browser) -> Iterator[WholeFloor]:
    """Run a floor with an account for each role, and end it."""
    process = FloorProcess(FLOOR)
    try:
        port = int(process.line(r"console +http://127\.0\.0\.1:(\d+)")[1])
        make_accounts(process.data)
        yield WholeFloor(browser, f"http://127.0.0.1:{port}", process)
    finally:
        process.close()


def make_accounts(data: Path) -> None:
    """Make the accounts of the tests beside the one that the floor made."""
    engine = open_database(f"sqlite:///{data.absolute() / 'pitwatch.db'}")
    accounts, encoded = Accounts(engine), Passwords().hash(PASSWORD)
    for name, (role, pits) in USERS.items():
        accounts.add(name, encoded, role, pits, By("test", now(), "127.0.0.1"))
    engine.dispose()


def played(recording: str, table: str, until: int) -> list[Event]:
    """Return a recording's events as a table's, the last of them at a time."""
    told = recorded(recording)
    later = until - told[-1].at
    return [replace(each, table=table, at=each.at + later, received=None) for each in told]


def up_to(events: Iterable[Event], cards: int, rounds: int) -> list[Event]:
    """Return events until so many cards were dealt in the round after so many were closed."""
    taken: list[Event] = []
    closed = dealt = 0
    for event in events:
        taken.append(event)
        if event.body.kind == "round_closed":
            closed, dealt = closed + 1, 0
        dealt += event.body.kind == "card_dealt"
        if closed == rounds and dealt == cards:
            return taken
    raise AssertionError(f"{cards} cards of round {rounds + 1}: the recording has fewer")


__all__ = ["WholeFloor", "played", "up_to", "wait", "whole_floor"]
