r"""The types of the contract's fields: every vocabulary and every range, written once.

JSON lines and Avro are both checked against these annotations, and the exported JSON Schema is
made from them. A pattern ends in ``$(?!\n)``, for Python's ``$`` alone lets a line feed pass.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta

SAFE_INT: Final = 2**53 - 1
"""The largest integer that JSON readers keep exact."""

EARLIEST: Final = 946_684_800_000_000
"""2000-01-01T00:00:00Z in microseconds since the epoch."""

LATEST: Final = 4_133_980_799_999_999
"""2100-12-31T23:59:59.999999Z in microseconds since the epoch."""

CLOCK_SOURCE: Final = "pitwatch/clock"
"""The source of ticks; no device may use it."""

Table = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$(?!\n)",
        description="1 to 64 characters A-Z a-z 0-9 . _ -, the first a letter or digit",
    ),
]
Source = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$(?!\n)",
        description="1 to 64 characters A-Z a-z 0-9 . _ - /, the first a letter or digit",
    ),
]
Gateway = Source
Counter = Annotated[int, Meta(ge=1, le=SAFE_INT)]
"""A boot or a sequence number."""
Number = Annotated[int, Meta(ge=0, le=SAFE_INT)]
"""A count that begins at nought."""
Micros = Annotated[int, Meta(ge=EARLIEST, le=LATEST)]
"""A time, microseconds since 1970-01-01 UTC, in the years 2000 to 2100."""
Time = Annotated[
    str,
    Meta(
        max_length=27,
        pattern=r"^(20[0-9]{2}|2100)-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](\.[0-9]{1,6})?Z$(?!\n)",
        description="a UTC time such as 2026-11-30T12:00:05.120Z in the years 2000 to 2100",
        extra_json_schema={"format": "date-time"},
    ),
]
"""A time as a JSON line writes it."""

Amount = Annotated[int, Meta(ge=0, le=SAFE_INT)]
"""Money in integer minor units."""
Decks = Annotated[int, Meta(ge=1, le=8)]
Position = Annotated[int, Meta(ge=1, le=12)]
Hand = Annotated[int, Meta(ge=1, le=4)]
Place = Annotated[int, Meta(ge=0, le=1023)]
"""A place in a list or an order: a round keeps 512 events and as many cards."""
Cards = Annotated[int, Meta(ge=0, le=416)]
"""A number of cards; eight decks have 416."""
Total = Annotated[int, Meta(ge=0, le=99)]
Stacks = Annotated[int, Meta(ge=1, le=52)]
Text = Annotated[str, Meta(min_length=1, max_length=64)]
"""A pseudonym, a deck's name, a reason or a code."""
Pays = Annotated[
    str,
    Meta(
        max_length=7,
        pattern=r"^[1-9][0-9]{0,2}:[1-9][0-9]{0,2}$(?!\n)",
        description="two numbers from 1 to 999 with a colon between, such as 3:2",
    ),
]

# fmt: off
Card = Literal[
    "AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS",
    "AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH", "KH",
    "AD", "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD",
    "AC", "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC",
]
Capability = Literal[
    "*", "wagers", "announcements", "lockout", "shuffles", "dealing_hand", "deck_area", "draw_hand",
    "burns", "faces", "cards", "totals", "decisions", "collection", "settlements", "stub", "reader",
    "supervisor", "up_card",
]
# fmt: on
Game = Literal["blackjack", "caribbean_stud", "four_card_poker", "chemin_de_fer"]
DealtFrom = Literal["shoe", "double_shoe", "hand"]
HoleCard = Literal["none", "down", "up"]
Face = Literal["up", "down"]
Side = Literal["left", "right"]
SoftSeventeen = Literal["stand", "draw"]
Offer = Literal["progressive", "multiple_action", "sevens", "bonus"]
Capabilities = Annotated[tuple[Capability, ...], Meta(extra_json_schema={"uniqueItems": True})]
Offers = Annotated[tuple[Offer, ...], Meta(extra_json_schema={"uniqueItems": True})]
Jurisdiction = Literal["nj"]
Device = Literal[
    "card_reader", "shuffler", "shoe", "lockout_button", "progressive_light", "bonus_system"
]
ShuffleMethod = Literal["automatic", "hand", "bart_carter"]
BurnPlace = Literal["discard_rack", "segregated_area"]
FoundPlace = Literal["discard_rack", "segregated_area", "table"]
Wager = Literal["main", "ante", "aces_up", "raise", "progressive", "insurance", "sevens", "bonus"]
Recipient = Literal["player", "dealer", "banker"]
Announcer = Literal["dealer", "dominant_player", "banker"]
Announcement = Literal["dealers_card", "total", "card", "stay", "natural", "under_eight"]
Action = Literal[
    "stand",
    "draw",
    "double",
    "split",
    "surrender",
    "insurance",
    "raise",
    "fold",
    "accept_card",
    "refuse_card",
]
ReaderResult = Literal["blackjack", "no_blackjack", "error"]
Toucher = Literal["player", "spectator"]
Outcome = Literal["win", "lose", "push", "returned"]

Identity = Annotated[str, Meta(min_length=1, max_length=192)]
"""An event's identity, ``table/source/boot/seq``."""
Digest = Annotated[
    str,
    Meta(
        max_length=32,
        pattern=r"^[0-9a-f]{32}$(?!\n)",
        description="32 hexadecimal digits in lower case",
    ),
]
Sha256 = Annotated[
    str,
    Meta(
        max_length=64,
        pattern=r"^[0-9a-f]{64}$(?!\n)",
        description="64 hexadecimal digits in lower case",
    ),
]
Line = Annotated[str, Meta(min_length=1, max_length=16384)]
"""An event as a JSON line, read by ``schemas.ndjson``."""
Note = Annotated[str, Meta(min_length=1, max_length=1000)]
"""What a person wrote."""
Clause = Annotated[str, Meta(min_length=1, max_length=256)]
Stub = Annotated[int, Meta(ge=-SAFE_INT, le=SAFE_INT)]
"""What a stub must count: below nought where more cards were seen than the deck has."""
Repeats = Annotated[int, Meta(ge=1, le=SAFE_INT)]
Value = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | Annotated[str, Meta(max_length=256)]
"""A value of a finding's detail: an integer that Avro's long holds, or a text."""
Detail = Annotated[dict[Text, Value], Meta(max_length=32)]
