"""Clauses (b) of 16.8 and 27.8: shuffler, dealing hand and the close of betting."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import (
    CardDealt,
    DeckInHand,
    DeckOutOfArea,
    WagerPlaced,
)
from streams.core.judge import (
    Check,
    FirstCard,
    Observation,
    Raised,
    RestsOn,
    Verdict,
)

CLOSED_WAGERS: Final = frozenset({"ante", "aces_up", "progressive"})
"""Wagers that must stand before the close; a raise is made later."""


def shuffler_not_used(seen: Observation, _: CardDealt) -> Iterable[Verdict]:
    """16.8(b)1, 27.8(b)1: the deck's last shuffle before the round was not the shuffler's."""
    table, round_ = seen.table, seen.round
    if round_ is None:
        return ()
    last = table.shuffle
    if round_.stock_named:
        # A shuffle that names no deck may have been of this one.
        stock = table.stocks.get(round_.stock)
        last = (stock.shuffle if stock is not None else None) or table.shuffle_unnamed
    if last == "automatic":
        return ()
    return (Raised(detail={"last_shuffle": last or "none"}),)


def deck_not_in_hand(seen: Observation, _: CardDealt) -> Iterable[Verdict]:
    """16.8(b)2, 27.8(b)2: dealing begins without the deck taken in one hand."""
    if seen.round is not None and seen.round.dealing_hand is None:
        return (Raised(),)
    return ()


def dealing_hand_changed(seen: Observation, body: DeckInHand) -> Iterable[Verdict]:
    """16.8(b)2i, 27.8(b)2i: the deck is held in the other hand within one round."""
    chosen = seen.round.dealing_hand if seen.round is not None else None
    if chosen is None or chosen == body.hand:
        return ()
    return (Raised(detail={"chosen": chosen, "used": body.hand}),)


def deck_out_of_area(seen: Observation, _: DeckOutOfArea) -> Iterable[Verdict]:
    """16.8(b)2ii, 27.8(b)2ii: the held deck leaves the area over the table inventory container."""
    return (Raised(),) if seen.round is not None else ()


def bets_not_closed(seen: Observation, _: CardDealt) -> Iterable[Verdict]:
    """16.8(b)3, 27.8(b)3: dealing begins without "No more bets"."""
    if seen.round is not None and not seen.round.no_more_bets:
        return (Raised(),)
    return ()


def wager_after_close(seen: Observation, body: WagerPlaced) -> Iterable[Verdict]:
    """16.8(b)3, 27.8(b)3: a wager is placed after betting was closed and before it is settled."""
    round_ = seen.round
    if round_ is None or body.wager not in CLOSED_WAGERS or round_.settling:
        return ()
    if not (round_.no_more_bets or round_.lockout):
        return ()
    closed_by = "no_more_bets" if round_.no_more_bets else "lockout_pressed"
    detail = {"wager": body.wager, "closed_by": closed_by}
    return (Raised(position=body.position, detail=detail),)


def wrong_hand_used(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """16.8(b)3, 27.8(b)3: a card is taken off the deck by the hand that holds it."""
    holding = seen.round.holding if seen.round is not None else None
    if holding is None or body.drawn_with != holding:
        return ()
    detail = {"drawn_with": holding, "placed_with": body.placed_with or "unknown"}
    return (Raised(detail=detail),)


CHECKS: Final = (
    Check("shuffler_not_used", (FirstCard,), shuffler_not_used, RestsOn.ABSENCE),
    Check("deck_not_in_hand", (FirstCard,), deck_not_in_hand, RestsOn.ABSENCE),
    Check("dealing_hand_changed", (DeckInHand,), dealing_hand_changed),
    Check("deck_out_of_area", (DeckOutOfArea,), deck_out_of_area),
    Check("bets_not_closed", (FirstCard,), bets_not_closed, RestsOn.ABSENCE),
    Check("wager_after_close", (WagerPlaced,), wager_after_close, RestsOn.ORDER),
    Check("wrong_hand_used", (CardDealt,), wrong_hand_used),
)
"""In the order of the clauses."""
