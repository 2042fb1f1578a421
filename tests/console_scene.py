"""A floor as the topics would tell it: recordings, judged by the core, in a console's model.

A scene plays recorded tables under names of its own, the last event at a given time, and stops in
the middle of a round where it is told to; what a worker would write is given to the model.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from sqlalchemy import Engine

from schemas.codec import CODEC
from schemas.ndjson import decode_line, read_lines
from schemas.records import Alarm, DealEvent, Finding, Round
from streams.console.live.floor import LiveFloor
from streams.core.advance import advance
from streams.core.alarms.alarm import AlarmChanged
from streams.core.alarms.table_alarms import NO_ALARMS, tell_finding
from streams.core.events import Event
from streams.core.findings import FindingCleared, FindingRaised, RoundEnded
from streams.core.projection import view
from streams.core.table import TableState, new_table
from streams.database import writing
from streams.historian.rows import Message, rows_of
from streams.historian.writer import write
from streams.rulebooks import load
from streams.wire.alarms import to_alarm_record
from streams.wire.inbound import to_event
from streams.wire.outbound import to_finding_record, to_round_record, to_view_record

RECORDINGS: Final = Path(__file__).parent / "recordings"
BOOK: Final = load()
VERSION: Final = "0.1.0"


def recorded(name: str) -> list[Event]:
    """Return the events of a recording's good lines."""
    with (RECORDINGS / f"{name}.ndjson").open("rb") as stream:
        found = [decode_line(line) for _, line in read_lines(stream)]
    return [to_event(event) for event in found if isinstance(event, DealEvent)]


@dataclass(slots=True)
class Scene:
    """A floor under way, and the records that made it."""

    floor: LiveFloor = field(default_factory=LiveFloor)
    findings: list[Finding] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    alarms: dict[str, Alarm] = field(default_factory=dict)
    states: dict[str, TableState] = field(default_factory=dict)

    def play(
        self, recording: str, table: str, until: int, *, events: int | None = None
    ) -> list[Event]:
        """Play a recording as a table's; its last event is at ``until``.

        Args:
            recording: The file's name without its end.
            table: The name the table gets.
            until: Microseconds.
            events: How many of its events are played, all where absent.
        """
        told = recorded(recording)[:events]
        later = until - told[-1].at
        moved = [
            replace(each, table=table, at=each.at + later, received=each.at + later)
            for each in told
        ]
        self.tell(moved)
        return moved

    def tell(self, events: Iterable[Event]) -> None:
        """Tell the model what a worker writes of events of one table."""
        alarms = NO_ALARMS
        table = ""
        for event in events:
            table = event.table
            step = advance(self.states.get(table) or new_table(table), event, BOOK)
            self.states[table] = step.state
            for effect in step.effects:
                match effect:
                    case FindingRaised(finding) | FindingCleared(finding):
                        record = to_finding_record(finding, BOOK, VERSION)
                        self.findings.append(record)
                        self.floor.finding(record)
                        alarms, changes = tell_finding(alarms, effect, event.at)
                        for change in changes:
                            if isinstance(change, AlarmChanged):
                                self.alarm(to_alarm_record(change.alarm, BOOK, VERSION))
                    case RoundEnded(round_):
                        ended = to_round_record(round_, BOOK, VERSION)
                        self.rounds.append(ended)
                        self.floor.round(ended)
                    case _:
                        pass
        self.floor.view(to_view_record(view(self.states[table]), BOOK, VERSION), 0)

    def store(self, engine: Engine) -> None:
        """Write to a database what a historian writes of it all."""
        told: list[Finding | Round | Alarm] = [
            *self.rounds,
            *self.findings,
            *self.alarms.values(),
        ]
        topics = {Round: "rounds.v1", Finding: "findings.v1", Alarm: "alarms.v1"}
        messages = [
            Message(topics[type(each)], 0, place, CODEC.encode(each))
            for place, each in enumerate(told)
        ]
        with writing(engine) as connection:
            write(connection, rows_of(messages), {})

    def alarm(self, alarm: Alarm) -> None:
        """Tell the model of an alarm."""
        self.alarms[alarm.id] = alarm
        self.floor.alarm(alarm)
