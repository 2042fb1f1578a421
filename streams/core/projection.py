"""A table's state as it may be shown."""

from streams.core.events import CardDealt, CardExposed, StubCounted
from streams.core.games import game_of
from streams.core.stocks import hand_key
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
            turned = index in round_.turned
            face = "up" if turned or body.face == "up" else "down"
            known = face == "up" and (not turned or _is_certain(round_, index, body))
            card = round_.card(index) if known else None
            cards.append(ViewCard(body.to, body.position, body.hand or 1, face, card))
    return tuple(cards)


def _is_certain(round_: RoundState, index: int, dealt: CardDealt) -> bool:
    """Return whether a card turned up is surely this one of its hand.

    One that was not read when it was turned may be any of those that still lay down.
    """
    key = hand_key(dealt.to, dealt.position, dealt.hand)
    if all(_lies_open(round_, other) for other in round_.hands[key]):
        return True
    card = round_.card(index)
    return any(
        isinstance(shown, CardExposed)
        and shown.card == card
        and hand_key(shown.to, shown.position, shown.hand) == key
        for shown in (event.body for event in round_.events)
    )


def _lies_open(round_: RoundState, index: int) -> bool:
    body = round_.cards[index].body
    return index in round_.turned or (isinstance(body, CardDealt) and body.face == "up")
