"""Findings and commands for tests of alarms, and a table's alarms that are told them."""

from dataclasses import dataclass, field, replace
from typing import Any, Final

from streams.core.alarms.alarm import Alarm, AlarmChanged, AlarmEffect
from streams.core.alarms.commands import Command
from streams.core.alarms.table_alarms import (
    NO_ALARMS,
    TableAlarms,
    carry_out,
    tell_finding,
    tell_time,
)
from streams.core.findings import Finding, FindingCleared, FindingRaised
from tests.traces import BOOK

TABLE: Final = "CS-03"
SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
START: Final = 1_790_000_000 * SECOND

POINT: Final = "deal_order"
STANDING: Final = "stub_count_overdue"
CRITICAL: Final = "card_after_natural"
INTEGRITY: Final = "duplicate_card"


def finding(
    code: str = POINT, number: int = 1, *, at: int = START, position: int | None = None
) -> Finding:
    """Return a finding of a code; its number stands in its id."""
    rule = BOOK.rules[code]
    game = rule.games[0]
    return Finding(
        id=f"{number:032x}",
        code=code,
        clause=BOOK.clause(code, game),
        class_=rule.class_,
        state="raised",
        severity=rule.severity,
        table=TABLE,
        game=game,
        round=number,
        position=position,
        hand=None,
        at=at,
        events=(f"{TABLE}/gw/1/{number}",),
    )


def command(act: str, id_: str = "c1", **fields: Any) -> Command:
    """Return a command for the alarm of the point finding, an operator's unless it says more."""
    whole: dict[str, Any] = {"code": POINT, "role": "operator", "at": START + MINUTE} | fields
    whole = {"alarm": None, "by": "ada", "table": TABLE, "id": id_, "act": act} | whole
    return Command(**whole)


@dataclass
class Scene:
    """A table's alarms and all that happened to them."""

    alarms: TableAlarms = NO_ALARMS
    effects: list[AlarmEffect] = field(default_factory=list)

    def raise_(self, one: Finding, now: int | None = None) -> Alarm:
        told, effects = tell_finding(
            self.alarms, FindingRaised(one), one.at if now is None else now
        )
        self._take(told, effects)
        return self.of(one.code)

    def clear(self, one: Finding, now: int) -> Alarm:
        gone = replace(one, state="cleared", at=now)
        told, effects = tell_finding(self.alarms, FindingCleared(gone), now)
        self._take(told, effects)
        return self.of(one.code)

    def tell(self, now: int) -> None:
        self._take(*tell_time(self.alarms, now))

    def ask(self, act: str, id_: str = "c1", **fields: Any) -> Alarm:
        carried = carry_out(self.alarms, command(act, id_, **fields))
        assert carried is not None
        self._take(*carried)
        return next(
            each.alarm
            for each in carried[1]
            if isinstance(each, AlarmChanged)
            and each.alarm.answer is not None
            and each.alarm.answer.command == id_
        )

    def of(self, code: str) -> Alarm:
        return [alarm for alarm in self.alarms.alarms if alarm.code == code][-1]

    def _take(self, alarms: TableAlarms, effects: tuple[AlarmEffect, ...]) -> None:
        self.alarms = alarms
        self.effects += effects


def acknowledge(scene: Scene, id_: str = "ack", **fields: Any) -> Alarm:
    return scene.ask("acknowledge", id_, **({"disposition": "confirmed"} | fields))


def shelve(scene: Scene, id_: str = "shelve", **fields: Any) -> Alarm:
    return scene.ask("shelve", id_, **({"until": START + HOUR, "note": "known"} | fields))
