"""An intake on a real socket over a modelled disk, and a client that speaks raw HTTP."""

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from producers.gateway.committer import Bounds, Committer
from producers.gateway.connections import server_of
from producers.gateway.entries import Accepted, Entry
from producers.gateway.gate import Gate
from producers.gateway.identities import Identities
from producers.gateway.merge import Merger
from producers.gateway.metrics import GatewayMetrics
from producers.gateway.protocol import Judge
from producers.gateway.server import Intake
from producers.gateway.settings import HttpLimits
from producers.gateway.spool import Spool, SpoolReader
from schemas.ndjson import encode_line
from tests.crashing_files import CrashingFiles

NOW = 1_800_000_000_000_000


def line(seq: int = 1, **changes: object) -> bytes:
    """Return a good line."""
    event = {
        "table": "CS-01",
        "source": "gw-1/shoe",
        "boot": 1,
        "seq": seq,
        "at": "2026-11-30T12:00:00.000Z",
        "kind": "no_more_bets",
    }
    return json.dumps(event | changes).encode()


@dataclass
class Reply:
    """An HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Return the body's content."""
        return json.loads(self.body)


@dataclass
class Served:
    """A running intake and all that belongs to it."""

    port: int
    files: CrashingFiles
    spool: Spool
    committer: Committer
    intake: Intake
    metrics: GatewayMetrics
    oldest: int | None = None
    alive: bool = True
    now: int = NOW
    tls: ssl.SSLContext | None = None
    clients: list["Client"] = field(default_factory=list)

    def entries(self) -> list[Entry]:
        """Return what is in the spool."""
        return [entry for _, entry in SpoolReader(self.spool).read()]

    def seqs(self) -> list[int]:
        """Return the accepted events' sequence numbers."""
        return [entry.seq for entry in self.entries() if isinstance(entry, Accepted)]

    def value(self, name: str, **labels: str) -> float | None:
        """Return a metric's value."""
        return self.metrics.registry.get_sample_value(name, labels)

    def cut(self, reason: str) -> float | None:
        """Return how many connections were ended for a reason."""
        return self.value("pitwatch_gateway_connections_cut_total", reason=reason)

    async def connect(self, tls: ssl.SSLContext | None = None) -> "Client":
        """Open a connection."""
        tls = tls or self.tls
        name = None if tls is None else "localhost"
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=tls, server_hostname=name
        )
        client = Client(reader, writer)
        self.clients.append(client)
        return client

    async def ask(self, request: bytes) -> Reply:
        """Send the bytes of one request on a connection of its own."""
        client = await self.connect()
        client.writer.write(request)
        reply = await client.reply()
        await client.close()
        self.clients.remove(client)
        return reply

    async def post(self, body: bytes, *headers: str) -> Reply:
        """Post a body."""
        return await self.ask(posting(body, *headers))

    async def get(self, path: str) -> Reply:
        """Get a page."""
        return await self.ask(f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode())


@dataclass
class Client:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def reply(self) -> Reply:
        """Read one answer."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(row.lower().split(": ", 1) for row in head[1:] if row)
        body = await self.reader.readexactly(int(headers["content-length"]))
        return Reply(int(head[0].split()[1]), headers, body)

    async def close(self) -> None:
        """End the connection."""
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()

    async def ended(self) -> bytes:
        """Return what still comes until the other side ends the connection."""
        try:
            return await self.reader.read()
        except ConnectionError:
            return b""


def posting(body: bytes, *headers: str) -> bytes:
    """Return the bytes of a request that posts events."""
    rows = ["POST /v1/events HTTP/1.1", "host: x", f"content-length: {len(body)}", *headers]
    return "\r\n".join([*rows, "", ""]).encode() + body


@asynccontextmanager
async def serving(
    files: CrashingFiles | None = None,
    *,
    limits: HttpLimits | None = None,
    bounds: Bounds | None = None,
    gate: Callable[[GatewayMetrics], Gate] | None = None,
    context: Callable[[], ssl.SSLContext] | None = None,
) -> AsyncIterator[Served]:
    """Serve until the block ends."""
    files = files or CrashingFiles()
    limits = limits or HttpLimits()
    spool = Spool(files, segment_bytes=1_000_000)
    metrics = GatewayMetrics("1.2.3")
    committer = Committer(
        spool,
        bounds or Bounds(10_000_000, 3600.0),
        Merger(0.0),
        oldest=lambda: served.oldest,
        clock=lambda: served.now,
        stored=lambda entries, seconds: None,
    )
    intake = Intake(
        Judge("gateway-7", encode_line, Identities()),
        committer,
        metrics,
        limits,
        clock=lambda: served.now,
        alive=lambda: served.alive,
        gate=None if gate is None else gate(metrics),
    )
    server = server_of(Noting(intake.app, files), limits, metrics.connection_cut, context)
    listener = socket.create_server(("127.0.0.1", 0))
    served = Served(listener.getsockname()[1], files, spool, committer, intake, metrics)
    committer.start()
    task = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0)
    try:
        yield served
    finally:
        for client in served.clients:
            await client.close()
        server.should_exit = True
        await task
        await asyncio.to_thread(committer.close)


@dataclass
class Noting:
    """An application that notes in the disk's record when an answer leaves."""

    app: Any
    files: CrashingFiles

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.files.calls.append(("answer", str(message["status"])))
            await send(message)

        await self.app(scope, receive, noting)
