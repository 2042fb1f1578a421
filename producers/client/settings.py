"""What a client is told, with the values it has otherwise, and what is wrong with it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

MEBIBYTE: Final = 1024 * 1024

LONGEST_LINE: Final = 16 * 1024
"""Bytes of an event's line that a gateway takes."""

MOST_LINES: Final = 64
"""Lines in one request: as many identities of a source as gateway and worker remember, so that a
request whose answer was lost is known as a duplicate, line by line, when it is sent again."""

TABLE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
SOURCE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one client, which is one source of one table.

    Args:
        gateway: the gateway's address, ``https://HOST:PORT``.
        table: the table's name.
        source: the device's name; no other device of the table has it.
        folder: where the client keeps boot and unsent events; this client's alone, on a disk that
            survives a restart.
        token_file: holds the device's token; read anew for each connection and when it is refused.
        ca_file: certificates of who signed the gateway's; the system's where none is given.
        certificate_file: the device's own certificate, where the gateway asks for one.
        key_file: the certificate's private key; in the certificate's file where none is given.
        queue_bytes: what unsent events may take on disk; an event that finds no room is dropped
            and counted.
        request_lines: the most lines of one request, 1 to 64.
        request_bytes: the most bytes of one request, half of what a gateway takes.
        answer_seconds: how long an answer is waited for.
        least_pause: seconds before a failed request is sent again; twice as long each time,
        most_pause: up to this.

    Raises:
        ValueError: a value is not what it may be; the text says which.
    """

    gateway: str
    table: str
    source: str
    folder: Path
    token_file: Path | None = None
    ca_file: Path | None = None
    certificate_file: Path | None = None
    key_file: Path | None = None
    queue_bytes: int = 64 * MEBIBYTE
    request_lines: int = MOST_LINES
    request_bytes: int = MEBIBYTE // 2
    answer_seconds: float = 70.0
    least_pause: float = 0.5
    most_pause: float = 30.0

    def __post_init__(self) -> None:
        """Refuse what no gateway would take, before anything is written."""
        if TABLE.fullmatch(self.table) is None:
            raise ValueError(f"table: expected {_named('-')}, found {self.table[:80]!r}")
        if SOURCE.fullmatch(self.source) is None:
            raise ValueError(f"source: expected {_named('- /')}, found {self.source[:80]!r}")
        if not 1 <= self.request_lines <= MOST_LINES:
            raise ValueError(
                f"request_lines: expected 1 to {MOST_LINES}, found {self.request_lines}: a longer "
                "request whose answer is lost would come back as late events"
            )
        if not _is_address(self.gateway):
            raise ValueError("gateway: expected http://HOST:PORT or https://HOST:PORT, no user")
        for name in ("queue_bytes", "request_bytes", "answer_seconds", "least_pause"):
            if not (found := getattr(self, name)) > 0:
                raise ValueError(f"{name}: expected more than 0, found {found:g}")
        if not self.most_pause >= self.least_pause:
            raise ValueError(
                f"most_pause: expected at least least_pause, {self.least_pause:g}, found "
                f"{self.most_pause:g}"
            )
        if self.key_file is not None and self.certificate_file is None:
            raise ValueError("key_file: expected a certificate_file beside it, found none")


def _is_address(text: str) -> bool:
    """Say whether a text is a gateway's address, with nothing that a request could not keep."""
    try:
        address = urlsplit(text)
        port = address.port
    except ValueError:
        return False
    scheme = address.scheme in {"http", "https"}
    more = address.username is not None or address.query or address.fragment
    return scheme and bool(address.hostname) and port != 0 and not more


def _named(more: str) -> str:
    return f"1 to 64 characters A-Z a-z 0-9 . _ {more}, the first a letter or digit"
