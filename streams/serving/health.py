"""Health and metrics over HTTP, from a thread, so that they answer while the loop is busy.

``/healthz`` says that the process is alive, ``/readyz`` that it does its work, ``/metrics`` is for
Prometheus. Nothing else is served and nothing is read from a request but its path.
"""

import threading
from collections.abc import Callable, Iterable
from http.server import ThreadingHTTPServer
from typing import Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer
from wsgiref.types import StartResponse, WSGIEnvironment

from prometheus_client import CollectorRegistry, make_wsgi_app

Check = Callable[[], str | None]
"""Returns why the answer is no, or nothing."""

REQUEST_SECONDS: Final = 5.0
"""A client that says nothing for this long is dropped."""

TEXT: Final = ("Content-Type", "text/plain; charset=utf-8")


class _Server(ThreadingHTTPServer, WSGIServer):
    """Answers each request in a thread of its own."""

    daemon_threads = True


class _Handler(WSGIRequestHandler):
    """Reads a request; says nothing on stderr, for a scrape every few seconds is no news."""

    timeout = REQUEST_SECONDS

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


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
        self._server = _Server((host, port), _Handler)
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
