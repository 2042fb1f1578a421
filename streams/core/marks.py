"""What may be told of a round's events that deal no card.

A mark has whose hand the event is of, what it is ``of`` (a wager, who announces or touches, a
device, a side), a ``word`` (an action, an announcement, an outcome, a place, a hand, a method), a
``figure`` (an amount in minor units, a total, a number of cards) and a card that lies open. A text
that a person or device makes up is left out, for it may name a card; so is what the card reader
found in a hole card that lies face down. Of a kind that is not in ``TOLD`` nothing but its name is
told.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from streams.core.cards import Card
from streams.core.due import hand_open
from streams.core.events import (
    CLOCK_SOURCE,
    Announced,
    Burned,
    CardExposed,
    CardsCollected,
    CardsCut,
    CardsLoaded,
    CardsTouched,
    CutCardReached,
    DealerArrived,
    DealerLeft,
    Decision,
    DeckInHand,
    DeterminantDrawn,
    DeviceFault,
    DeviceRestored,
    DiscardsShuffledIn,
    DrawnInError,
    Event,
    FaceUpCardFound,
    HandDeclaredDead,
    HoleCardRead,
    RackCounted,
    ShoeEmptied,
    ShoeExhausted,
    ShuffleCompleted,
    StubCounted,
    StubPlaced,
    SupervisorCalled,
    WagerPlaced,
    WagerSettled,
)
from streams.core.script import DEALER
from streams.core.table import RoundState, TableState
from streams.core.views import ViewMark, ViewSource

Told = tuple[str | None, int | None, int | None, str | None, str | None, int | None, Card | None]
"""To, position, hand, of, word, figure, card."""

_new: Final = tuple.__new__
"""Makes a named tuple of a tuple, without the call that its own constructor is."""

NOTHING: Final[Told] = (None, None, None, None, None, None, None)


def _side(body: CardsCut | CutCardReached | DiscardsShuffledIn | ShoeExhausted) -> Told:
    return (None, None, None, body.side, None, None, None)


def _counted(body: CardsLoaded | ShoeEmptied | RackCounted) -> Told:
    return (None, None, None, body.side, None, body.cards, None)


def _device(body: DeviceFault | DeviceRestored) -> Told:
    return (None, body.position, None, body.device, None, None, None)


def _dealer(body: DealerArrived | DealerLeft) -> Told:
    return (None, None, None, None, body.dealer, None, None)


def _shuffled(body: ShuffleCompleted) -> Told:
    return (None, None, None, body.side, body.method, body.cards, None)


def _deck_in_hand(body: DeckInHand) -> Told:
    return (None, None, None, None, body.hand, None, None)


def _burned(body: Burned) -> Told:
    shown = body.card if body.exposed else None
    return (None, None, None, body.side, body.place, None, shown)


def _drawn_in_error(body: DrawnInError) -> Told:
    if body.exposed:
        return (None, None, None, body.side, "exposed", None, body.card)
    return (None, None, None, body.side, None, None, None)


def _determinant(body: DeterminantDrawn) -> Told:
    return (None, None, None, body.side, None, None, body.card)


def _found(body: FaceUpCardFound) -> Told:
    return (None, None, None, body.side, body.place, None, body.card)


def _stub_placed(body: StubPlaced) -> Told:
    return (None, None, None, None, "exposed" if body.exposed else None, None, None)


def _stub_counted(body: StubCounted) -> Told:
    return (None, None, None, None, None, body.cards, None)


def _wager(body: WagerPlaced) -> Told:
    return (None, body.position, None, body.wager, None, body.amount, None)


def _settled(body: WagerSettled) -> Told:
    return (None, body.position, body.hand, body.wager, body.outcome, None, None)


def _announced(body: Announced) -> Told:
    return (None, body.position, body.hand, body.by, body.what, body.total, None)


def _decision(body: Decision) -> Told:
    return (None, body.position, body.hand, None, body.action, None, None)


def _dead(body: HandDeclaredDead) -> Told:
    word = "wager_returned" if body.wager_returned else "wager_kept"
    return (None, body.position, body.hand, None, word, None, None)


def _exposed(body: CardExposed) -> Told:
    return (body.to, body.position, body.hand, None, None, None, body.card)


def _collected(body: CardsCollected) -> Told:
    return (body.to, body.position, body.hand, None, None, None, None)


def _touched(body: CardsTouched) -> Told:
    word = "permitted" if body.permitted else "not_permitted"
    return (None, None, None, body.by, word, None, None)


def _supervisor(body: SupervisorCalled) -> Told:
    known = body.reason == "amount_ascertained"
    return (None, None, None, None, body.reason if known else None, None, None)


def _read(body: HoleCardRead) -> Told:
    return (None, None, None, "card_reader", body.result, None, None)


TOLD: Final[Mapping[type, Callable[[Any], Told]]] = {
    Announced: _announced,
    Burned: _burned,
    CardExposed: _exposed,
    CardsCollected: _collected,
    CardsCut: _side,
    CardsLoaded: _counted,
    CardsTouched: _touched,
    CutCardReached: _side,
    DealerArrived: _dealer,
    DealerLeft: _dealer,
    Decision: _decision,
    DeckInHand: _deck_in_hand,
    DeterminantDrawn: _determinant,
    DeviceFault: _device,
    DeviceRestored: _device,
    DiscardsShuffledIn: _side,
    DrawnInError: _drawn_in_error,
    FaceUpCardFound: _found,
    HandDeclaredDead: _dead,
    HoleCardRead: _read,
    RackCounted: _counted,
    ShoeEmptied: _counted,
    ShoeExhausted: _side,
    ShuffleCompleted: _shuffled,
    StubCounted: _stub_counted,
    StubPlaced: _stub_placed,
    SupervisorCalled: _supervisor,
    WagerPlaced: _wager,
    WagerSettled: _settled,
}
"""What is told of each kind; of others, and of a new kind until it is put here, nothing."""


class Sources:
    """Who told what is shown of a table, each once, and first who told its last event."""

    def __init__(self, table: TableState) -> None:
        self._known = table.sources
        self._places: dict[tuple[str, int], int] = {}
        for name in reversed(table.sources):
            if name != CLOCK_SOURCE:
                self._places[name, table.sources[name].boot] = 0
                break

    def place(self, event: Event) -> int:
        """Return an event's source as a place in the list."""
        places, key = self._places, (event.source, event.boot)
        place = places.get(key)
        if place is None:
            place = places[key] = len(places)
        return place

    def named(self) -> tuple[ViewSource, ...]:
        """Return the list."""
        return tuple(ViewSource(name, boot, self._last(name, boot)) for name, boot in self._places)

    def _last(self, name: str, boot: int) -> int | None:
        source = self._known.get(name)
        return source.seq if source is not None and source.boot == boot else None


def marks_of(round_: RoundState, events: Sequence[Event], sources: Sources) -> tuple[ViewMark, ...]:
    """Return events of a round as marks."""
    marks: list[ViewMark] = []
    for event in events:
        body = event.body
        kind = type(body)
        tell = TOLD.get(kind)
        if tell is None or (kind is HoleCardRead and _hidden(round_, body)):
            told = NOTHING
        else:
            told = tell(body)
        row = (event.at, sources.place(event), event.seq, body.kind, *told)
        marks.append(_new(ViewMark, row))
    return tuple(marks)


def _hidden(round_: RoundState, read: Any) -> bool:  # noqa: ANN401  a HoleCardRead
    """Return whether what the card reader found is of a card that lies face down."""
    return read.result != "error" and not hand_open(round_, DEALER)
