"""Checks of the cards themselves, in every game: what is counted and what is read must add up."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from streams.core.cards import CARDS_IN_DECK, Card
from streams.core.events import (
    Burned,
    CardDealt,
    CardExposed,
    DeckRemoved,
    DeterminantDrawn,
    DrawnInError,
    FaceUpCardFound,
    ShuffleCompleted,
)
from streams.core.judge import (
    Check,
    Cleared,
    FirstCard,
    Observation,
    Once,
    Raised,
    RestsOn,
    Verdict,
)
from streams.core.stocks import run_after
from streams.core.table import Leaver, TableState

LEAVERS: Final = (CardDealt, Burned, DeterminantDrawn, DrawnInError, FaceUpCardFound)
SUSPECT: Final = ("stub_count_wrong", "shuffler_count_wrong", "cards_missing")
"""Standing findings that make the cards of a deck or shoe suspect."""


def full_count(table: TableState, side: str) -> int:
    """Return how many cards a deck, a shoe or one side of a double shoe must hold."""
    setup = table.setup
    if setup is None:
        return 0
    cards = CARDS_IN_DECK * setup.decks
    if setup.dealt_from != "double_shoe":
        return cards
    loaded = table.stocks[side].loaded if side in table.stocks else None
    return cards // 2 if loaded is None else loaded


def duplicate_card(seen: Observation, body: Leaver | CardExposed) -> Iterable[Verdict]:
    """Integrity: one card is seen more often than the decks in use hold."""
    leaves = seen.leaves
    if leaves is None or leaves.news is None:
        return ()
    table = seen.table
    setup = table.setup
    if setup is None or setup.bart_carter:
        return ()
    stock = table.stocks.get(leaves.stock)
    copies = 1 + (stock.seen.get(leaves.news, 0) if stock is not None else 0)
    if setup.dealt_from == "hand":
        # A gap can hide the round's end, and then the next round's cards look like copies.
        if seen.round is None or seen.round.gap:
            return ()
        most = setup.decks
    elif setup.dealt_from == "double_shoe" and leaves.stock:
        most = setup.decks // 2
    else:
        most = setup.decks
    if copies <= most:
        return ()
    position = body.position if isinstance(body, CardDealt | CardExposed) else None
    detail = {"copies": copies, "decks": setup.decks}
    return (Raised(position=position, detail=detail, key=leaves.news),)


def ordered_cards(seen: Observation, _: Leaver) -> Iterable[Verdict]:
    """Integrity: cards leave in pack order, or the first of a load repeat an earlier load's."""
    leaves = seen.leaves
    if leaves is None or not leaves.physical or leaves.card is None:
        return ()
    stock = seen.table.stocks.get(leaves.stock)
    if stock is None:
        return ()
    if stock.last is not None:
        run = max(run_after(stock, leaves.card))
        if run >= seen.book.parameter("ordered_cards", "run"):
            return (Raised(detail={"reason": "pack_order", "cards": run}),)
    first = seen.book.parameter("ordered_cards", "first")
    if stock.loaded is not None and len(stock.first) == first - 1:
        digest = first_cards_digest([*stock.first, leaves.card])
        if digest in seen.table.first_cards:
            return (Raised(detail={"reason": "same_as_earlier", "cards": first}),)
    return ()


def first_cards_digest(cards: list[Card]) -> bytes:
    """Return eight bytes that stand for the first cards of a load, in order."""
    return blake2b("".join(cards).encode(), digest_size=8).digest()


def shuffler_count_wrong(seen: Observation, body: ShuffleCompleted) -> Iterable[Verdict]:
    """Integrity: the shuffler's own count is not the number of cards in the deck or side."""
    if body.method != "automatic" or body.cards is None:
        return ()
    key = seen.table.stock_named(body.deck, body.side)
    expected = full_count(seen.table, key)
    if body.cards == expected:
        return (Cleared(key),)
    return (Raised(key=key, detail={"expected": expected, "counted": body.cards}),)


def removed(seen: Observation, body: DeckRemoved) -> Iterable[Verdict]:
    """Integrity: a deck taken off the table takes its standing findings with it.

    A deck is one of those held in the hand; taken from a shoe it is of no side, so all are meant.
    """
    table = seen.table
    if table.from_hand:
        return (Cleared(table.deck_named(body.deck)),)
    return [Cleared(side) for _, side in table.standing]


def suspect_cards_in_play(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """Integrity: a round begins with cards whose count is known to be wrong."""
    table = seen.table
    if not table.standing:
        return ()
    key = seen.leaves.stock if seen.leaves is not None else ""
    for code in SUSPECT:
        standing = table.standing.get((code, key))
        if standing is not None:
            return (Raised(detail={"standing": code}, events=(standing.event,)),)
    return ()


CHECKS: Final = (
    Check("suspect_cards_in_play", (FirstCard,), suspect_cards_in_play),
    Check("duplicate_card", (*LEAVERS, CardExposed), duplicate_card, once=Once.MARK),
    Check("ordered_cards", LEAVERS, ordered_cards, RestsOn.ORDER, Once.MARK),
    Check("shuffler_count_wrong", (ShuffleCompleted,), shuffler_count_wrong, once=Once.STANDING),
    Check("shuffler_count_wrong", (DeckRemoved,), removed, once=Once.STANDING),
)
"""Judged in every game."""
