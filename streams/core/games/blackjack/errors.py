"""Clauses (a) to (d) and (f) of 2.15: cards found or drawn in error, and a shoe that runs out."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import (
    Burned,
    CardDealt,
    DrawnInError,
    FaceUpCardFound,
    RoundClosed,
    ShoeExhausted,
)
from streams.core.games.blackjack.play import Play
from streams.core.games.blackjack.remedies import EXHAUSTED
from streams.core.games.blackjack.seeing import play_of
from streams.core.judge import Check, Observation, Once, Raised, RestsOn, Verdict

RAISED: Final = (Raised(),)


def face_up_card_in_shoe(_: Observation, body: FaceUpCardFound) -> Iterable[Verdict]:
    """2.15(a): a card is found turned face upwards in the shoe."""
    return (Raised(detail={"place": body.place}),)


def face_up_card_used(_: Observation, body: FaceUpCardFound) -> Iterable[Verdict]:
    """2.15(a): that card is used in the game."""
    return RAISED if body.place == "table" else ()


def card_drawn_in_error(_: Observation, body: DrawnInError) -> Iterable[Verdict]:
    """2.15(b): a card is drawn in error without its face being exposed."""
    return () if body.exposed else RAISED


def error_card_not_used(seen: Observation, body: CardDealt | Burned) -> Iterable[Verdict]:
    """2.15(b), (c): a card drawn in error is not used as the next card."""
    play = play_of(seen)
    errors = seen.table.errors_waiting if play is None else play.errors
    if not errors:
        return ()
    used = errors[0].refused if isinstance(body, Burned) else errors[0].may_be(body.card)
    return () if used else RAISED


def everyone_has_two(play: Play) -> bool:
    """Return whether every position in play whose hand is not dead has two cards."""
    passes = play.passes
    playing = [
        position
        for position in passes.in_play
        if position not in passes.dead and not play.hand_dead(position)
    ]
    return bool(playing) and all(play.position_cards(position) >= 2 for position in playing)


def exposed_card_drawn_in_error(seen: Observation, body: DrawnInError) -> Iterable[Verdict]:
    """2.15(c): a card is drawn in error and exposed after each player's first two cards."""
    play = play_of(seen)
    return RAISED if body.exposed and play is not None and everyone_has_two(play) else ()


def card_after_refusal(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.15(c): a player who refused a card gets another one in the same round."""
    play, position = play_of(seen), body.position
    if play is None or body.to != "player" or position is None:
        return ()
    if position not in play.remedies.refusers:
        return ()
    # What a player with two sevens may refuse at a dealer's blackjack is no card drawn in error.
    sevens = play.dealer_blackjack and play.may_hold_sevens(position)
    return () if sevens else (Raised(position),)


def refused_card_not_burned(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
    """2.15(c): a refused card that the dealer could not use is not burned."""
    play = play_of(seen)
    return RAISED if play is not None and play.remedies.refused else ()


def dealer_drew_on_seventeen(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.15(d): the dealer draws a card for himself on seventeen or more."""
    play = play_of(seen)
    if play is None or body.to != "dealer":
        return ()
    action = body.hand or 1
    points = play.stands_on(action)
    if points is None:
        return ()
    # The count would tell the value of a hole card that lies face down.
    told = action > 1 or not play.hole_hidden
    return (Raised(None, action, {"count": points} if told else {}),)


def seventeen_card_not_burned(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
    """2.15(d): the card that the dealer drew on seventeen is not burned."""
    play = play_of(seen)
    return RAISED if play is not None and play.remedies.seventeen else ()


def shoe_exhausted(seen: Observation, body: ShoeExhausted) -> Iterable[Verdict]:
    """2.15(f): the cards in the shoe do not suffice to complete the round."""
    return () if seen.round is None else (Raised(detail={"side": body.side or "single"}),)


def exhaustion_remedy_incomplete(seen: Observation, _: CardDealt) -> Iterable[Verdict]:
    """2.15(f): the round goes on without the discards shuffled in and the first card burned."""
    play = play_of(seen)
    if play is None or not play.remedies.exhausted:
        return ()
    missing = "shuffle" if play.remedies.exhausted == EXHAUSTED else "burn"
    return (Raised(detail={"missing": missing}),)


CHECKS: Final = (
    Check("face_up_card_in_shoe", (FaceUpCardFound,), face_up_card_in_shoe, once=Once.EVENT),
    Check("face_up_card_used", (FaceUpCardFound,), face_up_card_used, once=Once.EVENT),
    Check("card_drawn_in_error", (DrawnInError,), card_drawn_in_error, once=Once.EVENT),
    Check(
        "error_card_not_used",
        (CardDealt, Burned),
        error_card_not_used,
        RestsOn.ORDER,
        Once.EVENT,
    ),
    Check(
        "exposed_card_drawn_in_error",
        (DrawnInError,),
        exposed_card_drawn_in_error,
        RestsOn.NUMBER,
        Once.EVENT,
    ),
    Check("card_after_refusal", (CardDealt,), card_after_refusal),
    Check("refused_card_not_burned", (RoundClosed,), refused_card_not_burned, RestsOn.ABSENCE),
    Check("dealer_drew_on_seventeen", (CardDealt,), dealer_drew_on_seventeen, RestsOn.NUMBER),
    Check("seventeen_card_not_burned", (RoundClosed,), seventeen_card_not_burned, RestsOn.ABSENCE),
    Check("shoe_exhausted", (ShoeExhausted,), shoe_exhausted),
    Check(
        "exhaustion_remedy_incomplete", (CardDealt,), exhaustion_remedy_incomplete, RestsOn.ABSENCE
    ),
)
"""In the order of the clauses."""
