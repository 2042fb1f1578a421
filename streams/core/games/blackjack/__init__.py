"""Blackjack, N.J.A.C. 13:69F-2.6 and 2.15: the deal from a shoe, and its irregularities.

A table dealt from the hand keeps 2.6A, of which nothing is judged but what is judged in every game.
"""

from typing import Final

from streams.core.events import StubCounted, StubPlaced
from streams.core.game import Game
from streams.core.games.blackjack import dealer, dealing, deciding, devices, errors, house, missed
from streams.core.games.blackjack.due import deals, due
from streams.core.games.blackjack.following import new_play
from streams.core.integrity import CHECKS as INTEGRITY
from streams.core.shoe import CHECKS as SHOE

GAME: Final = Game(
    name="blackjack",
    checks=(
        *dealing.CHECKS,
        *deciding.CHECKS,
        *dealer.CHECKS,
        *house.CHECKS,
        *errors.CHECKS,
        *missed.CHECKS,
        *devices.CHECKS,
        *SHOE,
        *INTEGRITY,
    ),
    kinds=frozenset({StubCounted, StubPlaced}),
    announcers=frozenset({"dealer", "dominant_player"}),
    wagers=frozenset({"ante", "aces_up", "raise"}),
    actions=frozenset({"raise", "fold"}),
    sides=True,
    new_play=new_play,
    due=due,
    deals=deals,
)

FROM_HAND: Final = Game(
    name="blackjack",
    checks=INTEGRITY,
    kinds=frozenset({StubCounted, StubPlaced}),
    announcers=frozenset({"dealer", "dominant_player"}),
    wagers=frozenset({"ante", "aces_up", "raise"}),
    actions=frozenset({"raise", "fold"}),
)
