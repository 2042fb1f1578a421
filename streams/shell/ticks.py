"""Time as an event: the owner of a partition without lag tells its tables what time it is.

| a table | is told the time |
|---|---|
| with an open round that heard nothing for the interval | at each interval of silence |
| with an alarm that ends by time, being shelved or closed | once that time has come |
| of which something was judged since the last interval, in either case | by what it heard |

A tick is a deal event of the source ``pitwatch/clock``, written to the deal topic like any other,
so that replaying the topic gives the same findings. Its identity goes on from the last tick that
the table applied: the owner has the exact state, for it has no lag. A new owner begins a new boot,
the second of its assignment, so that a tick of the last owner that is still on its way is never
taken for another one's; where clocks disagree it goes on in the boot it finds.

Having no lag is not enough to know that a table is silent: while a gateway sends what it kept on
its disk, a worker may have judged all there is and what comes next was received long ago. So only
a table of which nothing came for a whole interval is told the time.
"""

from collections.abc import Iterator

from schemas.times import MICROS_IN_SECOND
from streams.core.events import CLOCK_SOURCE, Event, Tick
from streams.core.table import TableState
from streams.shell.store import Stored, TableStore


class Ticker:
    """Tells which ticks are due; one worker's, for the time of one assignment.

    Args:
        store: the states of the tables owned.
        seconds: the interval at which it is asked.
    """

    def __init__(self, store: TableStore, seconds: float) -> None:
        self._store = store
        self._seconds = seconds
        self._boot = 0
        self._heard: dict[str, tuple[int, int | None]] = {}
        self._written: dict[str, tuple[int, int]] = {}

    def begin(self, boot: int) -> None:
        """Begin anew after an assignment, at that Unix second."""
        self._boot = boot
        self._heard.clear()
        self._written.clear()

    def due(self, partition: int, now: int) -> Iterator[Event]:
        """Yield the ticks that a partition's tables are to have, at microseconds since the epoch.

        A table whose last tick of this worker is still on its way gets no other.
        """
        for _, stored in self._store.tables(partition):
            state = stored.state
            heard = (state.last_event_at, state.last_received)
            silent = self._heard.get(state.table) == heard
            self._heard[state.table] = heard
            if not silent or not (self._waits(state, now) or ends(stored, now)):
                continue
            event = tick(state, self._boot, now)
            identity = (event.boot, event.seq)
            if self._written.get(state.table) != identity:
                self._written[state.table] = identity
                yield event

    def _waits(self, state: TableState, now: int) -> bool:
        """Say whether a table has an open round that heard nothing for the interval.

        Silence is measured from the gateway's receipt, never from a device's clock; a table whose
        events have none is told the time as well.
        """
        if state.round is None:
            return False
        heard = state.last_received
        return heard is None or now - heard >= self._seconds * MICROS_IN_SECOND


def ends(stored: Stored, now: int) -> bool:
    """Say whether the time has come at which an alarm of a table changes by time alone."""
    at = stored.alarms.ends_at
    return at is not None and at <= now


def tick(state: TableState, boot: int, now: int) -> Event:
    """Return the next tick of a table.

    Args:
        state: the table's state, with every tick of it applied.
        boot: Unix seconds of the worker's assignment.
        now: microseconds since the epoch.
    """
    last = state.sources.get(CLOCK_SOURCE)
    if last is None or boot > last.boot:
        seq = 1
    else:
        boot, seq = last.boot, last.seq + 1
    return Event(state.table, CLOCK_SOURCE, boot, seq, now, Tick(), now)
