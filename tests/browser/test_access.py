"""Signing in and accounts in a browser: by keyboard alone, in both themes, and ended at once."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from streams.console.access.accounts import Accounts
from streams.console.access.trail import By
from streams.database import open_database
from tests import floor_records as made
from tests.browser_scene import (
    PHONE,
    WIDE,
    Scene,
    now,
    picture,
    scene,
    sideways,
    violations,
)
from tests.console_harness import PASSWORD
from tests.kafka_fixtures import Broker

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.browser]

SCHEMES = ("light", "dark")


@pytest.fixture(scope="module")
def calm(
    kafka: Broker, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    """A floor without tables."""
    folder = tmp_path_factory.mktemp("console")
    with scene(kafka.bootstrap, browser, folder, made.Floor({})) as running:
        yield running


@pytest.fixture
def accounts(calm: Scene) -> Iterator[Accounts]:
    """The console's accounts, as another process changes them."""
    arguments = calm.console.arguments
    engine = open_database(arguments[arguments.index("--database") + 1])
    yield Accounts(engine)
    engine.dispose()


def at(page: Page, id_: str) -> None:
    """Wait until the focus is there."""
    page.locator(f"#{id_}:focus").wait_for()


def reads(page: Page, selector: str, part: str) -> None:
    """Wait until an element has a text, on whatever page comes."""
    page.locator(selector, has_text=part).wait_for()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_someone_signs_in_by_keyboard_alone(
    calm: Scene, browser: Browser, scheme: str, size: dict[str, int]
) -> None:
    context = browser.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]  # TypedDicts of the library's own
    page = context.new_page()
    page.goto(f"{calm.url}/accounts")
    at(page, "name")
    assert violations(page) == []
    page.keyboard.type("boss")
    page.keyboard.press("Tab")
    page.keyboard.type("not the password")
    page.keyboard.press("Enter")
    reads(page, "#said", "Name or password is not right. 4 tries left.")
    at(page, "password")
    assert page.get_attribute("#password", "aria-describedby") == "said"
    assert violations(page) == []
    assert sideways(page) <= 0
    picture(page, f"sign-in-{scheme}-{size['width']}")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    reads(page, "h1", "Accounts")
    assert page.url == f"{calm.url}/accounts"
    assert violations(page) == []
    assert sideways(page) <= 0
    picture(page, f"accounts-{scheme}-{size['width']}")
    page.click("text=op-14")
    reads(page, "h1", "Account op-14")
    assert violations(page) == []
    assert sideways(page) <= 0
    context.close()


def test_a_page_whose_account_is_disabled_is_sent_to_sign_in(
    calm: Scene, accounts: Accounts
) -> None:
    with calm.page("/", "op-14") as page:
        accounts.set_disabled("op-14", disabled=True, by=By("test", now()))
        page.wait_for_url("**/sign-in*")
        accounts.set_disabled("op-14", disabled=False, by=By("test", now()))
        page.fill("#name", "op-14")
        page.fill("#password", PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{calm.url}/")
        page.click("text=Sign out")
        page.wait_for_url("**/sign-in*")
        page.go_back()
        page.wait_for_url("**/sign-in*")


def test_an_operator_has_no_way_to_accounts(calm: Scene) -> None:
    with calm.page("/", "op-27") as page:
        assert page.locator("nav a", has_text="Accounts").count() == 0
        page.goto(f"{calm.url}/accounts")
        reads(page, "h1", "This is not yours to see")
        assert violations(page) == []
