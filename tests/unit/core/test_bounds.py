"""Whatever devices send without end, a table remembers a bounded part of it."""

from dataclasses import replace

from streams.core import events as e
from streams.core.advance import advance_all
from streams.core.events import Event
from streams.core.findings import EventSetAside, FindingRaised, RoundEnded
from streams.core.table import (
    MOST_LATE_BOOTS,
    MOST_ROUND_EVENTS,
    MOST_ROUND_FINDINGS,
    MOST_SOURCES,
    MOST_STOCKS,
    RECENT_IDENTITIES,
    new_table,
)
from streams.wire.snapshot import encode_snapshot
from tests.traces import BOOK, CARIBBEAN, SHUFFLE, events, legal, opened, told


def test_a_round_keeps_so_many_events_and_counts_the_others_as_a_gap() -> None:
    beyond = 7
    trace: list[e.Body] = [opened(CARIBBEAN), SHUFFLE, e.WagerPlaced(1, "ante")]
    trace += [e.SupervisorCalled()] * (MOST_ROUND_EVENTS + beyond - 2)
    step = advance_all(new_table("T"), events([*trace, e.RoundClosed()]), BOOK)
    (ended,) = step.effects
    assert isinstance(ended, RoundEnded)
    assert len(ended.round.events) == MOST_ROUND_EVENTS
    assert ended.round.dropped_events == beyond
    assert ended.round.gap


def test_a_round_lists_so_many_findings_and_all_are_raised() -> None:
    beyond = 5
    trace: list[e.Body] = [opened(CARIBBEAN), SHUFFLE, e.WagerPlaced(1, "ante")]
    trace += [e.Burned("discard_rack")] * (MOST_ROUND_FINDINGS + beyond)
    step = advance_all(new_table("T"), events([*trace, e.RoundClosed()]), BOOK)
    *raised, ended = step.effects
    assert len(raised) == MOST_ROUND_FINDINGS + beyond
    assert isinstance(ended, RoundEnded)
    assert len(ended.round.findings) == MOST_ROUND_FINDINGS


def test_a_round_keeps_so_many_cards() -> None:
    trace: list[e.Body] = [opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)[:-1]]
    trace += [e.CardDealt("player", "down", 1)] * (MOST_ROUND_EVENTS + 9)
    state = advance_all(new_table("T"), events(trace), BOOK).state
    assert state.round is not None
    assert len(state.round.cards) == MOST_ROUND_EVENTS
    assert state.round.dealt > MOST_ROUND_EVENTS


def test_the_source_longest_silent_is_forgotten() -> None:
    said = [Event("T", f"s{number}", 1, 5, 0, e.TableClosed()) for number in range(MOST_SOURCES)]
    again = replace(said[0], seq=6)
    more = Event("T", "more", 1, 1, 0, e.TableClosed())
    state = advance_all(new_table("T"), [*said, again, more], BOOK).state
    assert len(state.sources) == MOST_SOURCES
    assert {"s0", "s2", "more"} <= set(state.sources)
    assert "s1" not in state.sources


def test_of_a_source_the_last_identities_are_remembered() -> None:
    trace: list[e.Body] = [opened(CARIBBEAN), *[e.SupervisorCalled()] * (RECENT_IDENTITIES * 2)]
    state = advance_all(new_table("T"), events(trace), BOOK).state
    assert [len(source.recent) for source in state.sources.values()] == [RECENT_IDENTITIES]


def test_conflicts_are_forgotten_with_their_identities() -> None:
    said = events([opened(CARIBBEAN), *[e.SupervisorCalled()] * (RECENT_IDENTITIES * 2)])
    other = replace(said[1], body=e.TableClosed())
    state = advance_all(new_table("T"), [*said[:3], other, *said[3:]], BOOK).state
    assert all(not source.conflicts for source in state.sources.values())


def test_late_boots_are_remembered_up_to_a_number() -> None:
    boots = MOST_LATE_BOOTS + 3
    first = Event("T", "s", boots + 1, 1, 0, e.TableClosed())
    late = [replace(first, boot=boot) for boot in range(1, boots + 1)]
    step = advance_all(new_table("T"), [first, *late], BOOK)
    assert len(step.state.sources["s"].late_boots) == MOST_LATE_BOOTS
    raised = [each for each in step.effects if isinstance(each, FindingRaised)]
    assert sum(each.finding.code == "late_event" for each in raised) == boots
    assert sum(isinstance(each, EventSetAside) for each in step.effects) == boots


def test_the_deck_longest_out_of_use_is_forgotten() -> None:
    shuffles = [replace(SHUFFLE, deck=f"deck {number}") for number in range(MOST_STOCKS + 4)]
    state = advance_all(new_table("T"), events([opened(CARIBBEAN), *shuffles]), BOOK).state
    assert list(state.stocks) == [f"deck {number}" for number in range(4, MOST_STOCKS + 4)]
    assert told([opened(CARIBBEAN), *shuffles]) == []


def test_a_tick_changes_nothing_but_its_own_place_so_that_silence_is_still_seen() -> None:
    said = [
        replace(event, received=event.at + 3)
        for event in events([opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)[:9]])
    ]
    tick = Event("T", e.CLOCK_SOURCE, 1, 1, said[-1].at + 5, e.Tick(), received=said[-1].at + 9)
    plain = advance_all(new_table("T"), said, BOOK).state
    step = advance_all(new_table("T"), [*said, tick], BOOK)
    assert step.effects == ()
    assert step.state.last_received == said[-1].received
    assert step.state.sources.pop(e.CLOCK_SOURCE).seq == 1
    assert step.state == plain


def test_snapshots_are_small() -> None:
    idle = advance_all(new_table("T"), events([opened(CARIBBEAN), SHUFFLE]), BOOK).state
    busy = [opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN, (1, 2, 3, 4, 5, 6, 7))]
    closed = advance_all(new_table("T"), events(busy), BOOK).state
    open_round = advance_all(new_table("T"), events(busy[:-1]), BOOK).state
    assert len(encode_snapshot(idle, {"deals": 1})) <= 2048
    assert len(encode_snapshot(closed, {"deals": 1})) <= 2048
    assert len(encode_snapshot(open_round, {"deals": 1})) <= 6144
