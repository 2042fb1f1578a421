"""What is due next in a coup, 4.9: the player's third card, once the dominant player called for it.

The text fixes no order for the first four cards, and whether the banker draws may rest on cards
that lie face down; neither is told.
"""

from streams.core.due import Due, card_due
from streams.core.games.chemin_de_fer.hands import BANKER, PLAYER, read_coup
from streams.core.table import RoundState


def deals(round_: RoundState) -> bool:
    """Return whether a hand has fewer than its first two cards."""
    return any(len(round_.hands.get(key, ())) < 2 for key in (PLAYER, BANKER))


def due(round_: RoundState) -> Due | None:
    """Return the player's third card where it was called for and is not dealt."""
    if len(round_.hands.get(PLAYER, ())) != 2 or deals(round_):
        return None
    called = read_coup(round_).card_announced
    return card_due(round_, PLAYER, "up", "third_card") if called else None
