"""Caribbean stud poker dealt from the hand, N.J.A.C. 13:69F-16.8."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import CardDealt
from streams.core.game import Game
from streams.core.games.from_hand import absent, dealing, holding, stub
from streams.core.integrity import CHECKS as INTEGRITY
from streams.core.judge import Check, FirstCard, Observation, Raised, RestsOn, Verdict
from streams.core.script import Pass, Script

SCRIPT: Final = Script((Pass("down", ("up",)), *(Pass("down", ("down",)),) * 4))
"""16.8(c): five passes; the dealer's first card is up, the others are down."""


def lockout_not_pressed(seen: Observation, _: CardDealt) -> Iterable[Verdict]:
    """16.8(b)3: dealing begins without the lock-out button pressed."""
    if seen.round is not None and not seen.round.lockout:
        return (Raised(),)
    return ()


GAME: Final = Game(
    name="caribbean_stud",
    script=SCRIPT,
    checks=(
        *holding.CHECKS,
        Check("lockout_not_pressed", (FirstCard,), lockout_not_pressed, RestsOn.ABSENCE),
        *dealing.checks(SCRIPT),
        *stub.CHECKS,
        *INTEGRITY,
    ),
    kinds=absent.KINDS,
    announcers=absent.ANNOUNCERS,
    devices=absent.DEVICES,
)
