"""The floor and pit pages in a browser: they show what the topics say, and never health over a
feed that is lost."""

import random

import msgspec
import pytest
from playwright.sync_api import Browser, Page

from streams.console.wording import game_word
from tests import floor_records as made
from tests.browser_scene import (
    DOUBLE,
    PHONE,
    WIDE,
    Scene,
    frames,
    live,
    next_frames,
    now,
    picture,
    scene,
    sideways,
    violations,
    wait,
)
from tests.kafka_fixtures import Broker

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.browser]

LONG_AGO = 11 * made.MINUTE
"""Alarms that tests raise are no flood with those that stand: they were raised before it."""

STALE = "[...document.querySelectorAll('.tile .st')].every((each) => each.textContent === 'stale')"


def heard_of_again(busy: Scene) -> None:
    """Let every open table but the stale one be heard of now, so that none falls silent."""
    at = now()
    for table, view in busy.floor.views.items():
        if view.open and table != "CF-03":
            busy.floor.views[table] = msgspec.structs.replace(
                view, last_received=at, last_event_at=at
            )
    busy.topics.write(*(busy.floor.views[table] for table in busy.floor.views))


def words_of(page: Page, table: str) -> list[str]:
    lines: list[str] = page.evaluate(
        "(id) => [...document.getElementById(id).querySelectorAll('p')].map((p) => p.innerText)",
        f"t-{table}",
    )
    return [line.replace("\n", " ") for line in lines]


def unanswered(page: Page) -> str:
    return page.locator("#unanswered").inner_text()


def test_every_tile_and_figure_is_what_the_topics_say(busy: Scene) -> None:
    heard_of_again(busy)
    with busy.page() as page:
        next_frames(page)
        for table, view in busy.floor.views.items():
            lines = words_of(page, table)
            assert lines[0].startswith(table)
            assert lines[1] == f"{game_word(view.game)} r {view.round}"
            if table == "BJ-33":
                assert lines[0].endswith("closed")
            elif table == "CF-03":
                assert lines[2].startswith("stale")
            else:
                assert lines[2].startswith(view.state or "")
            if view.rounds_since_stub_count is not None:
                assert lines[3].startswith(f"{view.rounds_since_stub_count} of 5")
            assert (view.dealer or "") in lines[3]
        closed = [each for each in busy.floor.rounds if each.table == "BJ-01"]
        hour = sum(each.closed_at > now() - made.HOUR for each in closed)
        assert words_of(page, "BJ-01")[2].endswith((f"{hour}/h", f"{hour - 1}/h"))
        assert page.locator("#figures .kpi").nth(1).locator(".v").inner_text() == "9"
        assert unanswered(page) == "5"
        order = page.locator("#alarm-list .al b a").all_inner_texts()
        assert order[:5] == ["FP-04", "CS-03", "BJ-22", "CS-03", "BJ-12"]
        headings = page.locator(".pit > h2 a").all_inner_texts()
        assert headings == ["Pit 1", "Pit 2", "Pit 3", "Pit 4"]
        places = page.evaluate(
            "['alarms', 'map'].map((id) => document.getElementById(id))"
            ".map((each, n, all) => all[0].compareDocumentPosition(each))"
        )
        assert places[1] & 4, "the alarms come before the map in the document"
        picture(page, "floor-light")
        page.emulate_media(color_scheme="dark")
        picture(page, "floor-dark")


def test_what_changes_is_swapped_in_place_and_an_alarm_is_said_aloud(busy: Scene) -> None:
    with busy.page() as page:
        page.locator("#t-BJ-05 a").focus()
        at = now()
        busy.topics.write(
            made.view("BJ-05", at, random.Random(1), round=777, dealer="D-777", last_received=at),
            made.alarm("BJ-05", "burn_missing", at - LONG_AGO, "high"),
        )
        wait(page, "document.querySelector('#t-BJ-05').innerText.includes('r 777')")
        assert page.evaluate("document.activeElement.textContent") == "BJ-05"
        page.wait_for_selector("#t-BJ-05.unack.p2")
        wait(page, "document.querySelector('#shout').textContent.includes('BJ-05')")
        wait(page, "document.querySelector('#unanswered').textContent === '6'")
        assert page.locator("#alarm-list .al.new b a").all_inner_texts() == ["BJ-05"]
        assert page.evaluate("document.activeElement.textContent") == "BJ-05"
        raised = made.alarm("BJ-05", "burn_missing", at - LONG_AGO, "high")
        busy.topics.write(
            msgspec.structs.replace(raised, state="normal", closed_at=now()),
            busy.floor.views["BJ-05"],
        )
        wait(page, "document.querySelector('#unanswered').textContent === '5'")


def test_nothing_moves_under_a_hand_in_the_alarm_list(busy: Scene) -> None:
    with busy.page() as page:
        page.locator("#alarm-list .al b a").nth(1).focus()
        before = page.locator("#alarm-list .al b a").all_inner_texts()
        raised = made.alarm("BJ-01", "stub_exposed", now() - LONG_AGO, "critical")
        busy.topics.write(raised)
        wait(page, "document.querySelector('#unanswered').textContent === '6'")
        wait(page, "document.querySelector('#alarms-note').textContent.endsWith('1 new above')")
        assert page.locator("#alarm-list .al b a").all_inner_texts() == before
        acknowledged = msgspec.structs.replace(busy.floor.alarms[1], state="acknowledged")
        busy.topics.write(acknowledged)
        page.wait_for_selector(f"#a-{acknowledged.id}.ack")
        assert page.locator("#alarm-list .al b a").all_inner_texts() == before
        page.locator(".brand").focus()
        page.wait_for_selector(f"#a-{raised.id}")
        busy.topics.write(
            busy.floor.alarms[1], msgspec.structs.replace(raised, state="normal", closed_at=now())
        )
        wait(page, "document.querySelector('#unanswered').textContent === '5'")


def test_a_dropped_connection_loses_and_repeats_nothing(busy: Scene) -> None:
    with busy.page() as page:
        next_frames(page)
        busy.proxy.refuse()
        at = now()
        raised = [
            made.alarm(f"BJ-{each:02}", "deals_lost", at - LONG_AGO, "high") for each in (8, 9)
        ]
        busy.topics.write(
            made.view("BJ-08", at, random.Random(1), round=888, last_received=at), *raised
        )
        before = len(frames(page))
        busy.proxy.accept()
        live(page)
        wait(page, "document.querySelector('#t-BJ-08').innerText.includes('r 888')")
        wait(page, f"window.heard.slice({before}).flatMap((each) => each.shout).length >= 2")
        next_frames(page)
        heard = frames(page)
        assert {each["kind"] for each in heard} == {"frame"}, "it went on, and began not anew"
        numbers = [int(each["id"].rpartition("-")[2]) for each in heard]
        assert numbers == sorted(set(numbers))
        shouts = [said for each in heard[before:] for said in each["shout"]]
        assert sorted(said.partition(":")[0] for said in shouts) == ["BJ-08", "BJ-09"]
        assert words_of(page, "BJ-08")[1].endswith("r 888")
        closed = [msgspec.structs.replace(each, state="normal", closed_at=at) for each in raised]
        busy.topics.write(*closed, busy.floor.views["BJ-08"])
        wait(page, "document.querySelector('#unanswered').textContent === '5'")


def test_a_console_that_is_started_again_shows_the_same(busy: Scene) -> None:
    heard_of_again(busy)
    with busy.page() as page:
        next_frames(page)
        before = {table: words_of(page, table)[1:] for table in busy.floor.views}
        assert busy.console.stop() == 0
        page.wait_for_selector("#lost:not([hidden])")
        assert page.evaluate(STALE)
        busy.console.start()
        live(page)
        next_frames(page)
        assert frames(page)[-1]["id"].rpartition("-")[0] != frames(page)[0]["id"].rpartition("-")[0]
        assert "snapshot" in {each["kind"] for each in frames(page)}
        after = {table: words_of(page, table)[1:] for table in busy.floor.views}
        assert {table: lines[0] for table, lines in after.items()} == {
            table: lines[0] for table, lines in before.items()
        }
        assert not page.evaluate(STALE)
        shouted = [said for each in frames(page) for said in each["shout"]]
        assert shouted == [], "what stood before is no news"


def test_a_lost_feed_is_said_and_shows_health_nowhere_until_it_is_back(busy: Scene) -> None:
    heard_of_again(busy)
    with busy.page() as page:
        top = page.locator("#map").bounding_box()
        busy.console.freeze()
        try:
            page.wait_for_selector("#lost:not([hidden])")
            assert page.locator("#figures").is_hidden()
            assert page.locator("#feed b").inner_text() == "Feed lost"
            assert page.evaluate(STALE)
            assert "all stale" in page.locator("#pit-0").inner_text()
            assert "open" not in page.locator("#pit-0 small").first.inner_text()
            assert page.locator("#alarms-note").inner_text().startswith("acts wait")
            enabled = "#alarms a.act:not([aria-disabled=true])"
            assert page.locator(enabled).count() == 0
            assert page.locator("#map").bounding_box() == top, "nothing below the banner moved"
            wait(page, "document.querySelector('#shout').textContent.startsWith('Feed lost')")
            picture(page, "feed-lost-light")
            assert violations(page) == []
        finally:
            busy.console.thaw()
        live(page)
        wait(page, "document.querySelector('#say').textContent === 'Feed back.'")
        assert page.locator("#lost").is_hidden()
        assert not page.evaluate(STALE)
        assert page.locator(enabled).count() > 0


def test_all_of_it_is_reached_by_keys(busy: Scene) -> None:
    heard_of_again(busy)
    with busy.page() as page:
        stops = []
        for _ in range(40):
            page.keyboard.press("Tab")
            stop = page.evaluate(
                "(() => { const at = document.activeElement;"
                " const rings = [at, at.closest('.tile'), at.closest('.al div')].filter(Boolean);"
                " const solid = (each) => getComputedStyle(each).outlineStyle === 'solid';"
                " return [at.textContent.trim().split(/\\s+/)[0], at.closest('.pit')?.id || '',"
                " rings.some(solid)]; })()"
            )
            stops.append(stop)
            if stop[1] == "p-3" and stop[0] == "BJ-28":
                break
        names = [name for name, *_ in stops]
        assert names[:2] == ["Skip", "Pitwatch"]
        assert names.index("FP-04") < names.index("BJ-01"), "alarms before tiles"
        tiles = [name for name, pit, _ in stops if pit and "-" in name]
        assert tiles == ["BJ-01", "CS-01", "BJ-17", "BJ-28"], "one stop a pit"
        assert [stop for stop in stops if not stop[2]] == [], "every stop has a ring"
        page.locator("#t-BJ-01 a").focus()
        for key, table in (
            ("ArrowRight", "BJ-02"),
            ("ArrowDown", "BJ-06"),
            ("ArrowLeft", "BJ-05"),
            ("ArrowUp", "BJ-01"),
            ("ArrowUp", "BJ-01"),
            ("End", "BJ-16"),
            ("Home", "BJ-01"),
        ):
            page.keyboard.press(key)
            assert page.evaluate("document.activeElement.textContent") == table, key
        page.locator("#alarm-list .al b a").first.focus()
        for key, table in (("j", "CS-03"), ("j", "BJ-22"), ("k", "CS-03"), ("End", "CF-01")):
            page.keyboard.press(key)
            assert page.evaluate("document.activeElement.textContent") == table, key
            assert page.locator("#alarm-list [aria-current] b a").inner_text() == table
        page.keyboard.press("Home")
        page.keyboard.press("o")
        page.wait_for_url("**/tables/FP-04")


def test_a_pit_has_the_same_tiles_larger_and_its_own_alarms(busy: Scene) -> None:
    heard_of_again(busy)
    with busy.page("/pits/2") as page:
        next_frames(page)
        assert page.locator(".tile").count() == 15
        assert page.locator("#alarm-list .al:visible b a").all_inner_texts() == [
            "FP-04",
            "CS-03",
            "CS-03",
        ]
        assert words_of(page, "CS-03")[3].startswith("6 of 5")
        at = now()
        busy.topics.write(
            made.view("CS-01", at, random.Random(1), round=555, last_received=at),
            made.view("BJ-01", at, random.Random(1), round=556, last_received=at),
        )
        wait(page, "document.querySelector('#t-CS-01').innerText.includes('r 555')")
        swapped = {element for each in frames(page) for element in each["swap"]}
        assert "t-CS-01" in swapped
        assert "t-BJ-01" not in swapped, "a pit's page is sent its own pit"
        busy.topics.write(busy.floor.views["CS-01"], busy.floor.views["BJ-01"])
        picture(page, "pit-light")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []


def test_axe_finds_nothing_and_no_page_is_wider_than_its_window(busy: Scene) -> None:
    heard_of_again(busy)
    with busy.page() as page:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []
        page.emulate_media(color_scheme="light")
        for size in (PHONE, {"width": 320, "height": 640}, DOUBLE, {"width": 1024, "height": 768}):
            page.set_viewport_size(size)  # type: ignore[arg-type]  # a TypedDict of the library's own
            next_frames(page)
            assert sideways(page) <= 0, size
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # as above
        page.reload()
        live(page)
        folded = page.locator(".pit > .tiles:visible").count()
        assert folded == 3, "of four pits one has nothing to answer"
        page.locator("#p-3 .fold").click()
        assert page.locator("#p-3 .tiles").is_visible()
        small = page.evaluate(
            "[...document.querySelectorAll('.btn')].filter((each) => each.offsetParent)"
            ".map((each) => each.getBoundingClientRect().height).filter((high) => high < 44)"
        )
        assert small == [], "a finger needs 44 px"
        assert violations(page) == []
        page.evaluate("window.scrollTo(0, 0)")
        picture(page, "floor-phone-light")
        page.emulate_media(color_scheme="dark")
        picture(page, "floor-phone-dark")
        page.set_viewport_size(WIDE)  # type: ignore[arg-type]  # as above


def test_motion_is_for_new_alarms_alone_and_not_where_it_is_unwanted(busy: Scene) -> None:
    animated = (
        "[...document.querySelectorAll('*')].filter((each) => "
        "getComputedStyle(each).animationName !== 'none').length"
    )
    for motion, expected in (("reduce", 0), ("no-preference", 1)):
        with busy.page(reduced_motion=motion) as page:
            assert page.evaluate(animated) == 0
            raised = made.alarm("BJ-03", "deals_lost", now() - LONG_AGO, "medium")
            busy.topics.write(raised)
            page.wait_for_selector(f"#a-{raised.id}.new")
            assert page.evaluate(animated) == expected
            busy.topics.write(msgspec.structs.replace(raised, state="normal", closed_at=now()))
            page.wait_for_selector(f"#a-{raised.id}", state="detached")


def test_a_viewer_has_no_act_and_an_operator_those_of_his_pits(busy: Scene) -> None:
    ready = "a.act[data-act=acknowledge]:not([aria-disabled=true])"
    for user, tables in (
        ("viewer", []),
        ("op-14", ["BJ-12"]),
        ("eye", ["FP-04", "CS-03", "BJ-22", "CS-03", "BJ-12"]),
    ):
        with busy.page(user=user) as page:
            rows = page.locator("#alarm-list .al", has=page.locator(ready)).locator("b a")
            assert rows.all_inner_texts() == tables


def test_an_empty_floor_says_what_to_do_and_shows_the_first_table(
    kafka: Broker, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("empty")
    nothing = made.Floor({})
    with (
        scene(kafka.bootstrap, browser, folder, nothing, listed=False) as empty,
        empty.page() as page,
    ):
        assert page.locator("h1").inner_text() == "No tables yet"
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []
        page.emulate_media(color_scheme="light")
        picture(page, "empty-light")
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # a TypedDict of the library's own
        assert sideways(page) <= 0
        chance = random.Random(1)
        empty.topics.write(made.view("BJ-01", now(), chance, round=1))
        page.wait_for_selector("#t-BJ-01")
        live(page)
        empty.topics.write(made.view("BJ-02", now(), chance, round=1))
        page.wait_for_selector("#t-BJ-02")
        assert page.locator(".tile").count() == 2
