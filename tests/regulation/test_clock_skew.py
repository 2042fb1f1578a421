"""clock_skew: a source's clock more than two seconds off the gateway's, until it is back."""

from dataclasses import replace

import pytest

from streams.core.advance import advance, advance_all
from streams.core.events import Event
from streams.core.findings import Finding, FindingCleared, FindingRaised
from streams.core.table import MOST_SOURCES, TableState, new_table
from tests.shell_models import book, recorded

EVENTS = recorded("cs-legal-12-rounds")[:60]
LIMIT = 2_000_000


def received(event: Event, late: int) -> Event:
    """Return an event that the gateway received so many microseconds after its device time."""
    return replace(event, received=event.at + late)


def skews(events: list[Event], state: TableState | None = None) -> list[Finding]:
    step = advance_all(state or new_table(events[0].table), events, book())
    return [
        effect.finding
        for effect in step.effects
        if isinstance(effect, FindingRaised | FindingCleared)
        and effect.finding.code == "clock_skew"
    ]


@pytest.mark.parametrize("late", [LIMIT, -LIMIT, 0])
def test_a_clock_within_two_seconds_raises_nothing(late: int) -> None:
    assert skews([received(event, late) for event in EVENTS]) == []


@pytest.mark.parametrize("late", [LIMIT + 1, -LIMIT - 1_000])
def test_a_clock_further_off_is_raised_once(late: int) -> None:
    (finding,) = skews([received(event, late) for event in EVENTS])
    assert finding.state == "raised"
    assert dict(finding.detail) == {"milliseconds": -late // 1000}
    assert finding.events == (EVENTS[0].identity,)
    assert finding.round == 0


def test_it_is_cleared_when_the_clock_is_back_and_raised_anew() -> None:
    lates = [0, LIMIT + 1, LIMIT + 1, 5, 5, LIMIT + 1]
    found = skews([received(event, late) for event, late in zip(EVENTS, lates, strict=False)])
    assert [finding.state for finding in found] == ["raised", "cleared", "raised"]
    assert found[0].id == found[1].id != found[2].id


def test_a_recording_raises_nothing() -> None:
    assert skews(list(EVENTS)) == []


def test_each_source_stands_for_itself() -> None:
    other = [
        replace(received(event, 0), source="gw-9/stub", seq=number)
        for number, event in enumerate(EVENTS, 1)
    ]
    mixed = [each for pair in zip(EVENTS, other, strict=True) for each in pair]
    late = [received(each, LIMIT + 1) if each.source != "gw-9/stub" else each for each in mixed]
    assert len(skews(late)) == 1


def test_a_table_that_never_opened_has_a_clock_too() -> None:
    (finding,) = skews([received(EVENTS[5], LIMIT + 1)])
    assert (finding.game, finding.round) == (None, 0)


def test_no_more_sources_stand_than_a_table_has() -> None:
    state = new_table(EVENTS[0].table)
    for number in range(2 * MOST_SOURCES):
        event = replace(received(EVENTS[0], LIMIT + 1), source=f"gw/{number}")
        state = advance(state, event, book()).state
    assert sum(code == "clock_skew" for code, _ in state.standing) == MOST_SOURCES
