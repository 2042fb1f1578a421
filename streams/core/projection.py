"""A table's state as it may be shown."""

from streams.core.events import CardDealt, StubCounted
from streams.core.games import game_of
from streams.core.table import RoundState, TableState
from streams.core.views import TableView, ViewCard, ViewStanding


def view(state: TableState) -> TableView:
    """Return what may be shown of a table: never a card that lies face down."""
    setup, round_ = state.setup, state.round
    counts_stub = (
        setup is not None and setup.dealt_from == "hand" and StubCounted not in game_of(setup).kinds
    )
    return TableView(
        table=state.table,
        game=setup.game if setup is not None else None,
        open=state.open,
        dealer=state.dealer,
        round=state.round_number,
        round_open=round_ is not None,
        round_opened_at=round_.opened_at if round_ is not None else None,
        positions=_positions(round_),
        cards=_cards(round_) if round_ is not None else (),
        rounds_since_stub_count=state.rounds_since_stub_count if counts_stub else None,
        standing=tuple(
            ViewStanding(one.code, one.id, one.severity, one.round, one.at)
            for one in state.standing.values()
        ),
        last_event_at=state.last_event_at,
        last_received=state.last_received,
    )


def _positions(round_: RoundState | None) -> tuple[int, ...]:
    if round_ is None:
        return ()
    if round_.in_play is not None:
        return round_.in_play
    return tuple(sorted(round_.wagered.union(round_.served())))


def _cards(round_: RoundState) -> tuple[ViewCard, ...]:
    cards: list[ViewCard] = []
    for index, event in enumerate(round_.cards):
        body = event.body
        if isinstance(body, CardDealt):
            shown = body.face == "up" or index in round_.turned
            card = round_.card(index) if shown else None
            face = "up" if shown else "down"
            cards.append(ViewCard(body.to, body.position, body.hand or 1, face, card))
    return tuple(cards)
