"""Rounds of which nothing is heard: silence is measured between receipts, and told by a tick.

A tick is written by a worker that has judged all there is, so what it tells has passed in silence.
One that was long on its way comes after events received later than it was written, and finds none.
"""

from collections.abc import Iterable
from typing import Final

from streams.core.events import Body, Event
from streams.core.judge import Check, Observation, Once, Raised, Verdict
from streams.core.receipts import MICROS_IN_SECOND
from streams.core.table import TableState

ROUND_STALLED: Final = "round_stalled"

STALLED: Final = (ROUND_STALLED, "")
"""What stands where a round is stalled."""


def silence(table: TableState, event: Event) -> int:
    """Return for how many whole seconds nothing was received of a table with an open round.

    It is 0 where no round is open, or where no receipt is known, as in a recording.
    """
    heard = table.last_received
    if table.round is None or heard is None or event.received is None:
        return 0
    return max(0, event.received - heard) // MICROS_IN_SECOND


def round_stalled(seen: Observation, _: Body) -> Iterable[Verdict]:
    """Telemetry: an open round had no event for too long; it stands until the next one."""
    seconds = silence(seen.table, seen.event)
    if seconds >= seen.book.rules[ROUND_STALLED].parameters["seconds"]:
        return (Raised(detail={"seconds": seconds}),)
    return ()


STALLED_CHECK: Final = Check(ROUND_STALLED, (), round_stalled, once=Once.STANDING)
