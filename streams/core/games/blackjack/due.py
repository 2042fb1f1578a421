"""What is due next in blackjack, 2.6(e) to (k): the two passes, then hand by hand, then the dealer.

What the card reader said of a hole card that lies face down changes nothing here.
"""

from typing import Final

from streams.core.cards import Card
from streams.core.due import DECISION, Due, card_due, hand_open
from streams.core.games.blackjack.counts import count, is_blackjack
from streams.core.games.blackjack.hand import PlayerHand
from streams.core.games.blackjack.passes import FIRST, OVER
from streams.core.games.blackjack.play import Play
from streams.core.games.blackjack.seeing import play_in
from streams.core.script import DEALER
from streams.core.table import HandKey, RoundState

PASSES: Final = 2


def deals(round_: RoundState) -> bool:
    """Return whether the two passes, or the hole card that ends them, are still being dealt."""
    play = play_in(round_)
    return play is not None and (play.passes.stage is not OVER or play.passes.hole_due)


def due(round_: RoundState) -> Due | None:
    """Return what is due; nothing before the first card, for positions may still join."""
    play = play_in(round_)
    if play is None or not play.started:
        return None
    if deals(round_):
        return _of_passes(round_, play)
    if "decisions" not in play.observes:
        return None  # whose turn it is cannot be known
    dealer = play.dealer_known(1) if hand_open(round_, DEALER) else None
    if dealer is not None and is_blackjack(dealer[:2]):
        return None
    if not (play.hole_down and play.hole_turned):
        for key, hand in sorted(play.hands.items()):
            if not _done(hand):
                called = _called_for(round_, play, ("player", *key), hand)
                if called is not None:
                    return called
                if not _told(round_, play, key[0], hand):
                    return None
                if not hand.ended:
                    return Due(DECISION, "player", *key)
    return _of_dealer(round_, play, dealer)


def _of_passes(round_: RoundState, play: Play) -> Due | None:
    passes = play.passes
    positions = passes.due()
    if positions:
        return card_due(round_, ("player", positions[0], 1), "up", "pass", passes.stage, PASSES)
    if passes.open:
        return None
    if passes.stage is FIRST:
        return card_due(round_, DEALER, "up", "pass", FIRST, PASSES)
    return card_due(round_, DEALER, play.hole_mode, "hole_card", PASSES, PASSES)


def _done(hand: PlayerHand) -> bool:
    """Return whether nothing more is due to a hand, whatever its cards are."""
    out = hand.dead or hand.surrendered or hand.settled or hand.collected
    return out or hand.stood or hand.double_dealt


def _called_for(round_: RoundState, play: Play, key: HandKey, hand: PlayerHand) -> Due | None:
    """Return the card that a hand waits for, if it waits for one."""
    if hand.requested and hand.doubled:
        return card_due(round_, key, play.setup.double_face or "up", "double")
    if hand.requested:
        return card_due(round_, key, "up", "draw")
    if hand.from_split and len(hand.cards) == 1:
        return card_due(round_, key, "up", "split")
    return None


def _told(round_: RoundState, play: Play, position: int, hand: PlayerHand) -> bool:
    """Return whether a hand's count is known from cards that all lie open.

    A split moves cards between the hands of a position, so all of them are looked at.
    """
    keys = [("player", *key) for key in play.hands if key[0] == position]
    return (
        len(hand.cards) > 1
        and hand.count is not None
        and all(hand_open(round_, key) for key in keys)
    )


def _of_dealer(round_: RoundState, play: Play, cards: list[Card] | None) -> Due | None:
    """Return the card the dealer must draw; with multiple action it is not known for which."""
    if not cards or "multiple_action" in (play.setup.offers or ()):
        return None
    if count(cards) > 17 or play.stands_on(1) is not None:
        return None
    live = any(hand.live for hand in play.hands.values())
    return card_due(round_, DEALER, "up", "draw") if live else None
