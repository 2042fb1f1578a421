"""Health and metrics over HTTP, from a thread, so that they answer while the loop is busy.

``/healthz`` says that the process is alive, ``/readyz`` that it does its work, ``/metrics`` is for
Prometheus. Nothing else is served and nothing is read from a request but its path.

A request is refused, its connection closed and `pitwatch_health_requests_refused_total{reason}`
counted, as

| reason | where |
|---|---|
| busy | 32 others are being answered |
| slow | it is not asked for and taken within 10 s |
"""

import io
import logging
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.server import ThreadingHTTPServer
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer
from wsgiref.types import StartResponse, WSGIEnvironment

from prometheus_client import CollectorRegistry, Counter, make_wsgi_app

log = logging.getLogger(__name__)

Check = Callable[[], str | None]
"""Returns why the answer is no, or nothing."""

MOST_REQUESTS: Final = 32
"""Answered at a time, each in a thread; Prometheus, probes and a person need a handful."""

REQUEST_SECONDS: Final = 10.0
"""A whole request with its answer; Prometheus, too, waits no longer than this by its default."""

ENDED: Final = float("inf")

BUSY: Final = "busy"
SLOW: Final = "slow"

TEXT: Final = ("Content-Type", "text/plain; charset=utf-8")


class _Server(ThreadingHTTPServer, WSGIServer):
    """Answers each request in a thread of its own, so many at a time and each so long."""

    daemon_threads = True
    request_queue_size = MOST_REQUESTS

    def __init__(self, address: tuple[str, int], registry: CollectorRegistry) -> None:
        self._began: dict[socket.socket, float] = {}
        self._lock = threading.Lock()
        self._refused = Counter(
            "pitwatch_health_requests_refused_total",
            "Requests for health or metrics that were not answered, by reason.",
            ["reason"],
            registry=None,
        )
        for reason in (BUSY, SLOW):
            self._refused.labels(reason)
        super().__init__(address, _Handler)
        # A port that is taken leaves nothing behind in the registry.
        registry.register(self._refused)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  socketserver's
        """Answer in a thread, where there are not as many as may be."""
        if len(self._began) >= MOST_REQUESTS:
            self._refused.labels(BUSY).inc()
            self.shutdown_request(request)
            return
        with self._lock:
            self._began[request] = time.monotonic()
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401  socketserver's
        """Close a connection."""
        with self._lock:
            self._began.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """End what has taken too long; called twice a second."""
        latest = time.monotonic() - REQUEST_SECONDS
        with self._lock:
            slow = [request for request, began in self._began.items() if began < latest]
            # Each is counted once, and has its place until its thread is through.
            self._began.update(dict.fromkeys(slow, ENDED))
        for request in slow:
            self._refused.labels(SLOW).inc()
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  socketserver's
        """Log what failed, in the log's own form; a client that hung up is no news."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            log.error("health request failed", exc_info=error)


class _Handler(WSGIRequestHandler):
    """Reads a request; says nothing on stderr, for a scrape every few seconds is no news."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def get_stderr(self) -> io.StringIO:
        """Return where wsgiref writes a trace: nowhere, for the log is JSON and has it already."""
        return io.StringIO()


class HealthServer:
    """The server and its thread.

    Args:
        host: the address to listen on.
        port: the port; 0 takes a free one.
        registry: the metrics.
        alive: why the process is not alive, or nothing.
        ready: why it is not ready, or nothing.

    Raises:
        OSError: the port is taken.
    """

    def __init__(
        self, host: str, port: int, *, registry: CollectorRegistry, alive: Check, ready: Check
    ) -> None:
        self._metrics = make_wsgi_app(registry)
        self._checks = {"/healthz": alive, "/readyz": ready}
        self._server = _Server((host, port), registry)
        self._server.set_app(self._answer)
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="health", daemon=True
        )

    @property
    def port(self) -> int:
        """Return the port it listens on."""
        return int(self._server.server_port)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Answer no more and free the port."""
        self._server.shutdown()
        self.close()

    def close(self) -> None:
        """Free the port of a server that was not started."""
        self._server.server_close()

    def _answer(self, environ: WSGIEnvironment, respond: StartResponse) -> Iterable[bytes]:
        try:
            return self._asked(environ, respond)
        except Exception:
            log.exception("health request failed")
            raise

    def _asked(self, environ: WSGIEnvironment, respond: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path == "/metrics":
            answer: Iterable[bytes] = self._metrics(environ, respond)
            return answer
        check = self._checks.get(path)
        if check is None:
            respond("404 Not Found", [TEXT])
            return [b"expected /healthz, /readyz or /metrics\n"]
        reason = check()
        respond("200 OK" if reason is None else "503 Service Unavailable", [TEXT])
        return [f"{reason or 'ok'}\n".encode()]
