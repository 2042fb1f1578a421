"""Time as an event: the owner of a partition without lag tells its open rounds what time it is.

A tick is a deal event of the source ``pitwatch/clock``, written to the deal topic like any other,
so that replaying the topic gives the same findings. Its identity goes on from the last tick that
the table applied: the owner has the exact state, for it has no lag. A new owner begins a new boot,
the second of its assignment, so that a tick of the last owner that is still on its way is never
taken for another one's; where clocks disagree it goes on in the boot it finds.
"""

from collections.abc import Iterator

from streams.core.events import CLOCK_SOURCE, Event, Tick
from streams.core.table import TableState
from streams.shell.store import TableStore

MICROS = 1_000_000


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


def due(store: TableStore, partition: int, seconds: float, now: int) -> Iterator[TableState]:
    """Yield a partition's tables with an open round that heard nothing for ``seconds``.

    Silence is measured from the gateway's receipt, never from a device's clock; a table whose
    events have none is told the time as well.
    """
    for _, stored in store.tables(partition):
        state = stored.state
        if state.round is None:
            continue
        heard = state.last_received
        if heard is None or now - heard >= seconds * MICROS:
            yield state
