"""The events of a round's evidence: from the table's opening to the round's end, and no further."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

import pytest

from schemas.codec import CODEC
from schemas.ndjson import decode_line
from schemas.records import DealEvent, Round
from streams.core.advance import advance_all
from streams.core.events import CLOCK_SOURCE, Event, RoundClosed, StubCounted, TableOpened, Tick
from streams.core.findings import RoundEnded
from streams.core.rounds import Round as CoreRound
from streams.core.table import new_table
from streams.historian.evidence import FROM_DEALS, FROM_ROUND, Events, events_of, identity
from streams.rulebooks import load
from streams.wire.inbound import to_event, to_record
from streams.wire.outbound import to_round_record
from tests.shell_models import recorded

NIGHT = recorded("cs-legal-12-rounds")


@cache
def judged() -> tuple[CoreRound, ...]:
    """Return the rounds of the night."""
    table = NIGHT[0].table
    effects = advance_all(new_table(table), NIGHT, load()).effects
    return tuple(effect.round for effect in effects if isinstance(effect, RoundEnded))


def a_round(number: int, **changed: object) -> Round:
    core = next(each for each in judged() if each.number == number)
    return to_round_record(replace(core, **changed), load(), "test")  # type: ignore[arg-type]  # fields of a round


def values(events: Iterable[Event]) -> list[bytes]:
    return [CODEC.encode(to_record(event, "gateway")) for event in events]


def told(events: Events) -> list[Event]:
    """Return the events of the lines, each of which a recording may hold."""
    records = [decode_line(line) for line in events.lines]
    assert all(isinstance(record, DealEvent) for record in records)
    return [to_event(record) for record in records if isinstance(record, DealEvent)]


def place_of(number: int, night: Sequence[Event] = NIGHT) -> int:
    """Return where a round's closing event stands."""
    closes = [place for place, event in enumerate(night) if isinstance(event.body, RoundClosed)]
    return closes[number - 1]


def test_they_begin_with_the_opening_and_end_with_the_round() -> None:
    events = events_of(a_round(3), values(NIGHT))
    assert (events.source, events.from_opening) == (FROM_DEALS, True)
    lines = told(events)
    assert isinstance(lines[0].body, TableOpened)
    following = NIGHT[place_of(3) + 1]
    after = [following] if isinstance(following.body, StubCounted) else []
    assert [each.identity for each in lines] == [
        each.identity for each in [*NIGHT[: place_of(3) + 1], *after]
    ]


def test_nothing_of_the_next_round_is_taken() -> None:
    """It may be open, and a card of it lie face down."""
    for number in range(1, 12):
        last = told(events_of(a_round(number), values(NIGHT)))[-1]
        assert isinstance(last.body, RoundClosed | StubCounted) or last.body.kind == "stub_placed"
        following = {event.identity for event in judged()[number].events}
        assert last.identity not in following


def test_a_stub_counted_after_the_round_is_taken() -> None:
    end = place_of(2) + 1
    first, *rest = NIGHT[end:]
    counted = replace(first, source="late/stub", boot=1, seq=1, body=StubCounted(30))
    events = events_of(a_round(2), values([*NIGHT[:end], counted, first, *rest]))
    assert told(events)[-1].body == StubCounted(30)


def test_the_last_opening_before_the_round_counts() -> None:
    opened = next(event for event in NIGHT if isinstance(event.body, TableOpened))
    again = replace(opened, boot=opened.boot + 1, seq=1)
    middle = place_of(2) + 1
    events = events_of(a_round(3), values([*NIGHT[:middle], again, *NIGHT[middle:]]))
    assert told(events)[0].boot == opened.boot + 1


def test_without_an_opening_they_begin_with_the_round() -> None:
    begun = place_of(2) + 1
    events = events_of(a_round(3), values(NIGHT[begun:]))
    assert (events.source, events.from_opening) == (FROM_DEALS, False)
    assert told(events)[0].identity == a_round(3).opened_by


@pytest.mark.parametrize("night", [(), NIGHT[: place_of(3)], NIGHT[place_of(3) :]])
def test_what_kafka_has_no_more_is_taken_from_the_round(night: Sequence[Event]) -> None:
    round_ = a_round(3)
    events = events_of(round_, values(night))
    assert (events.source, events.from_opening) == (FROM_ROUND, False)
    assert list(events.lines) == [event.line.encode() for event in round_.events]


def test_the_deals_have_what_the_round_did_not_keep() -> None:
    whole = next(each for each in judged() if each.number == 3)
    round_ = a_round(3, events=whole.events[:5], dropped_events=len(whole.events) - 5)
    assert told(events_of(round_, values(NIGHT))) == told(events_of(a_round(3), values(NIGHT)))


def test_other_tables_the_workers_ticks_and_junk_are_left_out() -> None:
    wanted = events_of(a_round(3), values(NIGHT))
    tick = replace(NIGHT[5], source=CLOCK_SOURCE, boot=1, seq=1, body=Tick())
    mixed = [
        *values(NIGHT[:5]),
        *values([tick]),
        b"junk",
        *values(replace(event, table="OTHER") for event in NIGHT[:9]),
        *values(NIGHT[5:]),
    ]
    events = events_of(a_round(3), mixed)
    assert events.lines == wanted.lines
    assert (events.ticks, wanted.ticks) == (1, 0)


def test_no_more_is_read_than_up_to_the_rounds_end() -> None:
    def deals() -> Iterable[bytes]:
        yield from values(NIGHT[: place_of(3) + 3])
        raise AssertionError("read on")

    assert events_of(a_round(3), deals()).source == FROM_DEALS


def test_a_line_that_tells_no_identity_is_of_no_event() -> None:
    assert identity(b'{"table":"T"}') is None
    assert identity(b"junk") is None
