"""`pitwatch send`: posts recorded events to a gateway, as a device would.

Lines go out in the order they stand in, on one connection, each request after the answer to the
one before. What has gathered while a request was on its way goes with the next, so a stream that
comes line by line is sent line by line, and a file in large requests.
"""

import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from time import monotonic, sleep
from typing import Final, cast

import click
import httpx

from deploy.cli.options import device_options
from deploy.cli.progress import FileProgress
from deploy.cli.recordings import Recording, UnreadableFile, open_recording
from deploy.local.devices import TokenFault, device_client
from schemas.exact import MAX_LINE
from schemas.ndjson import BOM

EVENTS: Final = "/v1/events"
NDJSON: Final = {"content-type": "application/x-ndjson"}

CHUNK: Final = 64 * 1024
"""The most bytes in a request, a sixteenth of what a gateway takes; as many as a pipe holds."""

MOST_LINES: Final = 64
"""In a request: as many identities of a source as gateways and workers remember, so that one whose
answer was lost can be sent again whole."""

FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 5.0
TIMEOUT_SECONDS: Final = 30.0

RETRIED: Final = frozenset({408, 429, 500, 502, 503, 504})
"""Answers after which the same request is sent again."""

JUDGED: Final = frozenset({202, 400})
"""Answers that say what became of each line."""

Line = tuple[int, bytes]
"""A line's number in its file, and its bytes without the end of line."""


class NotSent(click.ClickException):
    """The gateway did not take the events; exit status 2."""

    exit_code = 2


@dataclass(slots=True)
class Totals:
    """What became of the lines so far."""

    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.accepted} accepted, {self.duplicates} duplicates, {self.rejected} rejected"


class Pace:
    """Holds events back so that no more than so many a second go out; none for no rate."""

    def __init__(self, rate: float | None) -> None:
        self._rate = rate
        self._due = monotonic()

    def wait(self, events: int) -> None:
        """Return when so many more events may go out."""
        if self._rate is not None:
            now = monotonic()
            sleep(max(0.0, self._due - now))
            self._due = max(self._due, now) + events / self._rate

    @property
    def most(self) -> int:
        """Return how many lines go in one request: with a rate, those of a tenth of a second."""
        return MOST_LINES if self._rate is None else min(MOST_LINES, max(1, int(self._rate / 10)))


class Poster:
    """Posts lines to a gateway and waits for its answers.

    Args:
        client: knows the gateway's address.
        patience: seconds for which a request that is not taken is sent again.
    """

    def __init__(self, client: httpx.Client, patience: float) -> None:
        self._client = client
        self._patience = patience

    def post(self, lines: list[Line], totals: Totals) -> list[str]:
        """Post lines until the gateway has judged them; return what it said of refused ones.

        Raises:
            NotSent: it did not take them in time, or says that they are no request for it.
        """
        answer = self._answer(b"\n".join(data for _, data in lines))
        said = answer.json()
        totals.accepted += said["accepted"]
        totals.duplicates += said["duplicates"]
        totals.rejected += len(said["rejected"])
        return [
            f"line {lines[row['line'] - 1][0]}: {row['field']}: "
            f"expected {row['expected']}, found {row['found']}"
            for row in said["rejected"]
        ]

    def _answer(self, body: bytes) -> httpx.Response:
        give_up = monotonic() + self._patience
        pause = FIRST_PAUSE
        while True:
            try:
                answer = self._client.post(EVENTS, content=body, headers=NDJSON)
            except httpx.TransportError as error:
                found = str(error) or type(error).__name__
                wanted = pause
            except TokenFault as fault:
                raise NotSent(str(fault)) from fault
            else:
                if answer.status_code in JUDGED:
                    return answer
                found = f"{answer.status_code} {answer.text.strip()[:200]}"
                if answer.status_code not in RETRIED:
                    raise NotSent(f"{self._client.base_url}: expected 202 or 400, found {found}")
                wanted = max(pause, _retry_after(answer))
            if monotonic() + wanted > give_up:
                raise NotSent(
                    f"{self._client.base_url}: expected a gateway that takes events within "
                    f"{self._patience:g} s, found: {found}; look at its log, or give --patience"
                )
            sleep(wanted)
            pause = min(2 * pause, LONGEST_PAUSE)


def _retry_after(answer: httpx.Response) -> float:
    text = answer.headers.get("retry-after", "0")
    return min(float(text), LONGEST_PAUSE) if text.isdigit() else 0.0


def requests(recording: Recording, most: int) -> Iterator[list[Line]]:
    """Yield a recording's lines as they come: those that are there, at most `most` at once.

    Blank lines are left out. A line that is too long to be an event is cut, still too long.
    """
    lines = Lines()
    stream = cast(BufferedReader, recording.stream)
    while chunk := stream.read1(CHUNK):
        ready = lines.taken(chunk)
        for start in range(0, len(ready), most):
            yield ready[start : start + most]
    if last := lines.taken(b"\n"):
        yield last


class Lines:
    """Cuts a stream of bytes into numbered lines."""

    def __init__(self) -> None:
        self._number = 0
        self._rest = b""

    def taken(self, chunk: bytes) -> list[Line]:
        """Return the lines that are complete with these bytes."""
        *whole, rest = (self._rest + chunk).split(b"\n")
        self._rest = rest[: MAX_LINE + 1]
        lines: list[Line] = []
        for data in whole:
            self._number += 1
            text = (data.removeprefix(BOM) if self._number == 1 else data).removesuffix(b"\r")
            if text.strip():
                lines.append((self._number, text[: MAX_LINE + 1]))
        return lines


def send_recording(recording: Recording, poster: Poster, pace: Pace, totals: Totals) -> None:
    """Send one recording; what the gateway refused of it is told on stderr."""
    with FileProgress(recording.name, recording.size) as progress:
        for lines in requests(recording, pace.most):
            pace.wait(len(lines))
            for text in poster.post(lines, totals):
                with progress.aside():
                    click.echo(f"{recording.name}: {text}", err=True)
            progress.at(recording.position())


@click.command("send")
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--gateway",
    default="http://127.0.0.1:7301",
    show_default=True,
    help="The gateway's address.",
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    help="At most so many events a second; as fast as it goes where none is given.",
)
@click.option(
    "--patience",
    type=click.FloatRange(0, 86_400),
    default=60.0,
    show_default=True,
    help="Seconds for which a gateway that takes nothing is tried again.",
)
@device_options
def command(
    files: tuple[str, ...],
    gateway: str,
    rate: float | None,
    patience: float,
    token_file: Path | None,
    gateway_ca: Path | None,
) -> None:
    """Post recorded events (NDJSON, .gz too, - for stdin) to a gateway, as a device would.

    Exit status: 0 all lines accepted or known; 1 some refused, each named on stderr; 2 a file
    cannot be read or the gateway does not take the events.
    """
    totals = Totals()
    pace = Pace(rate)
    unreadable = False
    try:
        client = device_client(gateway, token_file, gateway_ca, timeout=TIMEOUT_SECONDS)
    except TokenFault as fault:
        raise NotSent(str(fault)) from fault
    with client:
        poster = Poster(client, patience)
        for name in files:
            try:
                with open_recording(name) as recording:
                    send_recording(recording, poster, pace, totals)
            except UnreadableFile as error:
                unreadable = True
                click.echo(error.message, err=True)
            except (OSError, EOFError, zlib.error) as error:
                unreadable = True
                click.echo(f"{name}: expected data that can be read, found: {error}", err=True)
    click.echo(str(totals), err=True)
    sys.exit(2 if unreadable else 1 if totals.rejected else 0)
