"""A whole gateway: the spool, the threads and the server, put together, started and ended.

    requests → server → judge → committer (thread) → spool → sender (thread) → Kafka

It starts and accepts without Kafka. Told to stop, it takes no more requests, answers those it has,
writes what was handed in, publishes for a bounded time what is still in the spool, and ends; what
is left is published at the next start.
"""

import asyncio
import logging
import signal
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Final

from prometheus_client import CollectorRegistry

from producers.gateway.committer import Bounds, Committer
from producers.gateway.connections import server_of
from producers.gateway.devices import load_devices
from producers.gateway.entries import Accepted, Entry
from producers.gateway.files import OsFiles
from producers.gateway.gate import Gate, Known
from producers.gateway.identities import Identities
from producers.gateway.merge import Merger
from producers.gateway.metrics import GatewayMetrics
from producers.gateway.protocol import Judge
from producers.gateway.publisher import KafkaPublisher
from producers.gateway.sender import Destination, Headers, Sender, untraced
from producers.gateway.server import Intake
from producers.gateway.settings import Settings
from producers.gateway.signer import Signer
from producers.gateway.spool import DAMAGE, Spool
from producers.gateway.tls import load_context
from schemas.codec import CODEC, Codec
from schemas.keys import load_keys
from schemas.watched import Watched

_log: Final = logging.getLogger(__name__)


def clock() -> int:
    """Return the gateway's time in microseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1000


class Gateway:
    """One gateway.

    Args:
        settings: what it is told.

    Raises:
        SpoolInUse: another gateway has the spool.
        OSError: the spool cannot be used, or the address is taken.
        ValueError: there is no such version of events, or a file of keys, devices or certificates
            holds what it may not.
    """

    def __init__(self, settings: Settings, trace: Callable[[Accepted], Headers] = untraced) -> None:
        self._settings = settings
        self._trace = trace
        codec = CODEC.writing(settings.versions)
        with ExitStack() as undo:
            self._socket = undo.enter_context(listen(settings.host, settings.port))
            self._files = OsFiles(settings.spool)
            undo.callback(self._files.close)
            self._build(codec)
            undo.pop_all()

    def _build(self, codec: Codec) -> None:
        settings = self._settings
        identities = Identities()
        self._merger = Merger(settings.hold_seconds)
        self._late = 0
        self._spool = Spool(
            self._files,
            segment_bytes=settings.segment_bytes,
            on_entry=partial(_recall, identities, self._merger),
        )
        self._metrics = GatewayMetrics(settings.version)
        publish = settings.publish
        self._sender = Sender(
            self._spool,
            partial(KafkaPublisher, publish, settings.name, signer=self._signer()),
            Destination(publish.deals, publish.dead, settings.name, settings.version, self._trace),
            self._metrics,
            monotonic=time.monotonic,
            stall_seconds=publish.stall_seconds,
        )
        self._committer = Committer(
            self._spool,
            Bounds(settings.spool_bytes, settings.spool_seconds),
            self._merger,
            oldest=lambda: self._sender.oldest_event,
            clock=clock,
            stored=self._stored,
        )
        self._intake = Intake(
            Judge(settings.name, codec.encode, identities),
            self._committer,
            self._metrics,
            settings.http,
            clock=clock,
            alive=lambda: self._committer.alive and self._sender.alive,
            gate=self._gate(),
        )
        self._server = server_of(
            self._intake.app, settings.http, self._metrics.connection_cut, self._context()
        )
        recovered = self._spool.recovered
        self._metrics.spooled(recovered.waiting)
        self._metrics.rejected(DAMAGE, recovered.lost)
        self._metrics.watch(
            oldest=lambda: self._sender.oldest, spool_bytes=lambda: self._spool.size
        )
        _log.info(
            "spool opened",
            extra={
                "waiting": recovered.waiting,
                "lost": recovered.lost,
                "torn_bytes": recovered.torn,
            },
        )

    def _signer(self) -> Signer | None:
        file = self._settings.signing_key
        if file is None:
            return None
        keys = Watched("signing_key", [file], lambda: load_keys(file))
        keys.failed = self._metrics.reload_failed
        return Signer(self._settings.name, lambda: keys.current()[0])

    def _gate(self) -> Gate | None:
        admission = self._settings.admission
        file = admission.devices
        if file is None:
            return None
        known = Watched("device_tokens", [file], lambda: Known(load_devices(file)))
        known.failed = self._metrics.reload_failed
        return Gate(
            known.current,
            lines_a_second=admission.lines_a_second,
            at_once=admission.at_once,
            turned=self._metrics.turned_away,
            clock=clock,
            monotonic=time.monotonic,
        )

    def _context(self) -> Callable[[], ssl.SSLContext] | None:
        admission = self._settings.admission
        certificate, key, authorities = (
            admission.certificate,
            admission.key,
            admission.authorities,
        )
        if certificate is None or key is None:
            return None
        paths = [each for each in (certificate, key, authorities) if each is not None]
        contexts = Watched(
            "certificate", paths, lambda: load_context(certificate, key, authorities)
        )
        contexts.failed = self._metrics.reload_failed
        return contexts.current

    @property
    def registry(self) -> CollectorRegistry:
        """Return what `/metrics` tells of."""
        return self._metrics.registry

    @property
    def port(self) -> int:
        """Return the port it listens on."""
        port: int = self._socket.getsockname()[1]
        return port

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT; a second one cuts the end short."""
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        self._committer.start()
        self._sender.start()
        _log.info("gateway listens", extra={"host": self._settings.host, "port": self.port})
        await self._server.serve(sockets=[self._socket])
        await asyncio.to_thread(self._committer.close)
        await asyncio.to_thread(self._sender.stop, self._settings.publish.flush_seconds)
        self._files.close()
        _log.info("gateway stopped", extra={"published": self._sender.drained})

    def _stop(self) -> None:
        if self._intake.stopping:
            self._server.force_exit = True
            self._sender.hurry()
        self._intake.stopping = True
        self._server.should_exit = True

    def _stored(self, entries: int, seconds: float) -> None:
        self._metrics.spooled(entries)
        self._metrics.committed(seconds)
        self._metrics.late(self._merger.late - self._late)
        self._late = self._merger.late
        self._sender.wake()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there, ready for connections whose answers leave at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=256)
    # An answer is written as head and body. asyncio turns Nagle's algorithm off only for sockets
    # that name their protocol, which this one does not: the body would wait 40 ms for the other
    # side's delayed acknowledgement of the head. Connections have the setting of their listener.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _recall(identities: Identities, merger: Merger, position: int, entry: Entry) -> None:
    merger.recall(position, entry, time.monotonic())
    if isinstance(entry, Accepted):
        identities.remember(entry.table, entry.source, entry.boot, entry.seq, entry.digest)
