"""What a device's client does on each status of the HTTP contract."""

import json

import pytest

from producers.client.answers import (
    LONGEST_RETRY_AFTER,
    Answer,
    Judged,
    Later,
    RefusedLine,
    TooLong,
    outcome_of,
)


def answer(status: int, body: object = None, retry_after: str | None = None) -> Answer:
    return Answer(status, retry_after, b"" if body is None else json.dumps(body).encode())


def test_accepted_lines_are_done() -> None:
    body = {"accepted": 2, "duplicates": 1, "rejected": []}
    assert outcome_of(answer(202, body), 3) == Judged(2, 1, ())


def test_refused_lines_are_named_and_done() -> None:
    row = {"line": 2, "field": "kind", "expected": "a kind", "found": '"x"'}
    body = {"accepted": 1, "duplicates": 0, "rejected": [row]}
    refused = RefusedLine(2, "kind", "a kind", '"x"')
    assert outcome_of(answer(400, body), 2) == Judged(1, 0, (refused,))


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {"error": "bad request"},
        {"accepted": True, "duplicates": 0, "rejected": []},
        {"accepted": 1, "duplicates": -1, "rejected": []},
        {"accepted": 1, "duplicates": 0, "rejected": {}},
        {"accepted": 1, "duplicates": 0, "rejected": [{"line": 3, "field": "", "expected": ""}]},
        {
            "accepted": 1,
            "duplicates": 0,
            "rejected": [{"line": 3, "field": "", "expected": "", "found": ""}],
        },
        {"accepted": 0, "duplicates": 0, "rejected": []},
        {"accepted": 2, "duplicates": 1, "rejected": []},
    ],
)
@pytest.mark.parametrize("status", [202, 400])
def test_what_no_gateway_says_forgets_nothing(status: int, body: object) -> None:
    outcome = outcome_of(answer(status, body), 2)
    assert isinstance(outcome, Later)
    assert outcome.steady


def test_too_long_is_split() -> None:
    assert outcome_of(answer(413, {"error": "body"}), 9) == TooLong()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        (None, None),
        ("5", 5.0),
        (" 7 ", 7.0),
        ("99999", LONGEST_RETRY_AFTER),
        ("Mon, 30 Nov 2026 12:00:00 GMT", None),
        ("-1", None),
        ("0", None),
        ("٣", None),
    ],
)
def test_busy_gateways_are_tried_again(
    status: int, retry_after: str | None, seconds: float | None
) -> None:
    outcome = outcome_of(answer(status, {"error": "spool: full"}, retry_after), 1)
    assert outcome == Later(f"{status}: spool: full", seconds)


@pytest.mark.parametrize("status", [301, 401, 403, 404, 405, 415, 426])
def test_what_somebody_has_to_mend_waits(status: int) -> None:
    outcome = outcome_of(answer(status, {"error": "why"}), 1)
    assert isinstance(outcome, Later)
    assert outcome.steady
    assert "why" in outcome.why


@pytest.mark.parametrize("status", [202, 400, 403, 503])
def test_a_body_that_no_reader_could_follow_is_no_gateways(status: int) -> None:
    outcome = outcome_of(Answer(status, None, b"[" * 100_000), 1)
    assert isinstance(outcome, Later)


def test_a_strange_body_is_shown_bounded_and_printable() -> None:
    outcome = outcome_of(Answer(502, None, b"\x1b[2J" + b"x" * 1000), 1)
    assert isinstance(outcome, Later)
    assert outcome.why.isprintable()
    assert len(outcome.why) < 250
