"""Table, history and diagnostics pages of a whole floor: they say what the topics say, a card that
lies face down is on no wire, and nothing on them keeps anybody out."""

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import httpx
import pytest
from kafka import KafkaConsumer, TopicPartition

from schemas.codec import CODEC
from schemas.records import Alarm, Finding, Round, TableView
from streams.console.wording import card_words
from streams.core.events import Event
from tests.browser_scene import DOUBLE, PHONE, now, picture, sideways, violations, wait, wait_text
from tests.console_harness import sign_in
from tests.face_down import FaceDown, cards_in
from tests.whole_floor import WholeFloor, played, up_to

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.browser]

PAGES: Final = (
    "/alarms",
    "/history",
    "/history?show=rounds",
    "/history?show=figures",
    "/diagnostics",
)
READ_SECONDS: Final = 60.0


def read(floor: WholeFloor, topic: str, kind: type) -> list:  # type: ignore[type-arg]  # of the kind that is asked for
    """Return all records of a topic, oldest first of each partition."""
    consumer = KafkaConsumer(
        bootstrap_servers=f"127.0.0.1:{floor.process.kafka}", consumer_timeout_ms=1_000
    )
    name = f"pitwatch.{topic}"
    places = [TopicPartition(name, each) for each in sorted(consumer.partitions_for_topic(name))]
    consumer.assign(places)
    ends = consumer.end_offsets(places)
    found = []
    for place in places:
        consumer.assign([place])
        consumer.seek_to_beginning(place)
        while consumer.position(place) < ends[place]:
            for messages in consumer.poll(1_000).values():
                found += [CODEC.decode(each.value, kind) for each in messages if each.value]
    consumer.close()
    return [each for each in found if isinstance(each, kind)]


def settled(floor: WholeFloor, table: str, events: list[Event]) -> None:
    """Send a table's events, and wait until its view has the last of them."""
    floor.send(events)
    deadline = time.monotonic() + READ_SECONDS
    while True:
        views = [each for each in read(floor, "tables.v1", TableView) if each.table == table]
        if views and views[-1].last_event_at == events[-1].at:
            return
        assert time.monotonic() < deadline, "the view never had the last event"
        time.sleep(0.2)


class Ear:
    """Everything that a browser is sent by a live page, as bytes, until it is closed."""

    def __init__(self, client: httpx.Client, path: str) -> None:
        self.heard = b""
        self._client = client
        self._path = path
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        headers = {"accept": "text/event-stream", "accept-encoding": "identity"}
        with self._client.stream("GET", self._path, headers=headers, timeout=20) as answer:
            for part in answer.iter_bytes():
                self.heard += part
                if self._over.is_set():
                    return

    def __enter__(self) -> "Ear":
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(30)


@contextmanager
def browser_of(floor: WholeFloor, user: str = "op-27") -> Iterator[httpx.Client]:
    """Return a client that is signed in as a browser is."""
    with httpx.Client(base_url=floor.url, timeout=30, trust_env=False) as client:
        sign_in(client, user)
        yield client


def names_of(card: str) -> tuple[str, ...]:
    """Return all that a page would say or draw of a card."""
    rank = "<b>10</b>" if card[0] == "T" else card[0]
    red = " red" if card[1] in "HD" else ""
    drawn = f'{rank}<svg class="suit{red}"><use href="#{card[1]}"/>'
    return card_words(card), drawn, json.dumps(drawn)[1:-1]


TOKENS: Final = re.compile(
    r'(data-csrf|name="csrf" value|data-last)="[^"]*"|<symbol.*?</symbol>', re.DOTALL
)
"""Random texts and outlines of shapes: two of their letters may look like a card."""


def told(text: str, card: str) -> bool:
    text = TOKENS.sub("", text)
    return card in cards_in([text]) or any(name in text for name in names_of(card))


def where(text: str, down: FaceDown) -> list[str]:
    """Return the surroundings of every card that lies face down and is told."""
    plain = TOKENS.sub("", text)
    return [
        plain[max(0, found.start() - 80) : found.end() + 80]
        for card in down.hidden
        for name in (rf"(?<![0-9A-Za-z]){card}(?![0-9A-Za-z])", *map(re.escape, names_of(card)))
        for found in re.finditer(name, plain)
    ][:10]


def while_down(
    floor: WholeFloor, client: httpx.Client, table: str, events: list[Event], live: Ear
) -> str:
    """Deal, wait until the live page has the last card, and return all that pages say then."""
    settled(floor, table, events)
    deadline = time.monotonic() + READ_SECONDS
    while f"{events[-1].seq}</td>".encode() not in live.heard:
        assert time.monotonic() < deadline, "the page never had the last card"
        time.sleep(0.2)
    seen = ""
    for path in (f"/tables/{table}", "/", *PAGES, "/alarms/list", f"/history?table={table}"):
        answer = client.get(path)
        assert answer.status_code == 200, (path, floor.log())
        seen += answer.text
    for what in ("findings", "rounds"):
        for format_ in ("ndjson", "csv"):
            address = f"/history/download?what={what}&format={format_}&table={table}"
            seen += client.get(address).text
    return seen


def test_a_card_that_lies_face_down_is_on_no_wire_before_it_is_turned(floor: WholeFloor) -> None:
    table = "CS-80"
    events = played("cs-legal-12-rounds", table, now())
    before = up_to(events, cards=20, rounds=0)
    down = FaceDown()
    for event in before:
        down.follow(event)
    assert len(down.hidden) == 19
    with browser_of(floor) as client:
        with Ear(client, f"/tables/{table}/live") as live, Ear(client, "/feed") as feed:
            seen = while_down(floor, client, table, before, live)
        seen += live.heard.decode() + feed.heard.decode()
        assert "face down, card 20 of the round" in seen
        assert [card for card in sorted(down.hidden) if told(seen, card)] == [], where(seen, down)
        rest = events[len(before) :]
        ends = next(place for place, each in enumerate(rest) if each.body.kind == "round_closed")
        floor.send(rest[: ends + 1])
        address = f"/history?table={table}&number=1"
        deadline = time.monotonic() + READ_SECONDS
        while "No such round" in (page := client.get(address).text):
            assert time.monotonic() < deadline, "the history never had the round"
            time.sleep(0.5)
        assert [card for card in sorted(down.hidden) if not told(page, card)] == []


def test_the_felt_follows_the_cards_and_says_what_is_due(floor: WholeFloor) -> None:
    table = "CS-81"
    events = played("cs-legal-12-rounds", table, now())
    settled(floor, table, up_to(events, cards=3, rounds=0))
    with floor.page(f"/tables/{table}") as page:
        wait(page, "document.querySelectorAll('#table-felt .card:not(.due)').length === 3")
        place = page.inner_text("#table-felt .dealer .lab:last-child")
        assert place.startswith("Next: card 4")
        assert page.locator("#table-felt .due").count() == 1
        settled(
            floor, table, up_to(events, cards=4, rounds=0)[len(up_to(events, cards=3, rounds=0)) :]
        )
        wait(page, "document.querySelectorAll('#table-felt .card:not(.due)').length === 4")
        views = [each for each in read(floor, "tables.v1", TableView) if each.table == table]
        shown = page.locator("#table-felt .card:not(.back):not(.due) .vh").all_inner_texts()
        names = [
            f"{card_words(each.card)}, card {each.number} of the round"
            for each in views[-1].cards
            if each.card
        ]
        assert sorted(shown) == sorted(names)
        rows = page.locator("#table-round tbody tr").count()
        assert rows == len(views[-1].cards) + len(views[-1].marks)


def test_the_figures_of_each_page_are_those_of_the_topics(floor: WholeFloor) -> None:
    table = "CS-82"
    events = played("cs-overdue-then-counted-between-rounds", table, now())
    settled(floor, table, events)
    findings = [each for each in read(floor, "findings.v1", Finding) if each.table == table]
    rounds = [each for each in read(floor, "rounds.v1", Round) if each.table == table]
    alarms = {each.id: each for each in read(floor, "alarms.v1", Alarm)}
    mine = [each for each in alarms.values() if each.table == table and each.state != "normal"]
    raised = [each for each in findings if each.state == "raised"]
    assert raised
    with floor.page(f"/tables/{table}") as page:
        wait(page, f"document.querySelectorAll('#table-alarms .al').length === {len(mine)}")
        wait_text(page, "#table-pace .strong", f"last hour {len(rounds)}")
        assert page.text_content("#table-pace .strong") == f"last hour {len(rounds)}"
        numbers = page.locator("#table-rounds tbody th").all_inner_texts()
        assert numbers == [str(each.number) for each in reversed(rounds)][:8]
    with floor.page("/alarms") as page:
        rows = f"#alarm-rows tr[data-table={table}]"
        wait(page, f"document.querySelectorAll({rows!r}).length === {len(mine)}")
        waiting = [
            each
            for each in alarms.values()
            if each.state in {"unacknowledged", "returned_unacknowledged"}
        ]
        wait_text(page, "#alarms-head h1", f"{len(waiting)} to answer")
    with browser_of(floor) as client:
        deadline = time.monotonic() + READ_SECONDS
        while True:
            lines = client.get(f"/history/download?what=findings&format=ndjson&table={table}").text
            ids = {json.loads(line)["id"] for line in lines.splitlines()}
            closed = client.get(f"/history/download?what=rounds&format=ndjson&table={table}").text
            if ids == {each.id for each in findings} and len(closed.splitlines()) == len(rounds):
                break
            assert time.monotonic() < deadline, "the history never had the findings and rounds"
            time.sleep(0.5)
    with floor.page(f"/history?table={table}") as page:
        assert page.inner_text("#results-heading + nav [aria-current]") == f"Findings {len(raised)}"
    with floor.page("/diagnostics") as page:
        assert page.locator("#workers-heading + div tbody tr").count() == 1
        assert page.locator("#gateways-heading + div tbody tr").count() == 1
        assert page.locator("#historians-heading + div tbody tr").count() == 1
        accepted = page.inner_text("#gateways-heading + div tbody td").replace(",", "")
        assert int(accepted) == len(floor.sent)


def test_a_search_changes_the_history_without_a_new_page(floor: WholeFloor) -> None:
    table = "CS-85"
    settled(floor, table, played("cs-overdue-then-counted-between-rounds", table, now()))
    with browser_of(floor) as client:
        address = f"/history/download?what=findings&format=ndjson&table={table}"
        deadline = time.monotonic() + READ_SECONDS
        while not client.get(address).text:
            assert time.monotonic() < deadline, "the history never had the findings"
            time.sleep(0.5)
    with floor.page("/history", user="boss") as page:
        page.evaluate("window.before = true")
        page.fill("#h-table", table)
        page.press("#h-table", "Enter")
        wait(page, f"new URLSearchParams(location.search).get('table') === {table!r}")
        rows = "#history table.dt:has(caption:text('Findings, newest first')) tbody tr"
        assert set(page.locator(f"{rows} th").all_inner_texts()) == {table}
        assert page.evaluate("document.activeElement.id") == "h-table"
        wait(page, "document.querySelectorAll('#hours canvas').length === 1")
        assert page.locator("#hours svg").is_hidden()
        page.locator(f"{rows} th a").first.click()
        wait(page, "new URLSearchParams(location.search).has('opened_by')")
        wait(page, "document.activeElement.id === 'round-heading'")
        assert table in page.inner_text("#round-heading")
        assert page.evaluate("window.before") is True
        assert violations(page) == []
        page.context.clear_cookies()
        page.click("#h-search")
        page.wait_for_url("**/sign-in**")
    # Nobody is signed in there any more.
    floor.contexts.pop("boss").close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_on_these_pages_keeps_anybody_out(floor: WholeFloor, scheme: str) -> None:
    wrong = "CS-83" if scheme == "light" else "CS-84"
    other = "BJ-83" if scheme == "light" else "BJ-84"
    coup = "CF-83" if scheme == "light" else "CF-84"
    settled(floor, wrong, played("cs-overdue-then-counted-between-rounds", wrong, now())[:231])
    settled(floor, other, played("bj-burn-missing-new-dealer", other, now())[:80])
    settled(floor, coup, played("cf-card-after-natural", coup, now())[:12])
    tables = [f"/tables/{each}" for each in (wrong, other, coup)]
    history = f"/history?table={wrong}&number=5"
    for path in (*tables, *PAGES, history):
        with floor.page(path, color_scheme=scheme) as page:
            wait(page, "document.fonts.status === 'loaded'")
            assert violations(page) == [], path
            assert sideways(page) <= 0, path
            name = (
                path.strip("/").replace("/", "-").split("&")[0].replace("?", "-").replace("=", "-")
            )
            picture(page, f"{name}-{scheme}")
    for path in (f"/tables/{wrong}", "/alarms", history, "/diagnostics"):
        for size in (PHONE, DOUBLE):
            with floor.page(path, color_scheme=scheme) as page:
                page.set_viewport_size(size)  # type: ignore[arg-type]  # a TypedDict of the library's own
                assert sideways(page) <= 0, (path, size)
                assert violations(page) == [], (path, size)


@pytest.mark.parametrize("act", ["acknowledge", "shelve", "out_of_service", "comment"])
def test_dialogs_keep_nobody_out(floor: WholeFloor, act: str) -> None:
    table = f"FC-9{('acknowledge', 'shelve', 'out_of_service', 'comment').index(act)}"
    floor.send(played("fc-deal-order", table, now()))
    row = f"#alarm-rows tr[data-table={table}]"
    with floor.page("/alarms") as page:
        wait(page, f"document.querySelector({row!r}) !== null")
        page.click(f"{row} td.wrap")
        wait_text(page, "#alarm-detail h2", table)
        page.click(f"#alarm-detail .act[data-act={act}]")
        wait(page, "document.querySelector('#ask')?.open")
        assert violations(page) == []
        picture(page, f"dialog-{act}")
        if act in {"out_of_service", "comment"}:
            page.click("#ask button.main")
            wait_text(page, "#ask-fault", "!")
            wait(page, "!document.querySelector('#ask-fault').hidden")
            assert violations(page) == []
