"""Many live pages without browsers: `python -m tests.bench.sse_clients URL COOKIE NUMBER`.

Each reads the feed as it comes, and notes when it was told of which alarm. Standard input is, when
all was sent, a JSON list of the tables that have one: once every client was told of each, or after
a minute, what was noted is written to standard output as JSON: for each client the time, Unix
seconds, by table.
"""

import asyncio
import json
import re
import sys
import time
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

NEWS: Final = re.compile(rb'"([A-Za-z0-9._-]+): [^"]*, new [a-z]+ alarm\."')
STANDING: Final = re.compile(rb'tile unack[^>]*? id=\\"t-([A-Za-z0-9._-]+)\\"')
"""A tile whose alarm wants an answer, in a snapshot: a page that was too slow has nothing else."""

PATIENCE: Final = 60.0
LARGEST: Final = 16 * 1024 * 1024


def note(tables: list[bytes], moment: float, told: dict[str, float]) -> None:
    """Note the tables of which a page is told for the first time."""
    for table in tables:
        told.setdefault(table.decode(), moment)


async def client(host: str, port: int, cookie: str, told: dict[str, float]) -> None:
    """Read a feed without end."""
    reader, writer = await asyncio.open_connection(host, port, limit=LARGEST)
    writer.write(
        f"GET /feed?last= HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: text/event-stream\r\n"
        f"Cookie: {cookie}\r\n\r\n".encode()
    )
    status = await reader.readuntil(b"\r\n\r\n")
    assert status.startswith(b"HTTP/1.1 200"), status
    while True:
        size = int(await reader.readuntil(b"\r\n"), 16)
        message = await reader.readexactly(size + 2)
        if message.find(b" alarm.", -4096) >= 0:
            moment = time.time()
            note(NEWS.findall(message), moment, told)
        elif message.find(b"event: snapshot", 0, 128) >= 0:
            note(STANDING.findall(message), time.time(), told)


async def run(url: str, cookie: str, number: int) -> list[dict[str, float]]:
    """Run clients until standard input ends; return what each was told."""
    parts = urlsplit(url)
    told: list[dict[str, float]] = [{} for _ in range(number)]
    clients = [
        asyncio.ensure_future(client(parts.hostname or "", parts.port or 0, cookie, each))
        for each in told
    ]
    ended = asyncio.ensure_future(asyncio.to_thread(sys.stdin.read))
    await asyncio.wait([*clients, ended], return_when=asyncio.FIRST_COMPLETED)
    expected = set(json.loads(await ended))
    deadline = time.monotonic() + PATIENCE
    while not all(expected <= each.keys() for each in told) and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    for each in clients:
        each.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*clients)
    return told


if __name__ == "__main__":
    result = asyncio.run(run(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    sys.stdout.write(json.dumps(result))
