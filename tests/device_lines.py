"""A device's line as the contract shows it, and lines that differ from it."""

import json
from typing import Any

from schemas import kinds
from schemas.faults import LineFault
from schemas.ndjson import decode_line
from schemas.records import DealEvent

GOOD: dict[str, Any] = {
    "table": "CS-03",
    "source": "gw-2/shoe-1",
    "boot": 1,
    "seq": 17,
    "at": "2026-11-30T12:00:05.120Z",
    "kind": "card_dealt",
    "to": "player",
    "position": 2,
    "face": "down",
    "card": "TS",
}


EVENT = DealEvent(
    "CS-03",
    "gw-2/shoe-1",
    1,
    17,
    1_796_040_005_120_000,
    kinds.CardDealt(to="player", face="down", position=2, card="TS"),
)


OPENED: dict[str, Any] = {
    "kind": "table_opened",
    "game": "caribbean_stud",
    "dealt_from": "hand",
    "decks": 1,
    "positions": 7,
    "observes": ["*"],
}


CARD = "a card, rank A23456789TJQK then suit SHDC"


TIME = "a UTC time such as 2026-11-30T12:00:05.120Z in the years 2000 to 2100"


def line(**changes: object) -> bytes:
    values = {**GOOD, **changes}
    return json.dumps({name: value for name, value in values.items() if value is not ...}).encode()


def of_kind(kind: str, **fields: object) -> bytes:
    envelope = {name: GOOD[name] for name in ("table", "source", "boot", "seq", "at")}
    return json.dumps({**envelope, "kind": kind, **fields}).encode()


def fault(raw: bytes) -> LineFault:
    found = decode_line(raw)
    assert isinstance(found, LineFault), found
    return found
