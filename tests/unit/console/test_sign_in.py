"""The sign-in page of the whole console, on a floor that Kafka has told nothing of yet."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.console.access import access
from streams.console.access.passwords import Passwords
from streams.console.access.trail import By
from streams.console.pages.sign_in import place_in
from tests.access_scene import NOW, PASSWORD
from tests.console_pages import Pages, Tags, fields, opened_pages

OTHER = "what another browser was given"


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    with opened_pages(tmp_path) as opened:
        yield opened


def test_the_page_has_labels_and_nothing_inline(pages: Pages) -> None:
    answer = pages.get("/sign-in")
    assert answer.status_code == 200
    tags = Tags(answer.text)
    labels = {attributes.get("for") for tag, attributes in tags.tags if tag == "label"}
    assert labels == {"name", "password"}
    assert tags.by_id("name")["autocomplete"] == "username"
    assert tags.by_id("password")["autocomplete"] == "current-password"
    assert tags.by_id("password")["type"] == "password"
    assert "aria-invalid" not in tags.by_id("name")
    assert not re.search(r"<(script|style)[ >]|\sstyle=|\son[a-z]+=", answer.text)


def test_a_wrong_password_is_told_in_words_that_belong_to_the_fields(pages: Pages) -> None:
    answer = pages.sign_in("op-27", "wrong")
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


def test_what_was_typed_is_escaped(pages: Pages) -> None:
    answer = pages.sign_in('"><script>alert(1)</script>', "wrong")
    assert "<script" not in answer.text


def test_the_right_password_leads_to_where_one_was_going(pages: Pages) -> None:
    sent = pages.get("/alarms?state=shelved")
    answer = pages.sign_in("op-27", PASSWORD, sent.headers["location"])
    assert (answer.status_code, answer.headers["location"]) == (303, "/alarms?state=shelved")
    page = pages.get("/")
    assert page.status_code == 200
    assert "op-27" in page.text
    assert pages.get("/sign-in").headers["location"] == "/"


def test_the_page_signs_out(pages: Pages) -> None:
    pages.sign_in("op-27", PASSWORD)
    token = fields(pages.get("/").text)["csrf"]
    answer = pages.post("/sign-out", {"csrf": token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert pages.get("/").status_code == 303


def test_a_page_asks_whether_its_session_lasts(pages: Pages) -> None:
    assert pages.get("/session").status_code == 303
    pages.sign_in("op-27", PASSWORD)
    for _ in range(3):
        pages.clock.pass_(20 * 60)
        assert pages.get("/session").status_code == 204


def test_too_many_tries_say_when(pages: Pages) -> None:
    for left in ("4 tries", "3 tries", "2 tries", "1 try", "No try"):
        assert f"{left} left." in pages.sign_in("op-27", "wrong").text
    pages.clock.pass_(61)
    answer = pages.sign_in("op-27", PASSWORD)
    assert answer.status_code == 429
    assert "Too many tries. Sign in again in 14 min." in answer.text
    assert answer.headers["retry-after"] == "839"


@pytest.mark.parametrize("token", [None, "", "x", OTHER])
def test_a_form_that_this_page_did_not_give_is_refused(pages: Pages, token: str | None) -> None:
    if token == OTHER:
        token = fields(pages.get("/sign-in").text)["csrf"]
        pages.client.cookies.clear()
        assert fields(pages.get("/sign-in").text)["csrf"] != token
    given = {} if token is None else {"csrf": token}
    answer = pages.post("/sign-in", {"name": "op-27", "password": PASSWORD, **given})
    assert answer.status_code == 403
    assert "This page was open too long, or cookies are off." in answer.text
    assert pages.get("/").status_code == 303


def test_each_of_several_pages_can_be_used(pages: Pages) -> None:
    first = fields(pages.get("/sign-in").text)
    pages.get("/sign-in?next=/alarms")
    answer = pages.post("/sign-in", {**first, "name": "op-27", "password": PASSWORD})
    assert answer.status_code == 303


def test_a_page_that_was_open_too_long_is_given_anew(pages: Pages) -> None:
    form = fields(pages.get("/sign-in").text)
    pages.clock.pass_(3601)
    answer = pages.post("/sign-in", {**form, "name": "op-27", "password": PASSWORD})
    assert answer.status_code == 403
    again = {**fields(answer.text), "password": PASSWORD}
    assert pages.post("/sign-in", again).status_code == 303


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


def test_the_shipped_parameters_let_in_too(pages: Pages) -> None:
    encoded = Passwords().hash(PASSWORD)
    pages.accounts.set_password("op-27", encoded, By("boss", NOW))
    assert pages.sign_in("op-27", PASSWORD).status_code == 303


def test_too_many_at_once_are_asked_to_wait(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "WAITING", 0)
    answer = pages.sign_in("op-27", PASSWORD)
    assert answer.status_code == 503
    assert "Many sign in at this moment." in answer.text
    assert answer.headers["retry-after"] == "5"
