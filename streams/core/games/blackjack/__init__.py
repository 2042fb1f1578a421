"""Blackjack, N.J.A.C. 13:69F-2.6 and 2.15: so far only what is judged in every game."""

from typing import Final

from streams.core.events import StubCounted, StubPlaced
from streams.core.game import Game
from streams.core.integrity import CHECKS as INTEGRITY

GAME: Final = Game(
    name="blackjack",
    checks=INTEGRITY,
    kinds=frozenset({StubCounted, StubPlaced}),
    announcers=frozenset({"dealer", "dominant_player"}),
    wagers=frozenset({"ante", "aces_up", "raise"}),
    actions=frozenset({"raise", "fold"}),
    sides=True,
)
