"""The alarms page as values: its rows, the flood's line, one alarm in detail.

Pure functions of alarms, findings, the rulebook and a time; the templates only draw them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from schemas.records import Alarm, Finding
from streams.console.access.roles import User, refusal
from streams.console.acts import ACT_WORDS
from streams.console.alarm_list import (
    Chosen,
    Flood,
    acts_for,
    choose,
    counts,
    find_flood,
)
from streams.console.inventory import Inventory
from streams.console.live.floor import LiveFloor
from streams.console.wording import (
    act_words,
    age_words,
    clause_words,
    dealer_steps,
    detail_words,
    full_stamp,
    hour_minute,
    stamp,
    supervisor_steps,
    title_of,
    where_words,
    words,
)
from streams.core.alarms.alarm import ACKNOWLEDGED, OUT_OF_SERVICE, RETURNED, SHELVED, TO_ANSWER
from streams.core.alarms.commands import REFUSALS
from streams.core.book import Book

TIMES: Final = "\N{MULTIPLICATION SIGN}"

MOST_ROWS: Final = 500
"""Rows of the page; the list says how many more there are."""

OF_DETAIL: Final = ("acknowledge", "unshelve", "in_service", "shelve", "comment", "out_of_service")
"""The acts of the detail in the order of their buttons."""
KEYS: Final[Mapping[str, str]] = {
    "acknowledge": "a",
    "shelve": "s",
    "comment": "c",
    "unshelve": "u",
}


@dataclass(frozen=True, slots=True)
class ActButton:
    """An act that an alarm's state allows; ``why_not`` says why this person may not do it."""

    act: str
    words: str
    key: str
    why_not: str | None


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """One alarm as the list shows it.

    ``title`` has the place and the finding's detail; ``to_do`` is the response in a line; ``sub``
    stands under the age: the round, who answered, or until when it is away. ``refused`` is why the
    last act was refused, where it was.
    """

    alarm: Alarm
    title: str
    to_do: str
    sub: str
    pit: str
    folded: bool
    acts: tuple[ActButton, ...]
    refused: str | None


@dataclass(frozen=True, slots=True)
class AlarmsPage:
    """The list: its rows, how many each group has, the flood, and how many rows are left out."""

    rows: tuple[AlarmRow, ...]
    counts: Mapping[str, int]
    flood: Flood | None
    flood_words: str
    left: int


@dataclass(frozen=True, slots=True)
class Done:
    """One thing that was done or happened: when, in words, and what was noted."""

    at: int
    words: str
    note: str | None


@dataclass(frozen=True, slots=True)
class AlarmDetail:
    """One alarm in full: what it rests on, what to do, why, what proves it, what was done."""

    row: AlarmRow
    title: str
    priority: str
    clause: str
    raised: str
    dealer: str | None
    supervisor: tuple[str, ...]
    dealers: tuple[str, ...]
    asks: tuple[str, ...]
    events: tuple[str, ...]
    done: tuple[Done, ...]
    waiting: str | None


@dataclass(frozen=True, slots=True)
class Looking:
    """Who looks at the page, and by what it is made."""

    user: User
    book: Book
    inventory: Inventory
    zone: tzinfo
    now: int


def raised_finding(findings: Mapping[tuple[str, str], Finding], alarm: Alarm) -> Finding | None:
    """Return the alarm's last finding, if it is among those of the last hours."""
    return next(
        (
            found
            for id_ in reversed(alarm.findings)
            if (found := findings.get((id_, "raised"))) is not None
        ),
        None,
    )


def title_words(alarm: Alarm, finding: Finding | None, book: Book) -> str:
    """Return what an alarm says: ``The stub does not hold …: 11 expected, 10 counted``."""
    title = title_of(book, alarm.code)
    where = where_words(alarm)
    detail = detail_words(finding.detail) if finding is not None else ""
    said = ", ".join(part for part in (where, detail) if part)
    return f"{title}: {said}" if said else title


def text_of(alarm: Alarm, book: Book) -> str:
    """Return the text in which the filter's words are looked for."""
    by = alarm.acknowledged_by or ""
    return (
        f"{alarm.table} {alarm.code} {alarm.clause} {alarm.class_} {alarm.severity} "
        f"{title_of(book, alarm.code)} {alarm.game or ''} {by}"
    )


def alarms_page(floor: LiveFloor, chosen: Chosen, looking: Looking) -> AlarmsPage:
    """Return the list.

    Args:
        floor: The live floor.
        chosen: Which alarms are wanted.
        looking: Who looks.
    """
    inventory, book = looking.inventory, looking.book
    alarms = list(floor.alarms.values())
    flood = find_flood(
        alarms, looking.now, pit_of=_pit_of(inventory), gateway_of=_gateway_of(inventory)
    )
    folded = frozenset(alarm.id for alarm in flood.folded) if flood is not None else frozenset()
    found = choose(
        alarms,
        chosen,
        pit_of=inventory.pit_of,
        text_of=lambda alarm: text_of(alarm, book),
        surveillance=looking.user.role == "surveillance",
    )
    rows = tuple(
        alarm_row(alarm, raised_finding(floor.findings, alarm), looking, alarm.id in folded)
        for alarm in found[:MOST_ROWS]
    )
    said = flood_words(flood, book) if flood is not None else ""
    return AlarmsPage(rows, counts(alarms), flood, said, max(0, len(found) - MOST_ROWS))


def _pit_of(inventory: Inventory) -> Callable[[str], str | None]:
    """Return what tells a table's pit; that of a floor with one pit says nothing."""

    def pit_of(table: str) -> str | None:
        if len(inventory.pits) < 2:
            return None
        name = inventory.pit_of(table)
        return name if name.casefold().startswith("pit") else f"pit {name}"

    return pit_of


def _gateway_of(inventory: Inventory) -> Callable[[str], str | None]:
    def gateway_of(table: str) -> str | None:
        known = inventory.gateways_of(table)
        return known[0].name if known else None

    return gateway_of


def flood_words(flood: Flood, book: Book) -> str:
    """Return what a flood is made of: how many of which code, at how many tables, and the cause."""
    if not flood.folded:
        return "All of it is answered."
    many = [
        f"{count} {TIMES} {words(code)} ({severity})" for code, severity, count in flood.codes[:3]
    ]
    if len(flood.codes) > len(many):
        many.append(f"{len(flood.codes) - len(many)} other codes")
    tables = "1 table" if flood.tables == 1 else f"{flood.tables} tables"
    cause = f", {flood.cause}" if flood.cause else ""
    return f"{', '.join(many)}: {tables}{cause}."


def alarm_row(
    alarm: Alarm, finding: Finding | None, looking: Looking, folded: bool = False
) -> AlarmRow:
    """Return one alarm as the list shows it."""
    rule = looking.book.rules.get(alarm.code)
    pit = looking.inventory.pit_of(alarm.table)
    return AlarmRow(
        alarm=alarm,
        title=title_words(alarm, finding, looking.book),
        to_do=rule.supervisor if rule is not None else "",
        sub=_sub(alarm, looking),
        pit=pit,
        folded=folded,
        acts=buttons(alarm, looking.user, pit),
        refused=_refused(alarm),
    )


def buttons(alarm: Alarm, user: User, pit: str) -> tuple[ActButton, ...]:
    """Return the acts that an alarm's state allows, each with why this person may not do it."""
    allowed = acts_for(alarm)
    return tuple(
        ActButton(act, ACT_WORDS[act], KEYS.get(act, ""), refusal(user, act, alarm, pit))
        for act in OF_DETAIL
        if act in allowed
    )


def _sub(alarm: Alarm, looking: Looking) -> str:
    match alarm.state:
        case "acknowledged" if alarm.acknowledged_at is not None:
            ago = age_words(looking.now - alarm.acknowledged_at)
            return f"{alarm.acknowledged_by or ''}, {ago} ago"
        case "shelved" if alarm.shelved_until is not None:
            until = f"until {hour_minute(alarm.shelved_until, looking.zone)}"
            why = next((act.note for act in reversed(alarm.acts) if act.act == "shelve"), None)
            return f"{until}, {why[:40]}" if why else until
        case "out_of_service":
            why = next((a.note for a in reversed(alarm.acts) if a.act == "out_of_service"), None)
            return why[:40] if why else ""
        case _:
            since = f"round {alarm.round}" if alarm.round else ""
            many = f"{alarm.count} times" if alarm.count > 1 else ""
            return ", ".join(part for part in (many, since) if part)


def _refused(alarm: Alarm) -> str | None:
    if alarm.answer is None or alarm.answer.accepted:
        return None
    return refusal_words(alarm.answer.reason)


def refusal_words(reason: str | None) -> str:
    """Return why a worker refused, in words; a reason unknown here is shown as it came."""
    return REFUSALS.get(reason or "", words(reason or "refused"))


def detail_of(
    alarm: Alarm,
    finding: Finding | None,
    looking: Looking,
    *,
    dealer: str | None = None,
    asks: Sequence[str] = (),
) -> AlarmDetail:
    """Return one alarm in full.

    Args:
        alarm: The alarm.
        finding: Its last finding, if it is known.
        looking: Who looks.
        dealer: Who dealt then, if it is known.
        asks: What the clause asks, sentence by sentence.
    """
    rule = looking.book.rules.get(alarm.code)
    kind = f", {rule.state}" if rule is not None else ""
    place = f", round {alarm.round}" if alarm.round else ""
    return AlarmDetail(
        row=alarm_row(alarm, finding, looking),
        title=title_words(alarm, finding, looking.book),
        priority=f"{alarm.severity.capitalize()}{kind}",
        clause=clause_words(alarm.clause),
        raised=f"{full_stamp(alarm.raised_at, looking.zone)}{place}",
        dealer=dealer,
        supervisor=supervisor_steps(looking.book, alarm.code),
        dealers=dealer_steps(looking.book, alarm.code),
        asks=tuple(asks),
        events=finding.events if finding is not None else (),
        done=tuple(_done(alarm, looking)),
        waiting=_waiting(alarm, looking),
    )


def _done(alarm: Alarm, looking: Looking) -> Iterable[Done]:
    things = [Done(alarm.raised_at, "raised", None)]
    if alarm.count > 1:
        things.append(Done(alarm.last_at, f"raised again, {alarm.count} times in all", None))
    if alarm.cleared_at is not None:
        things.append(Done(alarm.cleared_at, "its cause went", None))
    things += [Done(act.at, act_words(act, looking.zone), act.note) for act in alarm.acts]
    if alarm.closed_at is not None:
        things.append(Done(alarm.closed_at, "closed", None))
    return sorted(things, key=lambda each: each.at)


def _waiting(alarm: Alarm, looking: Looking) -> str | None:
    match alarm.state:
        case state if state in TO_ANSWER:
            what = "returned, " if state == RETURNED else ""
            return f"{what}waiting for an answer, {age_words(looking.now - alarm.raised_at)}"
        case state if state == ACKNOWLEDGED:
            return "its cause stands"
        case state if state == SHELVED and alarm.shelved_until is not None:
            return f"comes back at {stamp(alarm.shelved_until, looking.zone)}"
        case state if state == OUT_OF_SERVICE:
            return "out of service until it is put back"
        case _:
            return None
