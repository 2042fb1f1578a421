"""A table that is known by its alarm before its first view: its page says so, and goes live."""

import random

import pytest

from tests import floor_records as made
from tests.browser_scene import (
    PHONE,
    Scene,
    live,
    now,
    picture,
    sideways,
    violations,
    wait,
    wait_text,
)

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.browser]


def test_a_table_known_by_its_alarm_goes_live_with_its_first_view(busy: Scene) -> None:
    table = "CS-77"
    at = now()
    busy.topics.write(made.alarm(table, "stub_count_overdue", at, "high", round=6))
    with busy.page("/alarms") as alarms:
        row = f"#alarm-rows tr[data-table={table}] th a"
        wait(alarms, f"document.querySelector({row!r}) !== null")
        alarms.focus(row)
        alarms.keyboard.press("o")
        alarms.wait_for_url(f"**/tables/{table}")
        wait_text(alarms, "h1", "its first view is awaited")
        assert alarms.locator("#table-alarms .al").count() == 1
        assert violations(alarms) == []
        picture(alarms, "table-awaited")
        alarms.set_viewport_size(PHONE)  # type: ignore[arg-type]  # a TypedDict of the library's own
        assert sideways(alarms) <= 0
        busy.topics.write(made.view(table, at, random.Random(7), round=6))
        # The page is asked for anew: a script that runs meanwhile would lose its page.
        alarms.wait_for_selector("#table-felt")
        wait_text(alarms, "#table-head", table)
        live(alarms)
        assert alarms.locator("main[data-awaited]").count() == 0
