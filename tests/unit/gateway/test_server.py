"""The gateway's HTTP on a real socket: what each request is answered, and what no client may do."""

import asyncio
import errno
from collections.abc import Awaitable, Callable

import pytest

from producers.gateway.committer import Bounds
from producers.gateway.connections import TOO_MANY_BODY
from producers.gateway.entries import Refused
from producers.gateway.settings import HttpLimits
from tests.crashing_files import CrashingFiles, HeldFiles
from tests.unit.gateway.serving import NOW, Reply, Served, line, posting, serving

QUICK = HttpLimits(head_seconds=0.05, body_seconds=0.05, request_seconds=0.3, idle_seconds=1.0)


def served(
    test: Callable[[Served], Awaitable[None]],
    files: CrashingFiles | None = None,
    *,
    limits: HttpLimits | None = None,
    bounds: Bounds | None = None,
) -> None:
    async def run() -> None:
        async with serving(files, limits=limits, bounds=bounds) as running:
            await asyncio.wait_for(test(running), 30)

    asyncio.run(run())


def test_accepted_lines_are_answered_with_202_when_they_are_synced() -> None:
    async def test(gateway: Served) -> None:
        reply = await gateway.post(line(1) + b"\n" + line(2))
        assert (reply.status, reply.json) == (
            202,
            {"accepted": 2, "duplicates": 0, "rejected": []},
        )
        assert gateway.seqs() == [1, 2]
        calls = gateway.files.calls
        written = max(place for place, call in enumerate(calls) if call[0] == "append")
        synced = calls.index(("sync", calls[written][1]), written)
        assert written < synced < calls.index(("answer", "202"))
        assert gateway.value("pitwatch_gateway_accepted_total") == 2

    served(test)


def test_each_of_many_answers_has_a_sync_between_it_and_its_lines() -> None:
    files = HeldFiles()

    async def test(gateway: Served) -> None:
        files.go.clear()
        posts = [asyncio.create_task(gateway.post(line(1)))]
        while not files.waiting:
            await asyncio.sleep(0.001)
        posts += [asyncio.create_task(gateway.post(line(seq))) for seq in range(2, 41)]
        while len(gateway.committer._requests) < 39:
            await asyncio.sleep(0.001)
        files.go.set()
        replies = await asyncio.gather(*posts)
        assert {reply.status for reply in replies} == {202}
        written = synced = answered = 0
        for operation, _ in gateway.files.calls:
            if operation == "append":
                written += 1
            elif operation == "sync":
                synced = written
            elif operation == "answer":
                answered += 1
                assert synced > 0
        assert answered == 40
        assert sorted(gateway.seqs()) == list(range(1, 41))
        assert synced == written < 40

    served(test, files)


def test_refused_lines_are_named_and_the_others_kept() -> None:
    async def test(gateway: Served) -> None:
        reply = await gateway.post(line(1) + b"\n{\n" + line(3, kind="flung"))
        assert reply.status == 400
        assert reply.json["accepted"] == 1
        assert [row["line"] for row in reply.json["rejected"]] == [2, 3]
        assert set(reply.json["rejected"][0]) == {"line", "field", "expected", "found"}
        assert sum(isinstance(entry, Refused) for entry in gateway.entries()) == 2
        assert gateway.value("pitwatch_gateway_rejected_total", reason="bad_line") == 1
        assert gateway.value("pitwatch_gateway_rejected_total", reason="unknown_kind") == 1
        assert gateway.value("pitwatch_gateway_requests_total", status="400") == 1

    served(test)


def test_a_retry_is_answered_as_duplicates_and_not_stored_twice() -> None:
    async def test(gateway: Served) -> None:
        body = line(1) + b"\n" + line(2)
        await gateway.post(body)
        reply = await gateway.post(body)
        assert (reply.status, reply.json["duplicates"], reply.json["accepted"]) == (202, 2, 0)
        assert gateway.seqs() == [1, 2]
        assert gateway.value("pitwatch_gateway_duplicates_total") == 2

    served(test)


def test_an_empty_body_is_accepted_as_nothing() -> None:
    async def test(gateway: Served) -> None:
        assert (await gateway.post(b"")).json["accepted"] == 0

    served(test)


def test_a_body_in_chunks_is_taken() -> None:
    async def test(gateway: Served) -> None:
        head = "POST /v1/events HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
        part = line(1) + b"\n"
        chunk = b"%x\r\n%s\r\n" % (len(part), part)
        reply = await gateway.ask(head.encode() + chunk + b"0\r\n\r\n")
        assert reply.json["accepted"] == 1

    served(test)


@pytest.mark.parametrize(
    ("request_bytes", "status", "text"),
    [
        (posting(b"", "content-type: text/html"), 415, "Content-Type: expected application/x-nd"),
        (posting(b"", "content-encoding: gzip"), 415, "Content-Encoding: expected none, found g"),
        (b"GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n", 405, "method: expected POST, found GET"),
        (b"POST /events HTTP/1.1\r\nhost: x\r\n\r\n", 404, "path: expected POST /v1/events"),
        (b"POST /v1/events/ HTTP/1.1\r\nhost: x\r\n\r\n", 404, "path: expected POST /v1/events"),
    ],
)
def test_a_wrong_request_is_told_what_was_expected(
    request_bytes: bytes, status: int, text: str
) -> None:
    async def test(gateway: Served) -> None:
        reply = await gateway.ask(request_bytes)
        assert reply.status == status
        assert reply.json["error"].startswith(text)

    served(test)


@pytest.mark.parametrize("kind", ["application/x-ndjson", "Application/NDJSON; charset=utf-8"])
def test_the_names_of_ndjson_are_taken(kind: str) -> None:
    async def test(gateway: Served) -> None:
        assert (await gateway.post(line(), f"content-type: {kind}")).status == 202

    served(test)


def test_a_body_that_says_it_is_too_long_is_refused_before_it_is_sent() -> None:
    async def test(gateway: Served) -> None:
        head = b"POST /v1/events HTTP/1.1\r\nhost: x\r\ncontent-length: 1048577\r\n\r\n"
        reply = await gateway.ask(head)
        assert reply.status == 413
        assert reply.json == {"error": "body: expected at most 1048576 bytes, found more"}
        assert gateway.entries() == []

    served(test)


def test_a_body_in_chunks_that_grows_too_long_is_refused() -> None:
    async def test(gateway: Served) -> None:
        head = b"POST /v1/events HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
        reply = await gateway.ask(head + b"80\r\n%s\r\n" % (b"x" * 128))
        assert reply.status == 413

    served(test, limits=HttpLimits(body=100))


def test_too_many_bodies_at_once_are_put_off() -> None:
    async def test(gateway: Served) -> None:
        slow = await gateway.connect()
        body = line(1)
        slow.writer.write(posting(body)[:-5])
        reply = Reply(202, {}, b"")
        while reply.status == 202:
            reply = await gateway.post(line(2))
        assert reply.status == 429
        assert reply.headers["retry-after"] == "1"
        slow.writer.write(body[-5:])
        assert (await slow.reply()).status == 202
        assert (await gateway.post(line(3))).status == 202

    served(test, limits=HttpLimits(bodies=len(line(1)) + 20))


def test_a_full_spool_says_when_to_come_back_and_stores_nothing() -> None:
    async def test(gateway: Served) -> None:
        assert (await gateway.post(line(1))).status == 202
        reply = await gateway.post(line(2) + b"\n{")
        assert (reply.status, reply.headers["retry-after"]) == (429, "5")
        assert "the spool may hold 500 bytes" in reply.json["error"]
        assert gateway.seqs() == [1]
        assert (await gateway.get("/readyz")).status == 200
        assert gateway.value("pitwatch_gateway_accepted_total") == 1
        assert gateway.value("pitwatch_gateway_rejected_total", reason="bad_line") == 0

    served(test, bounds=Bounds(500, 3600.0))


def test_a_spool_whose_oldest_event_is_too_old_takes_no_more_until_it_is_published() -> None:
    async def test(gateway: Served) -> None:
        gateway.oldest = NOW
        gateway.now = NOW + 3_600_000_000
        assert (await gateway.post(line(1))).status == 202
        gateway.now += 1
        reply = await gateway.post(line(2))
        assert reply.status == 429
        assert "older than 3600 s" in reply.json["error"]
        ready = await gateway.get("/readyz")
        assert ready.status == 503
        assert "older than 3600 s" in ready.json["error"]
        gateway.oldest = None
        assert (await gateway.post(line(2))).status == 202
        assert (await gateway.get("/readyz")).status == 200

    served(test)


@pytest.mark.parametrize("where", ["append", "sync"])
def test_a_failing_disk_is_said_and_what_was_not_stored_is_no_duplicate(where: str) -> None:
    files = CrashingFiles()

    async def test(gateway: Served) -> None:
        fault = OSError(errno.EIO, "input/output error")
        if where == "append":
            files.fault = fault
        else:
            files.sync_fault = fault
        reply = await gateway.post(line(1))
        assert reply.status == 503
        assert "input/output error" in reply.json["error"]
        again = await gateway.post(line(1))
        assert (again.status, again.json["accepted"]) == (202, 1)
        assert gateway.seqs() == [1]

    served(test, files)


def test_a_disk_that_recovers_makes_the_gateway_ready_without_a_request() -> None:
    files = CrashingFiles()

    async def test(gateway: Served) -> None:
        files.full = True
        assert (await gateway.post(line(1))).status == 503
        ready = await gateway.get("/readyz")
        assert ready.status == 503
        assert "no space left" in ready.json["error"]
        files.full = False
        while (await gateway.get("/readyz")).status != 200:
            await asyncio.sleep(0.01)

    served(test, files)


def test_a_stopping_gateway_takes_no_events_and_says_so() -> None:
    async def test(gateway: Served) -> None:
        gateway.intake.stopping = True
        assert (await gateway.post(line())).status == 503
        assert (await gateway.get("/readyz")).status == 503
        assert (await gateway.get("/healthz")).json == {"alive": True}

    served(test)


def test_a_gateway_that_can_store_nothing_any_more_says_so_and_lets_no_request_wait() -> None:
    async def test(gateway: Served) -> None:
        gateway.alive = False
        assert (await gateway.get("/healthz")).status == 503
        ready = await gateway.get("/readyz")
        assert ready.status == 503
        assert "one of its threads ended" in ready.json["error"]
        reply = await gateway.post(line())
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
        assert "restart it" in reply.json["error"]
        assert gateway.entries() == []

    served(test)


def test_probes_are_no_requests_of_devices() -> None:
    async def test(gateway: Served) -> None:
        gateway.intake.stopping = True
        for path in ("/healthz", "/readyz", "/metrics"):
            await gateway.get(path)
        assert gateway.value("pitwatch_gateway_requests_total", status="200") is None
        assert gateway.value("pitwatch_gateway_requests_total", status="503") == 0
        await gateway.post(line())
        assert gateway.value("pitwatch_gateway_requests_total", status="503") == 1

    served(test)


def test_a_request_whose_length_is_said_in_two_ways_is_the_last_of_its_connection() -> None:
    async def test(gateway: Served) -> None:
        client = await gateway.connect()
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(line(1)), line(1))
        client.writer.write(posting(body, "transfer-encoding: chunked") + posting(line(2)))
        assert (await client.reply()).json["accepted"] == 1
        assert await client.ended() == b""
        assert gateway.seqs() == [1]

    served(test)


def test_the_metrics_are_served_in_prometheus_format() -> None:
    async def test(gateway: Served) -> None:
        await gateway.post(line())
        reply = await gateway.get("/metrics")
        assert reply.status == 200
        assert reply.headers["content-type"].startswith("text/plain; version=")
        assert b"\npitwatch_gateway_accepted_total 1.0\n" in reply.body
        assert b'\npitwatch_build_info{version="1.2.3"} 1.0\n' in reply.body

    served(test)


def test_a_connection_is_used_for_many_requests_also_when_they_come_at_once() -> None:
    async def test(gateway: Served) -> None:
        client = await gateway.connect()
        client.writer.write(b"".join(posting(line(seq)) for seq in range(1, 6)))
        for _ in range(5):
            assert (await client.reply()).json["accepted"] == 1
        client.writer.write(posting(line(6)))
        assert (await client.reply()).status == 202
        assert gateway.seqs() == [1, 2, 3, 4, 5, 6]

    served(test)


def test_too_long_a_head_is_refused() -> None:
    async def test(gateway: Served) -> None:
        client = await gateway.connect()
        client.writer.write(b"GET /healthz HTTP/1.1\r\nx: " + b"y" * 40_000)
        assert (await client.ended()).startswith(b"HTTP/1.1 400 ")

    served(test)


@pytest.mark.parametrize("start", [b"", b"GET /healthz HT", b"POST /v1/events HTTP/1.1\r\nhost:"])
def test_a_client_that_does_not_say_what_it_wants_is_cut_off(start: bytes) -> None:
    async def test(gateway: Served) -> None:
        client = await gateway.connect()
        client.writer.write(start)
        assert await client.ended() == b""
        assert gateway.cut("deadline") == 1

    served(test, limits=QUICK)


def test_a_head_that_comes_a_byte_at_a_time_is_cut_off() -> None:
    async def test(gateway: Served) -> None:
        client = await gateway.connect()
        sent = 0

        async def drip() -> None:
            nonlocal sent
            for byte in b"GET /" + b"a" * 10_000:
                client.writer.write(bytes([byte]))
                sent += 1
                await asyncio.sleep(0.005)

        dripping = asyncio.create_task(drip())
        assert await client.ended() == b""
        dripping.cancel()
        assert sent < 10_000

    served(test, limits=QUICK)


def test_a_body_that_does_not_come_is_answered_and_the_connection_ended() -> None:
    async def test(gateway: Served) -> None:
        client = await gateway.connect()
        client.writer.write(posting(line(1))[:-5])
        reply = await client.reply()
        assert reply.status == 408
        assert reply.json["error"] == "body: expected it whole within 0.05 s"
        assert await client.ended() == b""
        assert gateway.entries() == []

    served(test, limits=HttpLimits(body_seconds=0.05))


def test_a_client_that_goes_away_in_the_middle_leaves_nothing_behind() -> None:
    async def test(gateway: Served) -> None:
        client = await gateway.connect()
        client.writer.write(posting(line(1))[:-5])
        client.writer.close()
        assert (await gateway.post(line(2))).status == 202
        assert gateway.seqs() == [2]

    served(test)


def test_more_connections_than_are_taken_are_told_so() -> None:
    async def test(gateway: Served) -> None:
        clients = [await gateway.connect() for _ in range(3)]
        for client in clients[:2]:
            client.writer.write(posting(line(1)))
            await client.reply()
        refused = await clients[2].ended()
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert refused.endswith(TOO_MANY_BODY)
        assert gateway.cut("too_many") == 1
        clients[0].writer.close()
        status = 503
        while status == 503:
            status = (await gateway.post(line(9))).status
        assert status == 202

    served(test, limits=HttpLimits(connections=2))


def test_who_was_idle_for_longest_makes_room_for_a_connection_that_is_one_too_many() -> None:
    async def test(gateway: Served) -> None:
        first, second = [await gateway.connect() for _ in range(2)]
        for seq, client in enumerate((first, second, first), start=1):
            client.writer.write(posting(line(seq)))
            assert (await client.reply()).status == 202
        third = await gateway.connect()
        third.writer.write(posting(line(4)))
        assert (await third.reply()).status == 202
        assert await second.ended() == b""
        assert gateway.cut("made_room") == 1
        first.writer.write(posting(line(5)))
        assert (await first.reply()).status == 202

    served(test, limits=HttpLimits(connections=2))


def test_what_is_no_http_is_refused_and_the_next_client_is_served() -> None:
    async def test(gateway: Served) -> None:
        client = await gateway.connect()
        client.writer.write(b"\x16\x03\x01\x02\x00\r\n\r\n")
        assert (await client.ended()).startswith(b"HTTP/1.1 400 ")
        assert (await gateway.get("/healthz")).status == 200

    served(test)
