"""A TCP proxy that refuses connections when told to, and the listener of a broker behind it.

A broker tells its clients where to connect, so one that is reached through a proxy needs a second
listener that names the proxy's port. Clients of the first listener are never refused.
"""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Final, Self

from deploy.local.ports import LOOPBACK, free_port

CHUNK: Final = 65_536
PATIENCE: Final = 10.0


class Proxy:
    """Passes on what is said between its port and another, while it accepts; a context manager.

    Attributes:
        port: where it listens.
        target: the port it passes connections on to.
    """

    def __init__(self) -> None:
        self.port = free_port()
        self.target = free_port()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def address(self) -> str:
        """The address that clients take."""
        return f"{LOOPBACK}:{self.port}"

    def broker_settings(self, port: int) -> dict[str, str]:
        """Return the settings of a broker on ``port`` that is also reached through this proxy."""
        direct, controller = f"PLAINTEXT://{LOOPBACK}:{port}", f"{LOOPBACK}:{free_port()}"
        return {
            "listeners": f"{direct},PROXIED://{LOOPBACK}:{self.target},CONTROLLER://{controller}",
            "advertised.listeners": f"{direct},PROXIED://{self.address},CONTROLLER://{controller}",
            "listener.security.protocol.map": ",".join(
                f"{name}:PLAINTEXT" for name in ("PLAINTEXT", "PROXIED", "CONTROLLER")
            ),
            "controller.quorum.bootstrap.servers": controller,
        }

    def accept(self) -> None:
        """Listen from now on."""
        self._do(self._listen())

    def refuse(self) -> None:
        """Break every connection and refuse new ones from now on."""
        self._do(self._close())

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, LOOPBACK, self.port)

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in self._open:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        both = {writer}
        self._open.add(writer)
        try:
            far_reader, far_writer = await asyncio.open_connection(LOOPBACK, self.target)
            both.add(far_writer)
            self._open.add(far_writer)
            # What was accepted, or on its way to the target, when it began to refuse is broken too.
            if self._refuses or writer.transport.is_closing():
                return
            await asyncio.gather(_pass(reader, far_writer), _pass(far_reader, writer))
        except OSError:
            return
        finally:
            self._open -= both
            for one in both:
                one.transport.abort()

    def __enter__(self) -> Self:
        self._thread.start()
        self.accept()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.refuse()
        self._do(self._ended())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    @property
    def _refuses(self) -> bool:
        return self._server is None or not self._server.is_serving()

    async def _ended(self) -> None:
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on all that is read; an end or an error of either side ends both."""
    try:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.transport.abort()
