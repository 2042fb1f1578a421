"""Free TCP ports on the loopback address, and whether a given one is taken."""

import errno
import random
import socket
import sys
from collections import deque
from typing import Final

LOOPBACK: Final = "127.0.0.1"

RANGE: Final = range(20_000, 32_000)
"""Below the ports that Linux hands to outgoing connections (32,768 to 60,999): a server that is
stopped finds its port still free, and a client that waits for one never connects to itself."""

ATTEMPTS: Final = 200

MOST_KEPT: Final = 200
"""More ports than any floor has; the one kept longest goes first."""

_kept: deque[socket.socket] = deque()
"""What keeps the ports that this process was given, until it ends."""


def free_port() -> int:
    """Return a port nobody listens on, and that nobody else is given while this process lives.

    Between the choice of a port and the server that listens there lie seconds. On Linux a socket
    that is bound and does not listen keeps the port meanwhile: a server that reuses addresses
    (SO_REUSEADDR), as all of ours do, can listen beside it, and whoever asks here for a port
    cannot bind it. Other systems let no server in beside such a socket, so there the port is only
    looked at.

    Raises:
        RuntimeError: none of 200 random ones was free.
    """
    for _ in range(ATTEMPTS):
        port = random.choice(RANGE)  # noqa: S311  to avoid others, not to be unpredictable
        if _keep(port):
            return port
    raise RuntimeError(
        f"expected a free port of {RANGE.start} to {RANGE.stop - 1} on {LOOPBACK}, "
        f"found none in {ATTEMPTS} attempts; end some of the servers there"
    )


def _keep(port: int) -> bool:
    keeper = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # Without SO_REUSEADDR, so that another that is kept is in the way.
        keeper.bind((LOOPBACK, port))
    except OSError as error:
        keeper.close()
        if error.errno == errno.EADDRINUSE:
            return False
        raise
    if sys.platform != "linux":
        keeper.close()
        return True
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _kept.append(keeper)
    if len(_kept) > MOST_KEPT:
        _kept.popleft().close()
    return True


def answers(port: int, host: str = LOOPBACK) -> bool:
    """Return whether a server accepts connections on `port` of `host`."""
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def taken(port: int, host: str = LOOPBACK) -> bool:
    """Return whether a server could not listen on `port` of `host`, for another process does."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as attempt:
        # As servers do: a port whose connections are only winding down counts as free.
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return True
            raise
    return False
