"""What the fault runs compare finds what it is there to find."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from streams.core.advance import advance_all
from streams.core.table import new_table
from streams.wire.snapshot import encode_snapshot
from tests.faults.proof import Expected, Outputs, StateLog, fold, problems
from tests.kafka_fixtures import Floor
from tests.shell_models import book, by_table, floor_events
from tests.worker_harness import WorkerFloor

EVENTS = floor_events(14, 2_800)
EXPECTED = fold(EVENTS)
EXACT = Outputs(
    Counter(EXPECTED.findings),
    Counter(EXPECTED.rounds),
    Counter((b"0", str(number).encode()) for number in range(EXPECTED.letters)),
)
FLOOR = WorkerFloor(Floor("", "proof.", "proof.worker", 2), Path())


def value(table: str, count: int, offset: int) -> bytes:
    events = by_table(EVENTS)[table][:count]
    state = advance_all(new_table(table), events, book()).state
    return encode_snapshot(state, {"proof.deals.v1": offset})


@pytest.fixture
def log() -> StateLog:
    """The log of a floor that has judged all."""
    log = StateLog(FLOOR)
    for number, table in enumerate(by_table(EVENTS)):
        last = max(at for at, event in places() if event == table)
        log.take(FLOOR.partition(table), 1_000 * number, table.encode(), value(table, 1_000, last))
    return log


def places() -> list[tuple[int, str]]:
    """Return the offset of every event in its partition, with its table."""
    ends: Counter[int] = Counter()
    found = []
    for event in EVENTS:
        partition = FLOOR.partition(event.table)
        found.append((ends[partition], event.table))
        ends[partition] += 1
    return found


def ends() -> dict[int, int]:
    return dict(Counter(FLOOR.partition(event.table) for event in EVENTS))


def test_the_recordings_have_all_that_is_compared() -> None:
    assert EXPECTED.findings
    assert EXPECTED.rounds
    assert EXPECTED.letters


def test_a_floor_where_nothing_failed_has_no_problem(log: StateLog) -> None:
    assert problems(log, EXACT, EXPECTED) == []
    assert log.ahead(EVENTS, ends()) == {}
    assert log.backwards == 0
    assert EXACT.repeated == 0


def without_one(values: Counter[bytes]) -> Counter[bytes]:
    return Counter(list(values)[1:])


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (replace(EXACT, findings=without_one(EXACT.findings)), "1 findings lost"),
        (replace(EXACT, rounds=without_one(EXACT.rounds)), "1 rounds lost"),
        (
            replace(EXACT, findings=EXACT.findings | Counter([b"other"])),
            "1 findings that are not due",
        ),
        (replace(EXACT, letters=Counter()), f"expected {EXPECTED.letters} letters, found 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_lost_or_not_due_is_found(log: StateLog, written: Outputs, problem: str) -> None:
    assert problems(log, written, EXPECTED) == [problem]


def test_a_state_that_lacks_an_event_is_found_and_so_is_one_that_goes_back(log: StateLog) -> None:
    log.take(FLOOR.partition("T-003"), 99_000, b"T-003", value("T-003", 199, 9))
    assert problems(log, EXACT, EXPECTED) == ["1 states differ, first that of T-003"]
    assert log.backwards == 1


def test_a_table_too_few_or_too_many_is_found(log: StateLog) -> None:
    fewer = Expected({}, EXPECTED.findings, EXPECTED.rounds, EXPECTED.letters)
    assert problems(log, EXACT, fewer) == ["14 states differ, first that of T-000"]
    assert len(problems(StateLog(FLOOR), EXACT, EXPECTED)) == 1


def test_a_commit_ahead_of_the_states_is_found() -> None:
    log = StateLog(FLOOR)
    first = next(at for at, table in places() if table == "T-001")
    log.take(FLOOR.partition("T-001"), 0, b"T-001", value("T-001", 1, first))
    partition = FLOOR.partition("T-001")
    ahead = log.ahead(EVENTS, {partition: first + 1})
    assert set(ahead) == {
        table for at, table in places() if FLOOR.partition(table) == partition and at < first
    }
    assert "T-001" in log.ahead(EVENTS, ends())


def test_effects_that_were_written_again_are_counted() -> None:
    finding = next(iter(EXACT.findings))
    again = replace(EXACT, findings=EXACT.findings + Counter([finding, finding]))
    assert again.repeated == 2


def test_the_longest_pause_is_that_of_one_partition_and_ends_after_the_fault() -> None:
    log = StateLog(FLOOR)
    for partition, seconds in ((0, (0, 9, 10, 13)), (1, (1, 10, 12, 14))):
        for second in seconds:
            log.take(partition, second * 1_000, b"T-001", value("T-001", 1, 0))
    assert log.longest_pause(0.0) == 9.0
    assert log.longest_pause(11.0) == 3.0
    assert log.longest_pause(20.0) == 0.0
    assert log.again(0, 9.5) == 10.0
    assert log.again(1, 14.0) is None
