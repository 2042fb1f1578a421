"""A source that sends what cannot be read is counted, quarantined, and let out again."""

import logging
from collections.abc import Sequence

import pytest

from streams.shell.judged import NothingRead
from streams.shell.poison import (
    HOPELESS_RECORDS,
    LETTERS_PER_SECOND,
    MOST_SOURCES,
    MOST_UNREADABLE,
    WINDOW,
    Poison,
)
from tests.runtime_bench import EVENTS, KEY, Bench
from tests.shell_models import Record


class Clock:
    at = 0.0

    def now(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def poison(clock: Clock) -> Poison:
    return Poison(clock.now, repr)


def refuse(poison: Poison, count: int, key: bytes = b"T") -> int:
    """Refuse so many records; return how many become letters."""
    return sum(poison.refused(key) for _ in range(count))


def test_a_source_within_its_share_gets_a_letter_for_each(poison: Poison) -> None:
    for _ in range(10):
        assert refuse(poison, MOST_UNREADABLE) == MOST_UNREADABLE
        poison.read(b"T", WINDOW - MOST_UNREADABLE)
    assert poison.quarantined == 0


def test_a_source_above_its_share_is_quarantined_at_once(
    poison: Poison, caplog: pytest.LogCaptureFixture
) -> None:
    assert refuse(poison, 5_000) == MOST_UNREADABLE + LETTERS_PER_SECOND
    assert poison.quarantined == 1
    assert caplog.text.count("are quarantined") == 1


def test_a_quarantined_source_gets_letters_at_a_bounded_rate(poison: Poison, clock: Clock) -> None:
    refuse(poison, 1_000)
    for _ in range(20):
        clock.at += 0.5
        assert refuse(poison, 1_000) == LETTERS_PER_SECOND / 2
    clock.at += 3_600
    assert refuse(poison, 1_000) == LETTERS_PER_SECOND


def test_one_that_keeps_its_share_again_is_let_out(
    poison: Poison, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    refuse(poison, 100)
    poison.read(b"T", WINDOW)
    assert poison.quarantined == 1
    poison.read(b"T", WINDOW)
    assert poison.quarantined == 0
    assert "can be read again" in caplog.text
    assert refuse(poison, 5) == 5


def test_what_had_no_letter_is_told_once_and_of_its_own_source(poison: Poison) -> None:
    letters = refuse(poison, 1_000)
    assert poison.withheld(b"U") == 0
    assert poison.withheld(b"T") == 1_000 - letters
    assert poison.withheld(b"T") == 0


def test_no_source_answers_for_another(poison: Poison) -> None:
    refuse(poison, 1_000, b"BAD")
    assert refuse(poison, MOST_UNREADABLE, b"GOOD") == MOST_UNREADABLE
    assert poison.quarantined == 1


def test_what_is_counted_is_bounded(poison: Poison) -> None:
    for number in range(MOST_SOURCES + 10):
        refuse(poison, 1, f"{number}".encode())
    refuse(poison, 30, b"0")
    assert len(poison._sources) == MOST_SOURCES
    assert poison.quarantined == 1


@pytest.mark.parametrize(
    ("keys", "reads", "hopeless"),
    [((b"A", b"B", b"C"), 0, True), ((b"A", b"B"), 0, False), ((b"A", b"B", b"C"), 1, False)],
)
def test_a_worker_that_reads_nothing_of_several_sources_is_hopeless(
    poison: Poison, keys: Sequence[bytes], reads: int, *, hopeless: bool
) -> None:
    poison.read(b"D", reads)
    for number in range(HOPELESS_RECORDS):
        assert not poison.hopeless
        refuse(poison, 1, keys[number % len(keys)])
    assert poison.hopeless is hopeless


def garbage(bench: Bench, count: int, key: bytes, first: int = 0) -> list[Record]:
    return [
        Record(offset, key, b"garbage", bench.topics.deals)
        for offset in range(first, first + count)
    ]


def test_a_quarantined_tables_records_are_counted_and_other_tables_are_judged() -> None:
    bench = Bench()
    bench.start()
    legal = bench.records(first=2_000)
    bench.take([*garbage(bench, 2_000, b"T-BAD"), *legal])
    assert len(bench.log.of(bench.topics.dead)) == MOST_UNREADABLE + LETTERS_PER_SECOND
    assert bench.progress.done == {bench.deals: 2_000 + len(EVENTS)}
    assert bench.store.get(0, KEY) is not None
    page = bench.page()
    withheld = 2_000 - MOST_UNREADABLE - LETTERS_PER_SECOND
    assert f'withheld_total{{reason="unknown_format"}} {withheld}.0' in page
    assert "pitwatch_tables_quarantined 1.0" in page


def test_a_letter_says_how_many_before_it_had_none() -> None:
    bench = Bench()
    bench.start()
    bench.take(garbage(bench, 100, KEY))
    bench.seconds += 1
    bench.take(garbage(bench, 100, KEY, first=100))
    letters = bench.log.of(bench.topics.dead)
    found = [dict(letter.headers)["pitwatch.found"].decode() for letter in letters]
    (told,) = [text for text in found if "have no letter" in text]
    first = MOST_UNREADABLE + LETTERS_PER_SECOND
    assert found.index(told) == first
    assert told.endswith(
        f"; {100 - first} before it have no letter and are not replayed, for the table is "
        "quarantined: their bytes stand in the deals"
    )


def test_nothing_of_a_hopeless_fetch_is_written_or_done() -> None:
    bench = Bench()
    bench.start()
    records = [
        record
        for number in range(3)
        for record in garbage(bench, 400, b"T-%d" % number, number * 400)
    ]
    with pytest.raises(NothingRead):
        bench.take(records)
    assert bench.log.of(bench.topics.dead) == []
    assert bench.progress.done == {}
