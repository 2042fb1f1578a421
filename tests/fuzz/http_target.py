"""The gateway's HTTP as a target: bytes on a connection, to a real intake over a modelled disk.

The intake is shared by many inputs, as by many clients, and built anew before its spool is full.
"""

import asyncio
import json
import re
import threading
from collections.abc import Coroutine
from typing import Any, Final

from producers.gateway.entries import Accepted
from producers.gateway.settings import HttpLimits
from producers.gateway.spool import SpoolReader
from tests.unit.gateway.serving import Served, line, posting, serving

INPUTS: Final = 500
"""After so many inputs the intake is built anew."""
SECONDS: Final = 10.0
"""The longest that a connection may last: the intake's own deadlines are a second."""
LIMITS: Final = HttpLimits(
    body=4096, bodies=65536, head_seconds=1, body_seconds=1, request_seconds=2, idle_seconds=1
)
STATUSES: Final = frozenset({100, 200, 202, 400, 404, 405, 408, 413, 415, 429, 503})
ANSWER: Final = re.compile(rb"HTTP/1\.1 (\d{3}) ")
TAKEN: Final = re.compile(rb'\{"accepted":(\d+),"duplicates":\d+,"rejected":')

HTTP_WORDS: Final = (
    *(b"\r\n", b"\r\n\r\n", b"POST /v1/events HTTP/1.1\r\n", b"content-length: 5\r\n", b"\0"),
    *(b"transfer-encoding: chunked\r\n", b"5\r\nhello\r\n0\r\n\r\n", b"ffffffffffffffff\r\n"),
    *(b"expect: 100-continue\r\n", b"connection: close\r\n", b"HTTP/1.0\r\n", b"upgrade: h2c\r\n"),
    *(b"content-encoding: gzip\r\n", b"content-length: -1\r\n", b"host: x\r\n", b" HTTP/9.9"),
)


class Intake:
    """A served intake on a loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._context = serving(limits=LIMITS)
        self.served: Served = self.run(self._context.__aenter__())
        self._reader = SpoolReader(self.served.spool)
        self.inputs = 0
        self.kept = self.promised = 0

    def run(self, what: Coroutine[Any, Any, Any]) -> Any:
        """Return what the loop makes of a coroutine."""
        return asyncio.run_coroutine_threadsafe(what, self._loop).result(SECONDS)

    def stop(self) -> None:
        """End the intake and its loop."""
        self.run(self._context.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def said(self, data: bytes) -> bytes:
        """Return all that is answered to the bytes of a client that then says no more."""
        client = await self.served.connect()
        client.writer.write(data)
        client.writer.write_eof()
        answer = await client.ended()
        await client.close()
        self.served.clients.remove(client)
        return answer

    def check(self, data: bytes) -> None:
        """Send bytes; fail where the intake is lost, or did not keep what it said it took."""
        self.inputs += 1
        answer = self.run(self.said(data))
        for status in ANSWER.findall(answer):
            assert int(status) in STATUSES, answer[:200]
        self.promised += sum(map(int, TAKEN.findall(answer)))
        self.kept += sum(isinstance(entry, Accepted) for _, entry in self._reader.read())
        assert self.kept >= self.promised
        assert self.run(self.served.get("/healthz")).status == 200
        self.served.files.calls.clear()


_running: list[Intake] = []


def http(data: bytes) -> None:
    """Write bytes on a connection of a shared intake."""
    if _running and _running[0].inputs >= INPUTS:
        stop_http()
    if not _running:
        _running.append(Intake())
    _running[0].check(data)


def stop_http() -> None:
    """End the shared intake, if it runs."""
    while _running:
        _running.pop().stop()


def http_seeds() -> list[bytes]:
    """Return requests that are good."""
    body = line(1) + b"\n" + line(2)
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    head = b"POST /v1/events HTTP/1.1\r\nhost: x\r\n"
    return [
        posting(body),
        posting(json.dumps({"table": "CS-01"}).encode()) + posting(line(3)),
        posting(body, "content-type: application/x-ndjson", "expect: 100-continue"),
        head + b"transfer-encoding: chunked\r\n\r\n" + chunked,
        b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET /readyz HTTP/1.1\r\nhost: x\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n",
        b"HEAD /v1/events HTTP/1.0\r\n\r\n",
    ]
