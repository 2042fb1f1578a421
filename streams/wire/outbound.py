"""The core's findings, rounds and views to the records that travel.

A record says by which book and which version of the program it was made; the core knows neither
version nor bytes. The core's views and findings hold no card that lies face down, and nothing is
added here.
"""

from itertools import starmap
from typing import cast

from schemas import fields as f
from schemas import records
from streams.core.book import Book
from streams.core.cards import Card
from streams.core.findings import Finding
from streams.core.rounds import Round, RoundCard
from streams.core.views import TableView
from streams.wire.inbound import to_line


def book_name(book: Book) -> records.BookName:
    """Return what records say of a book."""
    return records.BookName(book.name, book.sha256)


def to_finding_record(finding: Finding, book: Book, version: str) -> records.Finding:
    """Return the record of a finding, raised or cleared."""
    return records.Finding(
        id=finding.id,
        code=finding.code,
        clause=finding.clause,
        class_=finding.class_,
        state=finding.state,
        severity=finding.severity,
        table=finding.table,
        game=finding.game,
        round=finding.round,
        position=finding.position,
        hand=finding.hand,
        at=finding.at,
        events=finding.events,
        detail=dict(finding.detail),
        book=book_name(book),
        version=version,
    )


def _card(card: Card | None) -> f.Card | None:
    return cast("f.Card | None", card)


def _round_card(card: RoundCard) -> records.RoundCard:
    return records.RoundCard(
        card=_card(card.card),
        place=card.place,
        to=card.to,
        position=card.position,
        hand=card.hand,
        face=card.face,
        side=card.side,
        at=card.at,
        event=card.event,
        exposed_at=card.exposed_at,
    )


def to_round_record(round_: Round, book: Book, version: str) -> records.Round:
    """Return the record of a round that is over; it has at least the event that opened it."""
    return records.Round(
        table=round_.table,
        game=round_.game,
        number=round_.number,
        opened_by=round_.events[0].identity,
        opened_at=round_.opened_at,
        closed_at=round_.closed_at,
        ended=round_.ended,
        dealer=round_.dealer,
        deck=round_.deck,
        positions=round_.positions,
        cards=tuple(_round_card(card) for card in round_.cards),
        events=tuple(records.RoundEvent(to_line(event), event.received) for event in round_.events),
        dropped_events=round_.dropped_events,
        gap=round_.gap,
        expected_stub=round_.expected_stub,
        counted_stub=round_.counted_stub,
        findings=tuple(records.RoundFinding(code, id_) for code, id_ in round_.findings),
        book=book_name(book),
        version=version,
    )


def to_view_record(view: TableView, book: Book, version: str) -> records.TableView:
    """Return the record of a table as it may be shown."""
    return records.TableView(
        table=view.table,
        game=view.game,
        open=view.open,
        dealer=view.dealer,
        round=view.round,
        round_open=view.round_open,
        round_opened_at=view.round_opened_at,
        positions=view.positions,
        cards=tuple(starmap(records.ViewCard, view.cards)),
        rounds_since_stub_count=view.rounds_since_stub_count,
        standing=tuple(
            records.ViewStanding(each.code, each.id, each.severity, each.round, each.at)
            for each in view.standing
        ),
        last_event_at=view.last_event_at,
        last_received=view.last_received,
        book=book_name(book),
        version=version,
        state=view.state,
        dealt_from=view.dealt_from,
        decks=view.decks,
        seats=view.seats,
        hole_card=view.hole_card,
        holding=view.holding,
        gap=view.gap,
        sources=tuple(starmap(records.ViewSource, view.sources)),
        wagers=tuple(starmap(records.ViewWager, view.wagers)),
        marks=tuple(starmap(records.ViewMark, view.marks)),
        marks_dropped=view.marks_dropped,
        next=None if view.next is None else records.ViewNext(*view.next),
        stocks=tuple(starmap(records.ViewStock, view.stocks)),
        cards_out=view.cards_out,
        stub_now=view.stub_now,
        stub_due=view.stub_due,
        counted_stub=view.counted_stub,
    )
