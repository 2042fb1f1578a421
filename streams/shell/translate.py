"""Bytes of the topics to the core's events and back; what cannot be read is a refusal, a value."""

from typing import Final

from schemas.check import rules_of
from schemas.codec import CODEC, Codec
from schemas.faults import REASONS, CodecFault
from schemas.records import DealEvent, OperatorCommand
from schemas.signing import signed_by
from streams.core.alarms.alarm import Alarm
from streams.core.alarms.commands import Command
from streams.core.book import Book
from streams.core.events import CLOCK_SOURCE, Event, Tick
from streams.core.findings import Finding
from streams.core.rounds import Round
from streams.core.views import TableView
from streams.shell.deadletters import CLOCK_SOURCE as CLOCK_REFUSED
from streams.shell.deadletters import (
    EMPTY_VALUE,
    KEY_MISMATCH,
    UNKNOWN_KEY,
    UNSIGNED_COMMAND,
    WRONG_SIGNATURE,
    Refusal,
    shown_key,
)
from streams.shell.rights import Rights
from streams.wire.alarms import to_alarm_record, to_command
from streams.wire.inbound import DEALS, to_record
from streams.wire.outbound import to_finding_record, to_round_record, to_view_record

UNREADABLE_REASONS: Final = REASONS
"""Why bytes cannot be read."""

_TABLE: Final = rules_of(DealEvent)["table"]


def read_event(value: bytes | None) -> Event | Refusal:
    """Return the event that a deal record's value holds, or why a worker does not take it."""
    if value is None:
        return Refusal(EMPTY_VALUE, "value", "an event", "nothing")
    event = DEALS.read(value)
    if isinstance(event, CodecFault):
        return _refusal(event)
    if (event.source == CLOCK_SOURCE) != (type(event.body) is Tick):
        found = f"{event.source} with {event.body.kind}"
        return Refusal(CLOCK_REFUSED, "source", f"{CLOCK_SOURCE} for ticks alone", found)
    return event


def table_of(key: bytes | None) -> str | None:
    """Return the table that a record's key names, or nothing where it names none."""
    if key is None:
        return None
    name = key.decode("utf-8", "replace")
    return None if _TABLE.fault(name) is not None else name


def read_own_event(key: bytes | None, value: bytes | None) -> Event | Refusal:
    """Return a deal record's event, or why a worker does not take it for the table of its key."""
    event = read_event(value)
    if not isinstance(event, Refusal) and key != event.table.encode():
        return Refusal(KEY_MISMATCH, "key", f"the event's table {event.table}", shown_key(key))
    return event


def read_command(key: bytes | None, value: bytes | None, rights: Rights) -> Command | Refusal:
    """Return the command that a record holds for the table of its key, or why it is not taken.

    Args:
        key: the record's key.
        value: the record's value.
        rights: the keys that commands may be signed with, and the pits of tables.
    """
    keys = rights.command_keys
    if value is None:
        return Refusal(EMPTY_VALUE, "value", "a command", "nothing")
    record = CODEC.decode(value, OperatorCommand)
    if isinstance(record, CodecFault):
        return _refusal(record)
    if key != record.table.encode():
        return Refusal(KEY_MISMATCH, "key", f"the command's table {record.table}", shown_key(key))
    if not record.signature:
        return Refusal(UNSIGNED_COMMAND, "signature", "the console's signature", "none")
    if record.key not in keys:
        known = ", ".join(keys) or "none, for the worker has no --command-key"
        return Refusal(UNKNOWN_KEY, "key", f"a key that is known: {known}", record.key)
    if not signed_by(record, keys):
        expected = f"a signature with the key {record.key}"
        return Refusal(WRONG_SIGNATURE, "signature", expected, "another")
    return to_command(record, None if rights.pits is None else rights.pits(record.table))


def event_bytes(event: Event, codec: Codec = CODEC) -> bytes:
    """Return an event as the deal topic has it."""
    return codec.encode(to_record(event))


def _refusal(fault: CodecFault) -> Refusal:
    return Refusal(fault.reason, fault.field, fault.expected, fault.found)


class Writer:
    """Writes effects as records that say by which book and version they were made.

    Args:
        book: the rulebook.
        version: the program's version.
        codec: writes the records, in the versions that it was told.
    """

    def __init__(self, book: Book, version: str, codec: Codec = CODEC) -> None:
        self._book = book
        self._version = version
        self._codec = codec

    def finding(self, finding: Finding) -> bytes:
        """Return a finding's record."""
        return self._codec.encode(to_finding_record(finding, self._book, self._version))

    def round(self, ended: Round) -> bytes:
        """Return a round's record."""
        return self._codec.encode(to_round_record(ended, self._book, self._version))

    def view(self, shown: TableView) -> bytes:
        """Return the record of a table as it may be shown."""
        return self._codec.encode(to_view_record(shown, self._book, self._version))

    def alarm(self, alarm: Alarm) -> bytes:
        """Return an alarm's record."""
        return self._codec.encode(to_alarm_record(alarm, self._book, self._version))
