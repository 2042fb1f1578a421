"""Clauses (a) to (c) of 4.9: who draws a third card, when, and what is turned up."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import CardDealt, RoundClosed
from streams.core.games.chemin_de_fer.announcing import RAISED, said_or_ended
from streams.core.games.chemin_de_fer.hands import (
    BANKER,
    PLAYER,
    coup,
    is_third,
    lies_down,
)
from streams.core.games.chemin_de_fer.table3 import DRAW, STAY, banker_does
from streams.core.judge import Check, Observation, Once, Raised, RestsOn, Verdict


def wrong_face(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """4.9(b): the player's third card is dealt down."""
    if seen.round is None or body.to != "player" or body.face == "up":
        return ()
    if not is_third(coup(seen, seen.round), body):
        return ()
    return (Raised(detail={"number": 3, "expected": "up", "dealt": body.face}),)


def card_not_requested(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """4.9(a), (b): the player's hand gets a third card without "Card" announced."""
    if seen.round is None or body.to != "player":
        return ()
    now = coup(seen, seen.round)
    return RAISED if is_third(now, body) and not now.card_announced else ()


def requested_card_not_dealt(seen: Observation, body: CardDealt | RoundClosed) -> Iterable[Verdict]:
    """4.9(b): "Card" was announced, no hand is a natural, and no card was dealt for it."""
    now = said_or_ended(seen, body)
    if now is None or not now.card_announced or now.player_cards > 2:
        return ()
    known = now.player is not None and now.banker is not None
    return RAISED if known and not now.natural else ()


def card_after_natural(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """4.9(a)4, (b): a third card is dealt although a hand is a natural."""
    if seen.round is None:
        return ()
    now = coup(seen, seen.round)
    if not is_third(now, body) or not now.natural:
        return ()
    return (Raised(detail={"natural": "player" if now.player_natural else "banker"}),)


def card_beyond_third(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """4.9(a), (c): a hand gets a fourth card."""
    if seen.round is None:
        return ()
    now = coup(seen, seen.round)
    cards = now.player_cards if body.to == "player" else now.banker_cards
    return (Raised(detail={"cards": cards + 1}),) if cards >= 3 else ()


def hands_not_turned(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
    """4.9(a)4, (b): after a natural a card of either hand is left lying down."""
    round_ = seen.round
    if round_ is None or not coup(seen, round_).natural:
        return ()
    indices = (*round_.hands.get(PLAYER, ()), *round_.hands.get(BANKER, ()))
    return RAISED if any(lies_down(round_, index) for index in indices) else ()


def banker_hand_not_turned(seen: Observation, body: CardDealt | RoundClosed) -> Iterable[Verdict]:
    """4.9(c): without a natural, one of the banker's two cards is left lying down."""
    round_, now = seen.round, said_or_ended(seen, body)
    if round_ is None or now is None or now.natural:
        return ()
    indices = round_.hands.get(BANKER, [])[:2]
    return RAISED if any(lies_down(round_, index) for index in indices) else ()


def banker_card_early(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """4.9(c): the banker draws before the player's hand stayed or drew; not after a natural."""
    if seen.round is None or body.to != "banker":
        return ()
    now = coup(seen, seen.round)
    waits = is_third(now, body) and "stay" not in now.dominant and now.player_cards < 3
    return RAISED if waits and not now.natural else ()


def banker_must_draw(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
    """4.9(c): Table 3 says the banker's hand draws, and it did not."""
    if seen.round is None:
        return ()
    now = coup(seen, seen.round)
    if now.banker is None or now.banker_cards > 2 or now.natural:
        return ()
    unread = now.player_third is None if now.player_cards > 2 else now.player is None
    if unread or banker_does(now.banker, now.player_third) != DRAW:
        return ()
    return (Raised(detail=_row(now.banker, now.player_third)),)


def banker_must_stay(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """4.9(c): Table 3 says the banker's hand stays, and it drew."""
    if seen.round is None or body.to != "banker":
        return ()
    now = coup(seen, seen.round)
    if now.banker is None or not is_third(now, body) or now.natural:
        return ()
    if now.player_cards > 2 and now.player_third is None:
        return ()
    if banker_does(now.banker, now.player_third) != STAY:
        return ()
    return (Raised(detail=_row(now.banker, now.player_third)),)


def _row(banker: int, player_third: int | None) -> dict[str, int | str]:
    return {"count": banker, "third": "none" if player_third is None else player_third}


CHECKS: Final = (
    Check("wrong_face", (CardDealt,), wrong_face, RestsOn.NUMBER, Once.EVENT),
    Check("card_not_requested", (CardDealt,), card_not_requested, RestsOn.ABSENCE),
    Check(
        "requested_card_not_dealt",
        (CardDealt, RoundClosed),
        requested_card_not_dealt,
        RestsOn.ABSENCE,
    ),
    Check("card_after_natural", (CardDealt,), card_after_natural, RestsOn.NUMBER),
    Check("card_beyond_third", (CardDealt,), card_beyond_third, RestsOn.NUMBER),
    Check("hands_not_turned", (RoundClosed,), hands_not_turned, RestsOn.ABSENCE),
    Check(
        "banker_hand_not_turned", (CardDealt, RoundClosed), banker_hand_not_turned, RestsOn.ABSENCE
    ),
    Check("banker_card_early", (CardDealt,), banker_card_early, RestsOn.ORDER),
    Check("banker_must_draw", (RoundClosed,), banker_must_draw, RestsOn.ABSENCE),
    Check("banker_must_stay", (CardDealt,), banker_must_stay, RestsOn.NUMBER),
)
"""In the order of the clauses."""
