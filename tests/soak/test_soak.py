"""A soak runs, on a small size; how long memory stays flat is told to those who run `make soak`."""

from itertools import islice
from pathlib import Path

import pytest

from streams.core.events import StubPlaced
from tests.kafka_fixtures import Broker
from tests.soak.flat import DESCRIPTORS, GROWTH, MEBIBYTE, SLACK, Sample, flatness
from tests.soak.load import EXPOSED, LOST, deals
from tests.soak.run import Soak

HOUR = 3600.0


def hour(before: int, after: int, opened: int = 20, still: int = 20) -> list[Sample]:
    """Samples of an hour that change after two thirds of it."""
    return [
        Sample(float(at), before if at < 2400 else after, opened if at < 2400 else still)
        for at in range(0, 3600, 10)
    ]


def test_what_grows_within_the_bounds_is_flat() -> None:
    most = int(100 * MEBIBYTE * GROWTH + SLACK)
    both = flatness("gateway", hour(100 * MEBIBYTE, most, 20, 20 + DESCRIPTORS), HOUR)
    assert [each.problems for each in both] == [[], []]
    assert [max(each.resident) for each in both] == [most, most]
    assert min(both[0].resident) == 100 * MEBIBYTE


def test_what_grows_more_is_told_with_its_bound() -> None:
    over, after = flatness("gateway", hour(100 * MEBIBYTE, 135 * MEBIBYTE, 20, 29), HOUR)
    assert over.problems == [
        "gateway over the run: expected at most 134 MiB, found 135",
        "gateway over the run: expected at most 28 descriptors, found 29",
    ]
    assert not over.as_json()["holds"]
    assert after.problems == []


def test_a_leak_that_the_restarts_hide_shows_in_the_last_third() -> None:
    leak = [Sample(float(at), at % 2400 * MEBIBYTE // 10, 20) for at in range(0, 3600, 10)]
    over, after = flatness("worker a", leak, HOUR)
    assert over.problems == []
    assert after.problems == [
        "worker a after the last restart: expected at most 45 MiB, found 100",
    ]


def test_a_process_of_which_nothing_was_seen_is_no_flat_one() -> None:
    (over, _) = flatness("worker b", hour(1, 1)[:10], HOUR)
    assert over.problems == ["worker b over the run: expected samples in both thirds, found none"]


def test_the_load_has_findings_and_is_mostly_legal() -> None:
    events = list(islice(deals(4, 7), 20_000))
    stubs = [each.body.exposed for each in events if isinstance(each.body, StubPlaced)]
    assert 0 < sum(stubs) < 2 * EXPOSED * len(stubs)
    gaps = 0
    last: dict[tuple[str, str], int] = {}
    for each in events:
        gaps += each.seq != last.get((each.table, each.source), 0) + 1
        last[each.table, each.source] = each.seq
    assert 0 < gaps < 2 * LOST * len(events)


@pytest.mark.kafka
@pytest.mark.slow
def test_a_soak_restarts_each_process_and_finds_what_check_finds(
    kafka: Broker, prefix: str, tmp_path: Path
) -> None:
    said: list[str] = []
    soak = Soak(kafka.bootstrap, tmp_path, 24, 200, 8, said.append, prefix)
    report = soak.run()
    assert {each["process"] for each in report["restarts"]} == {"worker a", "worker b", "gateway"}
    assert report["findings"]["missing"] == report["findings"]["more"] == 0
    assert report["findings"]["found"] > 0
    assert report["events"] > 0
    assert len(said) > len(report["restarts"])
