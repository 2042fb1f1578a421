"""A device as a command: events on standard input, a JSON object a line, to a gateway.

    python -m producers.client --gateway URL --table T --source S --folder DIR < events.ndjson

A line has ``kind``, that kind's fields, and ``at`` if it happened at another time than now; the
client adds table, source, boot and seq. At the end it prints how it stands, as JSON.

| exit status | means |
|---|---|
| 0 | all events have their answer, and none was dropped |
| 1 | some were dropped or refused, or a line was no event |
| 2 | the settings or the folder cannot be used |
| 3 | some wait on disk, for the next start to send |
"""

import argparse
import json
import logging
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Final

from producers.client.client import Client
from producers.client.settings import MEBIBYTE, Settings

DROPPED: Final = 1
UNUSABLE: Final = 2
WAITING: Final = 3

FILES: Final = {
    "token-file": "the device's token",
    "ca-file": "certificates of who signed the gateway's",
    "certificate-file": "the device's own certificate",
    "key-file": "its private key",
}


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    made = argparse.ArgumentParser(prog="python -m producers.client", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("--gateway", required=True, help="its address, https://HOST:PORT")
    made.add_argument("--table", required=True, help="the table's name")
    made.add_argument("--source", required=True, help="the device's name")
    made.add_argument("--folder", required=True, type=Path, help="keeps boot and unsent events")
    for name, text in FILES.items():
        made.add_argument(f"--{name}", type=Path, metavar="FILE", help=text)
    made.add_argument(
        "--queue-mebibytes", type=int, default=64, help="what unsent events may take on disk (64)"
    )
    made.add_argument(
        "--flush", type=float, default=60.0, help="seconds to wait at the end for answers (60)"
    )
    return made


def event_of(line: bytes) -> tuple[str, datetime | None, dict[str, object]]:
    """Return the kind, the time and the fields of a line.

    Raises:
        ValueError: it is no JSON object with a kind, or its time is no time.
    """
    fields = json.loads(line)
    if not isinstance(fields, dict) or not isinstance(kind := fields.pop("kind", None), str):
        raise ValueError("expected a JSON object with a kind")  # noqa: TRY004  a value of a line
    at = fields.pop("at", None)
    return kind, None if at is None else datetime.fromisoformat(str(at)), fields


def record_all(lines: Iterable[bytes], client: Client) -> bool:
    """Record each line; return whether every one was an event that is kept."""
    whole = True
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            kind, at, fields = event_of(line)
            dropped = client.record(kind, at, **fields).dropped
        except (ValueError, TypeError, RecursionError) as error:
            dropped = str(error)
        if dropped is not None:
            whole = False
            print(f"line {number}: {dropped}", file=sys.stderr)
    return whole


def main(arguments: Sequence[str] | None = None) -> int:
    """Send standard input; return the exit status."""
    told = parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    try:
        settings = Settings(
            gateway=told.gateway,
            table=told.table,
            source=told.source,
            folder=told.folder,
            token_file=told.token_file,
            ca_file=told.ca_file,
            certificate_file=told.certificate_file,
            key_file=told.key_file,
            queue_bytes=told.queue_mebibytes * MEBIBYTE,
        )
        client = Client(settings)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return UNUSABLE
    before = sum(client.status().drops.values())
    with client:
        whole = record_all(sys.stdin.buffer, client)
        client.flush(told.flush)
        status = client.status()
    print(json.dumps(asdict(status)))
    if status.waiting:
        return WAITING
    return 0 if whole and sum(status.drops.values()) == before else DROPPED


if __name__ == "__main__":
    sys.exit(main())
