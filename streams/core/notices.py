"""Findings that a worker raises of itself: no event of a table causes them, no state keeps them.

    judge_error   a record that could not be judged was set aside
    deals_lost    records of the table's partition were deleted before they were judged
    gateway_not_authorised   a record of whom none may speak for the table was set aside

Their ids come from the record's identity, its place in the log or the round, so a worker that
starts again raises the same finding again and not another.
"""

from streams.core.book import Book
from streams.core.events import Event
from streams.core.findings import Detail, Finding, finding_id
from streams.core.judge import Observation, Raised, make_finding
from streams.core.table import TableState

JUDGE_ERROR = "judge_error"
DEALS_LOST = "deals_lost"
GATEWAY_NOT_AUTHORISED = "gateway_not_authorised"


def judge_error(state: TableState, event: Event, place: tuple[int, int], book: Book) -> Finding:
    """Return the finding that an event of a table could not be judged.

    Args:
        state: the table before the event.
        event: what the record holds.
        place: the partition and offset of the record.
        book: the rulebook.
    """
    partition, offset = place
    detail: dict[str, int | str] = {"partition": partition, "offset": offset}
    return make_finding(JUDGE_ERROR, Raised(detail=detail), Observation(state, None, event, book))


def deals_lost(state: TableState, lost: tuple[int, int], book: Book) -> Finding:
    """Return the finding that records which may be of a table are lost.

    Args:
        state: the table as far as it was judged; it gives the finding its time.
        lost: the offsets of the first and the last record lost.
        book: the rulebook.
    """
    first, last = lost
    detail = {"first": first, "last": last}
    return _of_none(DEALS_LOST, state, f"{first}-{last}", state.last_event_at, detail, book)


def gateway_not_authorised(
    state: TableState, gateway: str, reason: str, at: int, book: Book
) -> Finding:
    """Return the finding that a record was set aside because of whose it is.

    Nothing of such a record is believed, its identity neither: the finding is the same for all of
    a round, and only the first of them is told.

    Args:
        state: the table; a new one where it was not known.
        gateway: who the record says it is from.
        reason: why it was set aside, one word.
        at: when, microseconds since 1970-01-01 UTC.
        book: the rulebook.
    """
    detail = {"gateway": gateway, "reason": reason}
    return _of_none(GATEWAY_NOT_AUTHORISED, state, "", at, detail, book)


def _of_none(
    code: str, state: TableState, causing: str, at: int, detail: Detail, book: Book
) -> Finding:
    """Return a finding that no event of its table causes."""
    rule = book.rules[code]
    game = None if state.setup is None else state.setup.game
    return Finding(
        id=finding_id(state.table, state.opening, state.round_number, code, None, None, causing),
        code=code,
        clause=book.clause(code, game),
        class_=rule.class_,
        state="raised",
        severity=rule.severity,
        table=state.table,
        game=game,
        round=state.round_number,
        position=None,
        hand=None,
        at=at,
        events=(),
        detail=detail,
    )
