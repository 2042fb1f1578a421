"""The gateway's HTTP: takes requests, has them judged and stored, and answers.

| request | answer |
|---|---|
| ``POST /v1/events`` | NDJSON, at most 1 MiB; answered when every accepted line is on the disk |
| ``GET /healthz`` | 200 while the threads live |
| ``GET /readyz`` | 200 while events can be accepted, else 503 and why |
| ``GET /metrics`` | Prometheus' text format, made in a thread of its own |

| status | means | the device should |
|---|---|---|
| 202 | all lines accepted or known | go on |
| 400 | some lines refused, the others accepted | not send the refused ones again |
| 401 | the device is not known by its token or certificate | have its credentials mended |
| 403 | a line is for a table that is not the device's; none was kept | be given its tables |
| 408 | the body did not come in time | send it again, faster |
| 413 | the body is too long | send it in parts |
| 415 | it is not NDJSON | say ``application/x-ndjson`` |
| 429 | the spool is full, or the device said too much | send it again after ``Retry-After`` |
| 503 | the disk failed, or the gateway is stopping or to be restarted | send it again |
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, assert_never

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from producers.gateway.committer import Committer, DiskFault, Full, Outcome, Stored
from producers.gateway.connections import CERTIFIED
from producers.gateway.devices import Device
from producers.gateway.entries import Refused
from producers.gateway.gate import Gate, Turned
from producers.gateway.metrics import GatewayMetrics
from producers.gateway.protocol import Judge, Verdicts, in_parts, split_lines
from producers.gateway.settings import HttpLimits

CONTENT_TYPES: Final = ("application/x-ndjson", "application/ndjson", "application/jsonl")
RETRY_FULL: Final = 5
RETRY_SOON: Final = 1
PART: Final = 100
"""Lines judged at a stretch, about 3 ms; then other requests have their turn."""

JSON: Final = "application/json"

ENDED: Final = "one of its threads ended, which its log says why; restart it"


class _Error(msgspec.Struct, frozen=True):
    error: str


class _Failed(Exception):
    """A request that is answered with nothing but a reason."""

    def __init__(self, status: int, text: str, retry_after: int | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.retry_after = retry_after


class Intake:
    """Answers requests.

    Args:
        judge: judges lines.
        committer: stores what is accepted.
        metrics: what is counted.
        limits: what a client may take.
        clock: microseconds since 1970-01-01 UTC.
        alive: whether the gateway's threads live.
        gate: lets devices in; without it everyone is.
    """

    def __init__(
        self,
        judge: Judge,
        committer: Committer,
        metrics: GatewayMetrics,
        limits: HttpLimits,
        *,
        clock: Callable[[], int],
        alive: Callable[[], bool],
        gate: Gate | None = None,
    ) -> None:
        self._gate = gate
        self._judge = judge
        self._committer = committer
        self._metrics = metrics
        self._limits = limits
        self._clock = clock
        self._alive = alive
        self._bodies = 0
        self._renderer = ThreadPoolExecutor(1, "metrics")
        self.stopping = False
        """Set when no more events are taken."""

    @property
    def app(self) -> Starlette:
        """Return the ASGI application."""
        app = Starlette(
            routes=[
                Route("/v1/events", self._events, methods=["POST"]),
                Route("/healthz", self._healthz),
                Route("/readyz", self._readyz),
                Route("/metrics", self._exposition),
            ],
            exception_handlers={404: self._no_path, 405: self._wrong_method},
        )
        # a redirection is no answer that a device knows, and names whatever host the request did
        app.router.redirect_slashes = False
        return app

    async def _events(self, request: Request) -> Response:
        try:
            return await self._take(request)
        except _Failed as failed:
            return self._error(failed)
        except ClientDisconnect:
            # no one is left to answer; uvicorn drops what is returned
            return Response()

    async def _take(self, request: Request) -> Response:
        if self.stopping:
            raise _Failed(503, "gateway: expected a running one, found it stopping", RETRY_SOON)
        if not self._alive():
            raise _Failed(503, f"gateway: expected a running one, found: {ENDED}", RETRY_SOON)
        device = self._entered(request)
        body = bytearray()
        try:
            self._check_content(request)
            async with asyncio.timeout(self._limits.body_seconds):
                async for chunk in request.stream():
                    body += chunk
                    self._bodies += len(chunk)
                    self._check_size(len(body))
            return await self._accept(bytes(body), device)
        except TimeoutError:
            seconds = self._limits.body_seconds
            raise _Failed(408, f"body: expected it whole within {seconds:g} s") from None
        finally:
            self._bodies -= len(body)
            if self._gate is not None and device is not None:
                self._gate.leave(device)

    def _entered(self, request: Request) -> Device | None:
        """Return the device of a request that is let in; none where everyone is."""
        if self._gate is None:
            return None
        certified = getattr(request.state, CERTIFIED, None)
        device = self._gate.enter(request.headers.get("authorization"), certified)
        if isinstance(device, Turned):
            raise _turned(device)
        return device

    def _pass(self, device: Device | None, lines: int, size: int, verdicts: Verdicts) -> None:
        """Let a request pass whose lines are for its device's tables."""
        if self._gate is None or device is None:
            return
        self._gate.charge(device, lines, size)
        turned = self._gate.stranger(device, verdicts.tables)
        if turned is not None:
            raise _turned(turned)

    def _check_content(self, request: Request) -> None:
        kind = request.headers.get("content-type", CONTENT_TYPES[0])
        if kind.partition(";")[0].strip().lower() not in CONTENT_TYPES:
            raise _Failed(415, f"Content-Type: expected {CONTENT_TYPES[0]}, found {kind[:100]}")
        encoding = request.headers.get("content-encoding", "identity")
        if encoding.lower() != "identity":
            raise _Failed(415, f"Content-Encoding: expected none, found {encoding[:100]}")
        length = request.headers.get("content-length", "0")
        if length.isdigit():
            self._check_size(int(length))

    def _check_size(self, size: int) -> None:
        if size > self._limits.body:
            raise _Failed(413, f"body: expected at most {self._limits.body} bytes, found more")
        if self._bodies > self._limits.bodies:
            raise _Failed(429, "bodies: expected fewer at once, found no memory left", RETRY_SOON)

    async def _accept(self, body: bytes, device: Device | None) -> Response:
        verdicts = Verdicts()
        received = self._clock()
        lines = 0
        for part in in_parts(split_lines(body), PART):
            self._judge.judge(part, received, verdicts)
            lines += len(part)
            await asyncio.sleep(0)
        self._pass(device, lines, len(body), verdicts)
        if verdicts.entries:
            await self._store(verdicts)
        self._metrics.duplicates(verdicts.duplicates)
        status = 400 if verdicts.rejected else 202
        return self._answer(status, msgspec.json.encode(verdicts.answer))

    async def _store(self, verdicts: Verdicts) -> None:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Outcome] = loop.create_future()

        def settle(outcome: Outcome) -> None:
            if not future.done():
                future.set_result(outcome)

        def settle_soon(outcome: Outcome) -> None:
            loop.call_soon_threadsafe(settle, outcome)

        self._committer.submit(verdicts.entries, settle_soon)
        match await future:
            case Stored():
                self._judge.remember(verdicts)
                self._metrics.accepted(verdicts.accepted)
                refused = Counter(
                    entry.reason for entry in verdicts.entries if isinstance(entry, Refused)
                )
                for reason, lines in refused.items():
                    self._metrics.rejected(reason, lines)
            case Full(reason):
                raise _Failed(429, f"spool: expected room, found none: {reason}", RETRY_FULL)
            case DiskFault(reason):
                raise _Failed(503, f"disk: expected it to write, found: {reason}", RETRY_SOON)
            case outcome:
                assert_never(outcome)

    async def _healthz(self, _request: Request) -> Response:
        alive = self._alive()
        return _response(200 if alive else 503, b'{"alive":%s}' % _word(alive))

    async def _readyz(self, _request: Request) -> Response:
        reason = self._unready()
        if reason is None:
            return _response(200, b'{"ready":true}')
        text = f"readiness: expected it to accept, found: {reason}"
        return _response(503, msgspec.json.encode(_Error(text)))

    def _unready(self) -> str | None:
        if self.stopping:
            return "it is stopping"
        if not self._alive():
            return ENDED
        if self._committer.fault is not None:
            return f"the disk does not write: {self._committer.fault}"
        return self._committer.full()

    async def _exposition(self, _request: Request) -> Response:
        loop = asyncio.get_running_loop()
        text = await loop.run_in_executor(self._renderer, self._metrics.exposition)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    async def _no_path(self, request: Request, _error: Exception) -> Response:
        path = request.url.path[:100]
        return self._error(_Failed(404, f"path: expected POST /v1/events, found {path}"))

    async def _wrong_method(self, request: Request, error: Exception) -> Response:
        allowed = error.headers if isinstance(error, HTTPException) else None
        expected = (allowed or {}).get("Allow", "another")
        text = f"method: expected {expected}, found {request.method[:20]}"
        response = self._error(_Failed(405, text))
        response.headers["Allow"] = expected
        return response

    def _error(self, failed: _Failed) -> Response:
        response = self._answer(failed.status, msgspec.json.encode(_Error(failed.text)))
        if failed.status == 401:
            response.headers["WWW-Authenticate"] = "Bearer"
        if failed.retry_after is not None:
            response.headers["Retry-After"] = str(failed.retry_after)
        return response

    def _answer(self, status: int, body: bytes) -> Response:
        self._metrics.request(status)
        return _response(status, body)


def _response(status: int, body: bytes) -> Response:
    return Response(body, status, media_type=JSON)


def _turned(turned: Turned) -> _Failed:
    return _Failed(turned.status, turned.text, turned.retry_after)


def _word(truth: bool) -> bytes:
    return b"true" if truth else b"false"
