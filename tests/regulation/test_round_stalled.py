"""A round of which nothing is heard: told by ticks, over with the next event, never in catch-up."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.core import events as e
from streams.core.advance import advance_all
from streams.core.events import CLOCK_SOURCE, Event, Tick
from streams.core.findings import Finding, FindingCleared, FindingRaised
from streams.core.table import new_table
from tests.traces import BOOK, CARIBBEAN, SECOND, SHUFFLE, events, legal, opened

LIMIT = BOOK.parameter("round_stalled", "seconds") * SECOND
ROUND = [
    replace(event, received=event.at + 20_000)
    for event in events([opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)])
]
WITHIN = 8
"""So many events and the round is open."""


def tick(at: int, seq: int = 1) -> Event:
    return Event("T", CLOCK_SOURCE, 1, seq, at, Tick(), at)


def told(stream: Iterable[Event]) -> list[Finding]:
    return [
        each.finding
        for each in advance_all(new_table("T"), stream, BOOK).effects
        if isinstance(each, FindingRaised | FindingCleared) and each.finding.code == "round_stalled"
    ]


def heard(event: Event) -> int:
    assert event.received is not None
    return event.received


LAST = heard(ROUND[WITHIN - 1])


def test_silence_of_the_limit_is_told_by_the_first_tick_that_sees_it() -> None:
    ticks = [tick(LAST + LIMIT - 1, 1), tick(LAST + LIMIT, 2), tick(LAST + LIMIT + SECOND, 3)]
    (found,) = told([*ROUND[:WITHIN], *ticks])
    assert (found.state, found.class_, found.severity) == ("raised", "telemetry", "medium")
    assert found.detail == {"seconds": LIMIT // SECOND}
    assert found.events == (ticks[1].identity,)
    assert (found.at, found.round) == (LAST + LIMIT, 1)
    state = advance_all(new_table("T"), [*ROUND[:WITHIN], *ticks], BOOK).state
    assert state.round is not None
    assert ("round_stalled", found.id) in state.round.findings
    assert state.last_received == LAST, "a tick is no word of a device"


def test_it_is_over_with_the_next_event_and_raised_anew_after_another_silence() -> None:
    after = LAST + LIMIT
    next_ = replace(ROUND[WITHIN], received=after + SECOND)
    again = tick(after + SECOND + LIMIT, 2)
    found = told([*ROUND[:WITHIN], tick(after), next_, again])
    assert [each.state for each in found] == ["raised", "cleared", "raised"]
    assert found[0].id == found[1].id != found[2].id
    assert found[1].events == (found[0].events[-1], next_.identity)


@pytest.mark.parametrize(
    "body", [e.SupervisorCalled(), e.TableClosed(), opened(CARIBBEAN), e.CutCardReached()]
)
def test_any_event_ends_it_also_one_out_of_place(body: e.Body) -> None:
    next_ = replace(ROUND[WITHIN], body=body, received=LAST + LIMIT + 1)
    found = told([*ROUND[:WITHIN], tick(LAST + LIMIT), next_])
    assert [each.state for each in found] == ["raised", "cleared"]


def test_what_is_sent_again_does_not_end_it() -> None:
    found = told([*ROUND[:WITHIN], tick(LAST + LIMIT), ROUND[WITHIN - 1]])
    assert [each.state for each in found] == ["raised"]


def test_between_rounds_nothing_stalls() -> None:
    assert told([*ROUND, tick(heard(ROUND[-1]) + 100 * LIMIT)]) == []
    assert told([tick(heard(ROUND[-1]) + 100 * LIMIT)]) == []


def test_without_receipts_no_silence_is_known() -> None:
    recording = [replace(event, received=None) for event in ROUND[:WITHIN]]
    assert told([*recording, tick(LAST + 100 * LIMIT)]) == []
    unreceived = replace(tick(LAST + 100 * LIMIT), received=None)
    assert told([*ROUND[:WITHIN], unreceived]) == []


NIGHT = [
    replace(event, at=event.at + place * 30 * SECOND, received=event.at + place * 30 * SECOND)
    for place, event in enumerate(
        events(
            [opened(CARIBBEAN), *[body for _ in range(4) for body in (SHUFFLE, *legal(CARIBBEAN))]]
        )
    )
]
"""A night whose events are 31 s apart, so that ticks are written in all its rounds."""


@given(st.integers(0, 2**32), st.integers(0, 30))
def test_ticks_that_come_late_raise_nothing(seed: int, latest: int) -> None:
    """Each is written in truth, where nothing is behind, and is then on its way for a while.

    It stands in the log after events that were received later than it was written, as after a
    broker's pause, or when a worker that lost its seat wrote it.
    """
    rng = Random(seed)
    log: list[tuple[int, int, Event]] = [(at, 0, event) for at, event in enumerate(NIGHT)]
    for place, event in enumerate(NIGHT):
        late = rng.randint(0, latest)
        log.append((place + late, 1, tick(heard(event) + 30 * SECOND)))
    log.sort(key=lambda each: each[:2])
    seq = 0
    stream: list[Event] = []
    for _, kind, event in log:
        seq += kind
        stream.append(replace(event, seq=seq) if kind else event)
    assert told(stream) == []
