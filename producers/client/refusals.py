"""What a gateway refused, kept for whoever mends the device's software: two files, bounded."""

import json
import os
from pathlib import Path
from typing import Final

from producers.client.answers import RefusedLine
from producers.client.disk import OWNER_FILE

REFUSALS: Final = "refused.ndjson"
OLDER: Final = "refused.older.ndjson"
MOST_BYTES: Final = 1024 * 1024
"""Of each of the two files; the older one is thrown away when the newer one is full."""


class Refusals:
    """The lines refused of late, each with what the gateway said of it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / REFUSALS
        self._older = folder / OLDER

    def keep(self, line: bytes, why: RefusedLine) -> None:
        """Write a refused line down.

        Raises:
            OSError: the disk does not write.
        """
        said = {
            "line": line.decode(),
            "field": why.field,
            "expected": why.expected,
            "found": why.found,
        }
        if self._path.exists() and self._path.stat().st_size >= MOST_BYTES:
            self._path.replace(self._older)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        with os.fdopen(os.open(self._path, flags, OWNER_FILE), "ab") as file:
            file.write(json.dumps(said).encode() + b"\n")
