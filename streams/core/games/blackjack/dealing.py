"""Clauses (a), (b), (d) and (e) of 2.6: from where, with which hand, to whom and how cards go."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import Burned, CardDealt, DeckInHand, DeterminantDrawn
from streams.core.games.blackjack.seeing import placing, play_of
from streams.core.judge import Check, FirstCard, Observation, Once, Raised, RestsOn, Verdict
from streams.core.stocks import hand_key

RAISED: Final = (Raised(),)

OTHER_PLACE: Final = {
    "discard_rack": "segregated_area",
    "segregated_area": "discard_rack",
}


def dealt_from_hand(_: Observation, body: DeckInHand) -> Iterable[Verdict]:
    """2.6(a): the deck is taken in the hand at a table dealt from a shoe."""
    return (Raised(detail={"hand": body.hand}),)


def _hands_used(body: CardDealt) -> Raised:
    """Return what is said of a card drawn or placed with the wrong hand."""
    return Raised(
        detail={
            "drawn_with": body.drawn_with or "unknown",
            "placed_with": body.placed_with or "unknown",
        }
    )


def wrong_hand_used(_: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.6(b): a card is drawn with the right hand, or placed with the left."""
    left = body.placed_with == "left" and not _near(body)
    return (_hands_used(body),) if left or body.drawn_with == "right" else ()


def _near(body: CardDealt) -> bool:
    """Return whether a card goes where a hit card may be placed with the left hand."""
    return body.to == "player" and body.position in (1, 2)


def first_card_placed_with_left(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.6(b): one of the first two cards of the first two positions is placed with the left."""
    play = play_of(seen)
    if play is None or body.placed_with != "left" or not _near(body):
        return ()
    hit = (body.hand or 1) > 1 or play.position_cards(body.position or 0) >= 2
    return () if hit else (_hands_used(body),)


def determinant_missing(seen: Observation, _: CardDealt) -> Iterable[Verdict]:
    """2.6(d)1: a round of a double shoe begins without a determinant card."""
    setup, play = seen.table.setup, play_of(seen)
    if setup is None or play is None or setup.dealt_from != "double_shoe":
        return ()
    return () if play.determinants else RAISED


def determinant_misused(seen: Observation, body: CardDealt | DeterminantDrawn) -> Iterable[Verdict]:
    """2.6(d)2: the determinant is not the player's first card where it fits, or not burned."""
    setup, play = seen.table.setup, play_of(seen)
    if setup is None or play is None or setup.dealt_from != "double_shoe":
        return ()
    if isinstance(body, DeterminantDrawn):
        if play.determinants:
            return (Raised(detail={"reason": "second"}),)
        return (Raised(detail={"reason": "late"}),) if play.started else ()
    if not play.determinants:
        return ()
    drawn = play.determinants[0]
    named = play.named_side()
    if named is None:
        return ()
    if drawn.side != named:
        # Where no burn is seen, only the determinant itself tells that it was not burned.
        dealt = body.card == drawn.card and body.side in (None, drawn.side)
        left = play.determinant_loose and ("burns" in play.observes or dealt)
        return (Raised(detail={"reason": "not_burned"}),) if left else ()
    passes = play.started_passes()
    first = passes.in_play[0] if passes.in_play else body.position
    fits = play.determinant_loose and body.card in (None, drawn.card)
    if fits and body.to == "player" and body.position == first:
        return ()
    return (Raised(detail={"reason": "not_first_card"}),)


def burn_wrong_place(seen: Observation, body: Burned) -> Iterable[Verdict]:
    """2.6(c), (d)2: a burned card lies where it does not belong."""
    setup, play = seen.table.setup, play_of(seen)
    if setup is None:
        return ()
    if setup.dealt_from == "double_shoe":
        wrong = body.place == "discard_rack" and play is not None and play.burns_determinant(body)
    else:
        wrong = body.place == "segregated_area"
    return (
        (Raised(detail={"expected": OTHER_PLACE[body.place], "placed": body.place}),)
        if wrong
        else ()
    )


def deal_order(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.6(e), (j), (k): in the two passes a card goes to another place than the one due."""
    play, place = play_of(seen), placing(seen, body)
    if play is None or place is None or not place.out_of_order:
        return ()
    due = play.started_passes().due()
    detail: dict[str, int | str] = {"expected_to": "player" if due else "dealer"}
    if due:
        detail["expected_position"] = due[0]
    detail["dealt_to"] = body.to
    if body.position is not None:
        detail["dealt_position"] = body.position
    return (Raised(detail=detail),)


def card_without_wager(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.6(e): a first card goes to a position that placed no wager."""
    play, position = play_of(seen), body.position
    if play is None or body.to != "player" or position is None:
        return ()
    if play.position_cards(position) or "main" in play.wagers.get(position, ()):
        return ()
    return (Raised(position),)


def wrong_face(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.6(e), (g), (h), (j), (k): a card is dealt up where it must be down, or down for up."""
    play = play_of(seen)
    if play is None:
        return ()
    key = hand_key(body.to, body.position, body.hand)
    if body.to == "dealer":
        number = len(play.dealer.get(key[2], ())) + 1
        expected = "up"
        if number == 2 and key[2] == 1 and play.setup.hole_card == "down":
            # With the reader out of use the dealer may deal as where there is no hole card.
            expected = body.face if play.reader_failed else "down"
    else:
        hand = play.hands.get((body.position or 0, key[2]))
        number = 1 if hand is None else len(hand.cards) + 1
        doubled = hand is not None and hand.doubled and not hand.double_dealt
        if "decisions" not in play.observes:
            # Any card beyond the first two may be for a double that nobody reported.
            doubled = key[2] > 1 or number > 2
        expected = "up"
        if doubled and play.setup.double_face == "down":
            expected = body.face
    if body.face == expected:
        return ()
    detail: dict[str, int | str] = {"number": number, "expected": expected, "dealt": body.face}
    return (Raised(key[1], key[2], detail),)


CHECKS: Final = (
    Check("dealt_from_hand", (DeckInHand,), dealt_from_hand),
    Check("wrong_hand_used", (CardDealt,), wrong_hand_used),
    Check("wrong_hand_used", (CardDealt,), first_card_placed_with_left, RestsOn.NUMBER),
    Check("determinant_missing", (FirstCard,), determinant_missing, RestsOn.ABSENCE),
    Check("determinant_misused", (FirstCard, DeterminantDrawn), determinant_misused, RestsOn.ORDER),
    Check("burn_wrong_place", (Burned,), burn_wrong_place),
    Check("deal_order", (CardDealt,), deal_order, RestsOn.ORDER),
    Check("card_without_wager", (CardDealt,), card_without_wager, RestsOn.ABSENCE),
    Check("wrong_face", (CardDealt,), wrong_face, RestsOn.NUMBER, Once.EVENT),
)
"""In the order of the clauses."""
