"""A table's state as it may be shown."""

from typing import Final

from streams.core.cards import Card
from streams.core.due import Due, due_by_script, lies_open
from streams.core.events import CardDealt, CardExposed, Event, WagerPlaced
from streams.core.game import Game
from streams.core.games import game_of
from streams.core.ledger import counts_stub, stocks_in_use, stub_due, stub_now
from streams.core.marks import Sources, marks_of
from streams.core.phase import phase_of
from streams.core.stocks import hand_key
from streams.core.table import HandKey, RoundState, TableState
from streams.core.views import TableView, ViewCard, ViewStanding, ViewWager

MOST_MARKS: Final = 40
"""Marks of a view: a round of seven positions has some thirty until it is settled."""

_new: Final = tuple.__new__
"""Makes a named tuple of a tuple, without the call that its own constructor is."""

NO_ROUND: Final = RoundState(0, 0)
"""What is shown of the open round where none is; nothing changes it."""


def view(state: TableState) -> TableView:
    """Return what may be shown of a table: never a card that lies face down."""
    setup, round_ = state.setup, state.round
    game = None if setup is None else game_of(setup)
    stub = setup is not None and counts_stub(setup)
    shown = NO_ROUND if round_ is None else round_
    others = [event for event in shown.events if type(event.body) is not CardDealt]
    sources = Sources(state)
    return TableView(
        table=state.table,
        game=None if setup is None else setup.game,
        open=state.open,
        dealer=state.dealer,
        round=state.round_number,
        round_open=round_ is not None,
        round_opened_at=None if round_ is None else round_.opened_at,
        positions=_positions(shown),
        cards=_cards(shown, sources),
        rounds_since_stub_count=(
            state.rounds_since_stub_count if stub and "stub" in state.observes else None
        ),
        standing=tuple(
            ViewStanding(one.code, one.id, one.severity, one.round, one.at)
            for one in state.standing.values()
        ),
        last_event_at=state.last_event_at,
        last_received=state.last_received,
        state=phase_of(state),
        dealt_from=None if setup is None else setup.dealt_from,
        decks=None if setup is None else setup.decks,
        seats=None if setup is None else setup.positions,
        hole_card=None if setup is None else setup.hole_card,
        holding=shown.holding,
        gap=shown.gap,
        wagers=_wagers(others),
        marks=marks_of(shown, others[-MOST_MARKS:], sources),
        marks_dropped=max(0, len(others) - MOST_MARKS),
        sources=sources.named(),
        next=None if game is None or round_ is None else _next(state, game, round_),
        stocks=() if setup is None else stocks_in_use(state, setup),
        cards_out=None if round_ is None else round_.left,
        stub_now=stub_now(state, round_) if stub and round_ is not None else None,
        stub_due=stub_due(state, game, round_) if stub and game and round_ is not None else None,
        counted_stub=shown.stub_count,
    )


def _positions(round_: RoundState) -> tuple[int, ...]:
    if round_.in_play is not None:
        return round_.in_play
    return tuple(sorted(round_.wagered.union(round_.served())))


def _cards(round_: RoundState, sources: Sources) -> tuple[ViewCard, ...]:
    cards: list[ViewCard] = []
    turned, readings = round_.turned, round_.readings
    exposed = _exposed(round_) if turned else frozenset[tuple[HandKey, Card]]()
    for index, event in enumerate(round_.cards):
        body = event.body
        if type(body) is CardDealt:
            face, card = body.face, None
            if index in turned:
                face = "up"
                if _is_certain(round_, index, body, exposed):
                    card = round_.card(index)
            elif face == "up":
                card = readings.get(index) or body.card
            row = (
                body.to,
                body.position,
                body.hand or 1,
                face,
                card,
                len(cards) + 1,
                event.at,
                sources.place(event),
                event.seq,
            )
            cards.append(_new(ViewCard, row))
    return tuple(cards)


def _exposed(round_: RoundState) -> frozenset[tuple[HandKey, Card]]:
    """Return the cards that were read when they were turned up, each with its hand."""
    return frozenset(
        (hand_key(body.to, body.position, body.hand), body.card)
        for body in (event.body for event in round_.events)
        if isinstance(body, CardExposed) and body.card is not None
    )


def _is_certain(
    round_: RoundState, index: int, dealt: CardDealt, exposed: frozenset[tuple[HandKey, Card]]
) -> bool:
    """Return whether a card turned up is surely this one of its hand.

    One that was not read when it was turned may be any of those that still lay down.
    """
    key = hand_key(dealt.to, dealt.position, dealt.hand)
    card = round_.card(index)
    if card is not None and (key, card) in exposed:
        return True
    return all(lies_open(round_, other) for other in round_.hands[key])


def _wagers(events: list[Event]) -> tuple[ViewWager, ...]:
    placed = [event.body for event in events if type(event.body) is WagerPlaced]
    rows = {(one.position, one.wager): (one.position, one.wager, one.amount) for one in placed}
    return tuple([_new(ViewWager, row) for row in rows.values()])


def _next(state: TableState, game: Game, round_: RoundState) -> Due | None:
    """Return what is due next: nothing once hands are settled or the round is void."""
    if round_.settling or round_.voided:
        return None
    if game.due is not None:
        return game.due(round_)
    if game.script is None:
        return None
    return due_by_script(game.script, round_, "wagers" in state.observes)
