"""What is due next at a table: a card to a hand, or a player's decision, as the game's text says.

Nothing is due by a card that lies face down: where what comes next rests on one, nothing is told.
"""

from typing import NamedTuple

from streams.core.events import CardDealt
from streams.core.script import DEALER, Script, in_play_at, next_place
from streams.core.table import HandKey, RoundState

CARD = "card"
DECISION = "decision"


class Due(NamedTuple):
    """A card or a decision that is due.

    ``number`` is which of the round's dealt cards it will be, from 1; ``reason`` is what a card is
    for: ``pass``, ``hole_card``, ``draw``, ``double``, ``split`` or ``third_card``; ``pass_`` is
    the pass under way of ``passes``, from 1.
    """

    what: str
    to: str
    position: int | None
    hand: int | None
    number: int | None = None
    face: str | None = None
    reason: str | None = None
    pass_: int | None = None
    passes: int | None = None


def card_due(
    round_: RoundState,
    key: HandKey,
    face: str,
    reason: str,
    pass_: int | None = None,
    passes: int | None = None,
) -> Due:
    """Return that the round's next card is due to a hand."""
    number = dealt_cards(round_) + 1
    return Due(CARD, *key, number, face, reason, pass_, passes)


def dealt_cards(round_: RoundState) -> int:
    """Return how many of the round's cards were dealt to a hand."""
    return sum(type(event.body) is CardDealt for event in round_.cards)


def lies_open(round_: RoundState, index: int) -> bool:
    """Return whether a card was dealt face up or was turned up since."""
    body = round_.cards[index].body
    return index in round_.turned or (isinstance(body, CardDealt) and body.face == "up")


def hand_open(round_: RoundState, key: HandKey) -> bool:
    """Return whether no card of a hand lies face down."""
    return all(lies_open(round_, index) for index in round_.hands.get(key, ()))


def due_by_script(script: Script, round_: RoundState, wagers_observed: bool) -> Due | None:
    """Return the card that a script has next; none before the close of betting and when complete.

    Until then positions may still join, and who is in play is not settled.
    """
    if not (round_.dealt or round_.no_more_bets):
        return None
    in_play = in_play_at(round_, wagers_observed)
    if not in_play:
        return None
    _, place = next_place(script, round_, in_play)
    if place is None:
        return None
    passes = len(script.passes)
    if place.hand == DEALER:
        face, pass_ = script.dealer_faces[place.number - 1], script.pass_of_dealer(place.number)
    else:
        face, pass_ = script.player_faces[place.number - 1], place.number
    return card_due(round_, place.hand, face, "pass", pass_, passes)
