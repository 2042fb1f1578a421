"""What workers, gateways and historians say of themselves: their metrics, read when someone looks.

The addresses are given at the console's start, for a console finds nobody by itself. One that does
not answer within a second is said not to: nothing of it is known then, and nothing is made up. What
was read is good for two seconds, for all who look.
"""

import asyncio
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx
from prometheus_client.parser import text_string_to_metric_families

ANSWER_SECONDS: Final = 1.0
KEPT_SECONDS: Final = 2.0
LARGEST_ANSWER: Final = 8 * 1024 * 1024
"""Bytes of metrics that are read; 2,000 tables have about 1 MiB."""

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Process:
    """What one process says of itself.

    ``figures`` are its samples by name and labels; ``fault`` is why nothing is known of it.
    """

    name: str
    figures: Mapping[tuple[str, Labels], float] = field(default_factory=dict)
    fault: str | None = None

    def one(self, name: str) -> float | None:
        """Return the figure of a name that has no labels, nothing where it is not said."""
        return self.figures.get((name, ()))

    def by(self, name: str, label: str) -> dict[str, float]:
        """Return a name's figures by the value of one of its labels, added up."""
        found: dict[str, float] = {}
        for (said, labels), value in self.figures.items():
            if said == name:
                key = dict(labels).get(label, "")
                found[key] = found.get(key, 0) + value
        return found

    def total(self, name: str) -> float | None:
        """Return the sum of a name's figures, nothing where it is not said."""
        found = [value for (said, _), value in self.figures.items() if said == name]
        return sum(found) if found else None

    @property
    def kind(self) -> str:
        """Return what it is: worker, gateway, historian or console; unknown otherwise."""
        names = {name for name, _ in self.figures}
        for kind, mark in KINDS:
            if mark in names:
                return kind
        return "unknown"


KINDS: Final = (
    ("gateway", "pitwatch_gateway_spooled_events"),
    ("historian", "pitwatch_historian_commit_timestamp_seconds"),
    ("console", "pitwatch_console_clients"),
    ("worker", "pitwatch_worker_state"),
)
"""What a process is, by a metric that it alone has."""


def read_figures(text: str) -> dict[tuple[str, Labels], float]:
    """Return the samples of Prometheus's text format; one that is no number is not known.

    Raises:
        ValueError: it is none.
    """
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not isnan(sample.value)
    }


class Watch:
    """Asks processes for their metrics.

    Args:
        addresses: Where each serves its metrics, ``http://host:port``.
        clock: A monotonic time in seconds.
        authorities: Who signed the certificates of those at https addresses, PEM; the system's
            where none are given.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        clock: Callable[[], float],
        authorities: Path | None = None,
    ) -> None:
        self._authorities = authorities
        self._addresses = tuple(addresses)
        self._clock = clock
        self._read: tuple[Process, ...] = ()
        self._good_until = float("-inf")
        self._lock = asyncio.Lock()

    async def look(self) -> tuple[Process, ...]:
        """Return what every process says, in the order of their addresses."""
        async with self._lock:
            if self._clock() < self._good_until:
                return self._read
            limits = httpx.Timeout(ANSWER_SECONDS)
            try:
                context = ssl.create_default_context(cafile=self._authorities)
            except OSError:
                # then nobody's certificate is believed, and each says that it does not answer
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            async with httpx.AsyncClient(timeout=limits, trust_env=False, verify=context) as client:
                asked = (self._ask(client, address) for address in self._addresses)
                self._read = tuple(await asyncio.gather(*asked))
            self._good_until = self._clock() + KEPT_SECONDS
            return self._read

    async def _ask(self, client: httpx.AsyncClient, address: str) -> Process:
        name = urlsplit(address).netloc or address
        try:
            async with asyncio.timeout(2 * ANSWER_SECONDS):
                async with client.stream("GET", f"{address.rstrip('/')}/metrics") as answer:
                    if answer.status_code != httpx.codes.OK:
                        return Process(name, fault=f"answers with {answer.status_code}")
                    body = bytearray()
                    async for part in answer.aiter_bytes():
                        body += part
                        if len(body) > LARGEST_ANSWER:
                            return Process(name, fault="says more than can be read")
            return Process(name, read_figures(body.decode()))
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError):
            return Process(name, fault="does not answer")
        except ValueError:
            return Process(name, fault="does not answer with metrics")
