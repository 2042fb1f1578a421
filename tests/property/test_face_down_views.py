"""No view has anything of a card that lies face down, at any table that can be set up.

The nights are legal ones of the tables at which every two options of a game meet. After each event
the table's record is searched for the cards that nobody has seen; and with other cards in their
places it is the same record, byte for byte.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import msgspec
import pytest

from producers.simulator.floor import SETUPS
from producers.simulator.pairs import paired_setups
from schemas.codec import CODEC
from schemas.faults import CodecFault
from schemas.records import TableView
from streams.core.advance import advance_all
from streams.core.cards import DECK
from streams.core.events import CardDealt, DeterminantDrawn, DrawnInError, Event
from streams.core.projection import view
from streams.core.table import TableState, new_table
from streams.wire.outbound import to_view_record
from tests.face_down import FaceDown, cards_in, unseen
from tests.simulated import BOOK, paired_night, stamped

ROUNDS = 2
CUTS = 6
"""Places of a night at which other cards are put in the place of those that lie face down."""

TABLES = [(game, at) for game in SETUPS for at in range(len(paired_setups(game)))]


def night(game: str, at: int) -> list[Event]:
    return stamped(*paired_night(game, at, ROUNDS))


def written(state: TableState) -> bytes:
    return CODEC.encode(to_view_record(view(state), BOOK, "1"))


def text(data: bytes) -> str:
    """Return a view as its readers have it."""
    record = CODEC.decode(data, TableView)
    assert not isinstance(record, CodecFault)
    return msgspec.json.encode(record).decode()


@pytest.mark.parametrize(("game", "at"), TABLES)
def test_a_view_names_no_card_that_lies_face_down(game: str, at: int) -> None:
    events = night(game, at)
    state, table = new_table(events[0].table), FaceDown()
    for event in events:
        state = advance_all(state, (event,), BOOK).state
        table.follow(event)
        assert not cards_in([text(written(state))]) & table.hidden, event


def otherwise(events: Sequence[Event], rng: Random) -> list[Event]:
    """Return a table's events with any other card for each that lies face down.

    A determinant, or a card drawn in error, was seen before it was dealt: it stays what it is.
    """
    dealt = list(events)
    drawn = {
        event.body.card
        for event in events
        if isinstance(event.body, DeterminantDrawn | DrawnInError)
    }
    for place in unseen(events):
        body = events[place].body
        assert isinstance(body, CardDealt)
        if body.card not in drawn:
            card = rng.choice([each for each in DECK if each not in (body.card, *drawn)])
            dealt[place] = replace(events[place], body=replace(body, card=card))
    return dealt


@pytest.mark.parametrize(("game", "at"), TABLES)
def test_another_card_that_lies_face_down_makes_the_same_view(game: str, at: int) -> None:
    events, rng = night(game, at), Random(f"other/{game}/{at}")
    ends = [end for end in range(1, len(events) + 1) if unseen(events[:end])]
    changed = 0
    for end in rng.sample(ends, min(CUTS, len(ends))):
        told = events[:end]
        other = otherwise(told, rng)
        changed += other != told
        states = [advance_all(new_table(told[0].table), each, BOOK).state for each in (told, other)]
        assert written(states[0]) == written(states[1]), told[-1]
    assert changed or len(ends) < CUTS
