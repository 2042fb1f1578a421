"""Time in flood: from more than ten alarms in ten minutes until fewer than five."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

FLOOD_SPAN: Final = 10 * 60 * 1_000_000
FLOOD_BEGINS: Final = 10
FLOOD_ENDS: Final = 5


def flood(raised: Sequence[int], since: int, until: int) -> int:
    """Return how long it was flood, microseconds.

    Args:
        raised: when alarms were raised, in order, from ten minutes before ``since`` on.
        since: from when on time in flood counts.
        until: until when.
    """
    recent: deque[int] = deque()
    began: int | None = None
    total = 0
    for at, comes in _changes(raised):
        if comes:
            recent.append(at)
            if began is None and len(recent) > FLOOD_BEGINS:
                began = at
        else:
            recent.popleft()
            if began is not None and len(recent) < FLOOD_ENDS:
                total += max(0, min(at, until) - max(began, since))
                began = None
    return total


def _changes(raised: Iterable[int]) -> Iterable[tuple[int, bool]]:
    """Yield when an alarm comes into the last ten minutes and when it leaves them, in order."""
    times = list(raised)
    both = [(at, True) for at in times] + [(at + FLOOD_SPAN, False) for at in times]
    # at one time those that leave go first: an alarm of ten minutes ago is no longer recent
    return sorted(both)
