"""Simulated tables that deal without end and speak to a gateway as devices do.

Every fault of the simulator comes round again and again, at each table in another order; each one
planted is a line of JSON on stdout with the finding that must come of it.

    python -m deploy.local.floor --gateway URL --tables 6 --speed 10
"""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

import click
import httpx

from deploy.local.devices import device_client
from producers.simulator.faults import FAULTS
from producers.simulator.floor import Floor, observed
from producers.simulator.lines import line
from producers.simulator.night import ENDLESS
from streams.core.events import GAMES, Event

LINES_AT_ONCE: Final = 500
"""In one request; a line has at most some hundred bytes and a request at most 1 MiB."""

GATHER_SECONDS: Final = 0.05
"""How long lines are gathered for one request."""

RETRY_SECONDS: Final = 0.5
MOST_RETRY_SECONDS: Final = 10.0
ANSWER_SECONDS: Final = 30.0


def endless_floor(tables: int, seed: int, start: int) -> Floor:
    """Return so many tables, of each game in turn, each with all faults it can have, without end.

    Args:
        tables: how many.
        seed: equal seeds and starts give equal events.
        start: the first event's time, microseconds since the epoch.
    """
    # Sources that start anew must number higher than before: the second of the start does.
    boot = start // 1_000_000
    floor = Floor(GAMES, tables, ENDLESS, seed, start, boot=boot)
    for index, table in enumerate(floor.tables):
        setup = table.night.setup
        possible = [
            fault
            for (_, game), fault in FAULTS.items()
            if game == setup.game and fault.fits(setup) and observed(setup, fault.needs)
        ]
        order = Random(f"{seed}/{index}/faults")  # noqa: S311  variety, nothing secret
        table.night.faults = order.sample(possible, len(possible))
    return floor


def hurried(stream: Iterator[Event | bytes], start: int, speed: float) -> Iterator[Event | bytes]:
    """Yield a stream with all times after its start shortened by a factor."""
    for what in stream:
        if isinstance(what, Event):
            yield replace(what, at=start + int((what.at - start) / speed))
        else:
            yield what


def planted(floor: Floor) -> Iterator[str]:
    """Yield a line for each finding that became due since the last call."""
    for table in floor.tables:
        for due in table.night.due:
            told = {
                "table": table.night.setup.table,
                "code": due.code,
                "round": due.round,
                "state": due.state,
            }
            yield json.dumps(told)
        # A floor that deals without end must not remember without end.
        table.night.due.clear()


class Devices:
    """The devices of all tables: they send lines when they are due, and again until accepted."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self._lines: list[bytes] = []
        self._since = 0.0

    def send(self, data: bytes, due: float) -> None:
        """Send a line once it is due, on the monotonic clock; lines close together go together."""
        now = time.monotonic()
        if self._lines and (due > now or now > self._since + GATHER_SECONDS):
            self.flush()
        if due > now:
            time.sleep(due - now)
        if not self._lines:
            self._since = time.monotonic()
        self._lines.append(data)
        if len(self._lines) >= LINES_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Post the gathered lines until the gateway has taken them."""
        body = b"".join(self._lines)
        self._lines.clear()
        pause = RETRY_SECONDS
        while not self._taken(body):
            time.sleep(pause)
            pause = min(2 * pause, MOST_RETRY_SECONDS)

    def _taken(self, body: bytes) -> bool:
        try:
            answer = self._client.post("/v1/events", content=body)
        except httpx.TransportError:
            return False
        # 400 refuses lines that are no event and keeps all others: nothing is to be sent again.
        return answer.status_code in {httpx.codes.ACCEPTED, httpx.codes.BAD_REQUEST}


@click.command()
@click.option("--gateway", required=True, help="The gateway's address, http://HOST:PORT.")
@click.option("--tables", type=click.IntRange(1, 10_000), default=6, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 10_000),
    default=1.0,
    show_default=True,
    help="How many times faster than on a floor.",
)
@click.option("--token-file", type=click.Path(path_type=Path), help="The devices' token.")
@click.option("--gateway-ca", type=click.Path(path_type=Path), help="The gateway's authority, PEM.")
def main(
    gateway: str,
    tables: int,
    seed: int,
    speed: float,
    token_file: Path | None,
    gateway_ca: Path | None,
) -> None:
    """Deal at simulated tables without end."""
    start = time.time_ns() // 1_000
    began = time.monotonic()
    floor = endless_floor(tables, seed, start)
    due = began
    with device_client(
        gateway, token_file, gateway_ca, timeout=ANSWER_SECONDS, trust_env=False
    ) as client:
        devices = Devices(client)
        for what in hurried(floor.stream(), start, speed):
            if isinstance(what, Event):
                due = began + (what.at - start) / 1_000_000
            for told in planted(floor):
                sys.stdout.write(f"{told}\n")
                sys.stdout.flush()
            devices.send(what if isinstance(what, bytes) else line(what), due)


if __name__ == "__main__":
    main()
