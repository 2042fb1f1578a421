"""The vendor's conformance report: what each source of a recording says, and what it leaves out.

A capability counts as used when an event shows it; one that is used but not declared leaves the
rules that need it asleep, one that is declared but used by no source of the table makes the judge
raise absences that nobody could have seen.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from deploy.cli.recordings import BadLine
from streams.core.events import (
    CAPABILITIES,
    Announced,
    Body,
    Burned,
    CardDealt,
    CardExposed,
    CardsCollected,
    CardsLoaded,
    CutCardReached,
    Decision,
    DeckInHand,
    DeckOutOfArea,
    DeterminantDrawn,
    DrawnInError,
    Event,
    FaceUpCardFound,
    HoleCardRead,
    LockoutPressed,
    NoMoreBets,
    RackCounted,
    ShoeEmptied,
    ShuffleCompleted,
    StubCounted,
    StubPlaced,
    SupervisorCalled,
    TableOpened,
    UpCardDiscarded,
    UpCardMoved,
    UpCardRestored,
    WagerPlaced,
    WagerSettled,
)
from streams.core.findings import Effect, EventSetAside, FindingRaised

ALL: Final = "*"
SHOWN_BAD_LINES: Final = 20
"""Bad lines told of a source; the others are counted."""

_SHOWS: Final[dict[type[Body], tuple[str, ...]]] = {
    WagerPlaced: ("wagers",),
    NoMoreBets: ("announcements",),
    Announced: ("announcements",),
    LockoutPressed: ("lockout",),
    ShuffleCompleted: ("shuffles",),
    CardsLoaded: ("shuffles",),
    ShoeEmptied: ("shuffles",),
    RackCounted: ("shuffles",),
    CutCardReached: ("shuffles",),
    DeckInHand: ("dealing_hand",),
    DeckOutOfArea: ("deck_area",),
    Burned: ("burns",),
    Decision: ("decisions",),
    CardsCollected: ("collection",),
    WagerSettled: ("settlements",),
    StubPlaced: ("stub",),
    StubCounted: ("stub",),
    HoleCardRead: ("reader",),
    SupervisorCalled: ("supervisor",),
    UpCardMoved: ("up_card",),
    UpCardDiscarded: ("up_card",),
    UpCardRestored: ("up_card",),
}
"""The capabilities that an event of a kind shows whatever its fields are."""


def capabilities_shown(body: Body) -> frozenset[str]:
    """Return the capabilities that an event shows its table to have."""
    shown = set(_SHOWS.get(type(body), ()))
    match body:
        case CardDealt():
            shown.add("faces")
            if body.drawn_with or body.placed_with:
                shown.add("draw_hand")
            if body.card:
                shown.add("cards")
        case CardExposed():
            shown.add("faces")
            if body.card:
                shown.add("cards")
        case DeterminantDrawn() | DrawnInError() | FaceUpCardFound() | Burned():
            if body.card:
                shown.add("cards")
        case Announced() if body.total is not None:
            shown.add("totals")
        case _:
            pass
    return frozenset(shown)


@dataclass(slots=True)
class SourceReport:
    """What one source said."""

    events: int = 0
    boots: set[int] = field(default_factory=set)
    tables: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    used: set[str] = field(default_factory=set)
    gaps: int = 0
    missing: int = 0
    set_aside: Counter[str] = field(default_factory=Counter)
    out_of_place: Counter[str] = field(default_factory=Counter)
    bad_lines: int = 0
    bad: list[BadLine] = field(default_factory=list)


class Conformance:
    """The report of one recording, as it grows."""

    def __init__(self) -> None:
        self._sources: dict[str | None, SourceReport] = {}
        self._declared: dict[str, set[str]] = {}
        self._used: dict[str, set[str]] = {}

    def event(self, event: Event) -> None:
        """Count an event."""
        body = event.body
        report = self._report(event.source)
        report.events += 1
        report.boots.add(event.boot)
        report.tables.add(event.table)
        report.kinds[body.kind] += 1
        shown = capabilities_shown(body)
        if not shown <= report.used:
            report.used |= shown
        self._used.setdefault(event.table, set()).update(shown)
        if isinstance(body, TableOpened):
            named = CAPABILITIES if ALL in body.observes else body.observes
            self._declared.setdefault(event.table, set()).update(named)

    def bad_line(self, line: BadLine) -> None:
        """Count a line that was refused."""
        report = self._report(line.source)
        report.bad_lines += 1
        if len(report.bad) < SHOWN_BAD_LINES:
            report.bad.append(line)

    def effect(self, effect: Effect) -> None:
        """Count what judging said of the data."""
        match effect:
            case EventSetAside(event, reason):
                self._report(event.source).set_aside[reason] += 1
            case FindingRaised(finding) if finding.code == "sequence_gap":
                report = self._report(_source(finding.table, finding.events[-1]))
                report.gaps += 1
                report.missing += int(finding.detail["missing"])
            case FindingRaised(finding) if finding.code == "event_out_of_place":
                report = self._report(_source(finding.table, finding.events[-1]))
                report.out_of_place[str(finding.detail.get("kind"))] += 1
            case _:
                pass

    def rows(self) -> list[dict[str, Any]]:
        """Return one object a source, by name; bad lines that name none come last."""
        names = sorted(self._sources, key=lambda name: (name is None, name or ""))
        return [self._row(name, self._sources[name]) for name in names]

    def _row(self, name: str | None, report: SourceReport) -> dict[str, Any]:
        declared = {each for table in report.tables for each in self._declared.get(table, ())}
        used = {each for table in report.tables for each in self._used.get(table, ())}
        return {
            "source": name,
            "tables": sorted(report.tables),
            "boots": sorted(report.boots),
            "events": report.events,
            "kinds": dict(sorted(report.kinds.items())),
            "gaps": report.gaps,
            "missing_events": report.missing,
            "duplicates": report.set_aside["duplicate"],
            "late_events": report.set_aside["late_event"],
            "conflicting_events": report.set_aside["conflicting_event"],
            "out_of_place": dict(sorted(report.out_of_place.items())),
            "bad_lines": report.bad_lines,
            "bad": [
                {
                    "line": line.number,
                    "field": line.fault.field,
                    "expected": line.fault.expected,
                    "found": line.fault.found,
                }
                for line in report.bad
            ],
            "capabilities_used": _ordered(report.used),
            "used_not_declared": _ordered(report.used - declared),
            "declared_not_used": _ordered(declared - used),
        }

    def _report(self, source: str | None) -> SourceReport:
        report = self._sources.get(source)
        if report is None:
            report = self._sources[source] = SourceReport()
        return report


def _ordered(capabilities: set[str]) -> list[str]:
    return [each for each in CAPABILITIES if each in capabilities]


def _source(table: str, identity: str) -> str:
    """Return the source of an event's identity, ``table/source/boot/seq``."""
    return identity.removeprefix(f"{table}/").rsplit("/", 2)[0]
