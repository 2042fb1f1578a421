"""A whole floor that a browser works at: Kafka, gateway, worker, historian and console as users run
them, without simulated tables; the test deals itself, through the gateway."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import httpx
from playwright.sync_api import Browser, BrowserContext, Page

from streams.console.access.accounts import Accounts
from streams.console.access.passwords import Passwords
from streams.console.access.trail import By
from streams.core.events import Event
from streams.database import open_database
from streams.wire.inbound import to_line
from tests.browser_scene import WIDE, live, now, wait
from tests.console_harness import PASSWORD, USERS
from tests.console_scene import recorded
from tests.floor_process import UP, FloorProcess

FLOOR: Final = (*UP, "--no-simulator", "--partitions", "2")


@dataclass
class WholeFloor:
    """One floor, and the browser profiles that are signed in at its console.

    Attributes:
        sent: every event that was posted, in order.
    """

    process: FloorProcess
    browser: Browser
    url: str
    contexts: dict[str, BrowserContext] = field(default_factory=dict)
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

    def context(self, user: str) -> BrowserContext:
        """Return the browser profile in which a user is signed in."""
        if user not in self.contexts:
            context = self.browser.new_context(viewport=WIDE, color_scheme="light")  # type: ignore[arg-type]  # a TypedDict of the library's own
            context.set_default_timeout(20_000)
            page = context.new_page()
            page.goto(f"{self.url}/sign-in")
            page.fill("#name", user)
            page.fill("#password", PASSWORD)
            page.click("button[type=submit]")
            page.wait_for_selector("#feed")
            page.close()
            self.contexts[user] = context
        return self.contexts[user]

    @contextmanager
    def page(self, path: str, user: str = "op-27", **media: Any) -> Iterator[Page]:
        """Open a live page; what its scripts get wrong, or the policy refuses, counts."""
        page = self.context(user).new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "console",
            lambda message: (
                faults.append(message.text) if "Content Security Policy" in message.text else None
            ),
        )
        if media:
            page.emulate_media(**media)
        try:
            page.goto(f"{self.url}{path}")
            live(page)
            yield page
            assert not faults, faults
        finally:
            page.close()


@contextmanager
def whole_floor(browser: Browser) -> Iterator[WholeFloor]:
    """Run a floor with an account for each role, and end it."""
    process = FloorProcess(FLOOR)
    try:
        port = int(process.line(r"console +http://127\.0\.0\.1:(\d+)")[1])
        make_accounts(process.data)
        yield WholeFloor(process, browser, f"http://127.0.0.1:{port}")
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
