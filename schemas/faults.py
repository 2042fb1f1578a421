"""What is said of input that was refused.

A refusal never repeats what may be a card: one that lies face down would leave the topics that
may hold it through an error message.
"""

import re
from dataclasses import dataclass
from typing import Final

SHOWN: Final = 64
"""The longest text of the input that a refusal repeats, in characters."""

UNKNOWN_FORMAT: Final = "unknown_format"
UNKNOWN_FINGERPRINT: Final = "unknown_fingerprint"
UNKNOWN_ID: Final = "unknown_id"
WRONG_RECORD: Final = "wrong_record"
TRUNCATED: Final = "truncated"
TRAILING_BYTES: Final = "trailing_bytes"
MALFORMED: Final = "malformed"
OUT_OF_RANGE: Final = "out_of_range"
REASONS: Final = (
    UNKNOWN_FORMAT,
    UNKNOWN_FINGERPRINT,
    UNKNOWN_ID,
    WRONG_RECORD,
    TRUNCATED,
    TRAILING_BYTES,
    MALFORMED,
    OUT_OF_RANGE,
)
"""Why bytes are not a record."""

VALUE: Final = "value"
"""What a fault of bytes names as its field where the whole value is at fault."""

_CARD_LIKE: Final = re.compile(r"\W*(?:[A2-9TJQK]|10|1)\W*[SHDC\u2660-\u2667]\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LineFault:
    """Why a line was refused: the field (``line`` for the whole), what was expected and found."""

    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}, found {self.found}"


@dataclass(frozen=True, slots=True)
class CodecFault:
    """Why bytes are no record: one of ``REASONS``, the field, what was expected and found."""

    reason: str
    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}, found {self.found}"


class RecordFault(ValueError):
    """A record cannot be written: a value of it is out of range or of a wrong type."""

    def __init__(self, fault: CodecFault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def shown(text: str) -> str:
    """Return a text of the input as it may be shown: printable, at most ``SHOWN`` characters."""
    bounded = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return bounded if bounded.isprintable() else ascii(bounded)[1:-1]


def shown_name(name: str) -> str:
    """Return a field's name of the input as it may be shown: never empty, and never a card."""
    if _CARD_LIKE.fullmatch(name):
        return f"a name of {len(name)} characters"
    return shown(name) or '""'


def found_text(field: str, value: object) -> str:
    """Return a refused value of a field as it may be shown: bounded, without a card's identity."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if abs(value) < 10**SHOWN else "a longer integer"
        case float():
            return f"the number {value!r}"
        case str():
            if field == "card" or _CARD_LIKE.fullmatch(value):
                return f"a text of {len(value)} characters"
            return f'"{shown(value)}"'
        case list() | tuple():
            return f"a list of {len(value)}"
        case dict():
            return "an object"
        case _:
            return f"a value of type {type(value).__name__}"
