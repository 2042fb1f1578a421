"""The application without a browser: what every page has, what it may not, and how much it is."""

import asyncio
import gzip
import re
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final

import httpx
import pytest
from starlette.applications import Starlette

import streams.console
from streams.console.access.accounts import Accounts
from streams.console.access.trail import By
from streams.console.app import application, build_console
from streams.console.console import Console
from streams.console.settings import ConsoleSettings
from streams.console.static_files import IMMUTABLE, StaticFiles
from tests import floor_records as made
from tests.access_scene import PASSWORD, QUICK

NOW: Final = 1_796_000_000_000_000
BASE: Final = "http://127.0.0.1"
FIRST_VIEW: Final = 60_000
"""Bytes that the first view takes, compressed: the page, its sheets, scripts and pictures."""

PACKAGE: Final = files(streams.console)
STATIC: Final = Path(str(PACKAGE)) / "static"
VENDORED: Final = {
    each["name"]: each for each in tomllib.loads((STATIC / "vendored.toml").read_text())["file"]
}
ASSET: Final = re.compile(r'(?:href|src)="(/static/[^"]+)"')
ELSEWHERE: Final = re.compile(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", re.IGNORECASE)
NAMESPACE: Final = "http://www.w3.org"
"""The one name that looks like an address and is none: SVG's namespace."""


class Browser:
    """A client without a browser's window: it keeps cookies and asks one page after the other."""

    def __init__(self, app: Starlette) -> None:
        self._runner = asyncio.Runner()
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app), base_url=BASE, timeout=30
        )

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self._runner.run(self._client.get(path, headers=headers))

    def sign_in(self, name: str) -> None:
        page = self.get("/sign-in").text
        token = page.split('name="csrf" value="')[1].split('"')[0]
        fields = {"name": name, "password": PASSWORD, "csrf": token, "next": "/"}
        post = self._client.post("/sign-in", data=fields, headers={"Origin": BASE})
        assert self._runner.run(post).status_code == 303

    def close(self) -> None:
        self._runner.run(self._client.aclose())
        self._runner.close()


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    folder = tmp_path_factory.mktemp("console")
    (folder / "floor.toml").write_text(made.inventory(), encoding="utf-8")
    settings = ConsoleSettings(
        made.BOOK, database=f"sqlite:///{folder / 'console.db'}", floor=folder / "floor.toml"
    )
    console = build_console(settings)
    by = By("test", NOW, "127.0.0.1")
    Accounts(console.engine).add("op-27", QUICK.hash(PASSWORD), "operator", (), by)
    busy = made.busy(console.now())
    for view in busy.views.values():
        console.floor.view(view, 0)
    for round_ in busy.rounds:
        console.floor.round(round_)
    for alarm in busy.alarms:
        console.floor.alarm(alarm)
    console.hub.paint()
    yield console
    console.engine.dispose()


@pytest.fixture
def browser(console: Console) -> Iterator[Browser]:
    browser = Browser(application(console))
    browser.sign_in("op-27")
    yield browser
    browser.close()


def test_no_page_is_shown_to_who_is_not_signed_in(console: Console) -> None:
    stranger = Browser(application(console))
    for path in ("/", "/pits/1"):
        answer = stranger.get(path)
        assert (answer.status_code, answer.text) == (303, "")
        assert answer.headers["location"].startswith("/sign-in")
    assert stranger.get("/feed", accept="text/event-stream").status_code == 401
    stranger.close()


def test_the_first_view_is_small_and_all_of_it_is_from_here(browser: Browser) -> None:
    page = browser.get("/")
    assert page.headers["content-encoding"] == "gzip"
    assert page.text.count('<li class="tile') == 60
    total = len(gzip.compress(page.content, 6))
    for path in dict.fromkeys(ASSET.findall(page.text)):
        answer = browser.get(path)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == IMMUTABLE
        assert answer.headers["content-encoding"] == "gzip"
        total += int(answer.headers["content-length"])
    assert len(ASSET.findall(page.text)) >= 4
    assert total < FIRST_VIEW


def test_a_pit_that_is_none_is_not_found(browser: Browser) -> None:
    assert "CS-03" in browser.get("/pits/2").text
    for path, words in (
        ("/pits/9", "expected a pit of the floor"),
        ("/none", "found none of that"),
    ):
        page = browser.get(path, accept="text/html")
        assert page.status_code == 404
        assert "<h1>Not found</h1>" in page.text
        assert words in page.text
        plain = browser.get(path, accept="application/json")
        assert words in plain.text
        assert "<" not in plain.text


def test_no_more_pages_are_live_than_may_be(browser: Browser, console: Console) -> None:
    for _ in range(console.settings.clients):
        console.hub.enter()
    try:
        answer = browser.get("/feed", accept="text/event-stream")
    finally:
        for _ in range(console.settings.clients):
            console.hub.leave()
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "10"
    assert "--clients" in answer.text


@pytest.mark.parametrize("path", ["/", "/pits/1", "/history"])
def test_a_page_has_nothing_inline_and_names_no_other_host(browser: Browser, path: str) -> None:
    answer = browser.get(path)
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert "<style" not in answer.text
    assert not re.search(r"\s(style|on[a-z]+)=", answer.text)
    assert re.findall(r"<script(?![^>]* src=)", answer.text) == []
    assert ELSEWHERE.findall(answer.text.replace(NAMESPACE, "")) == []


def sources() -> list[Path]:
    root = Path(str(PACKAGE))
    return sorted(each for folder in ("templates", "static") for each in (root / folder).iterdir())


@pytest.mark.parametrize("source", sources(), ids=lambda each: each.name)
def test_no_template_sheet_or_script_names_another_host(source: Path) -> None:
    if source.suffix not in {".html", ".css", ".js", ".svg"}:
        return
    text = re.sub(r"^\s*(/\*|\*|//|\{#).*$", "", source.read_text(), flags=re.MULTILINE)
    if source.name in VENDORED:
        # They name none either; that htmx evaluates nothing is set, and the policy forbids it.
        assert ELSEWHERE.findall(text.replace(NAMESPACE, "")) == []
        return
    assert ELSEWHERE.findall(text.replace(NAMESPACE, "")) == []
    assert not re.search(r"\b(eval|new Function)\(|document\.write|@import", text)


def test_what_is_of_others_is_unchanged_and_has_its_licence() -> None:
    for name, each in VENDORED.items():
        path = STATIC / name
        assert sha256(path.read_bytes()).hexdigest() == each["sha256"]
        assert all(each[key] for key in ("licence", "version", "package"))
        assert (STATIC / each["licence_file"]).read_text().strip()
    minified = {path.name for path in STATIC.iterdir() if ".min." in path.name}
    assert minified == VENDORED.keys()


def test_static_files_are_named_by_what_is_in_them(browser: Browser) -> None:
    static = StaticFiles()
    assert {"console.css", "console.js", "icon.svg"} <= set(static.names)
    path = static.path("console.css")
    assert re.fullmatch(r"/static/console\.[0-9a-f]{12}\.css", path)
    plain = browser.get(path, **{"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(static.compressed("console.css")) == plain.content
    for other in ("/static/console.css", "/static/..%2fapp.py", "/static/none.css"):
        assert browser.get(other).status_code == 404
    with pytest.raises(KeyError):
        static.path("none.css")
