"""What the core says becomes records that travel, and loses nothing on the way."""

import msgspec

from schemas import records
from schemas.codec import CODEC
from schemas.faults import LineFault
from schemas.ndjson import decode_line
from streams.core import events as e
from streams.core.advance import advance_all
from streams.core.findings import FindingRaised, RoundEnded
from streams.core.projection import view
from streams.core.table import new_table
from streams.wire.inbound import to_event, to_record
from streams.wire.outbound import (
    to_finding_record,
    to_round_record,
    to_view_record,
)
from tests.traces import BOOK, CARIBBEAN, FOUR_CARD, SHUFFLE, events, legal, opened, swapped
from tests.wandering import recorded

TRACE: list[e.Body] = [opened(FOUR_CARD), SHUFFLE, *swapped(legal(FOUR_CARD), 1)]
STEP = advance_all(new_table("T"), events(TRACE), BOOK)
VERSION = "9.8.7"


def test_an_event_is_the_same_there_and_back() -> None:
    for stream in recorded():
        for event in stream:
            assert to_event(to_record(event)) == event


def test_the_gateway_that_received_an_event_is_told() -> None:
    event = events(TRACE)[0]
    record = to_record(event, gateway="gw-1")
    assert record.gateway == "gw-1"
    assert to_event(record) == event


def test_a_finding_says_by_which_book_and_version_it_was_raised() -> None:
    (finding,) = [each.finding for each in STEP.effects if isinstance(each, FindingRaised)]
    record = to_finding_record(finding, BOOK, VERSION)
    assert (record.code, record.clause, record.class_) == ("deal_order", "27.8(c)", "breach")
    assert (record.id, record.events, record.detail) == (
        finding.id,
        finding.events,
        finding.detail,
    )
    assert (record.book.name, record.book.sha256) == (BOOK.name, BOOK.sha256)
    assert record.version == VERSION


def test_a_round_has_its_events_as_lines_that_can_be_read_again() -> None:
    (round_,) = [each.round for each in STEP.effects if isinstance(each, RoundEnded)]
    record = to_round_record(round_, BOOK, VERSION)
    read = [decode_line(each.line.encode()) for each in record.events]
    assert [to_event(each) for each in read if not isinstance(each, LineFault)] == list(
        round_.events
    )
    assert [card.card for card in record.cards] == [card.card for card in round_.cards]
    assert record.opened_by == round_.events[0].identity
    assert [each.code for each in record.findings] == ["deal_order"]


def test_a_view_leaves_out_cards_that_lie_face_down() -> None:
    trace: list[e.Body] = [opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)[:12]]
    state = advance_all(new_table("T"), events(trace), BOOK).state
    record = to_view_record(view(state), BOOK, VERSION)
    assert [card.card is None for card in record.cards] == [
        card.face == "down" for card in record.cards
    ]
    assert {card.face for card in record.cards} == {"up", "down"}
    assert record.round_open
    assert record.rounds_since_stub_count == 0


def test_a_view_tells_what_stands() -> None:
    trace: list[e.Body] = [opened(CARIBBEAN), e.ShuffleCompleted("automatic", cards=50)]
    state = advance_all(new_table("T"), events(trace), BOOK).state
    record = to_view_record(view(state), BOOK, VERSION)
    assert [(each.code, each.severity) for each in record.standing] == [
        ("shuffler_count_wrong", "critical")
    ]


def test_a_view_names_the_event_that_told_a_card_or_a_mark() -> None:
    trace: list[e.Body] = [opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)[:12]]
    sent = events(trace)
    record = to_view_record(view(advance_all(new_table("T"), sent, BOOK).state), BOOK, VERSION)
    cards = {record.identity(card) for card in record.cards}
    assert cards | {record.identity(mark) for mark in record.marks} == {
        event.identity for event in sent[2:]
    }
    first = record.cards[0]
    assert record.identity(msgspec.structs.replace(first, source=7)) is None
    assert record.identity(msgspec.structs.replace(first, source=None)) is None
    assert record.identity(msgspec.structs.replace(first, seq=None)) is None


def test_a_view_tells_the_card_that_is_due() -> None:
    trace: list[e.Body] = [opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)[:12]]
    shown = view(advance_all(new_table("T"), events(trace), BOOK).state)
    record = to_view_record(shown, BOOK, VERSION)
    assert record.next is not None
    assert msgspec.structs.astuple(record.next) == shown.next
    assert CODEC.decode(CODEC.encode(record), records.TableView) == record
