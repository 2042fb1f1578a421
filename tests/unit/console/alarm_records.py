"""Alarms as the tests of the console need them."""

from typing import Any

import msgspec

from schemas.records import Alarm, BookName

BOOK = BookName("nj", "ab" * 32)

_ALARM = Alarm(
    id="0" * 32,
    table="CS-03",
    code="stub_count_overdue",
    clause="16.8(e)",
    class_="breach",
    severity="high",
    game="caribbean_stud",
    state="unacknowledged",
    round=217,
    position=None,
    hand=None,
    raised_at=1_796_000_000_000_000,
    last_at=1_796_000_000_000_000,
    count=1,
    findings=("1" * 32,),
    cleared_at=None,
    acknowledged_at=None,
    acknowledged_by=None,
    disposition=None,
    shelved_until=None,
    closed_at=None,
    acts=(),
    answer=None,
    book=BOOK,
    version="0.1.0",
)


def alarm(number: int = 0, **changes: Any) -> Alarm:
    """Return an alarm with its number as id and what is to differ."""
    return msgspec.structs.replace(_ALARM, id=f"{number:032x}", **changes)
