"""Table, alarms, history and diagnostics pages over 60 tables with alarms in every state, over a
floor without tables, and with a lost feed: nobody is kept out, and health is shown nowhere."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests import floor_records as made
from tests.browser_scene import (
    PHONE,
    Scene,
    live,
    now,
    picture,
    scene,
    sideways,
    violations,
    wait,
    wait_text,
)
from tests.kafka_fixtures import Broker

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.browser]

EVERY_STATE = "/alarms?g=answer&g=acknowledged&g=shelved&g=out_of_service"
SCHEMES = ("light", "dark")


@pytest.fixture(scope="module")
def calm(
    kafka: Broker, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    """A floor without tables."""
    folder = tmp_path_factory.mktemp("console")
    with scene(kafka.bootstrap, browser, folder, made.Floor({}), listed=False) as running:
        yield running


@pytest.mark.parametrize("scheme", SCHEMES)
def test_full_pages_keep_nobody_out(busy: Scene, scheme: str) -> None:
    for path in (EVERY_STATE, "/tables/BJ-01", "/tables/CS-01", "/tables/CF-01", "/history"):
        with busy.page(path, user="eye", color_scheme=scheme) as page:
            assert violations(page) == [], path
            assert sideways(page) <= 0, path
            page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # a TypedDict of the library's own
            assert sideways(page) <= 0, path
    with busy.page(EVERY_STATE, user="eye", color_scheme=scheme) as page:
        picture(page, f"alarms-every-state-{scheme}")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_empty_pages_keep_nobody_out(calm: Scene, scheme: str) -> None:
    for path in (
        "/alarms",
        "/history",
        "/history?show=rounds",
        "/history?show=figures",
        "/diagnostics",
    ):
        with calm.page(path, color_scheme=scheme) as page:
            assert violations(page) == [], path
            assert sideways(page) <= 0, path


def test_every_alarm_that_stands_has_its_row_in_order(busy: Scene) -> None:
    standing = [each for each in busy.floor.alarms if each.state != "normal"]
    with busy.page(f"{EVERY_STATE}&flood=show", user="eye") as page:
        rows = page.locator("#alarm-rows tr[data-alarm]")
        assert rows.count() == len(standing)
        states = page.evaluate(
            "[...document.querySelectorAll('#alarm-rows tr')].map((row) => row.dataset.state)"
        )
        order = [
            "unacknowledged",
            "returned_unacknowledged",
            "acknowledged",
            "shelved",
            "out_of_service",
        ]
        assert states == sorted(states, key=order.index)


def test_what_the_page_asks_for_by_itself_keeps_no_session_awake(busy: Scene) -> None:
    with busy.page("/alarms", user="eye") as page:
        page.focus("#alarm-rows tr[data-table=FP-04] th a")
        wait_text(page, "#alarm-detail h2", "FP-04")
        asked: list[tuple[str, str | None]] = []
        page.on(
            "request",
            lambda request: asked.append((request.url, request.headers.get("x-background"))),
        )
        # Of an alarm that comes the page asks for the list, and for the detail that is open.
        with page.expect_request_finished(lambda request: "/alarms/detail" in request.url):
            busy.topics.write(made.alarm("BJ-14", "burn_missing", now()))
        assert {marked for _, marked in asked} == {"1"}, asked


@pytest.mark.parametrize("path", [EVERY_STATE, "/tables/BJ-01", "/history"])
def test_a_lost_feed_is_said_over_the_title_and_moves_nothing(busy: Scene, path: str) -> None:
    with busy.page(path, user="eye") as page:
        below = "section.panel >> nth=0"
        before = page.locator(below).bounding_box()
        busy.console.freeze()
        try:
            page.wait_for_selector("#lost:not([hidden])")
            assert page.locator(below).bounding_box() == before
            assert page.locator("a.act:visible:not([aria-disabled=true])").count() == 0
            wait_text(page, "#shout", "Feed lost")
            assert violations(page) == []
            if path.startswith("/tables"):
                assert page.locator("#table-head .when-live").is_hidden()
                assert page.locator("#table-head .when-lost").inner_text() == "stale"
                picture(page, "table-feed-lost")
        finally:
            busy.console.thaw()
        live(page)
        wait(page, "document.querySelector('#lost').hidden")
