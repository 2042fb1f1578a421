"""Downloads: so many at once, and one that nobody reads on does not hold the database for ever."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from streams.console.pages import history
from tests.access_scene import PASSWORD
from tests.console_pages import Pages, opened_pages

PATH = "/history/download"
QUERY = b"what=findings&format=csv"


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    with opened_pages(tmp_path) as made:
        made.sign_in("op-27", PASSWORD)
        yield made


class Reader:
    """A browser that takes the beginning of a download, and the rest when it is told to."""

    def __init__(self, pages: Pages) -> None:
        cookies = "; ".join(f"{name}={value}" for name, value in pages.client.cookies.items())
        self._app = pages.app
        self._scope = {
            "type": "http",
            "method": "GET",
            "path": PATH,
            "raw_path": PATH.encode(),
            "query_string": QUERY,
            "headers": [(b"host", b"127.0.0.1:7303"), (b"cookie", cookies.encode())],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 7303),
            "scheme": "http",
            "http_version": "1.1",
            "root_path": "",
        }
        self.began = asyncio.Event()
        self.on = asyncio.Event()
        self._asked = False
        self.status = 0
        self.body = b""

    async def receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await asyncio.Event().wait()
        raise AssertionError("never told")

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.began.set()
            return
        await self.on.wait()
        self.body += message.get("body", b"")

    async def read(self) -> None:
        await self._app(self._scope, self.receive, self.send)


def test_no_more_are_under_way_than_the_database_has_room_for(pages: Pages) -> None:
    async def all_at_once() -> None:
        readers = [Reader(pages) for _ in range(history.MOST_DOWNLOADS)]
        reading = [asyncio.ensure_future(each.read()) for each in readers]
        for each in readers:
            await each.began.wait()
        refused = await pages.client.get(PATH, params=QUERY.decode())
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "30"
        assert "at most 4 downloads at once" in refused.text
        for each in readers:
            each.on.set()
        await asyncio.gather(*reading)
        assert [each.status for each in readers] == [200] * len(readers)
        assert all(each.body.startswith(b"id,") for each in readers)
        assert (await pages.client.get(PATH, params=QUERY.decode())).status_code == 200

    pages.loop.run(all_at_once())


def test_one_that_nobody_reads_on_breaks_off_and_lets_the_next_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(history, "LONGEST_DOWNLOAD", 0.05)
    under_way = history.UnderWay(1)
    closed: list[bool] = []

    def endless() -> Iterator[str]:
        try:
            while True:
                yield "line\n"
        finally:
            closed.append(True)

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError("never told")

    async def stuck(message: Any) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    async def download() -> None:
        answer = history.Download(endless(), under_way)
        scope = {"type": "http", "asgi": {"spec_version": "2.3"}}
        with pytest.raises(ClientDisconnect):
            await answer(scope, receive, stuck)

    asyncio.run(download())
    assert under_way.count == 0
    assert closed == [True]
