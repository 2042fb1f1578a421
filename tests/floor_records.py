"""A floor of 60 tables in every state, as records on the real topics: what a worker would write.

Four pits; tables that are betting, dealing, stale and closed, alarms of every severity in every
state, four hours of rounds. The same seed gives the same floor around a time that is given.
"""

import hashlib
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from schemas.codec import CODEC
from schemas.records import Alarm, AlarmAct, BookName, Finding, Round, TableView
from streams.rulebooks import load

BOOK: Final = load()
NAME: Final = BookName(BOOK.name, BOOK.sha256)
VERSION: Final = "0.1.0"
SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE

PITS: Final[Mapping[str, Sequence[tuple[str, int, int]]]] = {
    "1": (("BJ", 1, 16),),
    "2": (("CS", 1, 9), ("FP", 1, 6)),
    "3": (("BJ", 17, 27), ("CF", 1, 4)),
    "4": (("BJ", 28, 33), ("CS", 10, 12), ("FP", 7, 11)),
}
GAMES: Final = {
    "BJ": "blackjack",
    "CS": "caribbean_stud",
    "FP": "four_card_poker",
    "CF": "chemin_de_fer",
}
PACES: Final = {"BJ": 68, "CS": 40, "FP": 38, "CF": 29}
STATES: Final = ("betting", "dealing", "deciding", "settling")


@dataclass(frozen=True, slots=True)
class Floor:
    """Records of one floor."""

    views: dict[str, TableView]
    rounds: list[Round] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def inventory() -> str:
    """Return the floor file of these tables."""
    lines = ["[defaults]", "silence_seconds = 60", "rounds_an_hour = 60"]
    for pit, runs in PITS.items():
        lines += ["[[pits]]", f'name = "{pit}"']
        for name in names(runs):
            lines += ["[[pits.tables]]", f'name = "{name}"', f'game = "{GAMES[name[:2]]}"']
    return "\n".join(lines) + "\n"


def names(runs: Iterable[tuple[str, int, int]]) -> Iterator[str]:
    """Yield the names of runs of tables."""
    for kind, first, last in runs:
        for number in range(first, last + 1):
            yield f"{kind}-{number:02}"


def view(table: str, now: int, seed: random.Random, **changes: Any) -> TableView:
    """Return a table's view, heard of within the last seconds."""
    heard = now - seed.randrange(0, 9) * SECOND
    by_hand = table[:2] in {"CS", "FP"}
    made = TableView(
        table=table,
        game=GAMES[table[:2]],
        open=True,
        dealer=f"D-{seed.randrange(101, 190)}",
        round=seed.randrange(60, 240),
        round_open=True,
        round_opened_at=heard - 20 * SECOND,
        positions=(1, 3, 4),
        cards=(),
        rounds_since_stub_count=seed.randrange(0, 5) if by_hand else None,
        standing=(),
        last_event_at=heard,
        last_received=heard,
        book=NAME,
        version=VERSION,
        state=seed.choice(STATES),
        dealt_from="hand" if by_hand else "shoe",
    )
    return msgspec.structs.replace(made, **changes)


def round_of(table: str, number: int, closed: int, dealer: str | None = None) -> Round:
    """Return a round that was closed at a time."""
    return Round(
        table=table,
        game=GAMES[table[:2]],
        number=number,
        opened_by=f"{table}/shoe/1/{number}",
        opened_at=closed - 30 * SECOND,
        closed_at=closed,
        ended="closed",
        dealer=dealer,
        deck=None,
        positions=(1, 3, 4),
        cards=(),
        events=(),
        dropped_events=0,
        gap=False,
        expected_stub=None,
        counted_stub=None,
        findings=(),
        book=NAME,
        version=VERSION,
    )


def digest(*parts: object) -> str:
    """Return an id of 32 hexadecimal digits made of parts."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:32]


def alarm(table: str, code: str, raised: int, severity: str | None = None, **changes: Any) -> Alarm:
    """Return an alarm of a code of the rulebook."""
    rule = BOOK.rules[code]
    game = GAMES.get(table[:2])
    made = Alarm(
        id=digest(table, code, raised),
        table=table,
        code=code,
        clause=BOOK.clause(code, game),
        class_=rule.class_,
        severity=severity or rule.severity,
        game=game,
        state="unacknowledged",
        round=143,
        position=None,
        hand=None,
        raised_at=raised,
        last_at=raised,
        count=1,
        findings=(digest("finding", table, code, raised),),
        cleared_at=None,
        acknowledged_at=None,
        acknowledged_by=None,
        disposition=None,
        shelved_until=None,
        closed_at=None,
        acts=(),
        answer=None,
        book=NAME,
        version=VERSION,
    )
    return msgspec.structs.replace(made, **changes)


def act(what: str, at: int, **changes: Any) -> AlarmAct:
    """Return an act of an operator."""
    made = AlarmAct(digest(what, at), what, "op-27", "operator", at, None, None, None)
    return msgspec.structs.replace(made, **changes)


def busy(now: int, seed: int = 1) -> Floor:
    """Return the floor of 60 tables in every state."""
    chance = random.Random(seed)
    floor = Floor({})
    for runs in PITS.values():
        for table in names(runs):
            made = view(table, now, chance)
            floor.views[table] = made
            floor.rounds.extend(shift(made, now, chance))
    change(floor, "CS-03", rounds_since_stub_count=6)
    change(floor, "CS-11", rounds_since_stub_count=5)
    change(floor, "CF-03", last_event_at=now - 4 * MINUTE, last_received=now - 4 * MINUTE)
    change(
        floor,
        "BJ-33",
        open=False,
        state="closed",
        round_open=False,
        last_received=now - 87 * MINUTE,
    )
    floor.alarms.extend(alarms(now))
    floor.findings.extend(map(finding, floor.alarms))
    return floor


def change(floor: Floor, table: str, **changes: Any) -> None:
    """Change a table's view."""
    floor.views[table] = msgspec.structs.replace(floor.views[table], **changes)


def shift(made: TableView, now: int, chance: random.Random) -> Iterator[Round]:
    """Yield the rounds of a table's last 3.8 hours, at its game's pace."""
    every = HOUR / PACES[made.table[:2]]
    closed = now - int(3.8 * HOUR)
    number = 1
    while closed < now - 15 * SECOND:
        yield round_of(made.table, number, closed, made.dealer)
        number += 1
        closed += int(every * chance.uniform(0.8, 1.2))


def alarms(now: int) -> list[Alarm]:
    """Return alarms of every severity in every state."""
    acknowledged = {
        "state": "acknowledged",
        "acknowledged_at": now - 4 * MINUTE,
        "acknowledged_by": "op-27",
        "disposition": "confirmed",
        "acts": (act("acknowledge", now - 4 * MINUTE, disposition="confirmed"),),
    }
    return [
        alarm("FP-04", "stub_count_wrong", now - 38 * SECOND, "critical"),
        alarm("CS-03", "stub_count_overdue", now - 2 * MINUTE, "high", round=217, count=2),
        alarm("BJ-22", "burn_missing", now - 27 * SECOND, "high", round=87),
        alarm("CS-03", "wrong_face", now - 6 * SECOND, "medium", round=219, position=2),
        alarm(
            "BJ-12",
            "reader_malfunction",
            now - 11 * MINUTE,
            "medium",
            state="returned_unacknowledged",
            cleared_at=now - 8 * MINUTE,
            round=201,
        ),
        alarm("CS-11", "stub_count_overdue", now - 6 * MINUTE, "high", **acknowledged),
        alarm("BJ-07", "dealer_drew_on_seventeen", now - 9 * MINUTE, "medium", **acknowledged),
        alarm(
            "BJ-30",
            "progressive_light_out",
            now - 52 * MINUTE,
            "low",
            state="shelved",
            shelved_until=now + 38 * MINUTE,
            acts=(act("shelve", now - 50 * MINUTE, until=now + 38 * MINUTE, note="part ordered"),),
        ),
        alarm("CF-01", "total_misannounced", now - 3 * HOUR, "low", state="out_of_service"),
        alarm(
            "BJ-02",
            "dealer_drew_on_seventeen",
            now - 2 * HOUR,
            "medium",
            state="normal",
            closed_at=now - HOUR,
        ),
    ]


def finding(of: Alarm) -> Finding:
    """Return the finding that an alarm was made of."""
    return Finding(
        id=of.findings[0],
        code=of.code,
        clause=of.clause,
        class_=of.class_,
        state="raised",
        severity=of.severity,
        table=of.table,
        game=of.game,
        round=of.round,
        position=of.position,
        hand=of.hand,
        at=of.raised_at,
        events=(f"{of.table}/shoe/1/7",),
        detail={},
        book=NAME,
        version=VERSION,
    )


class Topics:
    """Writes records as a worker does: all of a table in one partition, alarms by their id."""

    def __init__(self, bootstrap: str, prefix: str) -> None:
        from kafka import KafkaProducer  # noqa: PLC0415  tests without Kafka do not load it

        self._producer: Any = KafkaProducer(bootstrap_servers=bootstrap, acks="all", linger_ms=5)
        self._prefix = prefix
        self._partitions = sorted(self._producer.partitions_for(f"{prefix}tables.v1"))

    def partition(self, table: str) -> int:
        """Return the partition of a table, the same in every topic."""
        from streams.shell.partitioning import partition_of  # noqa: PLC0415  as above

        return partition_of(table.encode(), len(self._partitions))

    def write(self, *records: TableView | Alarm | Round | Finding) -> None:
        """Write records in order, and wait until Kafka has them."""
        for record in records:
            name, key = "findings.v1", record.table
            match record:
                case TableView():
                    name = "tables.v1"
                case Alarm():
                    name, key = "alarms.v1", record.id
                case Round():
                    name = "rounds.v1"
                case Finding():
                    pass
            self._send(name, record.table, key, CODEC.encode(record))
        self._producer.flush()

    def forget_alarm(self, gone: Alarm) -> None:
        """Write an alarm's tombstone."""
        self._send("alarms.v1", gone.table, gone.id, None)
        self._producer.flush()

    def floor(self, floor: Floor) -> None:
        """Write a whole floor."""
        self.write(*floor.rounds, *floor.findings, *floor.views.values(), *floor.alarms)

    def close(self) -> None:
        """End the connection."""
        self._producer.close()

    def _send(self, name: str, table: str, key: str, value: bytes | None) -> None:
        self._producer.send(
            self._prefix + name, value=value, key=key.encode(), partition=self.partition(table)
        )
