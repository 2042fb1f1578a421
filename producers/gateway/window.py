"""What is on its way to Kafka: which entry may be sent next, and how far publishing has come.

Entries go out in lanes, one for each table and topic. Within a lane they leave in the spool's
order and at most IN_FLIGHT_OF_A_LANE are unacknowledged at once: as many identities of a source as
the worker remembers, so that whatever is sent a second time is known to it as a duplicate. When a
producer is lost, everything of a lane from its first unacknowledged entry on waits again, in order.

    an entry is    until
    held           a decision on order names it (events of a table with several sources)
    waiting        its lane has room
    in flight      the broker acknowledges it, or the producer is lost: waiting again
    done           -

Dead letters that nobody takes rest, for they shall not hold up events. Where they alone fill the
window, the oldest are given up: they are done though they went nowhere.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final, assert_never

from producers.gateway.entries import Accepted, Entry, Merged, Refused
from producers.gateway.progress import Progress

IN_FLIGHT_OF_A_LANE: Final = 64
MOST_ENTRIES: Final = 4096
"""Entries that wait or are in flight; more are read from the spool as these are done."""
MOST_SPAN: Final = 16 * MOST_ENTRIES
"""Entries from the first that is not done to the last read, when one lane is stuck."""
ROOMY: Final = MOST_ENTRIES - IN_FLIGHT_OF_A_LANE
"""Entries that are left when dead letters are given up for want of room."""

Sendable = Accepted | Refused
Lane = tuple[bool, str | None]
"""Whether it goes to the deal topic, and its table."""


@dataclass(slots=True)
class _LaneState:
    waiting: deque[int] = field(default_factory=deque)
    in_flight: dict[int, None] = field(default_factory=dict)
    listed: bool = False


class Window:
    """The entries between the spool's reader and the broker's acknowledgements."""

    def __init__(self, in_flight_of_a_lane: int = IN_FLIGHT_OF_A_LANE) -> None:
        self._most = in_flight_of_a_lane
        self._entries: dict[int, Sendable] = {}
        self._held: dict[int, Accepted] = {}
        self._lanes: dict[Lane, _LaneState] = {}
        self._ready: list[tuple[int, Lane]] = []
        self._order: deque[int] = deque()
        self._done: set[int] = set()
        self.in_flight = 0
        """How many entries are sent and not acknowledged."""
        self.resting = False
        """Whether dead letters are not to be sent now."""

    @property
    def room(self) -> bool:
        """Say whether more entries may be offered."""
        return len(self._entries) < MOST_ENTRIES and len(self._order) < MOST_SPAN

    @property
    def empty(self) -> bool:
        """Say whether nothing is held, waits or is in flight."""
        return not self._entries and not self._held

    @property
    def ready(self) -> bool:
        """Say whether an entry may be sent."""
        return bool(self._ready)

    @property
    def oldest(self) -> int | None:
        """Return when the first entry that is not done and says it was received; else nothing.

        What became of damaged bytes does not say it, and shall not look as old as the clock.
        """
        for position in self._order:
            entry = self._entries.get(position) or self._held.get(position)
            if entry is not None and entry.received:
                return entry.received
        return None

    @property
    def oldest_event(self) -> int | None:
        """Return when the first event was received that is not done, whatever dead letters wait."""
        events = (entry for entry in self._entries.values() if isinstance(entry, Accepted))
        firsts = (next(events, None), next(iter(self._held.values()), None))
        return min((first.received for first in firsts if first is not None), default=None)

    def offer(self, position: int, entry: Entry) -> None:
        """Take the next entry of the spool; positions only grow."""
        match entry:
            case Accepted(held=True):
                self._order.append(position)
                self._held[position] = entry
            case Accepted() | Refused():
                self._order.append(position)
                self._release(position, entry)
            case Merged(positions=positions):
                # one that is missing was done before the restart
                for each in positions:
                    if (held := self._held.pop(each, None)) is not None:
                        self._release(each, held)
            case _:
                assert_never(entry)

    def entry(self, position: int) -> Sendable | None:
        """Return an entry that waits or is in flight, or nothing."""
        return self._entries.get(position)

    def rest(self, *, resting: bool) -> None:
        """Let no dead letter be sent, or let them be sent again; events go on."""
        self.resting = resting
        self._ready.clear()
        for lane, state in self._lanes.items():
            state.listed = False
            self._list(lane, state)

    def sendable(self) -> Iterator[tuple[int, Sendable]]:
        """Yield entries to send, which are then in flight; oldest first, each lane in its order."""
        while self._ready:
            _, lane = heappop(self._ready)
            state = self._lanes[lane]
            state.listed = False
            position = state.waiting.popleft()
            state.in_flight[position] = None
            self.in_flight += 1
            self._list(lane, state)
            yield position, self._entries[position]

    def acknowledge(self, position: int) -> Sendable | None:
        """Take the broker's acknowledgement; return the entry, or nothing if not in flight."""
        entry = self._entries.get(position)
        if entry is None or position not in self._lanes[lane_of(entry)].in_flight:
            return None
        del self._lanes[lane_of(entry)].in_flight[position]
        self.in_flight -= 1
        self._end(position, entry)
        return entry

    def give_up(self) -> int:
        """Give up dead letters that rest, the oldest first, where there is room for nothing else.

        Returns how many were: they are done, and no one is sent them.
        """
        if self.room or not self.resting:
            return 0
        if any(isinstance(entry, Accepted) for entry in self._entries.values()):
            return 0
        given_up = 0
        for position, entry in list(self._entries.items()):
            if len(self._entries) <= ROOMY and len(self._order) < MOST_SPAN:
                break
            self._lanes[lane_of(entry)].waiting.popleft()
            self._end(position, entry)
            given_up += 1
        return given_up

    def retract(self) -> int:
        """Let everything that is in flight wait again, in order; return how many that are."""
        count, self.in_flight = self.in_flight, 0
        self._ready.clear()
        for lane, state in self._lanes.items():
            state.waiting.extendleft(reversed(state.in_flight))
            state.in_flight.clear()
            state.listed = False
            self._list(lane, state)
        return count

    def progress(self, next_position: int) -> Progress:
        """Return how far publishing has come.

        Args:
            next_position: the lowest position that was not offered yet.
        """
        low = self._order[0] if self._order else next_position
        return Progress(low, frozenset(self._done))

    def _end(self, position: int, entry: Sendable) -> None:
        """Take an entry, which neither waits nor is in flight any more, for done."""
        lane = lane_of(entry)
        state = self._lanes[lane]
        if state.waiting or state.in_flight:
            self._list(lane, state)
        else:
            del self._lanes[lane]
        del self._entries[position]
        self._done.add(position)
        while self._order and self._order[0] in self._done:
            self._done.discard(self._order.popleft())

    def _release(self, position: int, entry: Sendable) -> None:
        self._entries[position] = entry
        lane = lane_of(entry)
        state = self._lanes.setdefault(lane, _LaneState())
        state.waiting.append(position)
        self._list(lane, state)

    def _list(self, lane: Lane, state: _LaneState) -> None:
        is_event, _ = lane
        rests = self.resting and not is_event
        if not (state.listed or rests) and state.waiting and len(state.in_flight) < self._most:
            state.listed = True
            heappush(self._ready, (state.waiting[0], lane))


def lane_of(entry: Sendable) -> Lane:
    """Return the lane of an entry: dead letters of a table do not wait for its events."""
    return isinstance(entry, Accepted), entry.table
