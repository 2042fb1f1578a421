"""An answer leaves in two writes, and the second does not wait for the first to be acknowledged."""

import asyncio
import socket

from producers.gateway.gateway import listen


def test_connections_send_small_writes_at_once() -> None:
    async def accepted() -> int:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            own: socket.socket = writer.get_extra_info("socket")
            found.set_result(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()
            await writer.wait_closed()

        with listen("127.0.0.1", 0) as listening:
            server = await asyncio.start_server(connected, sock=listening)
            _, writer = await asyncio.open_connection(*listening.getsockname())
            async with server:
                option = await found
            writer.close()
            await writer.wait_closed()
        return option

    assert asyncio.run(accepted())
