"""TLS on a real socket: who is let in, what is bounded, and certificates that are replaced."""

import asyncio
import contextlib
import ssl
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from deploy.secure.certificates import Authority, Issued, today
from producers.gateway.devices import DeviceFile, new_token, with_device
from producers.gateway.gate import Gate, Known
from producers.gateway.metrics import GatewayMetrics
from producers.gateway.settings import HttpLimits
from producers.gateway.tls import TlsFault, load_context
from schemas.watched import Watched
from tests.unit.gateway.serving import Served, line, posting, serving

NAME = "shoe-1"


@dataclass
class Site:
    """A gateway's certificate and the devices it knows, in a folder."""

    folder: Path
    own: Authority = field(default_factory=lambda: Authority.new("floor", today()))
    devices: Authority = field(default_factory=lambda: Authority.new("devices", today()))
    file: DeviceFile = field(default_factory=DeviceFile)

    def __post_init__(self) -> None:
        (self.folder / "devices.pem").write_bytes(self.devices.pem)
        self.certify(self.own)

    def certify(self, authority: Authority) -> None:
        issued = authority.issue("gateway", ["localhost"], today())
        self.path("key.pem").write_bytes(issued.key)
        self.path("certificate.pem").write_bytes(issued.certificate)

    def path(self, name: str) -> Path:
        return self.folder / name

    def paths(self) -> tuple[Path, Path, Path]:
        return self.path("certificate.pem"), self.path("key.pem"), self.path("devices.pem")

    def context(self) -> ssl.SSLContext:
        return load_context(*self.paths())

    def gate(self, metrics: GatewayMetrics) -> Gate:
        return Gate(
            lambda: Known(self.file),
            lines_a_second=100.0,
            at_once=4,
            turned=metrics.turned_away,
            clock=lambda: 0,
            monotonic=lambda: 0.0,
        )

    def client(self, issued: Issued | None = None, authority: Authority | None = None) -> Any:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=(authority or self.own).pem.decode())
        if issued is not None:
            file = self.path("client.pem")
            file.write_bytes(issued.keystore)
            context.load_cert_chain(file)
        return context

    def add(self, name: str = NAME, *tables: str) -> str:
        token = new_token()
        self.file = with_device(self.file, name, tables or ("CS-01",), token, 0)
        return token


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def run(
    site: Site,
    body: Callable[[Served], Coroutine[Any, Any, None]],
    limits: HttpLimits | None = None,
) -> None:
    async def whole() -> None:
        async with serving(limits=limits, gate=site.gate, context=site.context) as served:
            served.tls = site.client()
            await asyncio.wait_for(body(served), 30)

    asyncio.run(whole())


def test_a_device_with_a_token_is_taken_and_without_is_told_how(site: Site) -> None:
    token = site.add()

    async def body(served: Served) -> None:
        reply = await served.post(line(1), f"authorization: Bearer {token}")
        assert reply.status == 202
        reply = await served.post(line(2))
        assert reply.status == 401
        assert reply.headers["www-authenticate"] == "bearer"
        assert "expected Bearer and the device's token" in reply.json["error"]
        reply = await served.post(line(2), "authorization: Bearer stolen")
        assert reply.status == 401
        assert served.seqs() == [1]
        assert served.value("pitwatch_gateway_turned_away_total", reason="no_credentials") == 1
        assert served.value("pitwatch_gateway_turned_away_total", reason="unknown_token") == 1
        for path in ("/healthz", "/readyz", "/metrics"):
            assert (await served.get(path)).status == 200

    run(site, body)


def test_nothing_of_a_request_is_kept_that_names_another_table(site: Site) -> None:
    token = site.add(NAME, "CS-01")

    async def body(served: Served) -> None:
        head = f"authorization: Bearer {token}"
        for stray in (line(2, table="BJ-07"), b'{"table":"BJ-07"}'):
            reply = await served.post(line(1) + b"\n" + stray, head)
            assert reply.status == 403
            assert reply.json["error"] == "table: expected one of shoe-1's, CS-01, found BJ-07"
        assert served.entries() == []
        assert served.value("pitwatch_gateway_turned_away_total", reason="other_table") == 2
        assert (await served.post(line(1) + b"\nno event", head)).status == 400
        assert served.seqs() == [1]

    run(site, body)


def test_nobody_learns_by_guessing_what_another_tables_device_said(site: Site) -> None:
    own, other = site.add(NAME, "CS-01"), site.add("shoe-2", "BJ-07")

    async def body(served: Served) -> None:
        assert (await served.post(line(1), f"authorization: Bearer {own}")).status == 202
        answers = []
        for guess in (line(1), line(1, kind="round_closed")):
            reply = await served.post(guess, f"authorization: Bearer {other}")
            answers.append((reply.status, reply.body))
        assert answers[0] == answers[1]
        assert answers[0][0] == 403
        assert served.value("pitwatch_gateway_duplicates_total") == 0

    run(site, body)


def test_a_device_is_known_by_its_certificate(site: Site) -> None:
    site.add()

    async def body(served: Served) -> None:
        issued = site.devices.issue(NAME, [], today())
        served.tls = site.client(issued)
        assert (await served.post(line(1))).status == 202
        served.tls = site.client(site.devices.issue("shoe-9", [], today()))
        reply = await served.post(line(2))
        assert reply.status == 401
        assert "found shoe-9" in reply.json["error"]
        assert served.seqs() == [1]

    run(site, body)


@pytest.mark.parametrize("kind", ["ended", "another authority's", "the gateway's authority's"])
def test_a_certificate_that_does_not_bear_out_ends_the_connection(site: Site, kind: str) -> None:
    site.add()
    issued = {
        "ended": lambda: site.devices.issue(NAME, [], today(), timedelta(days=-1)),
        "another authority's": lambda: Authority.new("x", today()).issue(NAME, [], today()),
        "the gateway's authority's": lambda: site.own.issue(NAME, [], today()),
    }[kind]()

    async def body(served: Served) -> None:
        served.tls = site.client(issued)
        with pytest.raises((ssl.SSLError, ConnectionError, asyncio.IncompleteReadError)):
            await served.post(line(1))
        assert served.entries() == []

    run(site, body)


def test_a_device_that_does_not_know_the_gateways_authority_sends_nothing(site: Site) -> None:
    async def body(served: Served) -> None:
        served.tls = site.client(authority=Authority.new("x", today()))
        with pytest.raises(ssl.SSLCertVerificationError):
            await served.post(line(1))

    run(site, body)


def test_in_the_clear_nothing_is_answered(site: Site) -> None:
    async def body(served: Served) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(posting(line(1)))
        with contextlib.suppress(ConnectionError):
            assert b"202" not in await reader.read()
        writer.close()
        assert served.entries() == []

    run(site, body)


def test_an_oversized_request_is_told_so_over_tls_before_it_is_read(site: Site) -> None:
    token = site.add()

    async def body(served: Served) -> None:
        head = f"authorization: Bearer {token}"
        assert (await served.post(b"x" * 600, head)).status == 413
        client = await served.connect()
        client.writer.write(
            "\r\n".join(
                ["POST /v1/events HTTP/1.1", "host: x", "transfer-encoding: chunked", head, "", ""]
            ).encode()
            + b"258\r\n"
            + b"y" * 600
        )
        assert (await client.reply()).status == 413
        huge = await served.connect()
        huge.writer.write(b"POST /v1/events HTTP/1.1\r\nx: " + b"z" * 5000)
        assert b"400" in (await huge.ended())[:20]
        assert served.entries() == []

    run(site, body, HttpLimits(body=500, head=2000))


def test_slow_requests_are_cut_over_tls_at_each_place(site: Site) -> None:
    token = site.add()

    async def body(served: Served) -> None:
        silent = await served.connect()
        slow_head = await served.connect()
        slow_head.writer.write(b"POST /v1/eve")
        slow_body = await served.connect()
        slow_body.writer.write(
            posting(line(1), f"authorization: Bearer {token}").removesuffix(line(1)) + b"{"
        )
        no_handshake = await asyncio.open_connection("127.0.0.1", served.port)
        half = await asyncio.open_connection("127.0.0.1", served.port)
        half[1].write(b"\x16\x03\x01\x02\x00\x01")
        assert (await slow_body.reply()).status == 408
        assert await silent.ended() == b""
        assert await slow_head.ended() == b""
        for reader, writer in (no_handshake, half):
            with contextlib.suppress(ConnectionError):
                assert len(await reader.read()) < 100
            writer.close()
        assert served.entries() == []

    run(site, body, HttpLimits(head_seconds=0.4, body_seconds=0.3, idle_seconds=1))


def test_connections_are_bounded_from_their_first_byte(site: Site) -> None:
    token = site.add()

    async def body(served: Served) -> None:
        idle = [await asyncio.open_connection("127.0.0.1", served.port) for _ in range(3)]
        with pytest.raises((ssl.SSLError, ConnectionError, OSError)):
            await served.connect()
        assert served.cut("too_many") == 1
        for _, writer in idle:
            writer.close()
            await writer.wait_closed()
        while True:
            try:
                reply = await served.post(line(1), f"authorization: Bearer {token}")
            except OSError:
                continue
            break
        assert reply.status == 202

    run(site, body, HttpLimits(connections=3))


def test_idle_connections_keep_nobody_out(site: Site) -> None:
    token = site.add()

    async def body(served: Served) -> None:
        idle = [await served.connect() for _ in range(3)]
        for client in idle:
            client.writer.write(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
            assert (await client.reply()).status == 200
        assert (await served.post(line(1), f"authorization: Bearer {token}")).status == 202
        assert await idle[0].ended() == b""
        assert served.cut("made_room") == 1

    run(site, body, HttpLimits(connections=3))


def test_a_device_that_says_too_much_is_told_when_to_come_back(site: Site) -> None:
    token = site.add()

    async def body(served: Served) -> None:
        head = f"authorization: Bearer {token}"
        many = b"\n".join(line(seq) for seq in range(1, 2101))
        assert (await served.post(many, head)).status == 202
        reply = await served.post(line(2101), head)
        assert reply.status == 429
        assert reply.headers["retry-after"] == "1"
        assert served.value("pitwatch_gateway_turned_away_total", reason="rate") == 1

    run(site, body)


def test_a_line_as_long_as_a_body_may_be_is_said_too_much(site: Site) -> None:
    token = site.add()

    async def body(served: Served) -> None:
        head = f"authorization: Bearer {token}"
        statuses = [(await served.post(b"x" * 1024 * 1024, head)).status for _ in range(3)]
        assert statuses == [400, 400, 429]

    run(site, body)


def test_a_new_certificate_holds_for_the_next_connection_and_a_broken_one_changes_nothing(
    site: Site,
) -> None:
    token = site.add()
    seconds = [0.0]
    failed: list[str] = []
    contexts = Watched("certificate", site.paths(), site.context, now=lambda: seconds[0])
    contexts.failed = failed.append

    async def whole() -> None:
        async with serving(gate=site.gate, context=contexts.current) as served:
            head = f"authorization: Bearer {token}"
            served.tls = site.client()
            standing = await served.connect()
            site.path("key.pem").write_bytes(b"no key")
            seconds[0] += 2
            assert (await served.post(line(1), head)).status == 202
            assert failed == ["certificate"]
            new = Authority.new("new", today())
            site.certify(new)
            seconds[0] += 2
            with pytest.raises(ssl.SSLCertVerificationError):
                await served.post(line(2), head)
            served.tls = site.client(authority=new)
            assert (await served.post(line(2), head)).status == 202
            standing.writer.write(posting(line(3), head))
            assert (await standing.reply()).status == 202
            assert served.seqs() == [1, 2, 3]

    asyncio.run(whole())


def test_what_cannot_be_used_is_told_without_its_content(site: Site, tmp_path: Path) -> None:
    certificate, key, _authorities = site.paths()
    others = Authority.new("x", today()).issue("gateway", [], today())
    wrong = tmp_path / "wrong.pem"
    wrong.write_bytes(others.key)
    for paths in (
        (certificate, wrong, None),
        (certificate, tmp_path / "absent", None),
        (wrong, key, None),
        (certificate, key, wrong),
    ):
        with pytest.raises(TlsFault, match="expected a certificate with its key") as caught:
            load_context(*paths)
        assert "PRIVATE" not in str(caught.value)
    assert replace(site).context().verify_mode is ssl.CERT_OPTIONAL
    assert load_context(certificate, key, None).verify_mode is ssl.CERT_NONE
