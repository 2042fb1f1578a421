"""A console as a process: the pages' server, and health and metrics from a thread of its own.

Told to stop, it ends the live streams first, for a server waits for its connections and those never
end by themselves; browsers come back by themselves to the console that is started next.
"""

import asyncio
import logging
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn
from starlette.applications import Starlette

from streams.console.app import build_app
from streams.console.console import Console
from streams.console.health import health_routes
from streams.console.live.feed import Feed
from streams.console.metrics import ConsoleMetrics
from streams.console.settings import ConsoleSettings
from streams.serving.health import HealthServer

GRACEFUL_SECONDS: Final = 3
IDLE_SECONDS: Final = 75
BACKLOG: Final = 256

_log: Final = logging.getLogger(__name__)


class Server(uvicorn.Server):
    """A server that leaves the signals to the console, which has streams to end before."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signal."""
        yield


class ConsoleProcess:
    """One console.

    Args:
        settings: what it is told.

    Raises:
        InventoryFault: the inventory is none.
        DatabaseFault: the database cannot be used.
        OSError: an address is taken.
    """

    def __init__(self, settings: ConsoleSettings) -> None:
        self._settings = settings
        self._app = build_app(settings)
        self._socket = listen(settings.host, settings.port)
        metrics = ConsoleMetrics(settings.version, self.console, lambda: self.feed)
        self.registry = metrics.registry
        self._app.routes.extend(
            health_routes(registry=metrics.registry, alive=self._not_alive, ready=self._not_ready)
        )
        try:
            self._health = HealthServer(
                settings.host,
                settings.health_port,
                registry=metrics.registry,
                alive=self._not_alive,
                ready=self._not_ready,
            )
        except OSError:
            self._socket.close()
            raise
        self._server = Server(
            uvicorn.Config(
                self._app,
                http="h11",
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=bool(settings.proxies),
                forwarded_allow_ips=list(settings.proxies),
                date_header=True,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=GRACEFUL_SECONDS,
            )
        )

    @property
    def app(self) -> Starlette:
        """Return the application."""
        return self._app

    @property
    def console(self) -> Console:
        """Return its parts."""
        console: Console = self._app.state.console
        return console

    @property
    def feed(self) -> Feed | None:
        """Return what reads the topics, once it runs."""
        feed: Feed | None = getattr(self._app.state, "feed", None)
        return feed

    @property
    def port(self) -> int:
        """Return the port of the pages."""
        port: int = self._socket.getsockname()[1]
        return port

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT."""
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        self._health.start()
        _log.info(
            "console listens",
            extra={
                "host": self._settings.host,
                "port": self.port,
                "health_port": self._health.port,
            },
        )
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            await asyncio.to_thread(self._health.stop)
        _log.info("console stopped")

    def _stop(self) -> None:
        if self._server.should_exit:
            self._server.force_exit = True
        self.console.hub.close()
        self._server.should_exit = True

    def _not_alive(self) -> str | None:
        feed = self.feed
        if feed is not None and not feed.alive:
            return "the feed's thread has ended"
        return "frames cannot be made" if self.console.hub.failed else None

    def _not_ready(self) -> str | None:
        feed = self.feed
        if feed is not None and feed.trouble is not None:
            return feed.trouble
        if feed is None or not feed.ready:
            return "the topics are not read to their ends yet"
        if self.console.floor.lost:
            return "Kafka does not answer"
        return None


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there, and sends what is written at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
