"""A table's page as values: its facts, felt, timeline, events, alarms, figures and neighbours.

Pure functions of what the live floor knows of a table and a time; the templates only draw them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from schemas.records import Alarm, Finding, TableView
from streams.console import timeline as tl
from streams.console.alarm_list import ordered, shape, state_class
from streams.console.felt import CardMark, Felt, lay
from streams.console.inventory import Inventory, PlannedTable
from streams.console.ledger import Row, Shoe, StubClock, deck_ledger, shoes, stub_clock
from streams.console.live.floor import WHOLE_ROUNDS, LiveFloor, LiveTable
from streams.console.live.tiles import is_stale, state_of
from streams.console.pace import Pace, plot
from streams.console.table_lines import (
    EventRow,
    RoundLine,
    event_rows,
    marks_by_event,
    round_findings,
    round_lines,
    states_by_finding,
)
from streams.console.wording import NOTHING, game_word, where_words, words
from streams.core.book import Book
from streams.core.receipts import heard_at

MOST_EVENTS: Final = 60
"""Events listed, the newest first."""
MARK_TEXT: Final = 24
"""Characters of a mark's words on the timeline, at most."""

FROM: Final[Mapping[str, str]] = {
    "hand": "from the hand",
    "shoe": "from a shoe",
    "double_shoe": "from a double shoe",
}


@dataclass(frozen=True, slots=True)
class TablePage:
    """All that a table's page says; times in microseconds.

    ``seen`` is when the table was last heard of; ``events_left`` counts events of the round that
    are not listed; ``previous`` and ``following`` are its neighbours in the floor's order.
    """

    view: TableView
    planned: PlannedTable
    pit: str
    game: str
    state: str
    stale: bool
    seen: int
    device: str
    felt: Felt
    timeline: tl.Timeline | None
    events: tuple[EventRow, ...]
    events_left: int
    alarms: tuple[Alarm, ...]
    clock: StubClock | None
    ledger: tuple[Row, ...]
    shoes: tuple[Shoe, ...]
    rounds: tuple[RoundLine, ...]
    pace: Pace
    previous: str | None
    following: str | None
    camera: str | None


def page_of(
    floor: LiveFloor,
    table: LiveTable,
    *,
    inventory: Inventory,
    book: Book,
    zone: tzinfo,
    now: int,
) -> TablePage:
    """Return a table's page.

    Args:
        floor: The live floor, for the table's alarms and findings.
        table: The table.
        inventory: The floor as it is planned, with the tables that were seen.
        book: The rulebook.
        zone: The zone of the times on plots.
        now: The time it is.
    """
    view, rounds = table.view, tuple(table.rounds)
    planned = inventory.table(view.table)
    alarms = floor.alarms_of(view.table)
    states = states_by_finding(alarms)
    found = round_findings(floor.findings.values(), view)
    marks = marks_by_event(found, book, states)
    stale = is_stale(view, planned, now)
    previous, following = neighbours(inventory, view.table)
    opened = view.round_opened_at
    events = tuple(event_rows(view, marks))
    return TablePage(
        view=view,
        planned=planned,
        pit=inventory.pit_of(view.table),
        game=set_up_words(view, planned),
        state=state_words(view, stale),
        stale=stale,
        seen=heard_at(view),
        device=device_words(view),
        felt=lay(
            view,
            {
                event: CardMark(each[0].shape, each[0].state, each[0].words)
                for event, each in marks.items()
            },
        ),
        timeline=None if opened is None else _timeline(view, opened, now, found, states),
        events=events[:MOST_EVENTS],
        events_left=max(0, len(events) - MOST_EVENTS) + view.marks_dropped,
        alarms=tuple(ordered(alarms)),
        clock=stub_clock(view, book, rounds),
        ledger=deck_ledger(view),
        shoes=shoes(view),
        rounds=tuple(round_lines(rounds[-WHOLE_ROUNDS:], book, states)),
        pace=plot((round_.closed_at for round_ in rounds), now, planned.rounds_an_hour, zone),
        previous=previous,
        following=following,
        camera=planned.camera_link(opened if opened is not None else heard_at(view), now),
    )


def set_up_words(view: TableView, planned: PlannedTable) -> str:
    """Return the game and how it is dealt: ``Blackjack, from a shoe of 6 decks``."""
    said = [game_word(view.game or planned.game)]
    if view.dealt_from is not None:
        dealt = FROM.get(view.dealt_from, words(view.dealt_from))
        many = view.decks if view.decks and view.dealt_from != "hand" else None
        said.append(f"{dealt} of {many} decks" if many else dealt)
    if view.hole_card in {"down", "up"}:
        said.append(f"hole card {view.hole_card}")
    return ", ".join(said)


def state_words(view: TableView, stale: bool) -> str:
    """Return a table's state with the pass under way: ``dealing, pass 4 of 5``."""
    plain = state_of(view, stale)
    said = plain if plain in {"closed", "stale"} or view.state is None else words(view.state)
    due = view.next
    if said == "dealing" and due is not None and due.pass_ and due.passes:
        return f"{said}, pass {due.pass_} of {due.passes}"
    return said


def device_words(view: TableView) -> str:
    """Return who told the last event: ``gw-2/shoe-1, seq 9214, no gap``."""
    if not view.sources:
        return NOTHING
    source = view.sources[0]
    gap = "events of this round missing" if view.gap else "no gap"
    return f"{source.source}, seq {source.seq}, {gap}"


def neighbours(inventory: Inventory, table: str) -> tuple[str | None, str | None]:
    """Return the tables before and after one in the floor's order."""
    names = [each.name for each in inventory.tables()]
    if table not in names:
        return None, None
    place = names.index(table)
    before = names[place - 1] if place else None
    return before, names[place + 1] if place + 1 < len(names) else None


def _timeline(
    view: TableView,
    opened: int,
    now: int,
    found: Sequence[Finding],
    states: Mapping[str, str],
) -> tl.Timeline:
    standing = {one.id for one in view.standing}
    faults = [
        tl.Fault(
            max(one.at, opened),
            shape(one.severity),
            f"{words(one.code)}, standing since round {one.round}"
            if len(view.standing) == 1
            else words(one.code),
            True,
            state_class(states.get(one.id, "normal")),
        )
        for one in view.standing
    ]
    faults += [
        tl.Fault(
            one.at,
            shape(one.severity),
            ", ".join(part for part in (words(one.code), where_words(one)) if part),
            False,
            state_class(states.get(one.id, "normal")),
        )
        for one in found
        if one.id not in standing
    ]
    return tl.draw(
        opened,
        max(now, view.last_event_at, opened),
        marks=_timeline_marks(view),
        cards=[
            tl.DealtCard(card.at, card.to != "player", card.face == "up", str(card.position or ""))
            for card in view.cards
            if card.at is not None
        ],
        faults=faults,
        due_dealer=view.next.to != "player"
        if view.next is not None and view.next.what == "card"
        else None,
    )


def _timeline_marks(view: TableView) -> list[tl.Mark]:
    """Return the marks of the table's lane: wagers as one, the rest in a word or two."""
    told: list[tl.Mark] = []
    wagers = [mark for mark in view.marks if mark.kind == "wager_placed"]
    if wagers:
        positions = {mark.position for mark in wagers}
        told.append(tl.Mark(wagers[0].at, f"wagers {len(positions)}"))
    told += [
        tl.Mark(mark.at, _short(mark.kind, mark.word, mark.position))
        for mark in view.marks
        if mark.kind != "wager_placed"
    ]
    return sorted(told, key=lambda mark: mark.at)


def _short(kind: str, word: str | None, position: int | None) -> str:
    match kind:
        case "deck_in_hand":
            said = f"deck in {word} hand" if word else "deck in hand"
        case "lockout_pressed":
            said = "lockout"
        case "hole_card_read":
            said = f"reader: {words(word)}" if word else "reader"
        case "decision":
            said = f"{position} {words(word or '')}".strip()
        case _:
            said = words(kind)
    return said[:MARK_TEXT]
