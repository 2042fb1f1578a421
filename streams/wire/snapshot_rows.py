"""What types the fields of a snapshot have, by their places, so that none of another is taken.

A sound checksum only says that the bytes are those that were written. A field of another type would
be taken and end the worker with some later event, so it is a fault: the table is built anew. A
place in a list is never below 0, for counted from the end it would be another's.
"""

from typing import Annotated, Any

import msgspec

from streams.core.cards import Card

Place = Annotated[int, msgspec.Meta(ge=0)]

EventRow = tuple[
    Place,  # kind
    Place,  # speaker
    int,  # seq, counted back
    int,  # at
    int | None,  # received
    list[Any],  # body, by its own types
]

RoundRow = tuple[
    int,  # number
    int,  # opened_at
    str,  # stock
    bool,  # stock_named
    bool,  # gap
    bool,  # voided
    Place,  # how many events are kept
    list[EventRow],
    int,  # dropped_events
    list[Place],  # cards
    int,  # dealt
    int,  # left
    list[tuple[str, int | None, int, list[int]]],  # hands
    list[tuple[int, int]],  # turned
    list[tuple[int, Card]],  # readings
    list[int],  # loose
    list[int],  # wagered
    tuple[int, ...] | None,  # in_play
    int,  # next_place
    str | None,  # dealing_hand
    str | None,  # holding
    bool,  # no_more_bets
    bool,  # lockout
    bool,  # settling
    bool,  # stub_placed
    int | None,  # stub_count
    int | None,  # cards_at_stub
    list[tuple[str, str]],  # findings
    bool,  # reader_at_fault
]

SourceRow = tuple[
    str,  # name
    int,  # boot
    int,  # seq
    list[tuple[int, int, Place]],  # runs of boot, first seq and length
    bytes,  # digests
    bytes,  # conflicts
    list[int],  # late_boots
]

StockRow = tuple[
    str,  # name
    str | None,  # shuffle
    bool,  # shuffled
    int | None,  # cut_round
    bool,  # emptied
    bool,  # unemptied
    int,  # left
    int | None,  # loaded
    str,  # cards seen
    list[int],  # how often each
    int,  # seen_in_round
    str | None,  # last
    int,  # rising
    int,  # falling
    str,  # first
    list[str],  # raised
]

StandingRow = tuple[
    str,  # code
    str,  # key
    str,  # id
    str | None,  # game
    str,  # clause
    str,  # severity
    int,  # round
    int | None,  # position
    int | None,  # hand
    int,  # at
    str,  # event
    dict[str, int | str],  # detail
]

TableRow = tuple[
    str,  # opening
    bool,  # open
    str | None,  # dealer
    int,  # last_event_at
    int | None,  # last_received
    int,  # round_number
    tuple[int, str, bool, int, bool] | None,  # last_round
    int,  # rounds_since_stub_count
    str | None,  # shuffle
    str | None,  # shuffle_unnamed
    str | None,  # stock_in_hand
    str | None,  # last_dealer
    list[str],  # burns_due
    bool,  # bonus_ascertained
    list[tuple[Card | None, bool]],  # errors_waiting
    list[SourceRow],
    list[StockRow],
    bytes,  # first_cards
    list[StandingRow],
    list[tuple[str, int | None, int | None]],  # raised
    list[Any] | None,  # round, a RoundRow
    list[tuple[str, int, int]],  # restarted
    Any,  # alarms, read apart
]
"""All behind the set-up."""


class TableFields(msgspec.Struct, array_like=True):
    """A table's row. msgspec works a class out once, and a bare tuple anew each time, in 70 µs."""

    row: TableRow


class RoundFields(msgspec.Struct, array_like=True):
    """A round's row, likewise."""

    row: RoundRow
