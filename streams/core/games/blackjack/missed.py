"""Clauses (e), (g), (h) and (i) of 2.15: cards not dealt when due, or from the wrong side."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import Announced, CardDealt, CardExposed, Decision, RoundClosed
from streams.core.games.blackjack.passes import Placing
from streams.core.games.blackjack.play import DECISIONS, Play
from streams.core.games.blackjack.seeing import placing, play_of
from streams.core.judge import Check, Observation, Raised, RestsOn, Verdict

ADVANCING: Final = (CardDealt, Announced, Decision)
"""Kinds that can pass over a place of the two passes."""

Advancing = CardDealt | Announced | Decision


def passing(seen: Observation, body: Advancing) -> Placing | None:
    """Return what a card, a player's total or a decision does to the two passes."""
    if isinstance(body, CardDealt):
        return placing(seen, body)
    play = play_of(seen)
    if play is None or not play.ends_passes(body):
        return None
    return play.passes.by_word()


def dealer_card_missed(seen: Observation, body: Advancing) -> Iterable[Verdict]:
    """2.15(e): the dealer misses his first or second card."""
    play, place = play_of(seen), passing(seen, body)
    if play is None or place is None or not place.dealer_missed:
        return ()
    return (Raised(detail={"cards": len(play.dealer.get(1, ()))}),)


def dealer_card_not_made_up(seen: Observation, body: CardDealt | RoundClosed) -> Iterable[Verdict]:
    """2.15(e): further cards are dealt, or the round ends, before the dealer has his cards."""
    play = play_of(seen)
    if play is None or play.dealer_make_up_judged:
        return ()
    missed = play.dealer_missed
    if isinstance(body, CardDealt):
        if not play.is_additional(body):
            return ()
        # A further card can itself be what passes over the hole card.
        place = play.placing(body)
        missed = missed or (place is not None and place.dealer_missed)
    if not missed:
        return ()
    expected = 1 if play.hole_mode == "none" else 2
    cards = len(play.dealer.get(1, ()))
    return (Raised(detail={"expected": expected, "cards": cards}),) if cards < expected else ()


def position_missed(seen: Observation, body: Advancing) -> Iterable[Verdict]:
    """2.15(g): a position in play is passed over in the first or second pass."""
    play, place = play_of(seen), passing(seen, body)
    if play is None or place is None:
        return ()
    got = play.passes.got
    return [Raised(position, None, {"cards": got.get(position, 0)}) for position in place.missed]


def card_to_missed_position(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.15(g): a card goes to a position that had none when the dealer had his first."""
    play = play_of(seen)
    if play is None or body.to != "player" or body.position not in play.passes.dead:
        return ()
    return (Raised(body.position, body.hand or 1),)


def card_to_hand_declared_dead(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.15(i): a card goes to a hand that was declared dead."""
    play, number = play_of(seen), body.hand or 1
    if play is None or body.to != "player":
        return ()
    hand = play.hands.get((body.position or 0, number))
    return (Raised(body.position, number),) if hand is not None and hand.dead else ()


def wrong_side(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.15(h): a card comes from the side that the determinant did not name.

    A determinant of the other side that is dealt, not burned, is such a card too.
    """
    play = play_of(seen)
    if play is None or body.side is None:
        return ()
    named = play.named_side()
    if named is None or body.side == named:
        return ()
    return (Raised(detail={"expected": named, "dealt": body.side}),)


def requested_card_missed(seen: Observation, body: CardDealt | Decision) -> Iterable[Verdict]:
    """2.15(i): a card that a player requested is not dealt to him."""
    play = play_of(seen)
    if play is None:
        return ()
    return [Raised(position, number) for position, number in passed_by(play, body)]


def passed_by(play: Play, body: CardDealt | Decision) -> list[tuple[int, int]]:
    """Return the hands whose requested card a card or decision for another one passes by."""
    if isinstance(body, Decision):
        return play.passed_by(body.position, None) if body.action in DECISIONS else []
    if body.to == "dealer":
        return play.passed_by(None, None)
    return play.passed_by(body.position, body.hand or 1)


def missed_card_not_made_up(
    seen: Observation, body: CardDealt | CardExposed | RoundClosed
) -> Iterable[Verdict]:
    """2.15(i): the dealer goes on to his own cards, or the round ends, without a requested card."""
    play = play_of(seen)
    if play is None:
        return ()
    match body:
        case CardDealt():
            second = (
                body.to == "dealer" and (body.hand or 1) == 1 and len(play.dealer.get(1, ())) == 1
            )
            if not second:
                return ()
        case CardExposed():
            if body.to != "dealer" or (body.hand or 1) != 1:
                return ()
    due = play.missed_hands()
    if not isinstance(body, CardExposed):
        # A request that the event itself, or nothing at all, passes by is missed for good now.
        due += [key for key in play.passed_by(None, None) if not play.hands[key].called_off]
    return [Raised(position, number) for position, number in due]


CHECKS: Final = (
    Check("dealer_card_missed", ADVANCING, dealer_card_missed, RestsOn.ORDER),
    Check(
        "dealer_card_not_made_up",
        (CardDealt, RoundClosed),
        dealer_card_not_made_up,
        RestsOn.ABSENCE,
    ),
    Check("position_missed", ADVANCING, position_missed, RestsOn.ORDER),
    Check("card_to_dead_hand", (CardDealt,), card_to_missed_position, RestsOn.ABSENCE),
    Check("card_to_dead_hand", (CardDealt,), card_to_hand_declared_dead),
    Check("wrong_side", (CardDealt,), wrong_side),
    Check("requested_card_missed", (CardDealt, Decision), requested_card_missed, RestsOn.ORDER),
    Check(
        "missed_card_not_made_up",
        (CardDealt, CardExposed, RoundClosed),
        missed_card_not_made_up,
        RestsOn.ABSENCE,
    ),
)
"""In the order of the clauses."""
