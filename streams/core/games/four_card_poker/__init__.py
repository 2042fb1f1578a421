"""Four card poker dealt from the hand, N.J.A.C. 13:69F-27.8."""

from typing import Final

from streams.core.game import Game
from streams.core.games.from_hand import absent, dealing, holding, stub
from streams.core.integrity import CHECKS as INTEGRITY
from streams.core.script import Pass, Script

SCRIPT: Final = Script((*(Pass("down", ("down",)),) * 4, Pass("down", ("down", "up"))))
"""27.8(c): five passes, all down; the dealer's sixth is up, directly after his fifth."""

GAME: Final = Game(
    name="four_card_poker",
    script=SCRIPT,
    checks=(*holding.CHECKS, *dealing.checks(SCRIPT), *stub.CHECKS, *INTEGRITY),
    kinds=absent.KINDS,
    announcers=absent.ANNOUNCERS,
    devices=absent.DEVICES,
)
