"""Clauses (c), (i) and (l) of 2.6: burns, the pick-up, and what follows the cut card."""

from collections.abc import Iterable
from typing import Final

from streams.core.cards import CARDS_IN_DECK
from streams.core.events import (
    Burned,
    CardDealt,
    CardsLoaded,
    CardsTouched,
    RackCounted,
    RoundClosed,
    ShuffleCompleted,
)
from streams.core.games.blackjack.seeing import play_of
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


def burn_missing(seen: Observation, _: CardDealt) -> Iterable[Verdict]:
    """2.6(c): cards are dealt without a burn for a new set, or for a new dealer."""
    table = seen.table
    setup = table.setup
    if not table.burns_due or setup is None:
        return ()
    if setup.dealt_from != "shoe" or setup.bart_carter:
        return ()
    reason = "new_set" if "new_set" in table.burns_due else "new_dealer"
    return (Raised(detail={"reason": reason}),)


def burn_exposed(seen: Observation, body: Burned) -> Iterable[Verdict]:
    """2.6(c): a burned card is exposed though no player asked for it."""
    setup, play = seen.table.setup, play_of(seen)
    if setup is None or setup.dealt_from != "shoe" or not body.exposed or body.requested_by_player:
        return ()
    remedy = play is not None and bool(play.remedies.refused or play.remedies.seventeen)
    return () if remedy else (Raised(),)


def pickup_order(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
    """2.6(i): cards are not picked up from the far right, the dealer's last; each position once."""
    play = play_of(seen)
    if play is None:
        return ()
    late: dict[int, Raised] = {}
    lowest: int | None = None
    for position in play.pickups:
        if lowest is not None and position > lowest:
            late.setdefault(position, Raised(position, None, {"after": lowest or "dealer"}))
        lowest = position if lowest is None else min(lowest, position)
    return tuple(late.values())


def shuffle_overdue(seen: Observation, _: CardDealt) -> Iterable[Verdict]:
    """2.6(l): a round is dealt after the one in which the cut card came, without a shuffle."""
    if seen.round is None:
        return ()
    for side, stock in sorted(seen.table.stocks.items()):
        if stock.cut_round is not None and seen.round.number > stock.cut_round:
            return (Raised(detail={"side": side or "single"}),)
    return ()


def shoe_not_emptied(seen: Observation, body: CardsLoaded) -> Iterable[Verdict]:
    """2.6(l)2: cards are loaded after the cut card, and the shoe was not emptied before."""
    setup = seen.table.setup
    stock = seen.table.stocks.get(body.side or "")
    if setup is None or setup.bart_carter or stock is None or not stock.unemptied:
        return ()
    return (Raised(detail={"side": body.side or "single"}),)


def cards_missing(seen: Observation, body: RackCounted) -> Iterable[Verdict]:
    """2.6(l)2: the emptied shoe and the rack are not the cards that were loaded."""
    key = body.side or ""
    stock = seen.table.stocks.get(key)
    if stock is None or not stock.emptied or stock.loaded in (None, body.cards):
        return ()
    detail: dict[str, int | str] = {"expected": stock.loaded or 0, "counted": body.cards}
    return (Raised(key=key, detail=detail),)


def full_set_loaded(seen: Observation, body: CardsLoaded) -> Iterable[Verdict]:
    """2.6(l)2: a full set in the shoe ends the search for missing cards."""
    setup = seen.table.setup
    if setup is None:
        return ()
    full = CARDS_IN_DECK * setup.decks // (2 if setup.dealt_from == "double_shoe" else 1)
    return (Cleared(body.side or ""),) if body.cards == full else ()


def wrong_side_shuffled(seen: Observation, body: ShuffleCompleted) -> Iterable[Verdict]:
    """2.6(l)3: the side whose cut card did not come is shuffled while the other's is due."""
    setup, stocks = seen.table.setup, seen.table.stocks
    if setup is None or setup.dealt_from != "double_shoe" or body.side is None:
        return ()
    other = "right" if body.side == "left" else "left"
    own = stocks.get(body.side)
    due = other in stocks and stocks[other].cut_round is not None
    if not due or (own is not None and own.cut_round is not None):
        return ()
    return (Raised(detail={"due": other, "shuffled": body.side}),)


def bart_carter_overdue(seen: Observation, _: CardDealt) -> Iterable[Verdict]:
    """2.6(l)3i: a round begins with more than about one deck in the rack."""
    setup = seen.table.setup
    if setup is None or not setup.bart_carter:
        return ()
    most = seen.book.parameter("bart_carter_overdue", "cards")
    loose = len(seen.round.loose) if seen.round is not None else 0
    left = max((stock.left for stock in seen.table.stocks.values()), default=0) - loose
    return (Raised(detail={"cards": left}),) if left > most else ()


def bart_carter_stacks(seen: Observation, body: ShuffleCompleted) -> Iterable[Verdict]:
    """2.6(l)3i: the shuffled cards are not split into three stacks."""
    if body.method != "bart_carter" or body.stacks is None:
        return ()
    if body.stacks == seen.book.parameter("bart_carter_stacks", "stacks"):
        return ()
    return (Raised(detail={"stacks": body.stacks}),)


def cards_touched(_: Observation, body: CardsTouched) -> Iterable[Verdict]:
    """2.6(l)3ii: a player or spectator handles the cards."""
    return () if body.permitted else (Raised(detail={"by": body.by}),)


CHECKS: Final = (
    Check("burn_missing", (CardDealt,), burn_missing, RestsOn.ABSENCE, Once.EVENT),
    Check("burn_exposed", (Burned,), burn_exposed, RestsOn.ABSENCE),
    Check("pickup_order", (RoundClosed,), pickup_order, RestsOn.ORDER),
    Check("shuffle_overdue", (CardDealt,), shuffle_overdue, RestsOn.ABSENCE),
    Check("shoe_not_emptied", (CardsLoaded,), shoe_not_emptied, RestsOn.ABSENCE),
    Check("cards_missing", (RackCounted,), cards_missing, RestsOn.NUMBER, Once.STANDING),
    Check("cards_missing", (CardsLoaded,), full_set_loaded, once=Once.STANDING),
    Check("wrong_side_shuffled", (ShuffleCompleted,), wrong_side_shuffled, RestsOn.ABSENCE),
    Check("bart_carter_overdue", (FirstCard,), bart_carter_overdue, RestsOn.NUMBER),
    Check("bart_carter_stacks", (ShuffleCompleted,), bart_carter_stacks),
    Check("cards_touched", (CardsTouched,), cards_touched, once=Once.EVENT),
)
"""In the order of the clauses."""
