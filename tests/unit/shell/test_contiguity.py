from dataclasses import dataclass

import pytest

from streams.shell.contiguity import Drop, Partition, Progress, ReadAgain, Take

DEALS = Partition("deals", 3)


@dataclass(frozen=True, slots=True)
class At:
    offset: int
    topic: str = "deals"
    partition: int = 3
    key: bytes | None = None
    value: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()
    timestamp: int = 0


def batch(first: int, last: int) -> list[At]:
    return [At(offset) for offset in range(first, last + 1)]


@pytest.fixture
def progress() -> Progress:
    started = Progress()
    started.start({DEALS: 100})
    return started


def test_a_batch_before_the_seek_is_dropped() -> None:
    assert Progress().check(DEALS, batch(0, 9)) == Drop()


def test_a_batch_that_begins_where_the_last_ended_is_taken_whole(progress: Progress) -> None:
    records = batch(100, 109)
    assert progress.check(DEALS, records) == Take(records)


def test_a_batch_that_overlaps_is_taken_from_what_is_due(progress: Progress) -> None:
    assert progress.check(DEALS, batch(95, 104)) == Take(batch(100, 104))


def test_a_batch_that_was_done_is_dropped(progress: Progress) -> None:
    assert progress.check(DEALS, batch(90, 99)) == Drop()


def test_a_batch_above_what_is_due_is_read_again_and_nothing_is_done(progress: Progress) -> None:
    assert progress.check(DEALS, batch(101, 110)) == ReadAgain(100)
    assert progress.done == {}
    assert progress.due == {DEALS: 100}


def test_a_hole_that_stays_after_reading_twice_is_the_logs_own(progress: Progress) -> None:
    assert progress.check(DEALS, batch(102, 110)) == ReadAgain(100)
    assert progress.check(DEALS, batch(102, 111)) == ReadAgain(100)
    assert progress.check(DEALS, batch(102, 112)) == Take(batch(102, 112), missing=2)


def test_leftovers_of_an_early_fetch_do_not_count_as_the_same_hole(progress: Progress) -> None:
    for first in range(110, 200, 10):
        assert progress.check(DEALS, batch(first, first + 9)) == ReadAgain(100)


def test_finishing_moves_what_is_due_and_what_may_be_committed(progress: Progress) -> None:
    progress.finish(DEALS, 109)
    assert progress.due == progress.done == {DEALS: 110}
    assert progress.check(DEALS, batch(110, 111)) == Take(batch(110, 111))


def test_nothing_may_be_committed_after_a_start(progress: Progress) -> None:
    progress.finish(DEALS, 109)
    progress.start({DEALS: 50})
    assert progress.done == {}
    assert progress.due == {DEALS: 50}


def test_partitions_stand_each_for_themselves(progress: Progress) -> None:
    other = Partition("commands", 3)
    assert progress.check(other, batch(0, 1)) == Drop()
    progress.finish(DEALS, 100)
    assert other not in progress.due
