"""Checks of a shoe's load, in every game dealt from one."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import CardsLoaded
from streams.core.judge import Check, Observation, Raised, RestsOn, Verdict


def unshuffled_shoe(seen: Observation, body: CardsLoaded) -> Iterable[Verdict]:
    """Integrity: a shoe or side is loaded with cards that nothing shuffled since its last load."""
    side = body.side or ""
    stock = seen.table.stocks.get(side)
    if body.preshuffled or (stock is not None and stock.shuffled):
        return ()
    return (Raised(detail={"side": side or "single"}),)


CHECKS: Final = (Check("unshuffled_shoe", (CardsLoaded,), unshuffled_shoe, RestsOn.ABSENCE),)
"""Judged in every game dealt from a shoe."""
