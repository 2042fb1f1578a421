"""What `pitwatch doctor` looks at in a gateway: what it holds, whether a round comes through."""

import re
import ssl
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import httpx

from deploy.cli.checkups import FAIL, OK, Checkup
from deploy.cli.send import Line, NotSent, Poster, Totals
from producers.simulator.floor import Floor
from producers.simulator.lines import line
from schemas.times import format_time
from streams.console.watching import read_figures
from streams.core.events import Event
from streams.database import DatabaseFault, open_database
from streams.database.queries import rounds_of

SECONDS: Final = 10.0
"""For an answer of a gateway."""

QUIET_SECONDS: Final = 5.0
"""A device of an open table says something more often, and repeats what was not answered."""

COUNTED: Final = re.compile(r"(https?://)([^/:]*[^/:0-9])([0-9]{1,3})(:[0-9]{1,5})?")
"""The address of a gateway whose host's name ends with its number."""

SPOOLED: Final = "pitwatch_gateway_spooled_events"
ACCEPTED: Final = "pitwatch_gateway_accepted_total"

TABLE: Final = "TRIAL-01"
"""The table of trials: opened for one round and closed, so it is never missed."""

BEFORE: Final = 600 * 1_000_000
"""Microseconds that a trial begins before now: longer than its round, so that none is to come."""

WAIT_SECONDS: Final = 60.0
"""A worker and a historian that have just started are through well before."""

TURN_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Way:
    """How a gateway is reached.

    Attributes:
        url: its address.
        ca: who signs its certificate, PEM; those that this machine trusts where none is named.
        token: the file with a device's token; none where devices are not asked for one.
    """

    url: str
    ca: Path | None = None
    token: Path | None = None

    def client(self) -> httpx.Client:
        """Return a client of the gateway.

        Raises:
            OSError: a file cannot be read.
            ssl.SSLError: the file of certificates has none.
        """
        trusted = ssl.create_default_context(cafile=self.ca) if self.ca else True
        headers: dict[str, str] = {}
        if self.token is not None:
            headers["authorization"] = f"Bearer {self.token.read_text(encoding='utf-8').strip()}"
        return httpx.Client(base_url=self.url, timeout=SECONDS, verify=trusted, headers=headers)


def counted_on(url: str, number: int) -> list[str]:
    """Return a gateway's address and those of the gateways after it.

    Args:
        url: the first one's; its host's name ends with its number.
        number: how many gateways there are; the first of all has the number 0.

    Raises:
        ValueError: no number is there.
    """
    found = COUNTED.fullmatch(url)
    if found is None:
        raise ValueError(f"expected an address like http://gateway-1:7301, found {url}")
    scheme, name, first, port = found.groups("")
    return [f"{scheme}{name}{each}{port}" for each in range(int(first), number)]


def all_drained(urls: Sequence[str], ca: Path | None) -> Iterator[Checkup]:
    """Look at several gateways at once whether each can leave; see :func:`drained`."""
    with ThreadPoolExecutor(len(urls)) as pool:
        yield from pool.map(drained, (Way(url, ca) for url in urls))


def drained(way: Way, quiet_seconds: float = QUIET_SECONDS) -> Checkup:
    """Look whether a gateway can leave: it holds no event, and takes none for a while.

    Args:
        way: to the gateway.
        quiet_seconds: how long it must have taken nothing.
    """
    name = f"spool {way.url}"
    try:
        with way.client() as client:
            _, before = held_and_taken(client)
            time.sleep(quiet_seconds)
            held, after = held_and_taken(client)
    except (httpx.HTTPError, OSError, ValueError, KeyError) as error:
        found = f"{type(error).__name__}: {error}"
        return Checkup(name, FAIL, found, "let it run until it holds nothing: its volume may")
    return can_leave(name, held, after - before, quiet_seconds)


def can_leave(name: str, held: float, taken: float, quiet_seconds: float) -> Checkup:
    """Judge whether a gateway can leave, by the events it holds and those it took meanwhile."""
    todo = "let its devices post to another gateway, and wait until Kafka has all it holds"
    if held:
        return Checkup(name, FAIL, f"holds {held:.0f} events", todo)
    if taken:
        return Checkup(name, FAIL, f"took {taken:.0f} events in {quiet_seconds:g} s", todo)
    return Checkup(name, OK, f"holds nothing, and took nothing in {quiet_seconds:g} s")


def held_and_taken(client: httpx.Client) -> tuple[float, float]:
    """Return how many events a gateway holds, and how many it has taken since it started.

    Raises:
        httpx.HTTPError: it does not answer.
        ValueError: its answer is none of metrics.
        KeyError: its answer lacks one of them.
    """
    answer = client.get("/metrics")
    answer.raise_for_status()
    figures = read_figures(answer.text)
    return figures[SPOOLED, ()], figures[ACCEPTED, ()]


def trial_events(now: int) -> Iterator[Event]:
    """Yield the events of a legal round of the trials' table, which is over by now.

    Args:
        now: microseconds since the epoch; the devices have started anew with each trial.
    """
    floor = Floor(["caribbean_stud"], 1, 1, 1, now - BEFORE, boot=now // 1_000_000)
    for event in floor.stream():
        if isinstance(event, Event):
            yield replace(event, table=TABLE)


def trial(way: Way, database: str, wait_seconds: float = WAIT_SECONDS) -> Checkup:
    """Post a legal round to a gateway, and look whether it comes through to the database.

    Args:
        way: to the gateway.
        database: where the historian writes.
        wait_seconds: how long it may take.
    """
    name = f"trial {way.url}"
    began = time.time_ns() // 1000 - BEFORE
    lines: list[Line] = list(enumerate(map(line, trial_events(began + BEFORE)), 1))
    totals = Totals()
    try:
        with way.client() as client:
            refused = Poster(client, wait_seconds).post(lines, totals)
    except NotSent as error:
        return Checkup(name, FAIL, error.message, "see the gateway's log")
    except OSError as error:
        return Checkup(name, FAIL, str(error), "give files that can be read")
    if refused:
        return Checkup(name, FAIL, f"refused {len(refused)}: {refused[0]}", "see there")
    end = time.monotonic() + wait_seconds
    try:
        engine = open_database(database)
        try:
            while time.monotonic() < end:
                for row in rounds_of(engine, TABLE, 1):
                    if row.opened_at >= began:
                        told = f"{totals}; round 1 of {TABLE} is in the database"
                        return Checkup(name, OK, f"{told}, opened {format_time(row.opened_at)}")
                time.sleep(TURN_SECONDS)
        finally:
            engine.dispose()
    except DatabaseFault as fault:
        return Checkup(name, FAIL, str(fault), "put it right: no historian writes so")
    found = f"{totals}; no round of {TABLE} in the database after {wait_seconds:g} s"
    return Checkup(name, FAIL, found, "see whether workers and historian are ready, and their logs")
