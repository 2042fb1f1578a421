"""Dead letters: a record that was not applied, its bytes as they came, and why in the headers.

The headers that say where the record came from and what happened have the names Kafka Connect
gives them (KIP-298), so that its tools read them; what only Pitwatch says begins with
``pitwatch.``. The letter has the key and the headers of its record, and its table's partition.
"""

from dataclasses import dataclass
from typing import Final

from streams.core.findings import CONFLICTING_EVENT, LATE_EVENT
from streams.shell.ports import Headers, OutputRecord, SourceRecord

CONNECT: Final = "__connect.errors."
OWN: Final = "pitwatch."

KEY_MISMATCH: Final = "key_mismatch"
EMPTY_VALUE: Final = "empty_value"
CLOCK_SOURCE: Final = "clock_source"
UNSIGNED_COMMAND: Final = "unsigned_command"
UNKNOWN_KEY: Final = "unknown_key"
WRONG_SIGNATURE: Final = "wrong_signature"
UNKNOWN_ALARM: Final = "unknown_alarm"
UNSIGNED_RECORD: Final = "unsigned_record"
UNKNOWN_GATEWAY: Final = "unknown_gateway"
NOT_ITS_TABLE: Final = "not_its_table"
NOT_ITS_KEY: Final = "not_its_key"
FORGED_RECORD: Final = "forged_record"
JUDGE_ERROR: Final = "judge_error"

REASONS: Final = (
    KEY_MISMATCH,
    EMPTY_VALUE,
    CLOCK_SOURCE,
    UNSIGNED_COMMAND,
    UNKNOWN_KEY,
    WRONG_SIGNATURE,
    UNKNOWN_ALARM,
    UNSIGNED_RECORD,
    UNKNOWN_GATEWAY,
    NOT_ITS_TABLE,
    NOT_ITS_KEY,
    FORGED_RECORD,
    LATE_EVENT,
    CONFLICTING_EVENT,
    JUDGE_ERROR,
)
"""The worker's own reasons; those of bytes that cannot be read are the codec's."""

CONNECTOR: Final = "pitwatch-worker"
CLASSES: Final = {
    "VALUE_CONVERTER": "schemas.codec.Codec",
    "TASK_PUT": "streams.core.advance",
}
"""What a record failed in, by its stage; a partition is what Kafka Connect calls a task."""

KEY_SHOWN: Final = 64
"""Bytes of a wrong key that a dead letter repeats in its reason."""
MOST_STACK: Final = 8192
"""Characters of a stack that a letter keeps."""
MOST_HEADERS: Final = 32
"""Headers of the record that its letter keeps; beyond them a hostile writer adds nothing."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a record was not applied: the field, what was expected there and what was found."""

    reason: str
    field: str
    expected: str
    found: str


STRANGERS: Final = frozenset(
    {UNSIGNED_RECORD, UNKNOWN_GATEWAY, NOT_ITS_TABLE, NOT_ITS_KEY, FORGED_RECORD}
)
"""Why a record is not taken because of whose it is."""

NOT_FRESH: Final = {
    LATE_EVENT: Refusal(
        LATE_EVENT, "seq", "an identity above the last applied one of its source", "an older one"
    ),
    CONFLICTING_EVENT: Refusal(
        CONFLICTING_EVENT, "seq", "the content that this identity had before", "another content"
    ),
}
"""What is said of events that their table set aside."""


def dead_letter(
    topic: str,
    record: SourceRecord,
    refusal: Refusal,
    stage: str,
    version: str,
    stack: str | None = None,
) -> OutputRecord:
    """Return the letter of a record.

    Args:
        topic: the topic of dead letters.
        record: the record, whose bytes are kept untouched.
        refusal: why it was not applied.
        stage: ``VALUE_CONVERTER`` if its bytes could not be read, else ``TASK_PUT``.
        version: the program's version.
        stack: the stack of the error that judging it raised; its end is kept.
    """
    message = f"{refusal.field}: expected {refusal.expected}, found {refusal.found}"
    named = {
        f"{CONNECT}connector.name": CONNECTOR,
        f"{CONNECT}task.id": str(record.partition),
        f"{CONNECT}class.name": CLASSES.get(stage, CONNECTOR),
        f"{CONNECT}exception.class.name": f"{Refusal.__module__}.{Refusal.__name__}",
        f"{CONNECT}topic": record.topic,
        f"{CONNECT}partition": str(record.partition),
        f"{CONNECT}offset": str(record.offset),
        f"{CONNECT}stage": stage,
        f"{CONNECT}exception.message": message,
        f"{OWN}reason": refusal.reason,
        f"{OWN}field": refusal.field,
        f"{OWN}expected": refusal.expected,
        f"{OWN}found": refusal.found,
        f"{OWN}version": version,
    }
    if stack is not None:
        named[f"{CONNECT}exception.stacktrace"] = stack[-MOST_STACK:]
    kept: Headers = tuple(record.headers)[:MOST_HEADERS]
    own = tuple((name, text.encode("utf-8", "replace")) for name, text in named.items())
    return OutputRecord(topic, record.partition, record.key, record.value, kept + own)


def shown_key(key: bytes | None) -> str:
    """Return a key as a message shows it: bounded and printable."""
    if key is None:
        return "none"
    text = key[:KEY_SHOWN].decode("utf-8", "backslashreplace")
    return text if text.isprintable() else ascii(text)
