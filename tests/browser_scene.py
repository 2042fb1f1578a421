"""Browsers that look at a real console over a real Kafka: one Chromium for all tests of a run.

A scene has a floor's topics, a console in a process of its own, a proxy before it that can break
every connection, and what is written to the topics while pages look on.
"""

import json
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page

from tests.console_harness import PASSWORD, RunningConsole, running_console
from tests.faults.proxy import Proxy
from tests.floor_records import Floor, Topics, inventory
from tests.kafka_fixtures import make_floor

PICTURES: Final = Path("build/pictures")
WIDE: Final = {"width": 1440, "height": 900}
PHONE: Final = {"width": 390, "height": 844}
DOUBLE: Final = {"width": 720, "height": 450}
"""What 1440 by 900 is at a zoom of 200 %."""

LISTEN: Final = """
window.heard = [];
document.addEventListener("pitwatch:frame", (event) => {
  const { id, kind, swap, shout } = event.detail;
  window.heard.push({ id, kind, swap: Object.keys(swap || {}), shout: shout || [] });
});
"""


def now() -> int:
    """Return the time, microseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1000


@dataclass
class Site:
    """A console that browsers look at, and the browser profiles that are signed in at it."""

    browser: Browser
    url: str
    contexts: dict[str, BrowserContext] = field(default_factory=dict, kw_only=True)

    def context(self, user: str = "op-27") -> BrowserContext:
        """Return the browser profile in which a user is signed in."""
        if user not in self.contexts:
            context = self.browser.new_context(viewport=WIDE, color_scheme="light")  # type: ignore[arg-type]  # a TypedDict of the library's own
            context.set_default_timeout(20_000)
            context.add_init_script(LISTEN)
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
    def page(self, path: str = "/", user: str = "op-27", **media: Any) -> Iterator[Page]:
        """Open a page that is live; what its scripts get wrong, or the policy refuses, counts."""
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
            # A letter that comes later would move what a test has measured.
            wait(page, "document.fonts.status === 'loaded'")
            yield page
            assert not faults, faults
        finally:
            page.close()


@dataclass
class Scene(Site):
    """One floor with a console; browsers find it behind a proxy."""

    console: RunningConsole
    topics: Topics
    proxy: Proxy
    floor: Floor


def wait(page: Page, holds: str, seconds: float = 30) -> None:
    """Wait until a script's expression is true.

    Playwright's own way of it evaluates texts within the page, which the page's policy refuses.
    """
    deadline = time.monotonic() + seconds
    while not page.evaluate(holds):
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s for {holds}"
        page.wait_for_timeout(50)


def wait_text(page: Page, selector: str, part: str) -> None:
    """Wait until an element's text has a part."""
    wait(page, f"document.querySelector({selector!r})?.textContent.includes({part!r})")


def live(page: Page) -> None:
    """Wait until a page says that its feed is live."""
    wait(page, "document.querySelector('#feed b').textContent === 'Live'")


def frames(page: Page) -> list[dict[str, Any]]:
    """Return what a page heard since it was opened."""
    heard: list[dict[str, Any]] = page.evaluate("window.heard")
    return heard


def next_frames(page: Page, count: int = 2) -> None:
    """Wait for some more frames."""
    seen = page.evaluate("window.heard.length")
    wait(page, f"window.heard.length >= {seen + count}")


def violations(page: Page) -> list[str]:
    """Return what axe-core finds: rules of WCAG 2.0 to 2.2, A and AA, and best practices."""
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {each['help']}: {json.dumps([node['target'] for node in each['nodes']])}"
        for each in found
    ]


def picture(page: Page, name: str) -> None:
    """Write a picture of what the window shows."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", animations="disabled")


def sideways(page: Page) -> int:
    """Return by how many pixels a page is wider than its window, once it is drawn in that."""
    page.evaluate("new Promise((over) => requestAnimationFrame(() => requestAnimationFrame(over)))")
    wider: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return wider


@contextmanager
def scene(
    bootstrap: str, browser: Browser, folder: Path, floor: Floor, *, listed: bool = True
) -> Iterator[Scene]:
    """Run a console over a floor's topics, and write the floor to them.

    Args:
        bootstrap: Kafka's address.
        browser: what looks on.
        folder: for the console's files.
        floor: what the topics have when the console starts.
        listed: whether the console has the inventory of these tables.
    """
    prefix = f"console-{uuid.uuid4().hex[:8]}."
    make_floor(bootstrap, prefix, 4)
    topics = Topics(bootstrap, prefix)
    topics.floor(floor)
    text = inventory() if listed else None
    try:
        with running_console(bootstrap, prefix, folder, floor=text) as console, Proxy() as proxy:
            proxy.target = console.port
            url = f"http://{proxy.address}"
            made = Scene(browser, url, console, topics, proxy, floor)
            try:
                yield made
            finally:
                for context in made.contexts.values():
                    context.close()
    finally:
        topics.close()
