"""What a table dealt from the hand cannot have: no shoe, no burns, no reader, no banker."""

from typing import Final

from streams.core.events import (
    Burned,
    CardsLoaded,
    CutCardReached,
    DeterminantDrawn,
    HoleCardRead,
    RackCounted,
    ShoeEmptied,
    ShoeExhausted,
    UpCardDiscarded,
    UpCardMoved,
    UpCardRestored,
)

KINDS: Final = frozenset(
    {
        Burned,
        CardsLoaded,
        CutCardReached,
        DeterminantDrawn,
        HoleCardRead,
        RackCounted,
        ShoeEmptied,
        ShoeExhausted,
        UpCardDiscarded,
        UpCardMoved,
        UpCardRestored,
    }
)
ANNOUNCERS: Final = frozenset({"dealer", "dominant_player"})
DEVICES: Final = frozenset({"card_reader", "shoe"})
