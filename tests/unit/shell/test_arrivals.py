"""What waits for the judge is taken as one, in order, and never past a hole."""

import pytest

from streams.shell.arrivals import MOST_WAITING, Arrivals, Fetch
from tests.shell_models import TOPICS, Record

DEALS, OTHER = (TOPICS.deals, 0), (TOPICS.deals, 1)


def records(first: int, count: int) -> list[Record]:
    return [Record(offset, b"T", b"", TOPICS.deals) for offset in range(first, first + count)]


def fetch(first: int, count: int, place: tuple[str, int] = DEALS) -> Fetch:
    return {place: records(first, count)}


def test_all_that_waits_is_taken_as_one() -> None:
    arrivals = Arrivals(100)
    arrivals.put({DEALS: records(0, 3), OTHER: records(7, 1)})
    arrivals.put(fetch(3, 2))
    arrivals.put(fetch(8, 2, OTHER))
    assert arrivals.take() == {DEALS: records(0, 5), OTHER: records(7, 3)}
    assert arrivals.take() == {}


def test_no_more_is_taken_together_than_may_be() -> None:
    arrivals = Arrivals(10)
    arrivals.put(fetch(0, 12))
    arrivals.put(fetch(12, 6))
    arrivals.put(fetch(18, 6))
    assert arrivals.take() == fetch(0, 12)
    assert arrivals.take() == fetch(12, 6)
    assert arrivals.take() == fetch(18, 6)


@pytest.mark.parametrize("first", [0, 2, 5])
def test_what_does_not_go_on_where_the_last_ended_is_taken_by_itself(first: int) -> None:
    arrivals = Arrivals(100)
    arrivals.put(fetch(0, 4))
    arrivals.put(fetch(first, 4))
    assert arrivals.take() == fetch(0, 4)
    assert arrivals.take() == fetch(first, 4)


def test_the_judge_is_told_once_until_it_comes() -> None:
    arrivals = Arrivals(100)
    told = []
    for number in range(3):
        arrivals.put(fetch(number, 1))
        told.append(arrivals.tell())
    assert told == [True, False, False]
    arrivals.take()
    arrivals.put(fetch(3, 1))
    assert arrivals.tell()


def test_where_much_waits_the_judge_is_told_again() -> None:
    arrivals = Arrivals(100)
    for number in range(MOST_WAITING):
        arrivals.put(fetch(number, 1))
        arrivals.tell()
    assert arrivals.tell()


def test_the_oldest_goes_where_too_much_waits() -> None:
    arrivals = Arrivals(100)
    for number in range(MOST_WAITING + 1):
        arrivals.put(fetch(number, 1))
    assert arrivals.take() == fetch(1, MOST_WAITING)


def test_nothing_waits_after_a_seek() -> None:
    arrivals = Arrivals(100)
    arrivals.put(fetch(0, 4))
    assert arrivals.tell()
    arrivals.clear()
    assert arrivals.take() == {}
    assert arrivals.tell()
