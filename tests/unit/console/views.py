"""Views of tables as the tests of the console need them."""

from typing import Any

import msgspec

from schemas.records import TableView, ViewCard, ViewMark, ViewNext, ViewSource, ViewWager
from tests.unit.console.alarm_records import BOOK

T0 = 1_796_000_000_000_000
SECOND = 1_000_000

_VIEW = TableView(
    table="CS-03",
    game="caribbean_stud",
    open=True,
    dealer="D-114",
    round=219,
    round_open=True,
    round_opened_at=T0,
    positions=(1, 2, 3, 4, 6),
    cards=(),
    rounds_since_stub_count=6,
    standing=(),
    last_event_at=T0 + 40 * SECOND,
    last_received=T0 + 40 * SECOND,
    book=BOOK,
    version="0.1.0",
    state="dealing",
    dealt_from="hand",
    decks=1,
    seats=7,
    hole_card=None,
    holding="left",
    gap=False,
    sources=(ViewSource("gw-2/shoe-1", 1, 9214),),
    wagers=(),
    marks=(),
    marks_dropped=0,
    next=None,
    stocks=(),
    cards_out=None,
    stub_now=None,
    stub_due=None,
    counted_stub=None,
)


def view(**changes: Any) -> TableView:
    """Return a view of a Caribbean stud table with what is to differ."""
    return msgspec.structs.replace(_VIEW, **changes)


def card(
    number: int,
    to: str = "player",
    position: int | None = None,
    card: Any = None,
    **changes: Any,
) -> ViewCard:
    """Return a card: it lies face down where none is named."""
    made = ViewCard(
        to=to,
        position=position,
        hand=1,
        face="down" if card is None else "up",
        card=card,
        number=number,
        at=T0 + number * SECOND,
        source=0,
        seq=100 + number,
    )
    return msgspec.structs.replace(made, **changes)


def mark(kind: str, second: int = 0, **changes: Any) -> ViewMark:
    """Return a mark."""
    made = ViewMark(
        at=T0 + second * SECOND,
        source=0,
        seq=10 + second,
        kind=kind,
        to=None,
        position=None,
        hand=None,
        of=None,
        word=None,
        figure=None,
        card=None,
    )
    return msgspec.structs.replace(made, **changes)


def due(**changes: Any) -> ViewNext:
    """Return a card due to position 3 in pass 4 of 5."""
    made = ViewNext(
        what="card",
        to="player",
        position=3,
        hand=None,
        number=21,
        face="down",
        reason="pass",
        pass_=4,
        passes=5,
    )
    return msgspec.structs.replace(made, **changes)


def wager(position: int, kind: str, amount: int | None) -> ViewWager:
    """Return a wager."""
    return ViewWager(position, kind, amount)
