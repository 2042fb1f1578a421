"""Clauses (a), (b) and (h) of 4.9: what the dominant player, the banker and the dealer must say."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import Announced, CardDealt, RoundClosed
from streams.core.games.chemin_de_fer.hands import (
    NATURALS,
    Coup,
    coup,
    is_third,
)
from streams.core.judge import Check, Observation, Raised, RestsOn, Verdict

RAISED: Final = (Raised(),)


def said_or_ended(seen: Observation, body: Announced | CardDealt | RoundClosed) -> Coup | None:
    """Return the coup at the banker's third card or the round's close, nothing elsewhere."""
    if seen.round is None or isinstance(body, Announced):
        return None
    now = coup(seen, seen.round)
    if isinstance(body, CardDealt) and not (body.to == "banker" and is_third(now, body)):
        return None
    return now


def dominant_says(body: Announced | CardDealt | RoundClosed, *what: str) -> bool:
    """Return whether the event is the dominant player announcing one of these."""
    return isinstance(body, Announced) and body.by == "dominant_player" and body.what in what


def player_must_draw(
    seen: Observation, body: Announced | CardDealt | RoundClosed
) -> Iterable[Verdict]:
    """4.9(a)1: on 0 to 4 the dominant player says "Stay", or says nothing and takes no card."""
    if seen.round is None:
        return ()
    if dominant_says(body, "stay"):
        count = coup(seen, seen.round).player
        return RAISED if count is not None and count <= 4 else ()
    now = said_or_ended(seen, body)
    if now is None or now.player is None or now.player > 4:
        return ()
    silent = "announcements" in seen.table.observes and not now.dominant
    return RAISED if silent and now.player_cards < 3 else ()


def stay_not_announced(seen: Observation, body: CardDealt | RoundClosed) -> Iterable[Verdict]:
    """4.9(a)2, 3: on 5 to 7 nothing is announced and no third card is taken."""
    now = said_or_ended(seen, body)
    if now is None or now.player is None or not 5 <= now.player <= 7:
        return ()
    return RAISED if not now.dominant and now.player_cards < 3 else ()


def player_must_stay(seen: Observation, body: Announced | CardDealt) -> Iterable[Verdict]:
    """4.9(a)3: on 6 or 7 the dominant player says "Card", or takes one unannounced."""
    if seen.round is None:
        return ()
    if isinstance(body, Announced):
        if not dominant_says(body, "card"):
            return ()
        return RAISED if coup(seen, seen.round).player in (6, 7) else ()
    now = coup(seen, seen.round)
    unannounced = body.to == "player" and is_third(now, body) and not now.dominant
    return RAISED if unannounced and now.player in (6, 7) else ()


def player_natural_not_announced(
    seen: Observation, body: Announced | CardDealt | RoundClosed
) -> Iterable[Verdict]:
    """4.9(a)4: on 8 or 9 the dominant player says "Card" or "Stay", or nothing."""
    if seen.round is None:
        return ()
    now = coup(seen, seen.round)
    if not now.player_natural:
        return ()
    match body:
        case Announced():
            return RAISED if dominant_says(body, "card", "stay") else ()
        case CardDealt():
            return RAISED if is_third(now, body) and not now.dominant else ()
        case RoundClosed():
            return () if now.dominant else RAISED


def banker_natural_not_announced(
    seen: Observation, body: Announced | CardDealt | RoundClosed
) -> Iterable[Verdict]:
    """4.9(b): asked for a card, the banker with 8 or 9 says "Under Eight", or nothing."""
    if seen.round is None:
        return ()
    now = coup(seen, seen.round)
    if not now.banker_natural:
        return ()
    if isinstance(body, Announced):
        return RAISED if body.by == "banker" and body.what == "under_eight" else ()
    return () if now.bank_after_card else RAISED


def under_eight_not_announced(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """4.9(b): the player's third card is dealt before the banker announced anything."""
    if seen.round is None or body.to != "player":
        return ()
    now = coup(seen, seen.round)
    return RAISED if is_third(now, body) and not now.bank else ()


def false_announcement(seen: Observation, body: Announced) -> Iterable[Verdict]:
    """4.9(a), (b): "Natural" is announced on a hand that is neither 8 nor 9."""
    if seen.round is None or body.what != "natural" or body.by == "dealer":
        return ()
    now = coup(seen, seen.round)
    count = now.player if body.by == "dominant_player" else now.banker
    return () if count is None or count in NATURALS else (Raised(detail={"by": body.by}),)


def announcement_not_repeated(
    seen: Observation, body: Announced | CardDealt | RoundClosed
) -> Iterable[Verdict]:
    """4.9(h): the dealer does not at once repeat what the dominant player or banker announced."""
    if seen.round is None or (isinstance(body, Announced) and body.by == "dealer"):
        return ()
    said: Announced | None = None
    repeats: list[str] = []
    for event in seen.round.events:
        one = event.body
        if isinstance(one, Announced):
            if one.by == "dealer":
                repeats.append(one.what)
            else:
                said, repeats = one, []
    if said is None or (repeats and repeats[0] == said.what):
        return ()
    return (Raised(detail={"by": said.by, "what": said.what}),)


EVERY: Final = (Announced, CardDealt, RoundClosed)
LATER: Final = (CardDealt, RoundClosed)
"""When it is seen that somebody said nothing; what was said wrongly is seen at once."""

CHECKS: Final = (
    Check("player_must_draw", (Announced,), player_must_draw, RestsOn.NUMBER),
    Check("player_must_draw", LATER, player_must_draw, RestsOn.ABSENCE),
    Check("player_must_stay", (Announced, CardDealt), player_must_stay, RestsOn.NUMBER),
    Check("stay_not_announced", LATER, stay_not_announced, RestsOn.ABSENCE),
    Check(
        "player_natural_not_announced", (Announced,), player_natural_not_announced, RestsOn.NUMBER
    ),
    Check("player_natural_not_announced", LATER, player_natural_not_announced, RestsOn.ABSENCE),
    Check(
        "banker_natural_not_announced", (Announced,), banker_natural_not_announced, RestsOn.NUMBER
    ),
    Check("banker_natural_not_announced", LATER, banker_natural_not_announced, RestsOn.ABSENCE),
    Check("under_eight_not_announced", (CardDealt,), under_eight_not_announced, RestsOn.ABSENCE),
    Check("false_announcement", (Announced,), false_announcement, RestsOn.NUMBER),
    Check("announcement_not_repeated", EVERY, announcement_not_repeated, RestsOn.ABSENCE),
)
"""In the order of the clauses."""
