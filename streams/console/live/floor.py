"""The floor as the topics tell it: a pure model that knows no Kafka, no web and no clock.

| what is read | what becomes of it |
|---|---|
| a table's view | replaces the one before; a tombstone takes the table away |
| an alarm | replaces the one of its id; a tombstone, a day after it is closed, takes it away |
| a round | joins its table's rounds; one that was read already replaces itself |
| a finding | joins the findings of the last hours; one that was read already is not kept twice |
| the time | takes away rounds and findings that are older than the window |

Records of one table keep their order within each topic, and the topics may be interleaved in any
way: the model is the same. All replicas of the console read the same topics, so all show the same.

Everything is bounded: 2,000 tables, 400 rounds a table of which the newest 8 have their cards and
events, 5,000 findings. There are as many alarms as the rulebook has codes at each table, and those
that were closed within a day.
"""

import heapq
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

import msgspec

from schemas.records import Alarm, Finding, Round, TableView
from schemas.times import MICROS_IN_HOUR

WINDOW: Final = 4 * MICROS_IN_HOUR
"""How far back rounds and findings are kept: the pace of 3.5 hours, and what a shift looks up."""

MOST_TABLES: Final = 2_000
MOST_ROUNDS: Final = 400
WHOLE_ROUNDS: Final = 8
"""Rounds of a table that keep their cards and events, which its page lists; one takes about 15 kB,
without them 0.4."""
MOST_FINDINGS: Final = 5_000

FindingKey = tuple[str, str]
"""A finding's id and state."""


@dataclass(slots=True)
class LiveTable:
    """One table: its newest view, the partition its records are in, its rounds, the newest last."""

    view: TableView
    partition: int
    rounds: deque[Round]


@dataclass(frozen=True, slots=True)
class AlarmChange:
    """An alarm as it was and as it is; either is absent where there was or is none."""

    before: Alarm | None
    after: Alarm | None


@dataclass(slots=True)
class Changes:
    """What was read since it was last asked."""

    tables: set[str] = field(default_factory=set)
    alarms: list[AlarmChange] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.tables or self.alarms)


class LiveFloor:
    """All that a page shows of the floor.

    Attributes:
        tables: each table with a view, by its name.
        alarms: each alarm by its id, those closed within a day too.
        findings: the findings of the last hours by id and state.
        as_of: when the feed last had an answer, microseconds since 1970-01-01 UTC.
        lost_since: since when it has had none, once that is 5 s; nothing while it is well.
        events_a_second: how many events were written to the floor's topic; nothing if not known.
        dropped: what was not kept, counted by why.
    """

    def __init__(self) -> None:
        self.tables: dict[str, LiveTable] = {}
        self.alarms: dict[str, Alarm] = {}
        self.findings: dict[FindingKey, Finding] = {}
        self.as_of: int | None = None
        self.lost_since: int | None = None
        self.events_a_second: float | None = None
        self.dropped: Counter[str] = Counter()
        self._by_table: dict[str, dict[str, Alarm]] = {}
        """Each table's alarms: every open page of a table asks for them four times a second."""
        self._rounds: dict[str, deque[Round]] = {}
        self._by_time: list[tuple[int, FindingKey]] = []
        self._changes = Changes()

    @property
    def lost(self) -> bool:
        """Return whether the feed has been without an answer for 5 s."""
        return self.lost_since is not None

    def view(self, view: TableView, partition: int) -> None:
        """Take in a table's view."""
        table = self.tables.get(view.table)
        if table is not None:
            table.view, table.partition = view, partition
        else:
            rounds = self._rounds_of(view.table)
            if rounds is None:
                return
            self.tables[view.table] = LiveTable(view, partition, rounds)
        self._changes.tables.add(view.table)

    def forget_table(self, table: str) -> None:
        """Take in a table's tombstone."""
        if self.tables.pop(table, None) is not None:
            self._changes.tables.add(table)

    def alarm(self, alarm: Alarm) -> None:
        """Take in an alarm's state."""
        before = self.alarms.get(alarm.id)
        self.alarms[alarm.id] = alarm
        if before is not None and before.table != alarm.table:
            self._unlist(before)
        self._by_table.setdefault(alarm.table, {})[alarm.id] = alarm
        if before != alarm:
            self._changes.alarms.append(AlarmChange(before, alarm))
            self._changes.tables.add(alarm.table)

    def forget_alarm(self, id_: str) -> None:
        """Take in an alarm's tombstone."""
        before = self.alarms.pop(id_, None)
        if before is not None:
            self._unlist(before)
            self._changes.alarms.append(AlarmChange(before, None))
            self._changes.tables.add(before.table)

    def round(self, round_: Round) -> None:
        """Take in a round."""
        rounds = self._rounds_of(round_.table)
        if rounds is None:
            return
        self._changes.tables.add(round_.table)
        for place in range(len(rounds) - 1, -1, -1):
            if rounds[place].opened_by == round_.opened_by:
                rounds[place] = round_ if len(rounds) - place <= WHOLE_ROUNDS else bare(round_)
                return
        if len(rounds) == MOST_ROUNDS:
            rounds.popleft()
        rounds.append(round_)
        if len(rounds) > WHOLE_ROUNDS:
            rounds[-1 - WHOLE_ROUNDS] = bare(rounds[-1 - WHOLE_ROUNDS])

    def finding(self, finding: Finding) -> None:
        """Take in a finding."""
        key = (finding.id, finding.state)
        if key in self.findings:
            return
        self.findings[key] = finding
        heapq.heappush(self._by_time, (finding.at, key))
        if len(self.findings) > MOST_FINDINGS:
            self.dropped["findings"] += 1
            del self.findings[heapq.heappop(self._by_time)[1]]

    def forget_before(self, now: int) -> None:
        """Take away rounds and findings that are older than the window."""
        oldest = now - WINDOW
        for table, rounds in list(self._rounds.items()):
            while rounds and rounds[0].closed_at < oldest:
                rounds.popleft()
                self._changes.tables.add(table)
            if not rounds and table not in self.tables:
                del self._rounds[table]
        while self._by_time and self._by_time[0][0] < oldest:
            del self.findings[heapq.heappop(self._by_time)[1]]

    def alarms_of(self, table: str) -> list[Alarm]:
        """Return a table's alarms."""
        return list(self._by_table.get(table, {}).values())

    def take_changes(self) -> Changes:
        """Return what was read since the last call, once."""
        changes, self._changes = self._changes, Changes()
        return changes

    def _unlist(self, alarm: Alarm) -> None:
        """Take an alarm from its table's, and the table with its last one."""
        of_table = self._by_table[alarm.table]
        del of_table[alarm.id]
        if not of_table:
            del self._by_table[alarm.table]

    def _rounds_of(self, table: str) -> deque[Round] | None:
        """Return a table's rounds, nothing where the floor has as many tables as it may."""
        rounds = self._rounds.get(table)
        if rounds is None:
            if len(self._rounds) >= MOST_TABLES:
                self.dropped["tables"] += 1
                return None
            rounds = self._rounds[table] = deque()
        return rounds


def bare(round_: Round) -> Round:
    """Return a round without its cards and events, which are most of it."""
    return msgspec.structs.replace(round_, cards=(), events=())
