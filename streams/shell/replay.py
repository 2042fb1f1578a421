"""Which dead letters may be replayed, decided by sequence numbers alone.

Each source's place is read from the state topic and, beyond what the states have applied, from the
deals. An event of a letter then has one fate:

| fate | the event is | it is |
|---|---|---|
| ``next`` | what its source's sequence wants next, or its source's first | replayed |
| ``applied`` | among the last 64 of its source, with this content | left: it was judged |
| ``conflict`` | among the last 64, with other content | left, told as a rest |
| ``behind`` | below its source's place, or applied more than 64 ago | left, told as a rest |
| ``ahead`` | above what is next: one before it is missing | left, told as a rest |
| ``unknown`` | of a table whose state cannot be read | left, told as a rest |
| ``unjudged`` | what ended three workers of this very version | left |
| ``tick`` | a worker's own clock, of a time that is over | left |
| ``command`` | an operator's act, which is signed anew | left |
| ``unreadable`` | no event, to this version either | left |

What was replayed stands in the deals, so its identity is no longer next: a second replay of the
same letters, one after a crash or one beside another writes nothing, or what the worker counts as
a duplicate. Letters that wait for one another in another order than they stand in are replayed by
going through all of them again until nothing is next.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

from streams.core.events import Event, Tick
from streams.core.sequence import Place, place_of, sequence
from streams.shell.deadletters import JUDGE_ERROR, OWN, Refusal
from streams.shell.letters import Letter, Readable, contents
from streams.shell.ports import Headers
from streams.shell.store import TableStore

if TYPE_CHECKING:
    from streams.core.table import SourceState

REPLAYED: Final = f"{OWN}replayed"
"""The header of a replayed deal that names its letter: ``topic/partition/offset``."""


class Fate(Enum):
    """What becomes of a letter's event; see the module's table."""

    NEXT = "next"
    APPLIED = "applied"
    CONFLICT = "conflict"
    BEHIND = "behind"
    AHEAD = "ahead"
    UNKNOWN = "unknown"
    UNJUDGED = "unjudged"
    TICK = "tick"
    COMMAND = "command"
    UNREADABLE = "unreadable"


REST: Final = frozenset({Fate.CONFLICT, Fate.BEHIND, Fate.AHEAD, Fate.UNKNOWN})
"""The fates of events that are judged nowhere unless a recording of them is."""


_FATES: Final = {
    Place.FRESH: Fate.NEXT,
    Place.GAP: Fate.AHEAD,
    Place.DUPLICATE: Fate.APPLIED,
    Place.CONFLICT: Fate.CONFLICT,
    Place.LATE: Fate.BEHIND,
}
"""What becomes of an event of a source that is known, by its place in the source's sequence."""


class Places:
    """Where each source of each table stands; bounded by the floor's tables and their sources."""

    def __init__(self, deals: str) -> None:
        self._deals = deals
        self._sources: dict[str, dict[str, SourceState]] = {}
        self._applied: dict[str, int] = {}
        self._unknown: set[str] = set()

    def take_states(self, partition: int, store: TableStore) -> None:
        """Take the places that the states of a partition have, and forget the states."""
        for key, stored in store.tables(partition):
            self._sources[key.decode()] = stored.state.sources
            self._applied[key.decode()] = stored.offsets.get(self._deals, -1)
        self._unknown |= {key.decode("utf-8", "replace") for key, _ in store.unreadable(partition)}
        store.purge([partition])

    def take_deal(self, offset: int, event: Event) -> None:
        """Take a deal that a worker has applied, or will."""
        if offset > self._applied.get(event.table, -1):
            self.advance(event)

    def advance(self, event: Event) -> None:
        """Move an event's source as the worker does that reads the event."""
        sequence(self._sources.setdefault(event.table, {}), event)

    def fate(self, event: Event) -> Fate:
        """Return what would become of an event if it were replayed now."""
        if isinstance(event.body, Tick):
            return Fate.TICK
        if event.table in self._unknown:
            return Fate.UNKNOWN
        source = self._sources.get(event.table, {}).get(event.source)
        if source is None:
            return Fate.NEXT
        place, _ = place_of(source, event)
        return _FATES[place]


@dataclass(frozen=True, slots=True)
class Replayed:
    """A deal to be written: the letter's event under its own table's key.

    A deal keeps the signature that it had, which a worker judges anew; a gateway's line had none,
    and is signed for ``gateway`` where that gateway's key is given.
    """

    event: Event
    value: bytes
    headers: Headers
    gateway: str | None = None


@dataclass(slots=True)
class Runs:
    """The identities replayed so far, as runs of one boot; as many as its letters have gaps."""

    _runs: dict[tuple[str, str], list[list[int]]] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        """Remember an event."""
        runs = self._runs.setdefault((event.table, event.source), [])
        if runs and runs[-1][0] == event.boot and runs[-1][2] + 1 == event.seq:
            runs[-1][2] = event.seq
        else:
            runs.append([event.boot, event.seq, event.seq])

    def __contains__(self, event: Event) -> bool:
        """Say whether an event is remembered."""
        runs = self._runs.get((event.table, event.source), ())
        return any(boot == event.boot and low <= event.seq <= high for boot, low, high in runs)


@dataclass(frozen=True, slots=True)
class Judged:
    """One event, or what is none, of a letter, with its fate."""

    letter: Letter
    fate: Fate
    piece: Readable | Refusal | None


class Replay:
    """One replay, in as many passes over the letters as there are waits among them.

    Args:
        places: where the sources stand.
        dead: the topic of dead letters.
        commands: the topic of commands.
        version: the program's: what it could not judge, it cannot judge now.
    """

    def __init__(self, places: Places, *, dead: str, commands: str, version: str) -> None:
        self._places = places
        self._dead = dead
        self._commands = commands
        self._version = version
        self._runs = Runs()
        self._ahead = False
        self._moved = False
        self.replayed = 0
        self.left: Counter[Fate] = Counter()
        """How many events have each other fate, by the pass that is under way."""

    def begin(self) -> None:
        """Begin a pass over all letters."""
        self.left.clear()
        self._ahead = self._moved = False

    @property
    def again(self) -> bool:
        """Say whether another pass may find something that is next only now."""
        return self._ahead and self._moved

    def judge(self, letters: Iterable[Letter]) -> Iterator[Judged]:
        """Yield the fate of all that letters hold, in their order; those next count as replayed."""
        for letter in letters:
            if letter.topic == self._commands:
                yield self._left(letter, Fate.COMMAND, None)
                continue
            for piece in contents(letter):
                if isinstance(piece, Refusal):
                    yield self._left(letter, Fate.UNREADABLE, piece)
                    continue
                fate = self._fate(letter, piece.event)
                if fate is Fate.NEXT:
                    self._places.advance(piece.event)
                    self._runs.add(piece.event)
                    self._moved = True
                    self.replayed += 1
                    yield Judged(letter, fate, piece)
                elif piece.event not in self._runs:
                    self._ahead |= fate is Fate.AHEAD
                    yield self._left(letter, fate, piece)

    def _fate(self, letter: Letter, event: Event) -> Fate:
        fate = self._places.fate(event)
        same = letter.reason == JUDGE_ERROR and letter.version == self._version
        return Fate.UNJUDGED if same and fate is Fate.NEXT else fate

    def _left(self, letter: Letter, fate: Fate, piece: Readable | Refusal | None) -> Judged:
        self.left[fate] += 1
        return Judged(letter, fate, piece)

    def deal(self, judged: Judged) -> Replayed:
        """Return the deal of a letter that is next.

        Raises:
            TypeError: the letter's fate is another.
        """
        if not isinstance(judged.piece, Readable):
            raise TypeError(f"expected an event, found {judged.fate}")
        letter = judged.letter
        name = f"{self._dead}/{letter.partition}/{letter.offset}".encode()
        event, value, headers = judged.piece.event, judged.piece.value, ((REPLAYED, name),)
        if letter.topic is None:
            return Replayed(event, value, headers, letter.gateway)
        return Replayed(event, value, (*headers, *letter.signed))
