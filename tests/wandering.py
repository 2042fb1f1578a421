"""Events of every kind with any fields, and the states that wandering among them reaches."""

from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from random import Random
from typing import Any, Final

from schemas.faults import LineFault
from schemas.ndjson import decode_line
from streams.core.cards import DECK
from streams.core.events import BODIES, CAPABILITIES, GAMES, Body, Event, TableOpened, Tick
from streams.wire.inbound import to_event

RECORDINGS: Final = Path(__file__).with_name("recordings")

POOLS: Final[dict[str, Sequence[Any]]] = {
    "game": GAMES,
    "dealt_from": ("shoe", "double_shoe", "hand"),
    "decks": (1, 2, 6, 8),
    "positions": (1, 3, 7, 12),
    "observes": (("*",), ("*",), CAPABILITIES[:9], ()),
    "hole_card": ("none", "down", "up"),
    "double_face": ("up", "down"),
    "soft_seventeen": ("stand", "draw"),
    "offers": (("progressive",), ("multiple_action", "sevens", "bonus"), ()),
    "red_side": ("left", "right"),
    "jurisdiction": ("nj",),
    "dealer": ("D1", "D2"),
    "reason": ("amount_ascertained", "x"),
    "device": ("card_reader", "shuffler", "lockout_button", "progressive_light", "bonus_system"),
    "code": ("E7",),
    "cards": (0, 31, 32, 51, 52, 104, 208, 416),
    "method": ("automatic", "hand", "bart_carter"),
    "side": ("left", "right"),
    "stacks": (2, 3),
    "deck": ("red", "blue", "green"),
    "hand": (1, 1, 2, 3),
    "place": ("discard_rack", "segregated_area", "table"),
    "card": DECK,
    "wager": ("main", "ante", "aces_up", "raise", "progressive", "insurance", "sevens", "bonus"),
    "amount": (0, 2500),
    "to": ("player", "player", "player", "dealer", "banker"),
    "face": ("up", "down"),
    "position": (1, 2, 3, 4, 12),
    "drawn_with": ("left", "right"),
    "placed_with": ("left", "right"),
    "by": ("dealer", "dominant_player", "banker"),
    "what": ("dealers_card", "total", "card", "stay", "natural", "under_eight"),
    "total": (0, 12, 21, 99),
    "action": (
        *("stand", "draw", "double", "split", "surrender", "insurance", "raise", "fold"),
        *("accept_card", "refuse_card"),
    ),
    "result": ("blackjack", "no_blackjack", "error"),
    "outcome": ("win", "lose", "push", "returned"),
    "pays": ("1:1", "3:2", "21:1"),
}
BY_KIND: Final[dict[tuple[str, str], Sequence[Any]]] = {
    ("deck_in_hand", "hand"): ("left", "right"),
    ("burned", "place"): ("discard_rack", "segregated_area"),
    ("cards_touched", "by"): ("player", "spectator"),
}


def any_body(kind: type[Body], rng: Random) -> Body:
    """Return an event of a kind with fields drawn at random; one in three optional is absent."""
    values: dict[str, Any] = {}
    for field in fields(kind):
        if field.default is None and rng.random() < 1 / 3:
            continue
        pool = BY_KIND.get((kind.kind, field.name)) or POOLS.get(field.name, (True, False))
        values[field.name] = rng.choice(pool)
        assert field.default in (None, MISSING), field.name
    return kind(**values)


def next_event(table: str, rng: Random, seq: int, body: Body) -> Event:
    return Event(table, "walk/deck", 1, seq, 1_790_000_000_000_000 + seq * 1_000_000, body)


def wander(events: Sequence[Event], rng: Random) -> Iterator[Event]:
    """Yield a table's events with others put between them, some left out, and some repeated."""
    table = events[0].table
    kinds = [kind for kind in BODIES if kind not in (Tick, TableOpened)]
    seq = 0
    for event in events:
        chance = rng.random()
        if chance < 0.8:
            yield event
        if chance > 0.75:
            for _ in range(rng.randint(1, 3)):
                seq += 1 + (rng.random() < 0.05)
                yield next_event(table, rng, seq, any_body(rng.choice(kinds), rng))
        if chance > 0.99:
            yield event


def recorded() -> Iterator[list[Event]]:
    """Yield each table's events of each recording."""
    for path in sorted(RECORDINGS.glob("*.ndjson")):
        tables: dict[str, list[Event]] = {}
        for line in path.read_bytes().splitlines():
            record = decode_line(line)
            if not isinstance(record, LineFault):
                tables.setdefault(record.table, []).append(to_event(record))
        yield from tables.values()
