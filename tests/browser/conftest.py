"""One Chromium, and one whole floor, for the tests of a module.

Playwright keeps an event loop running in the thread that started it, in which no other test can
run a loop of its own: it must be over before tests without a browser come.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests import floor_records as made
from tests.browser_scene import Scene, now, scene
from tests.kafka_fixtures import Broker
from tests.require import require
from tests.whole_floor import WholeFloor, whole_floor


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    path = require("chromium")
    with sync_playwright() as playwright:
        # As root Chromium has no sandbox of its own, and it opens the test's own pages alone.
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def floor(browser: Browser) -> Iterator[WholeFloor]:
    """A whole floor, one for all tests of a module: each deals at tables of its own."""
    with whole_floor(browser) as running:
        yield running


@pytest.fixture(scope="module")
def busy(
    kafka: Broker, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    """60 tables in every state."""
    folder = tmp_path_factory.mktemp("console")
    with scene(kafka.bootstrap, browser, folder, made.busy(now())) as running:
        yield running
