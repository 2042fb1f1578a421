"""Whoever is signed in gives himself another password, and nobody else does."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.console.access.limits import OWN_TRIES
from tests.access_scene import PASSWORD
from tests.console_pages import Pages, fields, opened_pages

NEW = "a shoe, a stub and a cut card"


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    with opened_pages(tmp_path) as opened:
        opened.sign_in("op-27", PASSWORD)
        yield opened


def change(pages: Pages, present: str, new: str = NEW, again: str | None = None) -> int:
    typed = {"present": present, "new": new, "again": new if again is None else again}
    token = fields(pages.get("/password").text)["csrf"]
    return pages.post("/password", {**typed, "csrf": token}).status_code


def test_the_new_password_lets_in_and_the_old_one_does_not(pages: Pages) -> None:
    assert change(pages, PASSWORD) == 303
    assert pages.get("/").status_code == 303, "all sessions end with the change"
    assert pages.sign_in("op-27", PASSWORD).status_code == 401
    assert pages.sign_in("op-27", NEW).status_code == 303


@pytest.mark.parametrize(
    ("present", "new", "again", "status"),
    [
        ("not it", NEW, NEW, 401),
        (PASSWORD, NEW, f"{NEW}s", 400),
        (PASSWORD, "short", "short", 400),
        (PASSWORD, "op-27 deals from the hand", "op-27 deals from the hand", 400),
    ],
)
def test_what_is_wrong_changes_nothing(
    pages: Pages, present: str, new: str, again: str, status: int
) -> None:
    assert change(pages, present, new, again) == status
    assert pages.get("/").status_code == 200
    assert change(pages, PASSWORD) == 303


def test_an_open_page_is_no_way_around_the_limits(pages: Pages) -> None:
    for _ in range(OWN_TRIES):
        assert change(pages, "guess") == 401
    assert change(pages, PASSWORD) == 429


def test_who_is_not_signed_in_has_no_such_page(tmp_path: Path) -> None:
    with opened_pages(tmp_path) as stranger:
        assert stranger.get("/password").headers["location"].startswith("/sign-in")
