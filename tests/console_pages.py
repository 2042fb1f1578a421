"""The pages of a whole console without a floor behind them: Kafka has told it nothing yet."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import httpx
from starlette.applications import Starlette

from streams.console.access.access import Access
from streams.console.access.accounts import Accounts
from streams.console.access.trail import By
from streams.console.app import application, build_console
from streams.console.console import Console
from streams.console.settings import ConsoleSettings
from streams.rulebooks import load
from tests.access_scene import NOW, PASSWORD, QUICK, Clock

BASE: Final = "http://127.0.0.1:7303"


@dataclass
class Pages:
    """A console, with a browser before it."""

    app: Starlette
    console: Console
    accounts: Accounts
    clock: Clock
    client: httpx.AsyncClient
    loop: asyncio.Runner

    def get(self, path: str) -> httpx.Response:
        return self.loop.run(self.client.get(path))

    def post(self, path: str, form: dict[str, str]) -> httpx.Response:
        return self.loop.run(self.client.post(path, data=form, headers={"Origin": BASE}))

    def act(self, page: str, place: str, form: dict[str, str]) -> httpx.Response:
        """Send a form with the token that stands on a page."""
        return self.post(place, {"csrf": fields(self.get(page).text)["csrf"], **form})

    def sign_in(self, name: str, password: str, page: str = "/sign-in") -> httpx.Response:
        form = fields(self.get(page).text)
        return self.post("/sign-in", {**form, "name": name, "password": password})


@contextmanager
def opened_pages(folder: Path, floor: str | None = None) -> Iterator["Pages"]:
    """Give the pages of a console with an operator `op-27` and an administrator `boss`.

    Args:
        folder: for its files.
        floor: the text of its inventory.
    """
    url, path = f"sqlite:///{folder / 'pitwatch.db'}", folder / "floor.toml"
    if floor is not None:
        path.write_text(floor, encoding="utf-8")
    settings = ConsoleSettings(book=load(), database=url, floor=path if floor is not None else None)
    console = build_console(settings, QUICK)
    clock = Clock()
    access = Access(console.engine, now=clock, passwords=QUICK)
    console = replace(console, access=access)
    app = application(console)
    accounts = Accounts(console.engine)
    for name, role in (("op-27", "operator"), ("boss", "admin")):
        accounts.add(name, QUICK.hash(PASSWORD), role, (), By("test", NOW))
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE)
    loop = asyncio.Runner()
    yield Pages(app, console, accounts, clock, client, loop)
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
