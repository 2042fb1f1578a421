"""Whatever state a table is in, it takes an event of every kind, keeps its bounds and its word.

States come from two sides: from every recording, and walks away from it, cut at every event; and
from a state machine whose rules deal on, skip, repeat, contradict, restart and interrupt.
"""

from collections.abc import Sequence
from itertools import chain
from random import Random
from typing import Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from streams.core.advance import Step, advance
from streams.core.events import BODIES, CLOCK_SOURCE, Body, Event, TableClosed, TableOpened, Tick
from streams.core.findings import (
    CONFLICTING_EVENT,
    DUPLICATE,
    LATE_EVENT,
    Effect,
    EventSetAside,
    FindingCleared,
    FindingRaised,
    RoundEnded,
)
from streams.core.projection import view
from streams.core.silence import STALLED
from streams.core.table import (
    MOST_FIRST_CARDS,
    MOST_LATE_BOOTS,
    MOST_ROUND_EVENTS,
    MOST_ROUND_FINDINGS,
    MOST_SOURCES,
    MOST_STOCKS,
    RECENT_IDENTITIES,
    TableState,
    new_table,
)
from streams.wire.snapshot import decode_snapshot, encode_snapshot
from tests.traces import BOOK, SHUFFLE, legal
from tests.wandering import POOLS, any_body, next_event, recorded, wander

RECORDED = list(recorded())
LEAST_STATES = 5_000
REACHED: Final[set[bytes]] = set()
"""The snapshot of every state that was taken through all kinds."""

GAMES_FROM_HAND: Final = ("caribbean_stud", "four_card_poker")
SOURCES: Final = ("gw/deck", "gw/shuffler", "gw/lockout")
DEVICE_KINDS: Final = [kind for kind in BODIES if kind is not Tick]
SECOND: Final = 1_000_000


def bytes_of(state: TableState) -> bytes:
    return encode_snapshot(state, {})


def sound(effect: Effect) -> None:
    """Show that an effect holds what its rulebook row allows."""
    match effect:
        case FindingRaised(finding) | FindingCleared(finding):
            row = BOOK.rules[finding.code]
            assert set(finding.detail) <= set(row.detail), finding
            assert all(type(value) in (int, str) for value in finding.detail.values())
            assert finding.clause == BOOK.clause(finding.code, finding.game)
            assert finding.events
            assert len(finding.id) == 32
            assert row.state == "standing" or isinstance(effect, FindingRaised)
        case RoundEnded(round_):
            assert round_.ended in ("closed", "voided", "cut_short")
            assert round_.number >= 1
        case EventSetAside(event, reason):
            assert event
            assert reason in (DUPLICATE, LATE_EVENT, CONFLICTING_EVENT)


def takes_every_kind(state: TableState, rng: Random) -> None:
    """Show that a state takes an event of each kind, once for each state ever reached."""
    before = bytes_of(state)
    if before in REACHED:
        return
    REACHED.add(before)
    for kind in BODIES:
        step = advance(state, next_event(state.table, rng, 1_000_000, any_body(kind, rng)), BOOK)
        for effect in step.effects:
            sound(effect)
        assert all(card.card is None for card in view(step.state).cards if card.face == "down")
    assert bytes_of(state) == before, "a state given to advance stays as it is"


class Table(RuleBasedStateMachine):
    """One table, what its sources say in any order, and a twin read back from bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.state = new_table("T")
        self.twin = new_table("T")
        self.said: dict[str, list[Event]] = {source: [] for source in SOURCES}
        self.boots = dict.fromkeys(SOURCES, 1)
        self.seqs = dict.fromkeys((*SOURCES, CLOCK_SOURCE), 0)
        self.now = 1_790_000_000 * SECOND
        self.due: list[Body] = []
        self.game = GAMES_FROM_HAND[0]

    def take(self, event: Event) -> Step:
        """Let the table and its twin take an event; both give the same, byte for byte."""
        step, other = advance(self.state, event, BOOK), advance(self.twin, event, BOOK)
        assert step.effects == other.effects
        assert bytes_of(step.state) == bytes_of(other.state)
        for effect in step.effects:
            sound(effect)
        self.state, self.twin = step.state, other.state
        takes_every_kind(self.state, Random(len(REACHED)))
        return step

    def say(self, body: Body, source: str = SOURCES[0], *, skip: int = 0) -> Step:
        self.now += SECOND
        self.seqs[source] += 1 + skip
        boot, seq = self.boots.get(source, 1), self.seqs[source]
        event = Event("T", source, boot, seq, self.now, body, self.now + 20_000)
        if source in self.said:
            self.said[source].append(event)
        return self.take(event)

    @initialize(game=st.sampled_from(GAMES_FROM_HAND), observes=st.sampled_from(POOLS["observes"]))
    def opens(self, game: str, observes: tuple[str, ...]) -> None:
        self.game = game
        self.say(TableOpened(game, "hand", 1, 7, observes))

    @rule(count=st.integers(1, 12), seats=st.sampled_from([(1,), (2, 3), (1, 2, 3, 4, 5, 6, 7)]))
    def deals_on(self, count: int, seats: Sequence[int]) -> None:
        if not self.due:
            self.due = [SHUFFLE, *legal(self.game, seats)]
        for body in self.due[:count]:
            self.say(body)
        del self.due[:count]

    @precondition(lambda self: len(self.due) > 1)
    @rule()
    def does_the_next_thing_first(self) -> None:
        self.say(self.due.pop(1))

    @precondition(lambda self: self.due)
    @rule(source=st.sampled_from(SOURCES[1:]))
    def says_by_another_device(self, source: str) -> None:
        self.say(self.due.pop(0), source)

    @precondition(lambda self: self.due)
    @rule(skip=st.integers(1, 100))
    def loses_events(self, skip: int) -> None:
        self.say(self.due.pop(0), skip=skip)

    @rule(kind=st.sampled_from(DEVICE_KINDS), source=st.sampled_from(SOURCES), seed=st.integers(0))
    def says_anything(self, kind: type[Body], source: str, seed: int) -> None:
        self.say(any_body(kind, Random(seed)), source)

    @rule(game=st.sampled_from(POOLS["game"]), seed=st.integers(0))
    def opens_as_anything(self, game: str, seed: int) -> None:
        body = any_body(TableOpened, Random(seed))
        assert isinstance(body, TableOpened)
        self.say(TableOpened(game, body.dealt_from, body.decks, body.positions, body.observes))
        self.due.clear()

    @rule(source=st.sampled_from(SOURCES))
    def restarts(self, source: str) -> None:
        self.boots[source] += 1
        self.seqs[source] = 0

    @rule()
    def ticks(self) -> None:
        assert self.say(Tick(), CLOCK_SOURCE).effects == ()

    @rule(seconds=st.integers(601, 86_400))
    def is_silent(self, seconds: int) -> None:
        stands = STALLED in self.state.standing
        self.now += seconds * SECOND
        told = self.say(Tick(), CLOCK_SOURCE).effects
        expected = [] if stands or self.state.round is None else ["round_stalled"]
        assert [each.finding.code for each in told if isinstance(each, FindingRaised)] == expected
        assert len(told) == len(expected)

    def known(self, source: str) -> list[Event]:
        """Return what the table must know a source said, as far as it was its next word."""
        return self.said[source][-RECENT_IDENTITIES:]

    @rule(source=st.sampled_from(SOURCES), back=st.integers(1, RECENT_IDENTITIES))
    def repeats(self, source: str, back: int) -> None:
        known = self.known(source)
        if len(known) < back:
            return
        before = bytes_of(self.state)
        step = self.take(known[-back])
        assert step.effects == (EventSetAside(known[-back], DUPLICATE),)
        assert bytes_of(step.state) == before, "what is sent again changes nothing"

    @rule(source=st.sampled_from(SOURCES), back=st.integers(1, RECENT_IDENTITIES))
    def contradicts_itself(self, source: str, back: int) -> None:
        known = self.known(source)
        if len(known) < back:
            return
        first = known[-back]
        body = TableClosed() if not isinstance(first.body, TableClosed) else SHUFFLE
        other = Event("T", source, first.boot, first.seq, first.at, body)
        self.set_aside(other, CONFLICTING_EVENT)

    @rule(source=st.sampled_from(SOURCES), body=st.sampled_from([SHUFFLE, TableClosed()]))
    def says_what_was_before_all(self, source: str, body: Body) -> None:
        older = self.said[source][:-RECENT_IDENTITIES]
        if older:
            last = older[-1]
            self.set_aside(Event("T", source, last.boot, last.seq, last.at, body), LATE_EVENT)

    def set_aside(self, event: Event, reason: str) -> None:
        """Show that an event is set aside, told at most once, and changes nothing at the table."""
        before = view(self.state), self.state.round_number, self.state.stocks
        step = self.take(event)
        aside, *told = step.effects
        assert aside == EventSetAside(event, reason)
        assert [each.finding.code for each in told if isinstance(each, FindingRaised)] == (
            [reason] * len(told)
        )
        assert len(told) <= 1
        assert (view(self.state), self.state.round_number, self.state.stocks) == before

    @rule()
    def is_read_back(self) -> None:
        self.twin, _ = decode_snapshot(bytes_of(self.state))
        assert self.twin == self.state

    @invariant()
    def bounds_are_kept(self) -> None:
        state = self.state
        assert len(state.sources) <= MOST_SOURCES
        assert len(state.stocks) <= MOST_STOCKS
        assert len(state.first_cards) <= MOST_FIRST_CARDS
        for source in state.sources.values():
            assert len(source.recent) <= RECENT_IDENTITIES
            assert len(source.late_boots) <= MOST_LATE_BOOTS
            assert source.conflicts <= source.recent.keys()
        if state.round is not None:
            assert len(state.round.events) <= MOST_ROUND_EVENTS
            assert len(state.round.cards) <= MOST_ROUND_EVENTS
            assert len(state.round.findings) <= MOST_ROUND_FINDINGS


def walked(seed: int) -> list[Event]:
    """Return a recording's events, wandered from."""
    return list(wander(RECORDED[seed], Random(f"walk/{seed}")))


def test_every_kind_in_every_reached_state_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    rng = Random("total")
    for walk in chain(RECORDED, map(walked, range(len(RECORDED)))):
        state = new_table(walk[0].table)
        for event in walk if len(REACHED) < LEAST_STATES else ():
            state = advance(state, event, BOOK).state
            takes_every_kind(state, rng)
    cut = len(REACHED)
    run_state_machine_as_test(
        Table, settings=settings(max_examples=40, stateful_step_count=50, deadline=None)
    )
    with capsys.disabled():
        print(
            f"\n{cut:,} states from recordings and {len(REACHED) - cut:,} from the machine, "
            f"{len(REACHED) * len(BODIES):,} pairs of state and kind"
        )
    assert len(REACHED) >= LEAST_STATES
