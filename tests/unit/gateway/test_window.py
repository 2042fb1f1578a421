from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from producers.gateway.entries import Accepted, Entry, Merged, Refused
from producers.gateway.progress import Progress
from producers.gateway.window import MOST_ENTRIES, MOST_SPAN, Window, lane_of


def event(table: str, received: int = 1, *, held: bool = False) -> Accepted:
    return Accepted(table, "gw-1", 1, 1, 1, received, b"", b"", held)


def letter(table: str | None) -> Refused:
    return Refused(table, 1, b"{", 1, "bad_line", "line", "an object", "an end")


def filled(entries: list[Entry], most: int = 64) -> Window:
    window = Window(most)
    for position, entry in enumerate(entries, start=1):
        window.offer(position, entry)
    return window


def sent(window: Window) -> list[int]:
    return [position for position, _ in window.sendable()]


def test_a_lane_waits_for_acknowledgements_while_others_go_on() -> None:
    window = filled([event("A"), event("A"), event("A"), event("B")], most=2)
    assert sent(window) == [1, 2, 4]
    assert sent(window) == []
    assert not window.ready
    assert window.acknowledge(2) == event("A")
    assert sent(window) == [3]
    assert window.progress(5) == Progress(1, frozenset({2}))
    window.acknowledge(1)
    assert window.progress(5) == Progress(3)


def test_dead_letters_of_a_table_do_not_wait_for_its_events() -> None:
    window = filled([event("A"), event("A"), letter("A"), letter(None)], most=1)
    assert sent(window) == [1, 3, 4]


def test_what_is_retracted_goes_out_again_in_order() -> None:
    window = filled([event("A") for _ in range(5)], most=3)
    assert sent(window) == [1, 2, 3]
    window.acknowledge(2)
    assert sent(window) == [4]
    assert window.retract() == 3
    assert window.in_flight == 0
    assert sent(window) == [1, 3, 4]
    assert window.acknowledge(5) is None
    for position in (1, 3, 4):
        window.acknowledge(position)
    assert sent(window) == [5]
    window.acknowledge(5)
    assert window.empty
    assert window.progress(6) == Progress(6)


def test_held_events_wait_for_the_decision_on_their_order() -> None:
    window = filled([event("A", 10, held=True), event("A", 20, held=True), event("B", 30)])
    assert sent(window) == [3]
    assert window.oldest == 10
    window.offer(4, Merged((2, 1, 99)))
    assert sent(window) == [2, 1]
    window.retract()
    assert sent(window) == [2, 1, 3]


def test_the_oldest_is_the_first_that_is_not_done() -> None:
    window = filled([event("A", 10), event("B", 20)])
    sent(window)
    assert window.oldest == 10
    window.acknowledge(1)
    assert window.oldest == 20
    window.acknowledge(2)
    assert window.oldest is None


def test_the_window_is_bounded_by_what_is_not_done_and_by_how_far_it_reaches() -> None:
    window = filled([event(str(number)) for number in range(MOST_ENTRIES)])
    before = window.room
    sent(window)
    window.acknowledge(2)
    assert (before, window.room) == (False, True)
    stuck = Window()
    stuck.offer(1, event("stuck"))
    for position in range(2, MOST_SPAN + 1):
        stuck.offer(position, event("other"))
        if position % 50 == 0:
            for each in sent(stuck):
                if each != 1:
                    stuck.acknowledge(each)
    assert not stuck.room


def test_dead_letters_at_rest_make_room_where_nothing_else_waits() -> None:
    window = filled(
        [letter("A"), *[event("B") for _ in range(MOST_SPAN - 2)], letter("A")], MOST_SPAN
    )
    window.rest(resting=True)
    events = sent(window)
    assert window.give_up() == 0
    for position in events:
        window.acknowledge(position)
    assert (window.room, window.give_up(), window.room) == (False, 1, True)
    assert window.progress(MOST_SPAN + 1) == Progress(MOST_SPAN)
    assert (window.oldest, window.oldest_event) == (1, None)


def test_the_oldest_event_may_be_held() -> None:
    window = filled([letter("A"), event("A", 10, held=True), event("B", 20)])
    assert window.oldest_event == 10
    assert filled([letter("A"), event("B", 20)]).oldest_event == 20


class WindowMachine(RuleBasedStateMachine):
    """Any offers, sends, acknowledgements and losses keep each lane in order and lose nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.window = Window(3)
        self.next = 1
        self.lanes: dict[object, list[int]] = {}
        self.acked: set[int] = set()
        self.in_flight: list[int] = []
        self.entries: dict[int, Entry] = {}

    @rule(table=st.sampled_from("AB"), make=st.sampled_from([event, letter]))
    def offer(self, table: str, make: Callable[[str], Accepted | Refused]) -> None:
        entry = make(table)
        self.window.offer(self.next, entry)
        self.lanes.setdefault(lane_of(entry), []).append(self.next)
        self.entries[self.next] = entry
        self.next += 1

    @rule()
    def send(self) -> None:
        self.in_flight += sent(self.window)

    @precondition(lambda self: self.in_flight)
    @rule(data=st.data())
    def acknowledge(self, data: st.DataObject) -> None:
        position = data.draw(st.sampled_from(self.in_flight))
        self.in_flight.remove(position)
        assert self.window.acknowledge(position) == self.entries[position]
        self.acked.add(position)

    @rule()
    def lose(self) -> None:
        assert self.window.retract() == len(self.in_flight)
        self.in_flight = []

    @invariant()
    def a_lane_sends_its_oldest_first_and_no_more_than_it_may(self) -> None:
        for lane in self.lanes.values():
            flying = [position for position in lane if position in self.in_flight]
            open_ones = [position for position in lane if position not in self.acked]
            assert len(flying) <= 3
            assert flying == open_ones[: len(flying)]

    @invariant()
    def progress_is_exactly_what_was_acknowledged(self) -> None:
        progress = self.window.progress(self.next)
        assert {position for position in range(1, self.next) if position in progress} == self.acked
        assert self.window.empty == (len(self.acked) == self.next - 1)


TestWindow = WindowMachine.TestCase


@given(st.lists(st.sampled_from("ABC"), max_size=30), st.integers(1, 4))
def test_everything_is_sent_once_when_all_is_acknowledged(tables: list[str], most: int) -> None:
    window = filled([event(table) for table in tables], most)
    order: list[int] = []
    while batch := sent(window):
        order += batch
        for position in batch:
            window.acknowledge(position)
    assert sorted(order) == list(range(1, len(tables) + 1))
    for table in "ABC":
        mine = [position for position in order if tables[position - 1] == table]
        assert mine == sorted(mine)
