"""Baccarat-chemin de fer, N.J.A.C. 13:69F-4.9: so far only what is judged in every game."""

from typing import Final

from streams.core.events import Decision, HoleCardRead, StubCounted, StubPlaced
from streams.core.game import Game
from streams.core.integrity import CHECKS as INTEGRITY

GAME: Final = Game(
    name="chemin_de_fer",
    checks=INTEGRITY,
    kinds=frozenset({Decision, HoleCardRead, StubCounted, StubPlaced}),
    hands=frozenset({"player", "banker"}),
    devices=frozenset({"card_reader"}),
    seats=False,
)
