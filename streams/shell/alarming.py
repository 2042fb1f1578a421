"""A worker's alarms: folded beside each table's state, written as effects, answered to commands.

Deals and commands are two topics, and in which order a worker reads from both is chance; what is
made of them is kept in the table's one state with the offsets of both, so that whatever order it
was, it stays. A table whose state had to be built anew from its deals has its alarms anew, to be
acknowledged again: acts are not repeated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from streams.core.advance import Step
from streams.core.alarms.alarm import AlarmChanged, AlarmEffect, AlarmGone, is_alarming
from streams.core.alarms.table_alarms import (
    NO_ALARMS,
    TableAlarms,
    carry_out,
    fold,
    tell_finding,
    tell_time,
)
from streams.core.events import Event
from streams.core.findings import Finding, FindingRaised
from streams.shell.deadletters import UNKNOWN_ALARM, Refusal
from streams.shell.ports import OutputRecord, SourceRecord
from streams.shell.rights import Rights
from streams.shell.store import Stored
from streams.shell.traced import UNTRACED, Traced
from streams.shell.translate import Writer, read_command
from streams.wire.alarms import NO_BYTES, encode_alarms
from streams.wire.snapshot import encode_snapshot

READING: Final = "VALUE_CONVERTER"
JUDGING: Final = "TASK_PUT"
"""The stages of Kafka Connect at which a record fails: its bytes, or what they ask for."""

NO_SUCH_ALARM: Final = Refusal(
    UNKNOWN_ALARM, "alarm", "an alarm of the table that is open or closed within a day", "none"
)


@dataclass(frozen=True, slots=True)
class Alarmed:
    """A table's alarms after something happened to them, and the records that tell it."""

    alarms: TableAlarms
    alarm_bytes: bytes
    records: Sequence[OutputRecord] = ()


@dataclass(slots=True)
class Carried:
    """What commands of one table came to.

    ``stored`` is its state after all of them, if any was for one of its alarms; ``refused`` are
    the records that were not, each with the reason and the stage.
    """

    stored: Stored | None
    records: list[OutputRecord]
    refused: list[tuple[SourceRecord, Refusal, str]]


class Alarming:
    """Folds alarms and writes them.

    Args:
        topic: the topic of alarms.
        writer: writes records.
    """

    def __init__(self, topic: str, writer: Writer) -> None:
        self._topic = topic
        self._writer = writer

    def after(
        self,
        partition: int,
        before: Stored | None,
        events: Sequence[Event],
        step: Step,
        context: Traced = UNTRACED,
    ) -> Alarmed:
        """Return a table's alarms after a step of these events, whose traces they go on with."""
        alarms = NO_ALARMS if before is None else before.alarms
        caused = zip(step.effects, step.causes, strict=True)
        after, effects = fold(alarms, events, caused)
        return self._alarmed(partition, before, after, effects, context)

    def after_finding(self, partition: int, before: Stored, finding: Finding, now: int) -> Alarmed:
        """Return a table's alarms after a finding that no event of it caused.

        Args:
            partition: the table's partition.
            before: its state.
            finding: the finding.
            now: when it was raised.
        """
        alarms, ended = tell_time(before.alarms, now)
        if is_alarming(finding):
            alarms, raised = tell_finding(alarms, FindingRaised(finding), now)
            ended = (*ended, *raised)
        return self._alarmed(partition, before, alarms, ended)

    def carry_out(
        self, before: Stored | None, batch: Sequence[SourceRecord], rights: Rights
    ) -> Carried:
        """Carry out the commands of one table that it has not applied yet.

        Args:
            before: the table's state.
            batch: the commands' records, in order.
            rights: whose commands are carried out where.
        """
        carried = Carried(None, [], [])
        after, told_any = before, False
        for record in batch:
            if before is not None and record.offset <= before.offsets.get(record.topic, -1):
                continue
            command = read_command(record.key, record.value, rights)
            if isinstance(command, Refusal):
                carried.refused.append((record, command, READING))
                continue
            told = None if after is None else carry_out(after.alarms, command)
            if told is None or after is None:
                carried.refused.append((record, NO_SUCH_ALARM, JUDGING))
                if command.alarm is not None:
                    gone = (AlarmGone(command.alarm),)
                    carried.records += self._records(record.partition, gone)
                continue
            alarms, effects = told
            carried.records += self._records(record.partition, effects)
            after, told_any = replace(after, alarms=alarms), True
        if after is not None and told_any:
            offsets = {**after.offsets, batch[-1].topic: batch[-1].offset}
            alarm_bytes = encode_alarms(after.alarms)
            value = encode_snapshot(after.state, offsets, alarm_bytes)
            carried.stored = Stored(value, after.state, offsets, after.alarms, alarm_bytes)
        return carried

    def _alarmed(
        self,
        partition: int,
        before: Stored | None,
        alarms: TableAlarms,
        effects: Sequence[AlarmEffect],
        context: Traced = UNTRACED,
    ) -> Alarmed:
        if before is not None and alarms is before.alarms:
            return Alarmed(alarms, before.alarm_bytes)
        if alarms is NO_ALARMS:
            return Alarmed(alarms, NO_BYTES)
        return Alarmed(alarms, encode_alarms(alarms), self._records(partition, effects, context))

    def _records(
        self, partition: int, effects: Sequence[AlarmEffect], context: Traced = UNTRACED
    ) -> list[OutputRecord]:
        return [
            OutputRecord(
                self._topic,
                partition,
                effect.alarm.id.encode(),
                self._writer.alarm(effect.alarm),
                context.of_alarm(effect.alarm),
            )
            if isinstance(effect, AlarmChanged)
            else OutputRecord(self._topic, partition, effect.id.encode(), None)
            for effect in effects
        ]
