"""The record of one closed round: enough to settle a dispute without the video."""

from dataclasses import dataclass

from streams.core.cards import Card
from streams.core.events import Event


@dataclass(frozen=True, slots=True)
class RoundCard:
    """One card that left the deck or shoe in the round, in order.

    ``place`` is how it left: ``dealt``, ``burned``, ``determinant``, ``drawn_in_error`` or
    ``found_face_up``; ``to``, ``position`` and ``hand`` say where it went. ``exposed_at`` is the
    time it was turned up, if it was dealt down and turned up.
    """

    card: Card | None
    place: str
    to: str | None
    position: int | None
    hand: int | None
    face: str | None
    side: str | None
    at: int
    event: str
    exposed_at: int | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """A round, closed or ended unjudged, as its events told it.

    ``ended`` is ``closed``, ``voided`` or ``cut_short`` (the table opened or closed in it).
    ``events`` are the applied events of the round in order (wagers, announcements, decisions,
    settlements and all others); ``dropped_events`` counts those beyond the bound. Times are
    microseconds. ``expected_stub`` is what a hand-dealt deck's stub must count, ``counted_stub``
    what was counted before the round closed. ``findings`` are (code, id) pairs raised in it.
    """

    table: str
    game: str | None
    number: int
    opened_at: int
    closed_at: int
    ended: str
    dealer: str | None
    deck: str | None
    positions: tuple[int, ...]
    cards: tuple[RoundCard, ...]
    events: tuple[Event, ...]
    dropped_events: int
    gap: bool
    expected_stub: int | None
    counted_stub: int | None
    findings: tuple[tuple[str, str], ...]
