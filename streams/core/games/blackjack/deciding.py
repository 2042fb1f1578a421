"""Clauses (f) and (g) of 2.6, and what (k) takes away: totals, decisions and the cards for them."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import Announced, CardDealt, Decision, WagerPlaced
from streams.core.games.blackjack.counts import counts
from streams.core.games.blackjack.play import DECISIONS
from streams.core.games.blackjack.seeing import play_of
from streams.core.judge import Check, Observation, Raised, RestsOn, Verdict


def total_not_announced(seen: Observation, body: Decision) -> Iterable[Verdict]:
    """2.6(f), (g): a decision on a hand whose total was not announced since its last card."""
    play = play_of(seen)
    if play is None or body.action not in DECISIONS:
        return ()
    number = body.hand or 1
    hand = play.hands.get((body.position, number))
    if hand is not None and hand.announced:
        return ()
    return (Raised(body.position, number, {"action": body.action}),)


def total_misannounced(seen: Observation, body: Announced) -> Iterable[Verdict]:
    """2.6(f), (g): the announced total is no count of the hand."""
    play = play_of(seen)
    if play is None or body.by != "dealer" or body.what != "total" or body.total is None:
        return ()
    number = body.hand or 1
    if body.position is None:
        hands = play.dealer_hands(body.hand)
    else:
        hand = play.hands.get((body.position, number))
        hands = [hand.known if hand is not None else None]
    if any(not cards or body.total in counts(cards) for cards in hands):
        return ()
    return (Raised(body.position, number, {"announced": body.total}),)


def decision_order(seen: Observation, body: Decision) -> Iterable[Verdict]:
    """2.6(f): a decision for a position after one for a higher position."""
    play = play_of(seen)
    if play is None or body.action not in DECISIONS or body.position in play.made_up:
        return ()
    if body.position >= play.highest_decided:
        return ()
    return (Raised(body.position, body.hand or 1, {"after": play.highest_decided}),)


def card_without_decision(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.6(g): a card beyond the second goes to a hand without a decision that calls for it."""
    play, position = play_of(seen), body.position
    if play is None or body.to != "player" or position is None:
        return ()
    number = body.hand or 1
    hand = play.hands.get((position, number))
    if hand is None or len(hand.cards) < 2 or hand.calls > 0:
        return ()
    if play.dealer_blackjack and play.may_hold_sevens(position):
        return ()
    return (Raised(position, number),)


def action_not_available(seen: Observation, body: Decision | WagerPlaced) -> Iterable[Verdict]:
    """2.6(k)3: surrender or insurance where the hole card is dealt up."""
    setup = seen.table.setup
    if setup is None or setup.hole_card != "up":
        return ()
    action = body.action if isinstance(body, Decision) else body.wager
    taken = action == "insurance" or (isinstance(body, Decision) and action == "surrender")
    return (Raised(body.position, None, {"action": action}),) if taken else ()


def double_not_permitted(seen: Observation, body: Decision) -> Iterable[Verdict]:
    """2.6(k)4: a double on a count other than 9, 10 or 11 where the hole card is dealt up."""
    play = play_of(seen)
    if play is None or play.setup.hole_card != "up" or body.action != "double":
        return ()
    number = body.hand or 1
    hand = play.hands.get((body.position, number))
    points = hand.count if hand is not None else None
    if points is None or points in (9, 10, 11):
        return ()
    return (Raised(body.position, number, {"count": points}),)


def resplit_not_permitted(seen: Observation, body: Decision) -> Iterable[Verdict]:
    """2.6(k)5: a hand that came from a split is split where the hole card is dealt up."""
    play = play_of(seen)
    if play is None or play.setup.hole_card != "up" or body.action != "split":
        return ()
    number = body.hand or 1
    hand = play.hands.get((body.position, number))
    return (Raised(body.position, number),) if hand is not None and hand.from_split else ()


CHECKS: Final = (
    Check("total_not_announced", (Decision,), total_not_announced, RestsOn.ABSENCE),
    Check("total_misannounced", (Announced,), total_misannounced, RestsOn.NUMBER),
    Check("decision_order", (Decision,), decision_order, RestsOn.ORDER),
    Check("card_without_decision", (CardDealt,), card_without_decision, RestsOn.ABSENCE),
    Check("action_not_available", (Decision, WagerPlaced), action_not_available),
    Check("double_not_permitted", (Decision,), double_not_permitted, RestsOn.NUMBER),
    Check("resplit_not_permitted", (Decision,), resplit_not_permitted),
)
"""In the order of the clauses."""
