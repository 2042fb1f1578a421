"""Traces of tables dealt from the hand, written card by card, and what the judge says of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from streams.core.advance import Step, advance_all
from streams.core.cards import DECK, Card
from streams.core.events import (
    CAPABILITIES,
    Body,
    CardDealt,
    Decision,
    DeckInHand,
    Event,
    LockoutPressed,
    NoMoreBets,
    RoundClosed,
    ShuffleCompleted,
    StubPlaced,
    TableOpened,
    WagerPlaced,
)
from streams.core.findings import Finding, FindingCleared, FindingRaised
from streams.core.table import new_table
from streams.rulebooks import load

BOOK: Final = load("nj")
CARIBBEAN: Final = "caribbean_stud"
FOUR_CARD: Final = "four_card_poker"
SHUFFLE: Final = ShuffleCompleted("automatic", cards=52)
START: Final = 1_790_000_000_000_000
SECOND: Final = 1_000_000
SEATS: Final = (1, 3, 4)

SHUFFLED: Final[tuple[Card, ...]] = tuple(DECK[place * 23 % 52] for place in range(52))
"""A deck in an order of which no two cards are neighbours in pack order."""


def opened(game: str, observes: Sequence[str] = ("*",), decks: int = 1) -> TableOpened:
    return TableOpened(game, "hand", decks, 7, tuple(observes))


def cards_of(game: str, seats: Sequence[int] = SEATS) -> list[CardDealt]:
    """Return a legal deal: who gets which card in what order, written from the regulation."""
    places: list[tuple[str, int | None, str]] = []
    for number in range(1, 6):
        places += [("player", seat, "down") for seat in seats]
        if game == CARIBBEAN:
            places.append(("dealer", None, "up" if number == 1 else "down"))
        else:
            places.append(("dealer", None, "down"))
    if game == FOUR_CARD:
        places.append(("dealer", None, "up"))
    return [
        CardDealt(to, face, position, card=card)
        for (to, position, face), card in zip(places, SHUFFLED, strict=False)
    ]


def legal(game: str, seats: Sequence[int] = SEATS) -> list[Body]:
    """Return a legal round with every player raising."""
    return [
        *(WagerPlaced(seat, "ante", 2500) for seat in seats),
        DeckInHand("right"),
        NoMoreBets(),
        *([LockoutPressed()] if game == CARIBBEAN else []),
        *cards_of(game, seats),
        StubPlaced(exposed=False),
        *(Decision(seat, "raise") for seat in seats),
        *(WagerPlaced(seat, "raise", 5000) for seat in seats),
        RoundClosed(),
    ]


def without(trace: Sequence[Body], kind: type[Body]) -> list[Body]:
    return [body for body in trace if not isinstance(body, kind)]


def place_of(trace: Sequence[Body], kind: type[Body], number: int = 1) -> int:
    """Return where the how-manieth event of a kind stands in a trace."""
    return [place for place, body in enumerate(trace) if isinstance(body, kind)][number - 1]


def before(trace: Sequence[Body], kind: type[Body], *bodies: Body, number: int = 1) -> list[Body]:
    place = place_of(trace, kind, number)
    return [*trace[:place], *bodies, *trace[place:]]


def after(trace: Sequence[Body], kind: type[Body], *bodies: Body, number: int = 1) -> list[Body]:
    place = place_of(trace, kind, number) + 1
    return [*trace[:place], *bodies, *trace[place:]]


def with_card(
    trace: Sequence[Body], number: int, change: Callable[[CardDealt], CardDealt]
) -> list[Body]:
    """Return a trace with its how-manieth card dealt otherwise."""
    place = place_of(trace, CardDealt, number)
    card = trace[place]
    assert isinstance(card, CardDealt)
    return [*trace[:place], change(card), *trace[place + 1 :]]


def swapped(trace: Sequence[Body], number: int) -> list[Body]:
    """Return a trace in which a card and the one after it are dealt in the other order."""
    place = place_of(trace, CardDealt, number)
    return [*trace[:place], trace[place + 1], trace[place], *trace[place + 2 :]]


def events(trace: Sequence[Body], table: str = "T", gap_before: int | None = None) -> list[Event]:
    """Return a trace's events, a second apart; one was lost before the event at ``gap_before``."""
    return [
        Event(
            table,
            "gw/deck",
            1,
            place + 1 + int(gap_before is not None and place >= gap_before),
            START + place * SECOND,
            body,
        )
        for place, body in enumerate(trace)
    ]


def step_of(trace: Sequence[Body], gap_before: int | None = None) -> Step:
    return advance_all(new_table("T"), events(trace, gap_before=gap_before), BOOK)


def findings(trace: Sequence[Body], gap_before: int | None = None) -> list[Finding]:
    """Return what is raised and cleared, in order."""
    return [
        effect.finding
        for effect in step_of(trace, gap_before).effects
        if isinstance(effect, FindingRaised | FindingCleared)
    ]


def told(trace: Sequence[Body], gap_before: int | None = None) -> list[tuple[str, str, int]]:
    """Return code, state and round of each finding, in order."""
    return [(each.code, each.state, each.round) for each in findings(trace, gap_before)]


def raised(trace: Sequence[Body], gap_before: int | None = None) -> list[str]:
    """Return the codes raised, in order."""
    return [code for code, state, _ in told(trace, gap_before) if state == "raised"]


def observing(trace: Sequence[Body], left_out: str) -> list[Body]:
    """Return a trace whose table observes everything but one capability."""
    observes = tuple(each for each in CAPABILITIES if each != left_out)
    return [
        replace(body, observes=observes) if isinstance(body, TableOpened) else body
        for body in trace
    ]
