"""TLS of the gateway's intake: its certificate, and those that devices show.

| the gateway has | a device |
|---|---|
| a certificate and its key | speaks TLS 1.2 or newer |
| authorities of devices too | may show a certificate; one that they did not sign ends it |

A device that shows none is let into the handshake all the same: it may have a token, and health is
asked for without either. Each connection is bounded and counted from its first byte on, as one that
never ends its handshake would else cost nothing to whoever opens it.
"""

import asyncio
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from producers.gateway.settings import HttpLimits

SHUTDOWN_SECONDS: Final = 5.0


class TlsFault(ValueError):
    """A certificate, its key or the authorities cannot be used."""


def load_context(certificate: Path, key: Path, authorities: Path | None) -> ssl.SSLContext:
    """Return the context of connections that begin now.

    Args:
        certificate: a PEM file with the gateway's certificate, and those between it and its root.
        key: a PEM file with its key, which has no password.
        authorities: a PEM file with the certificates of those who sign devices' certificates.

    Raises:
        TlsFault: one of them cannot be used.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
        if authorities is not None:
            context.load_verify_locations(authorities)
            context.verify_mode = ssl.CERT_OPTIONAL
    except (OSError, ValueError) as error:
        found = getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)
        files = ", ".join(str(each) for each in (certificate, key, authorities) if each)
        raise TlsFault(
            f"expected a certificate with its key, and authorities, in {files}, found: {found}"
        ) from None
    return context


def _no_password() -> str:
    raise ValueError("a key with a password")


def device_of(transport: asyncio.BaseTransport) -> str | None:
    """Return the common name of the certificate that a connection's device showed."""
    certificate = transport.get_extra_info("peercert") or {}
    for row in certificate.get("subject", ()):
        for name, value in row:
            if name == "commonName":
                return str(value)
    return None


class TlsConnection(SSLProtocol):
    """One connection that speaks TLS, bounded in its handshake and among all.

    Args:
        inside: what is spoken inside.
        context: the certificates that hold for it.
        open_: all such connections that are open.
        limits: how many of them there may be, and how long a handshake may take.
        make_room: ends another one where there are too many, and says whether it could.
        refused: told of it where it could not.
    """

    def __init__(
        self,
        inside: asyncio.Protocol,
        context: Callable[[], ssl.SSLContext],
        open_: set["TlsConnection"],
        limits: HttpLimits,
        make_room: Callable[[], bool],
        refused: Callable[[], None],
    ) -> None:
        # What asyncio itself makes of a server's context, but for one context for each connection.
        super().__init__(
            asyncio.get_running_loop(),
            inside,
            context(),
            None,  # type: ignore[arg-type]  # nobody waits for a server's handshake
            server_side=True,
            ssl_handshake_timeout=limits.head_seconds,  # type: ignore[arg-type]  # any number
            ssl_shutdown_timeout=SHUTDOWN_SECONDS,
        )
        self._open = open_
        self._most = limits.connections
        self._make_room = make_room
        self._refused = refused

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401  as asyncio has it
        """Begin the handshake, unless there are too many."""
        self._open.add(self)
        if len(self._open) > self._most and not self._make_room():
            self._refused()
            transport.abort()
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Forget it."""
        self._open.discard(self)
        super().connection_lost(exc)
