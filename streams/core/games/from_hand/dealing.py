"""Clauses (c) of 16.8 and 27.8: who gets which card, in what order, up or down."""

from collections.abc import Iterable, Mapping

from streams.core.events import CardDealt, RoundClosed
from streams.core.judge import (
    Check,
    Observation,
    Once,
    Raised,
    RestsOn,
    Verdict,
)
from streams.core.script import Script, in_play_at, is_due, next_place
from streams.core.stocks import hand_key
from streams.core.table import RoundState


def checks(script: Script) -> tuple[Check, ...]:
    """Return the checks of a game dealt from the hand by a script, in the order of the clauses."""
    player_faces, dealer_faces = script.player_faces, script.dealer_faces
    faces: Mapping[str, tuple[str, ...]] = {"player": player_faces, "dealer": dealer_faces}

    def deal_order(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
        """16.8(c), 27.8(c): a card goes to another place than the one due."""
        round_ = seen.round
        if round_ is None:
            return ()
        key = hand_key(body.to, body.position, body.hand)
        in_play = in_play_at(round_, "wagers" in seen.table.observes)
        if is_due(script, round_, key, in_play):
            return ()
        place = next_place(script, round_, in_play)[1] if in_play is not None else None
        detail: dict[str, int | str] = {"dealt_to": key[0]}
        if key[1] is not None:
            detail["dealt_position"] = key[1]
        if place is not None:
            detail["expected_to"] = place.hand[0]
            if place.hand[1] is not None:
                detail["expected_position"] = place.hand[1]
        return (Raised(detail=detail),)

    def wrong_face(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
        """16.8(b)3, (c), 27.8(b)3, (c): a card lies up where it must be down, or down for up."""
        if seen.round is None:
            return ()
        key = hand_key(body.to, body.position, body.hand)
        due = faces[body.to]
        number = len(seen.round.hands.get(key, ()))
        if number >= len(due) or due[number] == body.face:
            return ()
        detail: dict[str, int | str] = {
            "number": number + 1,
            "expected": due[number],
            "dealt": body.face,
        }
        return (Raised(key[1], key[2], detail),)

    def wrong_card_count(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
        """16.8(c), (d), 27.8(c), (d): a hand has not the number of cards it must have."""
        round_ = seen.round
        if round_ is None or round_.voided or not round_.dealt:
            return ()
        counts = dealt_before_stub(round_)
        fixed = round_.in_play if "wagers" in seen.table.observes else None
        in_play = round_.served() if fixed is None else fixed
        wrong: list[Verdict] = []
        for to, position, expected in (
            *(("player", position, len(player_faces)) for position in in_play),
            ("dealer", None, len(dealer_faces)),
        ):
            counted = counts.get((to, position), 0)
            if counted != expected:
                wrong.append(Raised(position, None, {"expected": expected, "counted": counted}))
        return wrong

    return (
        Check("deal_order", (CardDealt,), deal_order, RestsOn.ORDER),
        Check("wrong_face", (CardDealt,), wrong_face, RestsOn.NUMBER, Once.EVENT),
        Check("card_without_wager", (CardDealt,), card_without_wager, RestsOn.ABSENCE),
        Check("wrong_card_count", (RoundClosed,), wrong_card_count, RestsOn.NUMBER),
    )


def dealt_before_stub(round_: RoundState) -> dict[tuple[str, int | None], int]:
    """Return how many cards each position and the dealer got before the stub was put aside."""
    end = len(round_.cards) if round_.cards_at_stub is None else round_.cards_at_stub
    counts: dict[tuple[str, int | None], int] = {}
    for (to, position, _), indices in round_.hands.items():
        before = sum(index < end for index in indices)
        counts[to, position] = counts.get((to, position), 0) + before
    return counts


def card_without_wager(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """16.8(c), 27.8(c): a first card goes to a position that placed no wager."""
    round_, position = seen.round, body.position
    if round_ is None or body.to != "player" or position is None or position in round_.wagered:
        return ()
    return (Raised(position),)
