"""One event further: ``advance(state, event, book) -> Step(state, effects)``.

It places the event in its source's sequence; sets it aside there, or finds that the table cannot
have it, or judges it against the table as it stands and lets the table follow it. It never raises,
for any event in any state, and the same input gives the same step, byte for byte.

Judging goes before folding: what a check needs is in the table before the event and the event
itself, so no table is copied to be judged. `advance_all` copies a table once for all its events,
which makes it about twice as fast as one `advance` after another, with the same result.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from streams.core.book import Book
from streams.core.cards import CARDS_IN_DECK
from streams.core.clocks import CLOCK_CHECK, CLOCK_SKEW, is_off
from streams.core.events import (
    Burned,
    CardDealt,
    CardExposed,
    DeterminantDrawn,
    DrawnInError,
    Event,
    FaceUpCardFound,
    RoundClosed,
    TableClosed,
    TableOpened,
    Tick,
)
from streams.core.findings import (
    CONFLICTING_EVENT,
    DUPLICATE,
    LATE_EVENT,
    Effect,
    EventSetAside,
    FindingRaised,
    RoundEnded,
)
from streams.core.fold import NAMES_DECK, OPENING, fold, name_deck, open_round
from streams.core.game import Plan, out_of_place, plan_for
from streams.core.games import game_of
from streams.core.judge import FirstCard, Observation, Raised, clear, make_finding, run
from streams.core.ledger import counts_stub
from streams.core.round_play import MOST_ERRORS
from streams.core.rounds import Round, RoundCard
from streams.core.sequence import Place, Sequenced, sequence
from streams.core.silence import ROUND_STALLED, STALLED, STALLED_CHECK
from streams.core.stocks import leaving, turning
from streams.core.table import MOST_SOURCES, LastRound, RoundState, TableState, observed

ENDED_WITH_TABLE: Final = ("stub_count_overdue", "hole_card_with_progressive")
"""Standing findings that the table's opening or closing clears; all others survive it."""

_LEAVERS: Final = frozenset({CardDealt, Burned, DeterminantDrawn, DrawnInError, FaceUpCardFound})

_PLACES: Final = {
    CardDealt: "dealt",
    Burned: "burned",
    DeterminantDrawn: "determinant",
    DrawnInError: "drawn_in_error",
    FaceUpCardFound: "found_face_up",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A table's next state and what getting there caused, in order.

    ``causes`` has for each effect the index of the event that caused it.
    """

    state: TableState
    effects: tuple[Effect, ...]
    causes: tuple[int, ...]


def advance(state: TableState, event: Event, book: Book) -> Step:
    """Return the table's state after an event, and its effects; ``state`` stays as it is."""
    return advance_all(state, (event,), book)


def advance_all(state: TableState, events: Iterable[Event], book: Book) -> Step:
    """Return the table's state after events in order, and all effects; ``state`` stays as it is."""
    table = state.copy()
    effects: list[Effect] = []
    causes: list[int] = []
    for index, event in enumerate(events):
        _advance(table, event, book, effects)
        if len(causes) < len(effects):
            causes += [index] * (len(effects) - len(causes))
    return Step(table, tuple(effects), tuple(causes))


def _advance(table: TableState, event: Event, book: Book, effects: list[Effect]) -> None:
    placed = sequence(table.sources, event)
    if placed.place is not Place.FRESH and placed.place is not Place.GAP:
        _set_aside(placed, Observation(table, table.round, event, book), effects)
        return
    if type(event.body) is Tick:
        if table.round is not None:
            run((STALLED_CHECK,), Observation(table, table.round, event, book), effects)
        return
    if table.standing and STALLED in table.standing:
        clear(ROUND_STALLED, "", Observation(table, table.round, event, book), effects)
    table.last_event_at = event.at
    if event.received is None:
        _apply(table, event, book, placed, effects)
        return
    table.last_received = event.received
    _apply(table, event, book, placed, effects)
    _clock(table, event, book, effects)


def _apply(
    table: TableState, event: Event, book: Book, placed: Sequenced, effects: list[Effect]
) -> None:
    """Judge and fold an event that is to be applied."""
    body = event.body
    kind = type(body)
    if placed.missing:
        if table.round is not None:
            table.round.gap = True
        else:
            # What was lost can be the use of a card that waits.
            table.errors_waiting = ()
    if isinstance(body, TableOpened):
        _open_table(table, event, body, book, placed, effects)
        return
    setup = table.setup
    if setup is None:
        _telemetry(placed, Observation(table, None, event, book), "table not opened", effects)
        return
    game = game_of(setup)
    reason = out_of_place(game, setup, body)
    if reason is not None:
        _telemetry(placed, Observation(table, table.round, event, book), reason, effects)
        return
    if kind in NAMES_DECK:
        name_deck(table, body)
    round_ = table.round
    if round_ is None and kind in OPENING:
        round_ = open_round(table, event, game)
        round_.gap = bool(placed.missing)
    seen = Observation(table, round_, event, book)
    if placed.missing:
        _telemetry(placed, seen, None, effects)
    plan = plan_for(book, game, table.observes)
    if kind in _LEAVERS:
        _card_leaves(seen, plan, effects)
    elif isinstance(body, CardExposed):
        seen.leaves = turning(round_, body) if round_ is not None else None
    run(plan.of(kind), seen, effects)
    fold(seen, game)
    if kind is RoundClosed:
        _close_round(seen, "closed", effects)
    elif kind is TableClosed:
        _close_round(seen, "cut_short", effects)
        table.open = False
        for code in ENDED_WITH_TABLE:
            clear(code, "", seen, effects)


def _clock(table: TableState, event: Event, book: Book, effects: list[Effect]) -> None:
    """Judge the clock of an event's source; a bounded number of sources stands at a time."""
    stands = (CLOCK_SKEW, event.source) in table.standing
    off = is_off(event, book.rules[CLOCK_SKEW].parameters["seconds"])
    if stands != off and (
        stands or sum(code == CLOCK_SKEW for code, _ in table.standing) < MOST_SOURCES
    ):
        run((CLOCK_CHECK,), Observation(table, table.round, event, book), effects)


def _card_leaves(seen: Observation, plan: Plan, effects: list[Effect]) -> None:
    """Work out which stock a card leaves, and judge the round's beginning at its first card."""
    table, round_ = seen.table, seen.round
    body = seen.event.body
    from_hand = table.from_hand
    if from_hand and round_ is None:
        return
    assert isinstance(body, CardDealt | Burned | DeterminantDrawn | DrawnInError | FaceUpCardFound)  # noqa: S101  the caller's test, said to mypy
    seen.leaves = leaving(table, round_, body)
    if from_hand and round_ is not None:
        stock = table.stock(seen.leaves.stock)
        if stock.seen_in_round != round_.number:
            stock.restart()
            stock.seen_in_round = round_.number
    if type(body) is CardDealt and round_ is not None and not round_.dealt:
        run(plan.of(FirstCard), seen, effects)


def _set_aside(placed: Sequenced, seen: Observation, effects: list[Effect]) -> None:
    """Set aside an event that is not to be applied, and raise what it says of its source."""
    event, source = seen.event, seen.table.sources[seen.event.source]
    match placed.place:
        case Place.DUPLICATE:
            effects.append(EventSetAside(event, DUPLICATE))
            return
        case Place.CONFLICT:
            code, verdict = CONFLICTING_EVENT, Raised()
        case _:
            code = LATE_EVENT
            verdict = Raised(detail={"last_boot": source.boot, "last_seq": source.seq})
    effects.append(EventSetAside(event, code))
    if placed.first:
        _raise_telemetry(code, verdict, seen, effects)


def _telemetry(
    placed: Sequenced, seen: Observation, reason: str | None, effects: list[Effect]
) -> None:
    """Raise a gap before the event, and the event's being out of place for a reason."""
    if placed.missing:
        _raise_telemetry("sequence_gap", Raised(detail={"missing": placed.missing}), seen, effects)
    if reason is not None:
        detail: dict[str, int | str] = {"kind": seen.event.body.kind, "reason": reason}
        _raise_telemetry("event_out_of_place", Raised(detail=detail), seen, effects)


def _raise_telemetry(code: str, verdict: Raised, seen: Observation, effects: list[Effect]) -> None:
    finding = make_finding(code, verdict, seen)
    if seen.round is not None:
        seen.round.list_finding(code, finding.id)
    effects.append(FindingRaised(finding))


def _open_table(
    table: TableState,
    event: Event,
    body: TableOpened,
    book: Book,
    placed: Sequenced,
    effects: list[Effect],
) -> None:
    """Begin the table anew: an open round ends unjudged, rounds and stub counts start again."""
    _close_round(Observation(table, table.round, event, book), "cut_short", effects)
    table.setup = body
    table.observes = observed(body)
    table.opening = event.identity
    table.open = True
    table.round_number = 0
    table.last_round = None
    table.rounds_since_stub_count = 0
    table.raised.clear()
    for stock in table.stocks.values():
        stock.seen_in_round = 0
        if stock.loaded is None:
            stock.restart()
        if stock.cut_round is not None:
            stock.cut_round = 0
    seen = Observation(table, None, event, book)
    _telemetry(placed, seen, None, effects)
    for code in ENDED_WITH_TABLE:
        clear(code, "", seen, effects)
    run(plan_for(book, game_of(body), table.observes).of(TableOpened), seen, effects)


def _close_round(seen: Observation, ended: str, effects: list[Effect]) -> None:
    """End the open round, if one is open, and keep what a later stub count needs of it."""
    table, round_ = seen.table, seen.round
    if ended != "closed":
        table.errors_waiting = ()
    if round_ is None:
        return
    if ended == "closed":
        # One that a player refused waits no longer: that nobody burned it is told of this round.
        play = None if round_.gap else round_.play
        errors = () if play is None else play.errors
        table.errors_waiting = tuple(one for one in errors if not one.refused)[:MOST_ERRORS]
    if round_.dealt and ended == "closed":
        table.rounds_since_stub_count = (
            0 if round_.stub_count is not None else table.rounds_since_stub_count + 1
        )
    table.last_round = LastRound(
        round_.number, round_.stock, round_.stock_named, round_.left, round_.gap
    )
    table.round = None
    if ended == "closed" and round_.voided:
        ended = "voided"
    effects.append(RoundEnded(round_record(table, round_, seen.event, ended)))


def round_record(table: TableState, round_: RoundState, event: Event, ended: str) -> Round:
    """Return the record of a round that an event ends."""
    setup = table.setup
    stub = setup is not None and counts_stub(setup)
    decks = setup.decks if setup is not None else 0
    return Round(
        table=table.table,
        game=setup.game if setup is not None else None,
        number=round_.number,
        opened_at=round_.opened_at,
        closed_at=event.at,
        ended=ended,
        dealer=table.dealer,
        deck=round_.stock or None,
        positions=round_.in_play if round_.in_play is not None else round_.served(),
        cards=tuple(round_card(round_, index) for index in range(len(round_.cards))),
        events=tuple(round_.events),
        dropped_events=round_.dropped_events,
        gap=round_.gap,
        expected_stub=CARDS_IN_DECK * decks - round_.left if stub else None,
        counted_stub=round_.stub_count,
        findings=tuple(round_.findings),
    )


def round_card(round_: RoundState, index: int) -> RoundCard:
    """Return the record of a card that left in the round."""
    event = round_.cards[index]
    body = event.body
    card, place = round_.card(index), _PLACES[type(body)]
    turned = round_.turned.get(index)
    if isinstance(body, CardDealt):
        return RoundCard(
            card,
            place,
            body.to,
            body.position,
            body.hand or 1,
            body.face,
            body.side,
            event.at,
            event.identity,
            turned,
        )
    side = getattr(body, "side", None)
    return RoundCard(card, place, None, None, None, None, side, event.at, event.identity, turned)
