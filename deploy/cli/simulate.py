"""`pitwatch simulate`: legal events of any of the games as lines of JSON, with faults planted."""

import json
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

import click

from producers.simulator.faults import FAULTS
from producers.simulator.floor import SETUPS, Floor
from producers.simulator.lines import line
from streams.core.events import CAPABILITIES, Event

FAST_START: Final = "2026-11-30T12:00:00Z"
"""Where the simulated clock begins unless told: equal seeds give equal bytes."""

AT_ONCE: Final = 2_000
"""Lines written at once when there is no pace to keep."""


def microseconds(text: str) -> int:
    """Return an RFC 3339 time as microseconds since the epoch.

    Raises:
        click.BadParameter: it is none, or has no zone.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise click.BadParameter(
            f"expected a time such as {FAST_START}, found {text!r}", param_hint="--start"
        )
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond


def write_fast(stream: Iterator[Event | bytes]) -> None:
    """Write all lines as fast as they come."""
    out = sys.stdout.buffer
    lines: list[bytes] = []
    for what in stream:
        lines.append(what if isinstance(what, bytes) else line(what))
        if len(lines) >= AT_ONCE:
            out.write(b"".join(lines))
            lines.clear()
    out.write(b"".join(lines))
    out.flush()


def write_paced(stream: Iterator[Event | bytes], start: int) -> None:
    """Write each line when it is due, counted from now for ``start`` in the simulated time."""
    out = sys.stdout.buffer
    began = time.monotonic()
    for what in stream:
        if isinstance(what, bytes):
            out.write(what)
        else:
            wait = began + (what.at - start) / 1_000_000 - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            out.write(line(what))
        out.flush()


@click.command()
@click.option(
    "--game",
    "games",
    multiple=True,
    type=click.Choice([*SETUPS, "all"]),
    help="A game to deal; repeatable, tables take turns.  [default: all]",
)
@click.option("--tables", type=click.IntRange(1, 10_000), default=1, show_default=True)
@click.option(
    "--rounds",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Rounds at each table; 0 deals without end.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Equal seeds give equal bytes."
)
@click.option(
    "--pace",
    type=click.Choice(["fast", "real"]),
    default="fast",
    show_default=True,
    help="real: each line is written when it is due, as on a floor.",
)
@click.option(
    "--start", help=f"The first event's time.  [default: {FAST_START}, or now with --pace real]"
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="CODE",
    help="Plant the fault of a finding once at each table that can have it; repeatable. "
    "Besides the findings' codes: duplicate_event, bad_line.",
)
@click.option(
    "--without",
    "unseen",
    multiple=True,
    type=click.Choice(CAPABILITIES),
    help="A capability that no table's devices have; what needs it must stay silent.",
)
@click.option(
    "--expect",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the findings due, declared when the faults are planted, as JSON: raised and "
    "cleared as lists of code and round, bad_lines; with several tables also each table's.",
)
def command(
    games: tuple[str, ...],
    tables: int,
    rounds: int,
    seed: int,
    pace: str,
    start: str | None,
    faults: tuple[str, ...],
    unseen: tuple[str, ...],
    expect: Path | None,
) -> None:
    """Write the legal events of simulated tables as NDJSON, with faults planted."""
    known = sorted({code for code, _ in FAULTS})
    for code in faults:
        if code not in known:
            raise click.BadParameter(
                f"expected one of {', '.join(known)}; found {code}", param_hint="--fault"
            )
    real = pace == "real"
    now = real and start is None
    first = time.time_ns() // 1_000 if now else microseconds(start or FAST_START)
    dealt = list(SETUPS) if not games or "all" in games else list(dict.fromkeys(games))
    if faults and (not games or "all" in games):
        # A fault needs a game that has it: with no game named, those that have any come first.
        dealt.sort(key=lambda game: not any((code, game) in FAULTS for code in faults))
    try:
        # Devices that start anew must number higher than before; in a recording they are new.
        floor = Floor(
            dealt,
            tables,
            rounds,
            seed,
            first,
            faults,
            boot=first // 1_000_000 if real else 1,
            unseen=unseen,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    try:
        if real:
            write_paced(floor.stream(), first)
        else:
            write_fast(floor.stream())
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if expect is not None:
        expect.write_text(json.dumps(floor.expected()) + "\n", encoding="utf-8")
