"""One Chromium for all tests in a browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.require import require


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    path = require("chromium")
    with sync_playwright() as playwright:
        # As root Chromium has no sandbox of its own, and it opens the test's own pages alone.
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()
