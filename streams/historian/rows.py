"""Records of the topics to rows of the database. Pure: what the same records make is the same.

An act is told in three places, which are read side by side: the command says who asked for what,
the alarm's acts say what was carried out, and its answer what became of the last command. Whatever
comes first, the row is the same in the end:

| | writes | over |
|---|---|---|
| an alarm's act | all of the row, accepted | anything |
| an alarm's answer | accepted or refused, with the reason | an act without an answer |
| a command | who, what, when and why | a row that has only an answer |
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from msgspec import Struct

from schemas.codec import CODEC
from schemas.faults import CodecFault
from schemas.records import Alarm, AnyRecord, Finding, OperatorCommand, Round
from streams.database.search import clean

ROUNDS: Final = "rounds.v1"
FINDINGS: Final = "findings.v1"
ALARMS: Final = "alarms.v1"
COMMANDS: Final = "commands.v1"

RECORDS: Final[dict[str, type[AnyRecord]]] = {
    ROUNDS: Round,
    FINDINGS: Finding,
    ALARMS: Alarm,
    COMMANDS: OperatorCommand,
}
"""What is read: each topic by its name without the prefix, and the record that is its value."""

NO_VALUE: Final = "no_value"
"""The reason of a record without a value, where one must have it."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """A record of a topic.

    ``topic`` is the name without the prefix; ``at`` is when it was written, microseconds since
    1970-01-01 UTC.
    """

    topic: str
    partition: int
    offset: int
    value: bytes | None
    key: bytes | None = None
    at: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that makes no row, and why."""

    message: Message
    reason: str
    expected: str
    found: str


@dataclass(slots=True)
class Rows:
    """What a batch writes: of each key the row that is to stand in the end."""

    rounds: dict[str, Row] = field(default_factory=dict)
    round_findings: dict[tuple[str, str], Row] = field(default_factory=dict)
    findings: dict[tuple[str, str], Row] = field(default_factory=dict)
    alarms: dict[str, Row] = field(default_factory=dict)
    carried_out: dict[str, Row] = field(default_factory=dict)
    answers: dict[str, Row] = field(default_factory=dict)
    commands: dict[str, Row] = field(default_factory=dict)
    forgotten: dict[str, int] = field(default_factory=dict)
    """When an alarm's topic forgot it, by the alarm."""
    skipped: list[Skipped] = field(default_factory=list)

    def add(self, message: Message) -> None:
        """Take a record; those of one partition come in their order."""
        if message.value is None:
            if message.topic != ALARMS:
                self.skipped.append(Skipped(message, NO_VALUE, "a value", "none"))
            else:
                self.forgotten[(message.key or b"").decode("utf-8", "replace")] = message.at
            return
        match CODEC.decode(message.value, RECORDS[message.topic]):
            case CodecFault() as fault:
                self.skipped.append(Skipped(message, fault.reason, fault.expected, fault.found))
            case Round() as round_:
                self._round(round_, message)
            case Finding() as finding:
                row = {**_row(finding, FINDING_COLUMNS), **_place(finding, message)}
                self.findings[row["id"], row["state"]] = row
            case Alarm() as alarm:
                self._alarm(alarm, message)
            case OperatorCommand() as command:
                row = {**_row(command, COMMAND_COLUMNS), "command": clean(command.id)}
                self.commands.setdefault(row["command"], row)

    def _round(self, round_: Round, message: Message) -> None:
        row = {
            **_row(round_, ROUND_COLUMNS),
            **_place(round_, message),
            "findings": len(round_.findings),
        }
        self.rounds[row["opened_by"]] = row
        for finding in round_.findings:
            link = {"opened_by": row["opened_by"], "finding": finding.id}
            self.round_findings[link["opened_by"], finding.id] = link

    def _alarm(self, alarm: Alarm, message: Message) -> None:
        self.forgotten.pop(alarm.id, None)
        row = {**_row(alarm, ALARM_COLUMNS), **_place(alarm, message)}
        self.alarms[alarm.id] = row
        about = {name: row[name] for name in ("table", "code")} | {"alarm": alarm.id}
        for act in alarm.acts:
            told = {**_row(act, ACT_COLUMNS), **about, "accepted": True, "reason": None}
            self.carried_out[told["command"]] = told
        if alarm.answer is not None:
            answer = {**_row(alarm.answer, ANSWER_COLUMNS), **about}
            self.answers.setdefault(answer["command"], answer)


def rows_of(messages: Iterable[Message]) -> Rows:
    """Return what a batch of records writes."""
    rows = Rows()
    for message in messages:
        rows.add(message)
    return rows


# fmt: off
ROUND_COLUMNS: Final = (
    "opened_by", "table", "game", "number", "opened_at", "closed_at", "ended", "dealer", "deck",
    "gap",
)
FINDING_COLUMNS: Final = (
    "id", "state", "code", "clause", "class_", "severity", "table", "game", "round", "position",
    "hand", "at",
)
ALARM_COLUMNS: Final = (
    "id", "table", "code", "clause", "class_", "severity", "game", "state", "round", "raised_at",
    "last_at", "count", "cleared_at", "acknowledged_at", "acknowledged_by", "disposition",
    "shelved_until", "closed_at",
)
ACT_COLUMNS: Final = ("command", "act", "by", "role", "at", "until", "disposition", "note")
ANSWER_COLUMNS: Final = ("command", "accepted", "reason")
COMMAND_COLUMNS: Final = (
    "alarm", "table", "code", "act", "by", "role", "at", "until", "disposition", "note",
)
# fmt: on


def _row(record: Struct, names: Iterable[str]) -> Row:
    row = {name: getattr(record, name) for name in names}
    return {name: clean(value) if isinstance(value, str) else value for name, value in row.items()}


def _place(record: Struct, message: Message) -> Row:
    return {
        "body": msgspec.json.encode(record).decode(),
        "partition": message.partition,
        "offset": message.offset,
    }
