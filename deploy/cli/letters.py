"""Dead letters as a person reads them: one a line, one whole, and what is to be done about each."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from producers.gateway.protocol import BAD_FIELD, BAD_LINE, TOO_MANY_REFUSED, UNKNOWN_KIND
from producers.gateway.spool import DAMAGE
from schemas import faults
from schemas.times import format_time
from streams.core.findings import CONFLICTING_EVENT, LATE_EVENT
from streams.shell.deadletters import (
    CLOCK_SOURCE,
    EMPTY_VALUE,
    FORGED_RECORD,
    JUDGE_ERROR,
    KEY_MISMATCH,
    NOT_ITS_KEY,
    NOT_ITS_TABLE,
    UNKNOWN_ALARM,
    UNKNOWN_GATEWAY,
    UNKNOWN_KEY,
    UNSIGNED_COMMAND,
    UNSIGNED_RECORD,
    WRONG_SIGNATURE,
    Refusal,
)
from streams.shell.letters import UNNAMED, Letter, contents
from streams.shell.replay import Fate
from streams.wire.inbound import to_line

DEVICE: Final = "have the device's vendor mend it; `pitwatch check --device` shows what it says"
NEWER: Final = "run a version of Pitwatch that knows it, then `pitwatch dlq replay`"
WRITER: Final = "find who writes to the topic beside the gateways and take the right from him"
ASKER: Final = "find who asks for an act beside the console"
GRANT: Final = "say so in floor.toml and the workers' --gateway-keys, then `pitwatch dlq replay`"
STRUCK: Final = "judge the recording that `pitwatch dlq replay` writes with `pitwatch check`"

REMEDIES: Final = {
    faults.UNKNOWN_FORMAT: WRITER,
    faults.UNKNOWN_FINGERPRINT: NEWER,
    faults.UNKNOWN_ID: NEWER,
    faults.WRONG_RECORD: WRITER,
    faults.TRUNCATED: WRITER,
    faults.TRAILING_BYTES: WRITER,
    faults.MALFORMED: WRITER,
    faults.OUT_OF_RANGE: NEWER,
    KEY_MISMATCH: f"{WRITER}; `pitwatch dlq replay` writes it under its own table's key",
    EMPTY_VALUE: WRITER,
    CLOCK_SOURCE: WRITER,
    UNSIGNED_COMMAND: f"{ASKER}; the console signs with its --command-key",
    UNKNOWN_KEY: f"{ASKER}; the workers take the keys of their --command-key",
    WRONG_SIGNATURE: f"{ASKER}; console and workers have one key of each name",
    UNKNOWN_ALARM: "see on the page whether it still stands: a closed one is forgotten after a day",
    UNSIGNED_RECORD: f"{WRITER}; a gateway signs with its --signing-key-file",
    UNKNOWN_GATEWAY: f"{WRITER}; a gateway of the floor stands in floor.toml",
    NOT_ITS_TABLE: f"{WRITER}; if it may speak for the table, {GRANT}",
    NOT_ITS_KEY: f"{WRITER}; if it is a key of that gateway, {GRANT}",
    FORGED_RECORD: f"{WRITER}; gateway and workers have one key of each name",
    JUDGE_ERROR: "send the stack to Pitwatch's makers; run a version that can judge it, then "
    "`pitwatch dlq replay`",
    LATE_EVENT: f"see why the device's events came out of order; {STRUCK}",
    CONFLICTING_EVENT: f"see why the device says two things by one identity; {STRUCK}",
    BAD_LINE: DEVICE,
    UNKNOWN_KIND: f"{DEVICE}; if a newer version knows it, {NEWER}",
    BAD_FIELD: f"{DEVICE}; if a newer version takes it, {NEWER}",
    TOO_MANY_REFUSED: DEVICE,
    DAMAGE: "see to the gateway's disk; the device still has what it was not told 202 for",
}
"""What to do about a letter, by its reason."""

UNKNOWN_REASON: Final = "see the version that set it aside"

FATES: Final = {
    Fate.NEXT: "replayed: it was next for its source",
    Fate.APPLIED: "left: it is applied already",
    Fate.CONFLICT: "left: another content of this identity was applied",
    Fate.BEHIND: "left: later events of its source were applied, and perhaps this one before them",
    Fate.AHEAD: "left: events before it are missing",
    Fate.UNKNOWN: "left: its table's state cannot be read by this version",
    Fate.UNJUDGED: "left: it ended workers of this version, and would again",
    Fate.TICK: "left: it tells a time that is over",
    Fate.COMMAND: "left: an operator's act is done again on the page, not here",
    Fate.UNREADABLE: "left: this version cannot read it either",
}
"""What became of letters' events, in the order in which a replay tells it."""

DUMPED: Final = 4096
"""Bytes of a letter that are shown; ``--raw`` writes all of them."""

MOST_LINES: Final = 20
"""Lines of one letter of which is told what this version makes of them."""

COLUMNS: Final = (
    "letter",
    "at",
    "table",
    "from",
    "reason",
    "field",
    "expected",
    "found",
    "version",
)


def row_of(letter: Letter, size: int) -> dict[str, object]:
    """Return what a list says of a letter of so many bytes; never those, which may be a card's."""
    return {
        "letter": letter.name,
        "at": format_time(letter.at),
        "table": letter.table,
        "from": origin(letter),
        "reason": letter.reason,
        "field": letter.field,
        "expected": letter.expected,
        "found": letter.found,
        "version": letter.version,
        "bytes": size,
    }


def origin(letter: Letter) -> str:
    """Return where a letter's bytes came from."""
    if letter.topic is None:
        return "a writer that does not say" if letter.gateway is None else letter.gateway
    return f"{letter.topic}/{letter.source_partition}/{letter.source_offset}"


def remedy(letter: Letter) -> str:
    """Return what to do about a letter."""
    return REMEDIES.get(letter.reason, UNKNOWN_REASON)


def whole(letter: Letter, *, command: bool) -> dict[str, object]:
    """Return all that is known of a letter but its bytes.

    Args:
        letter: the letter.
        command: whether it is of the topic of commands.
    """
    return {
        **row_of(letter, len(letter.value or b"")),
        "stage": letter.stage,
        "stack": letter.stack,
        "cut from": letter.length,
        "now": "an operator's act" if command else "; ".join(islice(_now(letter), MOST_LINES)),
        "to do": remedy(letter),
    }


def _now(letter: Letter) -> Iterator[str]:
    """Yield what this version makes of a letter's bytes."""
    for piece in contents(letter):
        if isinstance(piece, Refusal):
            yield f"{piece.field}: expected {piece.expected}, found {piece.found}"
        else:
            yield f"readable: {to_line(piece.event)}"


def shown_reason(letter: Letter) -> str:
    """Return a letter's reason for a count: one of those there are, for headers are anyone's."""
    return letter.reason if letter.reason in REMEDIES else UNNAMED


def dump(value: bytes) -> Iterator[str]:
    """Yield bytes as lines of sixteen: place, hexadecimal, and what is ASCII of it."""
    for at in range(0, min(len(value), DUMPED), 16):
        part = value[at : at + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        yield f"{at:08x}  {part.hex(' '):<47}  {text}"
    if len(value) > DUMPED:
        yield f"{len(value) - DUMPED} more bytes; --raw writes all of them"
