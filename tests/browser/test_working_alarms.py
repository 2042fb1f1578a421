"""A card dealt wrong at the gateway becomes an alarm that operators work with, in real browsers."""

import re

import pytest
from playwright.sync_api import Page

from tests.browser_scene import now, picture, violations, wait, wait_text
from tests.gateway_harness import until
from tests.whole_floor import WholeFloor, played

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.browser]

UNFOLDED = "/alarms?flood=show"
"""These tests raise more than ten alarms in ten minutes, which is a flood."""

ROW = "#alarm-rows tr[data-table={table}]"


def deal_wrong(floor: WholeFloor, table: str) -> None:
    """Deal two rounds, the first of them in a wrong order: an alarm of medium priority."""
    floor.send(played("fc-deal-order", table, now()))


def overdue(floor: WholeFloor, table: str) -> None:
    """Deal rounds until the stub's count is overdue: a standing alarm of high priority."""
    events = played("cs-overdue-then-counted-between-rounds", table, now())
    floor.send(events[:215])


def seen(floor: WholeFloor, table: str) -> None:
    """Wait until the console has seen a table, whose first view comes after its first alarm."""
    ask = floor.context().request
    until("the table's page", lambda: ask.get(f"{floor.url}/tables/{table}").ok)


def row(table: str) -> str:
    return ROW.format(table=table)


def has_row(page: Page, table: str, state: str) -> None:
    wait(page, f"document.querySelector({row(table)!r})?.dataset.state === {state!r}")


def focused(page: Page) -> str:
    found: str = page.evaluate(
        "document.activeElement.closest('tr')?.dataset.table || document.activeElement.id"
    )
    return found


def test_an_alarm_is_raised_acknowledged_and_seen_so_in_a_second_browser(
    floor: WholeFloor,
) -> None:
    with floor.page(UNFOLDED) as one, floor.page(UNFOLDED, "eye") as other:
        overdue(floor, "CS-03")
        has_row(one, "CS-03", "unacknowledged")
        has_row(other, "CS-03", "unacknowledged")
        one.click(f"{row('CS-03')} .act[data-act=acknowledge]")
        wait(one, "document.querySelector('#ask[open]') !== null")
        picture(one, "alarm-acknowledge")
        one.check("#ask input[value=confirmed]", force=True)
        one.fill("#ask-note", "counted by hand")
        one.click("#ask button.main")
        has_row(one, "CS-03", "acknowledged")
        has_row(other, "CS-03", "acknowledged")
        wait_text(one, "#say", "Acknowledged: CS-03")
        other.click(f"{row('CS-03')} td.wrap")
        wait_text(other, "#alarm-detail", "acknowledged by op-27: confirmed")
        wait_text(other, "#alarm-detail", "counted by hand")


def test_alarms_are_worked_by_keyboard_alone(floor: WholeFloor) -> None:
    for table in ("FC-11", "FC-12", "FC-13"):
        deal_wrong(floor, table)
    with floor.page(UNFOLDED) as page:
        for table in ("FC-11", "FC-12", "FC-13"):
            has_row(page, table, "unacknowledged")
        for _ in range(40):
            if focused(page).startswith("FC-"):
                break
            page.keyboard.press("Tab")
        first = focused(page)
        assert first.startswith("FC-"), first
        page.keyboard.press("a")
        wait(page, "document.activeElement.textContent.includes('Acknowledge')")
        page.keyboard.press("Enter")
        wait(page, f"document.querySelector({row(first)!r})?.matches('.gone') ?? true")
        wait(page, "document.querySelector('dialog[open]') === null")
        wait(page, "document.activeElement.closest('tr')?.matches('.unack')")
        second = focused(page)
        assert second.startswith("FC-")
        assert second != first
        page.keyboard.press("s")
        wait(page, "document.activeElement.textContent.includes('Shelve until')")
        until = page.inner_text("#ask button .until")
        assert re.fullmatch(r"\d\d:\d\d", until)
        page.keyboard.press("Enter")
        has_row(page, second, "shelved")
        wait(page, "document.activeElement.closest('tr')?.matches('.unack')")
        page.keyboard.press("x")
        assert page.is_checked(f"{row(focused(page))} input")
        page.keyboard.press("?")
        wait(page, "document.querySelector('#all-keys').open")
        page.keyboard.press("Escape")
        wait(page, "!document.querySelector('#all-keys').open")
        # Keys act while the list has the focus, which comes back after the dialog is closed.
        wait(page, "document.activeElement.closest('#alarm-rows') !== null")
        page.keyboard.press("/")
        wait(page, "document.activeElement.id === 'filter'")
        page.keyboard.type(second)
        wait(page, "document.querySelectorAll('#alarm-rows tr[data-alarm]').length === 1")
        page.keyboard.press("Escape")
        page.keyboard.press("u")
        wait(page, "document.activeElement.textContent.includes('Unshelve')")
        page.keyboard.press("Enter")
        has_row(page, second, "unacknowledged")


def test_single_keys_can_be_switched_off(floor: WholeFloor) -> None:
    deal_wrong(floor, "FC-21")
    with floor.page(UNFOLDED, "eye") as page:
        has_row(page, "FC-21", "unacknowledged")
        page.focus(f"{row('FC-21')} th a")
        page.evaluate("localStorage.setItem('pitwatch-keys', 'off')")
        page.keyboard.press("a")
        page.wait_for_timeout(500)
        assert page.query_selector("#ask") is None
        page.evaluate("localStorage.setItem('pitwatch-keys', 'on')")
        page.keyboard.press("a")
        wait(page, "document.querySelector('#ask[open]') !== null")


def test_who_may_only_look_is_told_so(floor: WholeFloor) -> None:
    deal_wrong(floor, "FC-31")
    with floor.page(UNFOLDED, "viewer") as page:
        has_row(page, "FC-31", "unacknowledged")
        button = page.locator(f"{row('FC-31')} .act[data-act=acknowledge]")
        assert button.get_attribute("aria-disabled") == "true"
        button.click(force=True)
        wait_text(page, "#say", "may not do this")
        assert page.query_selector("#ask") is None


def test_an_act_that_the_worker_refuses_is_told_in_words_and_on_the_row(
    floor: WholeFloor,
) -> None:
    overdue(floor, "CS-41")
    with floor.page(UNFOLDED) as one, floor.page(UNFOLDED, "op-27") as other:
        has_row(one, "CS-41", "unacknowledged")
        has_row(other, "CS-41", "unacknowledged")
        one.click(f"{row('CS-41')} .act[data-act=acknowledge]")
        other.click(f"{row('CS-41')} .act[data-act=acknowledge]")
        wait(one, "document.querySelector('#ask[open]') !== null")
        wait(other, "document.querySelector('#ask[open]') !== null")
        one.click("#ask button.main")
        has_row(one, "CS-41", "acknowledged")
        other.click("#ask button.main")
        wait_text(other, "#say", "Refused for CS-41")
        wait_text(other, row("CS-41"), "the alarm is acknowledged already")


def test_selected_alarms_are_answered_together_each_by_itself(floor: WholeFloor) -> None:
    for table in ("FC-51", "FC-52"):
        deal_wrong(floor, table)
    with floor.page(UNFOLDED) as page:
        for table in ("FC-51", "FC-52"):
            has_row(page, table, "unacknowledged")
            page.check(f"{row(table)} input")
        wait_text(page, "#bulk", "2 selected")
        page.click("#bulk .act[data-act=acknowledge]")
        wait_text(page, "#ask", "Acknowledge 2 alarms")
        assert page.inner_text("#ask button.main").startswith("Acknowledge the 2")
        page.click("#ask button.main")
        wait_text(page, "#say", "Acknowledged: 2 alarms")


def test_new_rows_wait_while_the_focus_is_in_the_list(floor: WholeFloor) -> None:
    deal_wrong(floor, "FC-61")
    with floor.page(UNFOLDED) as page:
        has_row(page, "FC-61", "unacknowledged")
        page.focus(f"{row('FC-61')} th a")
        deal_wrong(floor, "FC-62")
        wait_text(page, "#alarm-note", "1 new above")
        assert page.query_selector(row("FC-62")) is None
        assert focused(page) == "FC-61"
        page.focus("#filter")
        page.mouse.move(2, 2)
        has_row(page, "FC-62", "unacknowledged")


def test_an_act_is_asked_for_from_the_floor_and_the_table_too(floor: WholeFloor) -> None:
    overdue(floor, "CS-71")
    seen(floor, "CS-71")
    with floor.page("/tables/CS-71") as page:
        wait_text(page, "#table-alarms", "1 unacknowledged")
        page.click("#table-alarms .more .act[data-act=acknowledge]")
        wait(page, "document.querySelector('#ask[open]') !== null")
        page.click("#ask button.main")
        wait_text(page, "#table-alarms", "0 unacknowledged")
    floor.send(played("cf-card-after-natural", "CF-72", now()))
    mine = ".al[data-table=CF-72]"
    with floor.page("/") as page:
        wait(page, f"document.querySelector('{mine}') !== null")
        page.click(f"{mine} .act[data-act=acknowledge]:visible >> nth=0")
        wait(page, "document.querySelector('#ask[open]') !== null")
        page.click("#ask button.main")
        wait_text(page, "#say", "Acknowledged: CF-72")


def test_a_flood_is_one_line_that_can_be_shown_and_answered_whole(floor: WholeFloor) -> None:
    for number in range(12):
        deal_wrong(floor, f"FC-A{number}")
    floor.send(played("cf-card-after-natural", "CF-A1", now()))
    with floor.page("/alarms", "eye") as page:
        has_row(page, "CF-A1", "unacknowledged")
        for number in range(12):
            has_row(page, f"FC-A{number}", "unacknowledged")
        wait_text(page, "#flood", "Alarm flood since")
        assert page.is_hidden(row("FC-A3"))
        assert page.is_visible(row("CF-A1"))
        assert violations(page) == []
        picture(page, "alarms-flood")
        page.focus(f"{row('CF-A1')} th a")
        page.keyboard.press("f")
        wait(page, "document.querySelector('#alarm-table').matches('.unfolded')")
        assert page.is_visible(row("FC-A3"))
        folded = page.locator("#alarm-rows tr.folded").count()
        page.click("#answer-flood")
        wait_text(page, "#ask", f"Acknowledge {folded} alarms")
        assert page.inner_text("#ask button.main").startswith(f"Acknowledge the {folded}")
        page.click("#ask button.main")
        wait_text(page, "#say", f"Acknowledged: {folded} alarms")
        wait_text(page, "#flood", "All of it is answered.")
        has_row(page, "CF-A1", "unacknowledged")
