"""Clauses (h), (j) and (k) of 2.6: the dealer's own cards, the hole card and the card reader."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import CardDealt, CardExposed, RoundClosed, TableOpened, WagerSettled
from streams.core.games.blackjack.counts import READ_FIRST, count, is_blackjack
from streams.core.games.blackjack.play import Play
from streams.core.games.blackjack.seeing import play_of
from streams.core.judge import Check, Observation, Once, Raised, RestsOn, Verdict

RAISED: Final = (Raised(),)


def _second_without_hole(seen: Observation, body: CardDealt) -> Play | None:
    """Return the play where the card is the dealer's second and no hole card is dealt at once."""
    play = play_of(seen)
    if play is None or body.to != "dealer" or (body.hand or 1) != 1:
        return None
    if len(play.dealer.get(1, ())) != 1 or play.hole_mode != "none":
        return None
    hole = play.setup.hole_card == "down" and body.face == "down"
    return None if hole else play


def dealers_card_not_announced(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.6(h): the dealer's second card leaves the shoe before "Dealer's Card"."""
    play = _second_without_hole(seen, body)
    return RAISED if play is not None and not play.dealers_card_announced else ()


def dealer_second_card_early(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.6(h): the dealer's second card is dealt while a hand still waits for its decision."""
    play = _second_without_hole(seen, body)
    return RAISED if play is not None and play.live_not_ended() else ()


def hole_card_seen_early(seen: Observation, body: CardExposed) -> Iterable[Verdict]:
    """2.6(j): the hole card is turned up while a hand still waits, and no reader said blackjack."""
    play = play_of(seen)
    if play is None or body.to != "dealer" or (body.hand or 1) != 1 or not play.hole_down:
        return ()
    if play.voided or "blackjack" in play.reads or seen.leaves is None:
        return ()
    if play.setup.card_reader and "reader" not in play.observes:
        # A reader that nobody sees may have said blackjack, unless the cards are none.
        cards = [play.dealer_first, seen.leaves.card]
        known = [card for card in cards if card is not None]
        if len(known) < len(cards) or is_blackjack(known):
            return ()
    return RAISED if play.live_not_ended() else ()


def reader_check_missing(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.6(j): further cards are dealt before the reader was asked about a blackjack."""
    play, position = play_of(seen), body.position
    if play is None or body.to != "player" or position is None:
        return ()
    setup, first = play.setup, play.dealer_first
    if setup.hole_card != "down" or not setup.card_reader or play.reader_at_fault or play.reads:
        return ()
    if first is None or first[0] not in READ_FIRST or play.position_cards(position) < 2:
        return ()
    return (Raised(position),)


def card_after_dealer_blackjack(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.6(j)1, (k)6: a card goes to a player although the dealer has a blackjack."""
    play, position = play_of(seen), body.position
    if play is None or body.to != "player" or position is None or not play.dealer_blackjack:
        return ()
    return () if play.may_hold_sevens(position) else (Raised(position),)


def hole_card_with_progressive(_: Observation, body: TableOpened) -> Iterable[Verdict]:
    """2.6(j)2, (k): a hole card is dealt at a table that offers the progressive wager."""
    hole = body.hole_card or "none"
    if hole == "none" or "progressive" not in (body.offers or ()):
        return ()
    return (Raised(detail={"hole_card": hole}),)


def sevens_card_not_offered(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
    """2.6(j)3, (k)6: two sevens with a sevens wager were offered no card to complete them."""
    play = play_of(seen)
    if play is None or not play.dealer_blackjack:
        return ()
    return [
        Raised(position)
        for position in play.passes.in_play
        if play.sevens(position)
        and play.position_cards(position) < 3
        and position not in play.remedies.refusers
    ]


def settlement_wrong(seen: Observation, body: WagerSettled) -> Iterable[Verdict]:
    """2.6(k)1, 2: equal counts lose, two blackjacks win, and a blackjack is paid 1 to 1."""
    play = play_of(seen)
    if play is None or play.setup.hole_card != "up" or body.wager != "main":
        return ()
    if play.voided or len(play.dealer) > 1:
        # The wagers of a voided round are returned; further actions have other dealer's hands.
        return ()
    number = body.hand or 1
    hand, dealer = play.hands.get((body.position, number)), play.dealer_known(1)
    points = hand.count if hand is not None else None
    if hand is None or hand.dead or points is None or not dealer or len(dealer) < 2:
        return ()
    if body.position in play.passes.dead:
        return ()
    both = hand.blackjack and play.dealer_blackjack
    expected: str | None = None
    if points == count(dealer) and (both or not hand.blackjack):
        expected = "win" if both else "lose"
    detail: dict[str, int | str] = {
        "wager": "main",
        "expected": expected or "1:1",
        "settled": body.outcome,
        "pays": body.pays or "unknown",
    }
    if expected is not None and body.outcome != expected:
        return (Raised(body.position, number, detail),)
    if hand.blackjack and body.outcome == "win" and body.pays not in (None, "1:1"):
        return (Raised(body.position, number, {**detail, "expected": "1:1"}),)
    return ()


CHECKS: Final = (
    Check("dealers_card_not_announced", (CardDealt,), dealers_card_not_announced, RestsOn.ABSENCE),
    Check("dealer_second_card_early", (CardDealt,), dealer_second_card_early, RestsOn.ORDER),
    Check("hole_card_seen_early", (CardExposed,), hole_card_seen_early, RestsOn.ORDER),
    Check("reader_check_missing", (CardDealt,), reader_check_missing, RestsOn.ABSENCE),
    Check("card_after_dealer_blackjack", (CardDealt,), card_after_dealer_blackjack),
    Check(
        "hole_card_with_progressive",
        (TableOpened,),
        hole_card_with_progressive,
        once=Once.STANDING,
    ),
    Check("sevens_card_not_offered", (RoundClosed,), sevens_card_not_offered, RestsOn.ABSENCE),
    Check("settlement_wrong", (WagerSettled,), settlement_wrong, RestsOn.NUMBER),
)
"""In the order of the clauses."""
