"""Alarms by operator position: how many each was presented with, and what each did.

ISA-18.2 and EEMUA 191 judge an alarm system by what one position is presented with: about six
alarms an hour are acceptable, twelve the most that can be worked. How many were acknowledged is
another figure, and the persons who happened to act are no measure of who had to listen. A position
is here whoever was signed in and may answer; presented are the alarms of its pits that were raised
meanwhile, to two positions of one pit each of them.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
from sqlalchemy import Connection, Engine, func, select

from schemas.times import MICROS_IN_HOUR
from streams.database.accounts import sessions, users
from streams.database.history import acts, alarms
from streams.database.opening import reading

MOST_ALARMS: Final = 100_000
"""Alarms that are looked at, the newest of the time."""
MOST_SESSIONS: Final = 10_000
MOST_POSITIONS: Final = 1_000

LEAST_SIGNED_IN: Final = MICROS_IN_HOUR // 6
"""Whoever was signed in for less than ten minutes has no rate."""

ACKNOWLEDGE: Final = "acknowledge"

Span = tuple[int, int]
"""From when to when, microseconds since 1970-01-01 UTC."""


@dataclass(frozen=True, slots=True)
class Position:
    """One operator's position in a time.

    Attributes:
        name: who was signed in.
        pits: which pits are theirs; none is all.
        signed_in: for how long, microseconds.
        presented: alarms raised meanwhile in these pits.
        acknowledged: alarms that they acknowledged.
        others: other acts of theirs that were carried out.
    """

    name: str
    pits: tuple[str, ...]
    signed_in: int
    presented: int
    acknowledged: int
    others: int

    @property
    def an_hour(self) -> float | None:
        """Return alarms presented for each hour signed in."""
        if self.signed_in < LEAST_SIGNED_IN:
            return None
        return self.presented * MICROS_IN_HOUR / self.signed_in


@dataclass(frozen=True, slots=True)
class Watch:
    """All positions, the most burdened first, and how many alarms were presented to none."""

    positions: tuple[Position, ...]
    unattended: int

    @property
    def an_hour(self) -> float | None:
        """Return alarms presented for each hour that a position was signed in."""
        signed_in = sum(each.signed_in for each in self.positions)
        if signed_in < LEAST_SIGNED_IN:
            return None
        return sum(each.presented for each in self.positions) * MICROS_IN_HOUR / signed_in


@dataclass(frozen=True, slots=True)
class SignedIn:
    """How long a session is one: without use, and at most, microseconds; and whose count."""

    idle: int
    longest: int
    roles: Collection[str]
    everywhere: Collection[str]
    """The roles that answer in all pits, whatever pits their account has."""


def watch(
    engine: Engine, since: int, until: int, rules: SignedIn, pit_of: Callable[[str], str]
) -> Watch:
    """Return who was on watch in a time, and with how many alarms.

    Args:
        engine: the database, accounts and history.
        since: when the time begins, microseconds since 1970-01-01 UTC.
        until: when it ends.
        rules: how long a session lasts and whose count.
        pit_of: tells a table's pit.

    Raises:
        DatabaseFault: the database does not answer.
    """
    with reading(engine) as connection:
        raised = connection.execute(
            select(alarms.c.raised_at, alarms.c.table)
            .where(alarms.c.raised_at >= since, alarms.c.raised_at < until)
            .order_by(alarms.c.raised_at.desc())
            .limit(MOST_ALARMS)
        ).all()
        spans = _spans(connection, since, until, rules)
        done = _done(connection, since, until)
        accounts = connection.execute(select(users.c.name, users.c.role, users.c.pits)).all()
    pits: dict[str, tuple[str, ...]] = {
        name: () if role in rules.everywhere else tuple(msgspec.json.decode(of))
        for name, role, of in accounts
    }
    by_pit: dict[str, list[int]] = {}
    for at, table in reversed(raised):
        by_pit.setdefault(pit_of(table), []).append(at)
    positions = [
        Position(
            name,
            pits.get(name, ()),
            sum(end - begin for begin, end in spans.get(name, ())),
            sum(
                _within(times, spans.get(name, ()))
                for pit, times in by_pit.items()
                if not pits.get(name) or pit in pits[name]
            ),
            *done.get(name, (0, 0)),
        )
        for name in sorted({*spans, *done})
    ]
    seen = Counter[str]()
    for pit, times in by_pit.items():
        on_watch = merged(
            span
            for name, of in spans.items()
            if not pits.get(name) or pit in pits[name]
            for span in of
        )
        seen[pit] = _within(times, on_watch)
    positions.sort(key=lambda each: (-each.presented, each.name))
    return Watch(tuple(positions[:MOST_POSITIONS]), len(raised) - seen.total())


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return spans without overlaps, in order: whoever has two sessions is there once."""
    found: list[Span] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return tuple(found)


def _within(times: Sequence[int], spans: Iterable[Span]) -> int:
    return sum(bisect_left(times, end) - bisect_left(times, begin) for begin, end in spans)


def _spans(
    connection: Connection, since: int, until: int, rules: SignedIn
) -> Mapping[str, tuple[Span, ...]]:
    """Return when each person who may answer was signed in."""
    found: dict[str, list[Span]] = {}
    rows = connection.execute(
        select(sessions.c.user, sessions.c.created_at, sessions.c.seen_at, sessions.c.ended_at)
        .join(users, users.c.name == sessions.c.user)
        .where(
            users.c.role.in_(sorted(rules.roles)),
            sessions.c.created_at < until,
            sessions.c.created_at > since - rules.longest,
        )
        .order_by(sessions.c.created_at.desc())
        .limit(MOST_SESSIONS)
    )
    for name, created, used, ended in rows:
        over = min(used + rules.idle, created + rules.longest, until)
        begin, end = max(created, since), over if ended is None else min(ended, over)
        if begin < end:
            found.setdefault(name, []).append((begin, end))
    return {name: merged(spans) for name, spans in found.items()}


def _done(connection: Connection, since: int, until: int) -> Mapping[str, tuple[int, int]]:
    """Return how many alarms each person acknowledged, and how many other acts there were."""
    found: dict[str, tuple[int, int]] = {}
    rows = connection.execute(
        select(acts.c.by, acts.c.act, func.count())
        .where(acts.c.at >= since, acts.c.at < until, acts.c.accepted, acts.c.by.is_not(None))
        .group_by(acts.c.by, acts.c.act)
        .limit(MOST_SESSIONS)
    )
    for name, act, count in rows:
        acknowledged, others = found.get(name, (0, 0))
        if act == ACKNOWLEDGE:
            found[name] = acknowledged + count, others
        else:
            found[name] = acknowledged, others + count
    return found
