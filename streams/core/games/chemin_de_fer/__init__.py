"""Baccarat-chemin de fer, N.J.A.C. 13:69F-4.9: the third cards and what is said before them."""

from typing import Final

from streams.core.events import Decision, HoleCardRead, StubCounted, StubPlaced
from streams.core.game import Game
from streams.core.games.chemin_de_fer import announcing, drawing
from streams.core.games.chemin_de_fer.due import deals, due
from streams.core.integrity import CHECKS as INTEGRITY
from streams.core.shoe import CHECKS as SHOE

GAME: Final = Game(
    name="chemin_de_fer",
    checks=(*announcing.CHECKS, *drawing.CHECKS, *SHOE, *INTEGRITY),
    kinds=frozenset({Decision, HoleCardRead, StubCounted, StubPlaced}),
    hands=frozenset({"player", "banker"}),
    devices=frozenset({"card_reader"}),
    sides=True,
    seats=False,
    due=due,
    deals=deals,
)
