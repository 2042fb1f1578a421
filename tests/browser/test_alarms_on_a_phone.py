"""The alarms on a phone: each is a card that is read and answered without moving sideways."""

import pytest
from playwright.sync_api import Page

from tests.browser_scene import PHONE, Scene, picture, sideways, violations, wait

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.browser]

EVERY_STATE = "/alarms?g=answer&g=acknowledged&g=shelved&g=out_of_service"
FINGER = 44
"""Pixels of a target, at least."""

OUTSIDE = """
() => [...document.querySelectorAll("#alarm-rows tr:not(.folded) *")]
  .filter((each) => each.getClientRects().length && !each.closest(".vh"))
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5 ||
    each.getBoundingClientRect().left < -0.5)
  .map((each) => `${each.tagName} ${each.className} ${each.textContent}`.slice(0, 80))
"""

SMALL = """
(least) => [...document.querySelectorAll(
    "#alarm-rows :is(a, label), #alarm-filter :is(button, input, select), #bulk .btn")]
  .filter((each) => each.getClientRects().length)
  .map((each) => [each.outerHTML.slice(0, 80), each.getBoundingClientRect()])
  .filter(([, box]) => box.width < least - 0.5 || box.height < least - 0.5)
  .map(([html, box]) => `${html} ${box.width} by ${box.height}`)
"""


def as_on_a_phone(page: Page) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # a TypedDict of the library's own
    wait(page, "innerWidth === 390")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_alarm_is_read_without_moving_sideways(busy: Scene, scheme: str) -> None:
    with busy.page(EVERY_STATE, user="eye", color_scheme=scheme) as page:
        as_on_a_phone(page)
        assert page.evaluate(OUTSIDE) == []
        box = ".alarms > .scrollx"
        assert (
            page.evaluate(
                f"(({{scrollWidth, clientWidth}}) => scrollWidth - clientWidth)"
                f"(document.querySelector({box!r}))"
            )
            <= 0
        )
        assert sideways(page) <= 0
        assert violations(page) == []
        page.check("#alarm-rows tr[data-alarm] input >> nth=0")
        assert page.evaluate(SMALL, FINGER) == []
        assert violations(page) == []
        page.evaluate("document.querySelector('#alarm-rows').scrollIntoView()")
        picture(page, f"alarms-phone-{scheme}")


def test_an_alarm_is_answered_by_a_finger(busy: Scene) -> None:
    with busy.page("/alarms") as page:
        as_on_a_phone(page)
        row = "#alarm-rows tr[data-table=FP-04]"
        page.click(f"{row} th a")
        wait(page, "document.querySelector('#alarm-detail h2').textContent.includes('FP-04')")
        page.click(f"{row} .act[data-act=acknowledge]")
        wait(page, "document.querySelector('#ask')?.open")
        assert sideways(page) <= 0
        assert violations(page) == []
        picture(page, "dialog-acknowledge-phone")
