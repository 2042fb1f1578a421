"""The sign-in page of the whole console, on a floor that Kafka has told nothing of yet."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from streams.console.access.access import Access
from streams.console.access.accounts import Accounts
from streams.console.access.passwords import Passwords
from streams.console.access.trail import By
from streams.console.app import application, build_console
from streams.console.pages.sign_in import place_in
from streams.console.settings import ConsoleSettings
from streams.rulebooks import load
from tests.access_scene import NOW, PASSWORD, QUICK, Clock

OTHER = "what another browser was given"
BASE = "http://127.0.0.1:7303"


@dataclass
class Floor:
    """A console, with a browser before it."""

    accounts: Accounts
    clock: Clock
    client: httpx.AsyncClient
    loop: asyncio.Runner

    def get(self, path: str) -> httpx.Response:
        return self.loop.run(self.client.get(path))

    def post(self, path: str, form: dict[str, str]) -> httpx.Response:
        return self.loop.run(self.client.post(path, data=form, headers={"Origin": BASE}))

    def sign_in(self, name: str, password: str, page: str = "/sign-in") -> httpx.Response:
        form = fields(self.get(page).text)
        return self.post("/sign-in", {**form, "name": name, "password": password})


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    url = f"sqlite:///{tmp_path / 'pitwatch.db'}"
    console = build_console(ConsoleSettings(book=load(), database=url))
    clock = Clock()
    access = Access(console.engine, now=clock, passwords=QUICK)
    app = application(replace(console, access=access))
    accounts = Accounts(console.engine)
    accounts.add("op-27", QUICK.hash(PASSWORD), "operator", (), By("boss", NOW))
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE)
    loop = asyncio.Runner()
    yield Floor(accounts, clock, client, loop)
    loop.close()
    console.engine.dispose()


class Tags(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def by_id(self, id_: str) -> dict[str, str | None]:
        (found,) = (attributes for _, attributes in self.tags if attributes.get("id") == id_)
        return found


def fields(page: str) -> dict[str, str]:
    """Return the fields of a page's form as they stand."""
    inputs = [attributes for tag, attributes in Tags(page).tags if tag == "input"]
    return {str(each["name"]): each.get("value") or "" for each in inputs}


def test_the_page_has_labels_and_nothing_inline(floor: Floor) -> None:
    answer = floor.get("/sign-in")
    assert answer.status_code == 200
    tags = Tags(answer.text)
    labels = {attributes.get("for") for tag, attributes in tags.tags if tag == "label"}
    assert labels == {"name", "password"}
    assert tags.by_id("name")["autocomplete"] == "username"
    assert tags.by_id("password")["autocomplete"] == "current-password"
    assert tags.by_id("password")["type"] == "password"
    assert "aria-invalid" not in tags.by_id("name")
    assert not re.search(r"<(script|style)[ >]|\sstyle=|\son[a-z]+=", answer.text)


def test_a_wrong_password_is_told_in_words_that_belong_to_the_fields(floor: Floor) -> None:
    answer = floor.sign_in("op-27", "wrong")
    assert answer.status_code == 401
    assert "Name or password is not right. 4 tries left." in answer.text
    tags = Tags(answer.text)
    assert tags.by_id("said")["role"] == "alert"
    for field in ("name", "password"):
        assert tags.by_id(field)["aria-invalid"] == "true"
        assert tags.by_id(field)["aria-describedby"] == "said"
    assert tags.by_id("name")["value"] == "op-27"
    assert "value" not in tags.by_id("password")
    assert "wrong" not in answer.text


def test_what_was_typed_is_escaped(floor: Floor) -> None:
    answer = floor.sign_in('"><script>alert(1)</script>', "wrong")
    assert "<script" not in answer.text


def test_the_right_password_leads_to_where_one_was_going(floor: Floor) -> None:
    sent = floor.get("/alarms?state=shelved")
    answer = floor.sign_in("op-27", PASSWORD, sent.headers["location"])
    assert (answer.status_code, answer.headers["location"]) == (303, "/alarms?state=shelved")
    page = floor.get("/")
    assert page.status_code == 200
    assert "op-27" in page.text
    assert floor.get("/sign-in").headers["location"] == "/"


def test_the_page_signs_out(floor: Floor) -> None:
    floor.sign_in("op-27", PASSWORD)
    token = fields(floor.get("/").text)["csrf"]
    answer = floor.post("/sign-out", {"csrf": token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert floor.get("/").status_code == 303


def test_too_many_tries_say_when(floor: Floor) -> None:
    for left in ("4 tries", "3 tries", "2 tries", "1 try", "No try"):
        assert f"{left} left." in floor.sign_in("op-27", "wrong").text
    floor.clock.pass_(61)
    answer = floor.sign_in("op-27", PASSWORD)
    assert answer.status_code == 429
    assert "Too many tries. Sign in again in 14 min." in answer.text
    assert answer.headers["retry-after"] == "839"


@pytest.mark.parametrize("token", [None, "", "x", OTHER])
def test_a_form_that_this_page_did_not_give_is_refused(floor: Floor, token: str | None) -> None:
    if token == OTHER:
        token = fields(floor.get("/sign-in").text)["csrf"]
        floor.client.cookies.clear()
        assert fields(floor.get("/sign-in").text)["csrf"] != token
    given = {} if token is None else {"csrf": token}
    answer = floor.post("/sign-in", {"name": "op-27", "password": PASSWORD, **given})
    assert answer.status_code == 403
    assert "This page was open too long, or cookies are off." in answer.text
    assert floor.get("/").status_code == 303


def test_each_of_several_pages_can_be_used(floor: Floor) -> None:
    first = fields(floor.get("/sign-in").text)
    floor.get("/sign-in?next=/alarms")
    answer = floor.post("/sign-in", {**first, "name": "op-27", "password": PASSWORD})
    assert answer.status_code == 303


def test_a_page_that_was_open_too_long_is_given_anew(floor: Floor) -> None:
    form = fields(floor.get("/sign-in").text)
    floor.clock.pass_(3601)
    answer = floor.post("/sign-in", {**form, "name": "op-27", "password": PASSWORD})
    assert answer.status_code == 403
    again = {**fields(answer.text), "password": PASSWORD}
    assert floor.post("/sign-in", again).status_code == 303


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("/", "/"),
        ("/tables/CS-01?round=7#felt", "/tables/CS-01?round=7#felt"),
        ("", "/"),
        ("alarms", "/"),
        ("//evil.test/x", "/"),
        ("///evil.test", "/"),
        ("/\\evil.test", "/"),
        ("/\t/evil.test", "/"),
        ("https://evil.test/", "/"),
        ("javascript:alert(1)", "/"),
        ("/" + "x" * 2_000, "/"),
        ("/é", "/"),
    ],
)
def test_one_is_led_to_a_page_of_this_console_alone(asked: str, place: str) -> None:
    assert place_in(asked) == place


def test_the_shipped_parameters_let_in_too(floor: Floor) -> None:
    encoded = Passwords().hash(PASSWORD)
    floor.accounts.set_password("op-27", encoded, By("boss", NOW))
    assert floor.sign_in("op-27", PASSWORD).status_code == 303
