"""What is to be done after a request: the HTTP contract as a function of an answer.

| status | done with the request's lines |
|---|---|
| 202 | forgotten: all are kept, or were kept before |
| 400 with refused lines | forgotten: those are never sent again unchanged, the rest is kept |
| 413 | sent in two halves; a line that is too long alone is dropped |
| 429, 503 | sent again after ``Retry-After``, where that is none or 0 after a pause that grows |
| 408, 500, 502, 504, no answer | sent again after a pause that grows |
| 401, 403 | kept until the gateway knows the device's token or certificate |
| anything else | kept: it is no answer of a gateway's, so the address is wrong or a proxy is ill |

Nothing is forgotten but what a gateway has answered for, and nothing overtakes what is kept.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LONGEST_RETRY_AFTER: Final = 300.0
"""Seconds: a longer ``Retry-After`` is not believed, for a gateway never asks for more."""

ACCEPTED: Final = 202
BAD_LINES: Final = 400
UNKNOWN_DEVICE: Final = (401, 403)
TOO_LONG: Final = 413
BUSY: Final = (408, 429, 500, 502, 503, 504)


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line that a gateway refused: its place in the request from 1, and why."""

    line: int
    field: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class Judged:
    """Every line of the request has its verdict; none is to be sent again."""

    accepted: int
    duplicates: int
    refused: tuple[RefusedLine, ...]


@dataclass(frozen=True, slots=True)
class TooLong:
    """The request is to be sent in parts."""


@dataclass(frozen=True, slots=True)
class Later:
    """The request is to be sent again, unchanged: after at least so many seconds, if any said."""

    why: str
    seconds: float | None = None
    steady: bool = False
    """Whether somebody has to do something first, so that the longest pause is soon enough."""


Outcome = Judged | TooLong | Later


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: status, ``Retry-After`` as it was written, and the body."""

    status: int
    retry_after: str | None
    body: bytes


def outcome_of(answer: Answer, lines: int) -> Outcome:
    """Return what an answer says of a request.

    Args:
        answer: what came back.
        lines: how many the request had.
    """
    status = answer.status
    if status in {ACCEPTED, BAD_LINES}:
        judged = _judged(answer.body, lines)
        if judged is None:
            return Later(f"{status} without a gateway's body: is it a gateway?", steady=True)
        return judged
    if status == TOO_LONG:
        return TooLong()
    if status in UNKNOWN_DEVICE:
        return Later(f"{status}: the gateway does not know this device: {said(answer)}", None, True)
    if status in BUSY:
        return Later(f"{status}: {said(answer)}", _seconds(answer.retry_after))
    return Later(f"{status}: expected a gateway's answer, found: {said(answer)}", steady=True)


def said(answer: Answer) -> str:
    """Return the reason that an answer's body has, at most 200 characters of it."""
    try:
        text = str(json.loads(answer.body)["error"])
    except (ValueError, KeyError, TypeError, RecursionError):
        text = answer.body.decode(errors="replace").strip()
    return ascii(text[:200])[1:-1] if not text.isprintable() else text[:200]


def _seconds(retry_after: str | None) -> float | None:
    text = (retry_after or "").strip()
    # The other form, a date, needs a clock that agrees with the gateway's; no gateway sends it.
    seconds = float(text) if text.isascii() and text.isdigit() else 0.0
    return min(seconds, LONGEST_RETRY_AFTER) or None


def _judged(body: bytes, lines: int) -> Judged | None:
    """Return a gateway's verdicts, or nothing where a body is no gateway's for so many lines."""
    try:
        answer = json.loads(body)
        refused = tuple(_refused(row, lines) for row in _rows(answer["rejected"]))
        judged = Judged(_count(answer["accepted"]), _count(answer["duplicates"]), refused)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    # every line has one verdict: what is not accounted for shall not be forgotten
    whole = judged.accepted + judged.duplicates + len(refused) == lines
    return judged if whole else None


def _rows(value: object) -> Sequence[dict[str, object]]:
    if not isinstance(value, list):
        raise TypeError("expected a list of refused lines")
    return value


def _refused(row: dict[str, object], lines: int) -> RefusedLine:
    number = _count(row["line"])
    if not 1 <= number <= lines:
        raise ValueError("expected the number of a line that was sent")
    return RefusedLine(number, *(str(row[name])[:200] for name in ("field", "expected", "found")))


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("expected a count")
    return value
