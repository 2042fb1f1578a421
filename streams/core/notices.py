"""Findings that a worker raises of itself: no event of a table causes them, no state keeps them.

    judge_error   a record that could not be judged was set aside
    deals_lost    records of the table's partition were deleted before they were judged

Their ids come from the record's identity or its place in the log, so a worker that starts again
raises the same finding again and not another.
"""

from streams.core.book import Book
from streams.core.events import Event
from streams.core.findings import Finding, finding_id
from streams.core.judge import Observation, Raised, make_finding
from streams.core.table import TableState

JUDGE_ERROR = "judge_error"
DEALS_LOST = "deals_lost"


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
    rule = book.rules[DEALS_LOST]
    game = None if state.setup is None else state.setup.game
    causing = f"{first}-{last}"
    return Finding(
        id=finding_id(
            state.table, state.opening, state.round_number, DEALS_LOST, None, None, causing
        ),
        code=DEALS_LOST,
        clause=book.clause(DEALS_LOST, game),
        class_=rule.class_,
        state="raised",
        severity=rule.severity,
        table=state.table,
        game=game,
        round=state.round_number,
        position=None,
        hand=None,
        at=state.last_event_at,
        events=(),
        detail={"first": first, "last": last},
    )
