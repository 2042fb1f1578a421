import pytest

from producers.gateway import merge
from producers.gateway.entries import Accepted, Entry, Merged
from producers.gateway.merge import Merger

HOLD = 0.15


def event(source: str, at: int, table: str = "CS-01") -> Accepted:
    return Accepted(table, source, 1, 1, at, 1, b"", b"")


class Floor:
    """A merger, the positions it is told, and a clock that the test moves."""

    def __init__(self, hold: float = HOLD) -> None:
        self.merger = Merger(hold)
        self.position = 0
        self.now = 1000.0

    def arrive(self, source: str, at: int, table: str = "CS-01") -> bool:
        """Return whether the event is held."""
        self.position += 1
        return self.merger.arrive(self.position, event(source, at, table), self.now).held

    def due(self, seconds: float = 0.0) -> list[tuple[int, ...]]:
        self.now += seconds
        return [decision.positions for decision in self.merger.due(self.now)]


def two_sources() -> Floor:
    floor = Floor()
    assert not floor.arrive("a", 10)
    assert floor.arrive("b", 11)
    assert floor.due(HOLD) == [(2,)]
    return floor


def test_a_table_with_one_source_is_never_held() -> None:
    floor = Floor()
    assert not any(floor.arrive("a", at) for at in (10, 20, 5))
    assert not floor.arrive("b", 1, table="CS-02")
    assert floor.merger.deadline is None
    assert floor.due(10) == []
    assert floor.merger.late == 0


def test_events_of_two_sources_are_put_in_the_order_of_their_clocks_after_the_hold() -> None:
    floor = two_sources()
    assert floor.arrive("a", 30)
    deadline = floor.merger.deadline
    assert deadline == floor.now + HOLD
    floor.now += HOLD / 2
    assert floor.arrive("b", 20)
    assert floor.arrive("b", 40)
    assert floor.due() == []
    floor.now = deadline
    assert floor.due() == [(4, 3)]
    assert floor.merger.deadline == deadline + HOLD / 2
    assert floor.due(HOLD) == [(5,)]
    assert floor.merger.held == 0


def test_equal_times_keep_the_order_they_came_in() -> None:
    floor = two_sources()
    floor.arrive("b", 30)
    floor.arrive("a", 30)
    assert floor.due(HOLD) == [(3, 4)]


def test_one_source_is_never_reordered_though_its_clock_goes_back() -> None:
    floor = two_sources()
    floor.arrive("a", 50)
    floor.arrive("a", 20)
    floor.arrive("b", 30)
    assert floor.due(HOLD) == [(5, 3, 4)]


def test_what_comes_after_its_place_is_published_at_once_and_counted() -> None:
    floor = two_sources()
    floor.arrive("a", 30)
    assert floor.due(HOLD) == [(3,)]
    assert not floor.arrive("b", 20)
    assert floor.merger.late == 1
    assert floor.arrive("b", 31)
    assert floor.arrive("b", 25)
    assert floor.merger.late == 1
    assert floor.due(HOLD) == [(5, 6)]


def test_tables_are_decided_apart() -> None:
    floor = Floor()
    for table in ("CS-01", "CS-02"):
        for source in ("a", "b"):
            floor.arrive(source, 10, table)
    assert floor.due(HOLD) == [(2,), (4,)]


def test_no_hold_holds_nothing() -> None:
    floor = Floor(0)
    assert not any(floor.arrive(source, at) for source, at in [("a", 20), ("b", 10), ("a", 5)])
    assert floor.merger.late == 0


def test_a_source_that_is_silent_for_long_is_none_of_its_table_any_more() -> None:
    floor = two_sources()
    floor.now += merge.SOURCE_SECONDS + 1
    assert not floor.arrive("a", 90)
    assert floor.arrive("b", 95)


def test_a_table_with_endless_sources_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "MOST_SOURCES", 3)
    floor = Floor()
    for number in range(10):
        floor.arrive(f"source-{number}", number)
        floor.due(HOLD)
    assert floor.arrive("source-0", 100)


def test_endless_tables_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "MOST_TABLES", 3)
    floor = Floor()
    for number in range(10):
        floor.arrive("a", 5, f"T-{number}")
    assert not floor.arrive("b", 5, "T-0")
    assert floor.arrive("b", 5, "T-9")


def test_too_many_held_events_are_all_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "MOST_HELD", 3)
    floor = two_sources()
    floor.arrive("a", 40)
    floor.arrive("b", 20)
    floor.arrive("a", 45)
    assert floor.due() == []
    floor.arrive("b", 42)
    assert floor.due() == [(4, 3, 6, 5)]


def test_what_the_disk_did_not_take_is_taken_back() -> None:
    floor = two_sources()
    floor.arrive("a", 30)
    floor.merger.begin()
    floor.arrive("b", 20)
    floor.arrive("b", 1, "CS-02")
    assert floor.due(HOLD) == [(4, 3)]
    assert not floor.arrive("b", 5)
    assert floor.merger.late == 1
    floor.merger.undo()
    assert floor.merger.late == 0
    assert floor.merger.held == 1
    floor.merger.begin()
    assert floor.due() == [(3,)]
    floor.merger.undo()
    assert floor.due() == [(3,)]
    assert not floor.arrive("a", 1, "CS-02")


def test_after_a_restart_what_no_decision_names_is_decided_on_and_the_rest_stays() -> None:
    merger = Merger(HOLD)
    log: list[Entry] = [
        event("a", 10),
        Accepted("CS-01", "b", 1, 1, 30, 1, b"", b"", held=True),
        Accepted("CS-01", "a", 1, 2, 20, 1, b"", b"", held=True),
        Accepted("CS-01", "a", 1, 3, 25, 1, b"", b"", held=True),
        Merged((3,)),
    ]
    for position, entry in enumerate(log, start=1):
        merger.recall(position, entry, 5.0)
    assert merger.held == 2
    assert merger.deadline == 5.0 + HOLD
    assert not merger.arrive(6, event("c", 15), 5.0).held
    assert merger.late == 1
    assert [decision.positions for decision in merger.due(5.0 + HOLD)] == [(4, 2)]
