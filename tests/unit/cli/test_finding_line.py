"""A finding as one line: all that a person needs to go to the table, and nothing hidden."""

import time
from collections.abc import Iterator

import msgspec
import pytest

from deploy.cli.findings import finding_line
from schemas.records import Finding
from streams.rulebooks import load

RULES = load().rules
FINDING = msgspec.convert(
    {
        "id": "0" * 32,
        "code": "stub_count_overdue",
        "clause": "13:69F-16.8(p)",
        "class": "breach",
        "state": "raised",
        "severity": "high",
        "table": "CS-01",
        "game": "caribbean_stud",
        "round": 14,
        "position": None,
        "hand": None,
        "at": 1_796_040_000_000_000,
        "events": ["CS-01/sim/table/1/2"],
        "detail": {},
        "book": {"name": "nj", "sha256": "0" * 64},
        "version": "0.1.0",
    },
    Finding,
)


@pytest.fixture(autouse=True)
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_a_raised_finding_says_when_where_how_grave_what_and_on_which_clause() -> None:
    words = finding_line(FINDING, RULES).plain.split(maxsplit=6)
    assert words[:6] == ["07:00:00", "CS-01", "14", "high", "stub_count_overdue", "13:69F-16.8(p)"]
    assert words[6] == RULES["stub_count_overdue"].title


def test_a_cleared_finding_says_so_in_the_place_of_its_severity() -> None:
    cleared = msgspec.structs.replace(FINDING, state="cleared")
    assert " cleared " in finding_line(cleared, RULES).plain
    assert " high " not in finding_line(cleared, RULES).plain


def test_a_code_that_the_rulebook_lacks_is_shown_without_a_title() -> None:
    unknown = msgspec.structs.replace(FINDING, code="code_of_a_later_version_that_is_longer")
    assert (
        finding_line(unknown, RULES)
        .plain.rstrip()
        .endswith("code_of_a_later_version_that_is_longer 13:69F-16.8(p)")
    )
