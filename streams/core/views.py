"""A table as it may be shown: a projection of its state, without undealt or face-down cards."""

from dataclasses import dataclass

from streams.core.cards import Card


@dataclass(frozen=True, slots=True)
class ViewCard:
    """One card on the table; ``card`` is absent while it lies face down or was not read."""

    to: str
    position: int | None
    hand: int | None
    face: str
    card: Card | None


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
    """What the floor page shows of a table.

    ``round`` is the open round's number, else the last closed one's; times are microseconds,
    ``last_event_at`` by the device's clock and ``last_received`` by the gateway's.
    ``rounds_since_stub_count`` is absent where the game counts no stub.
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
