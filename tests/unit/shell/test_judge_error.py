"""A record that ends workers is set aside by the third, and everything else is judged.

No record is known that the judge fails on, so the rulebook here lacks a row: an event out of place
then raises a KeyError. A worker that dies without an error is one whose log fails it.
"""

import asyncio
from dataclasses import replace

import pytest

from schemas.codec import CODEC
from schemas.records import Alarm, Finding
from streams.core.advance import advance_all
from streams.core.book import Book
from streams.core.events import CutCardReached, Event
from streams.core.table import new_table
from streams.shell.judged import JudgeFailed
from streams.shell.marks import CAREFUL_AFTER, MARK_KEY, MOST_RECORDS, Mark, read_mark
from streams.shell.ports import OutputRecord
from streams.shell.translate import read_event
from streams.wire.snapshot import encode_snapshot
from tests.runtime_bench import EVENTS, KEY, Bench
from tests.shell_models import Record, Unacknowledged, as_records, book

RULES = {code: rule for code, rule in book().rules.items() if code != "event_out_of_place"}
ROW_MISSING = Book(book().name, book().sha256, RULES)
BAD = 30


def with_bad(*places: int) -> tuple[Event, ...]:
    """Return the events, those at some places replaced by one that no such table can have."""
    return tuple(
        replace(event, body=CutCardReached()) if place in places else event
        for place, event in enumerate(EVENTS)
    )


TORN = with_bad(BAD)
OTHER = tuple(replace(event, table="T-OTHER") for event in EVENTS)


def records(events: tuple[Event, ...], bench: Bench) -> list[Record]:
    return as_records(events, topic=bench.topics.deals)


def letters(bench: Bench) -> list[OutputRecord]:
    return bench.log.of(bench.topics.dead)


def header(letter: OutputRecord, name: str) -> str:
    return dict(letter.headers)[name].decode()


def folded(events: tuple[Event, ...]) -> bytes:
    return encode_snapshot(advance_all(new_table(events[0].table), events, book()).state, {})


def state(bench: Bench, key: bytes = KEY) -> bytes:
    stored = bench.store.get(0, key)
    assert stored is not None
    return encode_snapshot(stored.state, {})


def restarted(
    before: Bench | None, judged_by: Book = ROW_MISSING, fails: int | None = None
) -> Bench:
    """Return the worker after one that died; it fails at a number of records written anew."""
    bench = Bench(judged_by=judged_by, after=before)
    if fails is not None:
        bench.log.fails_at = fails
    bench.start()
    return bench


def died(times: int, events: tuple[Event, ...] = TORN) -> Bench:
    """Return the last of so many workers that a record ended."""
    bench = None
    for _ in range(times):
        bench = restarted(bench)
        with pytest.raises(JudgeFailed):
            bench.take(records(events, bench))
        assert bench.progress.done == {}
    assert bench is not None
    return bench


def test_the_third_worker_sets_the_record_aside_with_its_stack() -> None:
    bench = restarted(died(2))
    bench.take(records(TORN, bench))
    assert bench.progress.done == {bench.deals: len(TORN)}
    (letter,) = letters(bench)
    assert letter.value == records(TORN, bench)[BAD].value
    assert header(letter, "pitwatch.reason") == "judge_error"
    assert header(letter, "__connect.errors.offset") == str(BAD)
    assert "KeyError: 'event_out_of_place'" in header(
        letter, "__connect.errors.exception.stacktrace"
    )


def test_a_finding_names_the_record_set_aside() -> None:
    bench = restarted(died(2))
    bench.take(records(TORN, bench))
    written = [
        CODEC.decode(r.value, Finding) for r in bench.log.of(bench.topics.findings) if r.value
    ]
    (found,) = [f for f in written if isinstance(f, Finding) and f.code == "judge_error"]
    assert found.detail == {"partition": 0, "offset": BAD}
    assert found.events == (TORN[BAD].identity,)
    assert [
        dict(f.detail) for f in written if isinstance(f, Finding) and f.code == "sequence_gap"
    ] == [{"missing": 1}]
    assert 'pitwatch_dead_letters_total{reason="judge_error"} 1.0' in bench.page()


def test_other_tables_of_the_fetch_are_judged_whole() -> None:
    bench = restarted(died(2, (*OTHER, *TORN)))
    bench.take(records((*OTHER, *TORN), bench))
    assert state(bench, b"T-OTHER") == folded(OTHER)


def test_a_record_that_a_newer_version_can_judge_is_judged() -> None:
    after = restarted(died(2), book())
    after.take(records(TORN, after))
    assert letters(after) == []
    assert state(after) == folded(TORN)


def test_what_was_set_aside_stays_so_for_the_worker_that_reads_it_again() -> None:
    bench = restarted(died(2))
    bench.take(records(TORN, bench))
    again = restarted(bench)
    again.take(records(TORN, again))
    assert again.progress.done == {again.deals: len(TORN)}


def test_each_of_several_records_ends_two_workers_and_no_more() -> None:
    torn = with_bad(BAD, BAD + 20)
    set_aside: list[str] = []
    bench, deaths = None, 0
    while bench is None or bench.progress.done != {bench.deals: len(torn)}:
        bench = restarted(bench)
        try:
            bench.take(records(torn, bench))
        except JudgeFailed:
            deaths += 1
        set_aside += [header(each, "__connect.errors.offset") for each in letters(bench)]
        assert deaths < 10
    assert (deaths, set_aside) == (4, [str(BAD), str(BAD + 20)])


def test_a_worker_that_dies_without_an_error_leads_to_record_by_record() -> None:
    bench = None
    for _ in range(CAREFUL_AFTER - 1):
        bench = restarted(bench, book(), fails=1)
        with pytest.raises(Unacknowledged):
            bench.take(records(EVENTS, bench))
    bench = restarted(bench, book())
    bench.take(records(EVENTS, bench))
    assert bench.progress.done == {bench.deals: len(EVENTS)}
    assert state(bench) == folded(EVENTS)
    marks = [r for r in bench.log.of(bench.topics.changelog) if r.key == MARK_KEY]
    assert len(marks) > len(EVENTS)
    assert letters(bench) == []


def test_a_record_that_ends_a_fourth_worker_without_an_error_is_not_judged_again() -> None:
    mark = Mark(due=0, starts=CAREFUL_AFTER, deaths={BAD: 3})
    bench = Bench(judged_by=book())
    bench.store.put_mark(0, mark)
    bench.start()
    bench.take(records(EVENTS, bench))
    (letter,) = letters(bench)
    assert header(letter, "__connect.errors.offset") == str(BAD)
    assert "without an error" in header(letter, "__connect.errors.exception.stacktrace")


def test_records_that_are_careful_only_so_far() -> None:
    bench = Bench(judged_by=book())
    bench.store.put_mark(0, Mark(due=0, starts=CAREFUL_AFTER))
    bench.start()
    bench.take(records(EVENTS[:10], bench))
    written = bench.log.published
    bench.runtime.reading({0})
    asyncio.run(bench.runtime.read({0}))
    bench.progress.start({bench.deals: 10})
    bench.take(records(EVENTS, bench)[10:])
    assert bench.log.published - written <= 4


def test_a_mark_comes_back_and_junk_says_nothing() -> None:
    mark = Mark(7, 2, {9: 1})
    assert read_mark(mark.encoded()) == mark
    assert read_mark(None) == read_mark(b"junk") == read_mark(b"[]") == Mark()


def test_a_mark_is_bounded_and_forgets_what_is_behind_it() -> None:
    mark = Mark()
    for offset in range(2 * MOST_RECORDS):
        mark = mark.ending(offset)
    assert len(mark.deaths) == MOST_RECORDS
    assert min(mark.started(100).deaths) == 100
    assert mark.started(100).started(100).starts == 2
    assert mark.started(100).started(101).starts == 1


def test_a_letter_holds_an_event() -> None:
    bench = restarted(died(2))
    bench.take(records(TORN, bench))
    (letter,) = letters(bench)
    assert letter.value is not None
    assert read_event(letter.value) == TORN[BAD]


EARLY = replace(EVENTS[0], source="gw-1/other", body=CutCardReached())
"""A table's first event, before it opens: out of place."""


def test_a_tables_first_record_can_be_set_aside() -> None:
    torn = (EARLY, *EVENTS)
    bench = restarted(died(2, torn))
    bench.take(records(torn, bench))
    assert [header(each, "__connect.errors.offset") for each in letters(bench)] == ["0"]
    assert state(bench) == folded(EVENTS)


def test_a_table_of_which_nothing_else_was_judged_has_its_alarm_and_a_later_worker_too() -> None:
    bench = restarted(died(2, (EARLY,)))
    bench.take(records((EARLY,), bench))
    assert bench.progress.done == {bench.deals: 1}
    written = [CODEC.decode(r.value, Alarm) for r in bench.log.of(bench.topics.alarms) if r.value]
    assert [(a.code, a.table, a.state) for a in written if isinstance(a, Alarm)] == [
        ("judge_error", EARLY.table, "unacknowledged")
    ]
    again = Bench(judged_by=ROW_MISSING, after=bench)
    again.read(0)
    stored = again.store.get(0, KEY)
    assert stored is not None
    assert [alarm.code for alarm in stored.alarms.alarms] == ["judge_error"]
    assert [r.key for r in again.log.of(again.topics.tables)] == [KEY]
    after = restarted(bench)
    after.take(records((EARLY, *EVENTS), after))
    assert state(after) == folded(EVENTS)
    assert len(letters(after)) == 0
