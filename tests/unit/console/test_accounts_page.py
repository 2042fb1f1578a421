"""The accounts page: administrators alone, each change with a reason, and it holds at once."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from streams.console.access.accounts import AccountFault
from streams.console.inventory import Inventory, Pit
from streams.console.pages.accounts import pits_in
from tests.access_scene import PASSWORD
from tests.console_pages import Pages, Tags, opened_pages


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    with opened_pages(tmp_path) as opened:
        yield opened


@pytest.fixture
def boss(pages: Pages) -> Pages:
    assert pages.sign_in("boss", PASSWORD).status_code == 303
    return pages


def account(pages: Pages, name: str) -> tuple[str, tuple[str, ...], bool]:
    (found,) = (each for each in pages.accounts.listed() if each.name == name)
    return found.role, found.pits, found.disabled


def made_in(answer: httpx.Response) -> str:
    return str(re.findall(r"<code>([a-z2-9-]{24})</code>", answer.text)[0])


def test_an_operator_neither_sees_nor_changes_accounts(pages: Pages) -> None:
    pages.sign_in("op-27", PASSWORD)
    seen = pages.get("/accounts")
    assert seen.status_code == 403
    assert "An operator may not do this." in seen.text
    assert "boss" not in seen.text
    assert 'href="/accounts"' not in seen.text
    assert pages.get("/accounts/boss").status_code == 403
    form = {"role": "admin", "why": "because"}
    assert pages.act("/", "/accounts/op-27/grant", form).status_code == 403
    assert (
        pages.act("/", "/accounts", {"name": "x", "role": "admin", "why": "y"}).status_code == 403
    )
    assert account(pages, "op-27") == ("operator", (), False)


def test_the_page_lists_accounts_and_what_was_done(boss: Pages) -> None:
    answer = boss.get("/accounts")
    assert answer.status_code == 200
    assert '<a href="/accounts/op-27">op-27</a>' in answer.text
    assert "signed in" in answer.text
    assert "$argon2" not in answer.text
    assert not re.search(r"<(script|style)>|\sstyle=|\son[a-z]+=", answer.text)
    tags = Tags(answer.text).tags
    labels = {attributes.get("for") for tag, attributes in tags if tag == "label"}
    typed = {
        attributes.get("id")
        for tag, attributes in tags
        if tag in ("input", "select") and attributes.get("type") != "hidden"
    }
    assert labels == typed


def test_a_new_account_can_sign_in_with_what_is_shown_once(boss: Pages) -> None:
    form = {"name": "op-30", "role": "operator", "pits": "main, high main", "why": "new here"}
    answer = boss.act("/accounts", "/accounts", form)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert account(boss, "op-30") == ("operator", ("main", "high"), False)
    password = made_in(answer)
    assert password not in boss.get("/accounts").text
    boss.client.cookies.clear()
    assert boss.sign_in("op-30", password).status_code == 303


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"name": "op-30", "role": "operator"}, "Say why, for the audit."),
        ({"name": "op 30", "role": "operator", "why": "x"}, "Name: expected 1 to 64 characters"),
        ({"name": "op-27", "role": "operator", "why": "x"}, "found an account."),
        ({"name": "op-30", "role": "owner", "why": "x"}, "Role: expected one of viewer"),
        ({"name": "op-30", "role": "viewer", "pits": "/", "why": "x"}, "Pit: expected"),
    ],
)
def test_an_account_that_cannot_be_is_told(boss: Pages, form: dict[str, str], said: str) -> None:
    answer = boss.act("/accounts", "/accounts", form)
    assert answer.status_code == 400
    assert said in answer.text
    assert Tags(answer.text).by_id("name")["aria-describedby"] == "said"
    assert Tags(answer.text).by_id("name")["value"] == form["name"]
    assert len(boss.accounts.listed()) == 2


def test_role_pits_and_state_are_changed_with_a_reason(boss: Pages) -> None:
    place = "/accounts/op-27"
    assert boss.act(place, f"{place}/grant", {"role": "viewer"}).status_code == 400
    assert account(boss, "op-27") == ("operator", (), False)
    form = {"role": "surveillance", "pits": "high", "why": "moved"}
    assert boss.act(place, f"{place}/grant", form).headers["location"] == "/accounts"
    assert account(boss, "op-27") == ("surveillance", ("high",), False)
    assert boss.act(place, f"{place}/disable", {"why": "left"}).status_code == 303
    assert account(boss, "op-27")[2]
    assert boss.act(place, f"{place}/enable", {"why": "came back"}).status_code == 303
    assert not account(boss, "op-27")[2]
    page = boss.get("/accounts").text
    for reason in ("moved", "left", "came back"):
        assert f'<td class="why">{reason}</td>' in page
    assert boss.act(place, f"{place}/fly", {"why": "x"}).status_code == 404
    bad = {"role": "viewer", "pits": "/", "why": "x"}
    assert boss.act(place, f"{place}/grant", bad).status_code == 400


def test_a_new_password_is_shown_once_and_ends_the_sessions(boss: Pages) -> None:
    answer = boss.act("/accounts/op-27", "/accounts/op-27/password", {"why": "forgotten"})
    password = made_in(answer)
    boss.client.cookies.clear()
    assert boss.sign_in("op-27", PASSWORD).status_code == 401
    assert boss.sign_in("op-27", password).status_code == 303


def test_nobody_changes_his_own_role_or_disables_himself(boss: Pages) -> None:
    page = boss.get("/accounts/boss").text
    assert "another administrator" in page
    assert "/accounts/boss/grant" not in page
    for change in ("grant", "disable"):
        form = {"role": "viewer", "why": "x"}
        answer = boss.act("/accounts/boss", f"/accounts/boss/{change}", form)
        assert answer.status_code == 400
    assert account(boss, "boss") == ("admin", (), False)


def test_an_account_that_is_not_there_is_told(boss: Pages) -> None:
    assert boss.get("/accounts/nobody").status_code == 404
    assert boss.act("/accounts", "/accounts/nobody/disable", {"why": "x"}).status_code == 404


def test_pits_are_read_as_people_write_them() -> None:
    anything = Inventory.without_file()
    assert pits_in(" main,high;  main ,\n3", anything) == ("main", "high;", "3")
    assert pits_in("", anything) == ()


def test_pits_that_the_inventory_does_not_have_are_told() -> None:
    listed = Inventory((Pit("main", ()), Pit("high", ())), listed=True)
    assert pits_in("high", listed) == ("high",)
    with pytest.raises(AccountFault, match="pit: expected one of high, main, found mian"):
        pits_in("high mian", listed)
