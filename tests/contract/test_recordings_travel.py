"""What every recording comes to travels as records: written, read back and still the same."""

from itertools import groupby
from pathlib import Path

import pytest

from schemas.codec import CODEC
from schemas.ndjson import decode_line, read_lines
from schemas.records import DealEvent, Finding, Round, TableView
from streams.core.advance import advance_all
from streams.core.events import CardDealt, CardExposed, Event
from streams.core.findings import EventSetAside, FindingCleared, FindingRaised, RoundEnded
from streams.core.projection import view
from streams.core.table import new_table
from streams.rulebooks import load
from streams.wire.inbound import to_event, to_record
from streams.wire.outbound import to_finding_record, to_round_record, to_view_record

RECORDINGS = sorted((Path(__file__).parents[1] / "recordings").glob("*.ndjson"))
BOOK = load()
VERSION = "0.1.0"


def tables(path: Path) -> list[list[Event]]:
    """Return a recording's events, table by table."""
    with path.open("rb") as stream:
        decoded = [decode_line(raw) for _, raw in read_lines(stream)]
    events = [to_event(each) for each in decoded if isinstance(each, DealEvent)]
    events.sort(key=lambda event: event.table)
    return [list(own) for _, own in groupby(events, key=lambda event: event.table)]


@pytest.fixture(params=RECORDINGS, ids=lambda path: path.stem)
def recording(request: pytest.FixtureRequest) -> list[list[Event]]:
    return tables(request.param)


def test_events_travel(recording: list[list[Event]]) -> None:
    for events in recording:
        for event in events:
            record = to_record(event, "gw-1")
            assert CODEC.decode(CODEC.encode(record), DealEvent) == record


def test_effects_travel(recording: list[list[Event]]) -> None:
    for events in recording:
        for effect in advance_all(new_table(events[0].table), events, BOOK).effects:
            match effect:
                case FindingRaised(finding) | FindingCleared(finding):
                    raised = to_finding_record(finding, BOOK, VERSION)
                    assert CODEC.decode(CODEC.encode(raised), Finding) == raised
                case RoundEnded(ended):
                    record = to_round_record(ended, BOOK, VERSION)
                    assert CODEC.decode(CODEC.encode(record), Round) == record
                    lines = [decode_line(each.line.encode()) for each in record.events]
                    assert lines == [to_record(event) for event in ended.events]
                case EventSetAside():
                    pass


def test_views_travel_without_a_card_that_lies_face_down(recording: list[list[Event]]) -> None:
    for events in recording:
        state = new_table(events[0].table)
        exposed: set[str | None] = set()
        for event in events:
            state = advance_all(state, [event], BOOK).state
            if isinstance(event.body, CardExposed) or (
                isinstance(event.body, CardDealt) and event.body.face == "up"
            ):
                exposed.add(event.body.card)
            shown = to_view_record(view(state), BOOK, VERSION)
            assert CODEC.decode(CODEC.encode(shown), TableView) == shown
            assert {card.card for card in shown.cards} <= exposed | {None}
