"""A table as it may be shown: a projection of its state, without undealt or face-down cards.

What stands in a view by the dozen is a named tuple, for a view is made of each table and batch,
and a tuple takes a quarter of the time that a frozen dataclass does.
"""

from dataclasses import dataclass
from typing import NamedTuple

from streams.core.cards import Card
from streams.core.due import Due


class ViewCard(NamedTuple):
    """One card on the table; ``card`` is absent while it lies face down or was not read.

    ``number`` is its place in the order of the round's dealt cards, from 1; ``at`` is the device's
    clock; ``source`` is a place in the view's sources, and ``seq`` the event's in it.
    """

    to: str
    position: int | None
    hand: int | None
    face: str
    card: Card | None
    number: int
    at: int
    source: int
    seq: int


class ViewSource(NamedTuple):
    """A source in one boot; ``seq`` is its last, absent for a boot before the present one."""

    source: str
    boot: int
    seq: int | None


class ViewWager(NamedTuple):
    """A wager of a position as last placed; ``amount`` is in minor units."""

    position: int
    wager: str
    amount: int | None


class ViewMark(NamedTuple):
    """One event of the round that deals no card, in what may be told of it (``core.marks``)."""

    at: int
    source: int
    seq: int
    kind: str
    to: str | None
    position: int | None
    hand: int | None
    of: str | None
    word: str | None
    figure: int | None
    card: Card | None


class ViewStock(NamedTuple):
    """A deck, a shoe or one side of a double shoe in use.

    ``cards`` are those it has whole, ``out`` those that left: of a deck in the round, of a shoe
    since its last shuffle or load. ``shuffle`` is the method of the last one, where no card left
    since; ``cut_card`` that its cut card was reached since.
    """

    name: str | None
    cards: int
    out: int
    shuffle: str | None
    cut_card: bool


@dataclass(frozen=True, slots=True)
class ViewStanding:
    """One standing finding of the table."""

    code: str
    id: str
    severity: str
    round: int
    at: int


@dataclass(frozen=True, slots=True)
class TableView:
    """What the pages show of a table.

    ``round`` is the open round's number, else the last closed one's; times are microseconds,
    ``last_event_at`` by the device's clock and ``last_received`` by the gateway's.
    ``rounds_since_stub_count`` and ``stub_now`` are absent where the game counts no stub, the
    first also where the table's devices cannot tell a count, ``stub_due`` also while the positions
    in play are not known. ``state`` is a word for a tile (``core.phase``). ``sources`` are who
    told what is shown, the first of them the last event. ``marks`` are the last of the round's
    events that deal no card, after ``marks_dropped`` others.
    What is of the open round is empty or absent between rounds.
    """

    table: str
    game: str | None
    open: bool
    dealer: str | None
    round: int
    round_open: bool
    round_opened_at: int | None
    positions: tuple[int, ...]
    cards: tuple[ViewCard, ...]
    rounds_since_stub_count: int | None
    standing: tuple[ViewStanding, ...]
    last_event_at: int
    last_received: int | None
    state: str
    dealt_from: str | None
    decks: int | None
    seats: int | None
    hole_card: str | None
    holding: str | None
    gap: bool
    sources: tuple[ViewSource, ...]
    wagers: tuple[ViewWager, ...]
    marks: tuple[ViewMark, ...]
    marks_dropped: int
    next: Due | None
    stocks: tuple[ViewStock, ...]
    cards_out: int | None
    stub_now: int | None
    stub_due: int | None
    counted_stub: int | None
