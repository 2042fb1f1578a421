"""How checks see an event, and how what they say becomes findings.

A check is one small pure function for one code. It is registered for a kind of event, or for the
moment of a round's first card, so that an event runs only its own. It sees the event and the table
as it stood before it, with the round open that the event opens; what follows from both it works
out itself, so nothing needs to be copied to be judged.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

from streams.core.book import Book
from streams.core.events import Body, Event
from streams.core.findings import (
    Detail,
    Effect,
    Finding,
    FindingCleared,
    FindingRaised,
    finding_id,
)
from streams.core.stocks import Leaving
from streams.core.table import RoundState, Standing, TableState

NO_DETAIL: Final[Detail] = {}


class RestsOn(Enum):
    """What a check concludes from; it tells where the check must hold its tongue.

    In a round with a sequence gap only facts are judged; after a round is voided no absence and
    no order is, save for integrity, which goes on.
    """

    FACT = auto()
    ABSENCE = auto()
    ORDER = auto()
    NUMBER = auto()


class Once(Enum):
    """How often a check's finding may be raised."""

    ROUND = auto()  # once for each table, round, code, position and hand
    EVENT = auto()  # once for each causing event
    MARK = auto()  # once for each mark, until the stock is loaded or the round ends
    STANDING = auto()  # once until it is cleared


@dataclass(frozen=True, slots=True)
class Raised:
    """A check's word that its rule was broken; ``key`` is a standing finding's deck or side."""

    position: int | None = None
    hand: int | None = None
    detail: Detail = field(default_factory=lambda: NO_DETAIL)
    key: str = ""
    events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cleared:
    """A check's word that a standing finding is over."""

    key: str = ""


Verdict = Raised | Cleared


@dataclass(slots=True)
class Observation:
    """What a check sees: the table before the event, the open round, the event, the book.

    ``leaves`` says how a card leaves its stock or is turned up by the event, if one does. ``read``
    is what a game's checks read off the round once, for all that the event runs.
    """

    table: TableState
    round: RoundState | None
    event: Event
    book: Book
    leaves: Leaving | None = None
    read: object = None


CheckFunction = Callable[[Observation, Any], Iterable[Verdict]]


class FirstCard:
    """The moment of a round's first card, judged before the other checks of a card dealt."""


@dataclass(frozen=True, slots=True)
class Check:
    """One code's check: when it runs, what it rests on, and how often it may raise."""

    code: str
    on: tuple[type[Body] | type[FirstCard], ...]
    judge: CheckFunction
    rests_on: RestsOn = RestsOn.FACT
    once: Once = Once.ROUND


def silent(check: Check, round_: RoundState | None, book: Book) -> bool:
    """Return whether a check must not speak in a round with a gap, or one that was voided."""
    if round_ is None or check.rests_on is RestsOn.FACT:
        return False
    if round_.gap:
        return True
    return (
        round_.voided
        and check.rests_on is not RestsOn.NUMBER
        and book.rules[check.code].class_ != "integrity"
    )


def run(checks: tuple[Check, ...], seen: Observation, effects: list[Effect]) -> None:
    """Run checks on an observation and add what they raise and clear to the effects."""
    body = seen.event.body
    round_ = seen.round
    guarded = round_ is not None and (round_.gap or round_.voided)
    for check in checks:
        verdicts = check.judge(seen, body)
        if not verdicts:
            continue
        muted = guarded and silent(check, round_, seen.book)
        for verdict in verdicts:
            match verdict:
                case Raised():
                    if not muted:
                        _raise(check, verdict, seen, effects)
                case Cleared():
                    clear(check.code, verdict.key, seen, effects)


def _raise(
    check: Check,
    verdict: Raised,
    seen: Observation,
    effects: list[Effect],
) -> None:
    table = seen.table
    place = (check.code, verdict.position, verdict.hand)
    match check.once:
        case Once.ROUND:
            if place in table.raised:
                return
            table.raised.add(place)
        case Once.MARK:
            stock = table.stock(seen.leaves.stock if seen.leaves else "")
            mark = f"{check.code} {verdict.key}"
            if mark in stock.raised:
                return
            stock.raised.add(mark)
        case Once.STANDING:
            if (check.code, verdict.key) in table.standing:
                return
        case Once.EVENT:
            pass
    finding = make_finding(check.code, verdict, seen)
    if check.once is Once.STANDING:
        table.standing[check.code, verdict.key] = Standing(
            check.code,
            verdict.key,
            finding.id,
            finding.game,
            finding.clause,
            finding.severity,
            finding.round,
            finding.position,
            finding.hand,
            finding.at,
            seen.event.identity,
            finding.detail,
        )
    if seen.round is not None:
        seen.round.list_finding(finding.code, finding.id)
    effects.append(FindingRaised(finding))


def make_finding(code: str, verdict: Raised, seen: Observation) -> Finding:
    """Return the finding a verdict makes of an observation."""
    table = seen.table
    event = seen.event
    rule = seen.book.rules[code]
    game = table.setup.game if table.setup is not None else None
    identity = event.identity
    return Finding(
        id=finding_id(
            table.table,
            table.opening,
            table.round_number,
            code,
            verdict.position,
            verdict.hand,
            identity,
        ),
        code=code,
        clause=seen.book.clause(code, game),
        class_=rule.class_,
        state="raised",
        severity=rule.severity,
        table=table.table,
        game=game,
        round=table.round_number,
        position=verdict.position,
        hand=verdict.hand,
        at=event.at,
        events=(*verdict.events, identity),
        detail=verdict.detail,
    )


def clear(code: str, key: str, seen: Observation, effects: list[Effect]) -> None:
    """Clear a standing finding, if it stands: the same id, in the round of its clearing."""
    table = seen.table
    standing = table.standing.pop((code, key), None)
    if standing is None:
        return
    effects.append(
        FindingCleared(
            Finding(
                id=standing.id,
                code=code,
                clause=standing.clause,
                class_=seen.book.rules[code].class_,
                state="cleared",
                severity=standing.severity,
                table=table.table,
                game=standing.game,
                round=table.round_number,
                position=standing.position,
                hand=standing.hand,
                at=seen.event.at,
                events=(standing.event, seen.event.identity),
                detail=standing.detail,
            )
        )
    )
