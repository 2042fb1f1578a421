"""The list of alarms as an operator works it: what stands first, what is folded, what may be done.

Pure functions of alarm records and a time; times are microseconds since 1970-01-01 UTC. The order
is the operator's: what wants an answer first, the gravest of it first, the oldest of those first.

A flood (ISA-18.2) begins with more than ten alarms within ten minutes and ends with fewer than
five. While it lasts, what is not critical and was raised in it is folded into one line, so that
what is critical, and what stood before, can still be seen.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.records import Alarm
from streams.core.alarms.alarm import (
    ACKNOWLEDGED,
    NORMAL,
    OUT_OF_SERVICE,
    RETURNED,
    SHELVED,
    TO_ANSWER,
    UNACKNOWLEDGED,
)
from streams.core.alarms.commands import ACTS, grave
from streams.core.alarms.machine import MOVES
from streams.core.book import SEVERITIES
from streams.database.floods import FLOOD_BEGINS, FLOOD_ENDS, FLOOD_SPAN

STATES: Final = (UNACKNOWLEDGED, RETURNED, ACKNOWLEDGED, SHELVED, OUT_OF_SERVICE)
"""The states of an alarm that is not closed, in the order of the list."""

GROUPS: Final[Mapping[str, frozenset[str]]] = {
    "answer": TO_ANSWER,
    "acknowledged": frozenset({ACKNOWLEDGED}),
    "shelved": frozenset({SHELVED}),
    "out_of_service": frozenset({OUT_OF_SERVICE}),
}
"""The groups that the page shows or hides, and their states."""

LONGEST_FILTER: Final = 64

_STATE_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    UNACKNOWLEDGED: ("unack", "Unack"),
    RETURNED: ("rtn", "Returned"),
    ACKNOWLEDGED: ("ack", "Acknowledged"),
    SHELVED: ("shelved", "Shelved"),
    OUT_OF_SERVICE: ("past", "Out of service"),
    NORMAL: ("past", "Closed"),
}


def shape(severity: str) -> int:
    """Return the number of a severity's shape, 1 the gravest; one unknown is the least, 4."""
    return SEVERITIES.index(severity) + 1 if severity in SEVERITIES else len(SEVERITIES)


def state_class(state: str) -> str:
    """Return the class a state is drawn by; one unknown is drawn as what must be read."""
    return _STATE_WORDS.get(state, ("unack", ""))[0]


def state_word(state: str) -> str:
    """Return a state as its chip says it; one unknown is shown as it came."""
    return _STATE_WORDS.get(state, ("", state))[1]


def priority_word(severity: str) -> str:
    """Return a severity as a row says it: ``High``."""
    return severity.capitalize()


def acts_for(alarm: Alarm) -> tuple[str, ...]:
    """Return the acts that the alarm's state allows, in the order of the buttons."""
    moves = MOVES.get(alarm.state, {})
    return () if alarm.state == NORMAL else tuple(act for act in ACTS if act in moves)


def is_open(alarm: Alarm) -> bool:
    """Return whether anything is left to do."""
    return alarm.state != NORMAL


def order(alarm: Alarm) -> tuple[int, int, int, str]:
    """Return what sorts the list: state, priority, age, and the id so that no two are equal."""
    state = STATES.index(alarm.state) if alarm.state in STATES else len(STATES)
    return state, shape(alarm.severity), alarm.raised_at, alarm.id


def ordered(alarms: Iterable[Alarm]) -> list[Alarm]:
    """Return the open alarms in the order of the list."""
    return sorted(filter(is_open, alarms), key=order)


def counts(alarms: Iterable[Alarm]) -> dict[str, int]:
    """Return how many alarms each group has."""
    by_state = Counter(alarm.state for alarm in alarms)
    return {group: sum(by_state[state] for state in states) for group, states in GROUPS.items()}


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which alarms an operator wants to see.

    ``groups`` are keys of ``GROUPS``; ``words`` must each stand somewhere in table, clause, code,
    title or dealer; ``pit`` is a pit's name or absent for all.
    """

    groups: frozenset[str] = frozenset({"answer", "acknowledged", "shelved"})
    words: tuple[str, ...] = ()
    pit: str | None = None


def choose(
    alarms: Iterable[Alarm],
    chosen: Chosen,
    *,
    pit_of: Callable[[str], str | None],
    text_of: Callable[[Alarm], str],
    surveillance: bool = False,
) -> list[Alarm]:
    """Return the chosen of the open alarms, in order.

    What surveillance alone may put away stays on surveillance's page whatever group is hidden.

    Args:
        alarms: The alarms known.
        chosen: What is wanted.
        pit_of: Tells a table's pit.
        text_of: Tells the text in which the words are looked for.
        surveillance: Whether the page is surveillance's.
    """
    states = frozenset[str]().union(*(GROUPS[group] for group in chosen.groups if group in GROUPS))

    def wanted(alarm: Alarm) -> bool:
        stays = surveillance and grave(alarm)
        if alarm.state not in states and not stays:
            return False
        if chosen.pit is not None and pit_of(alarm.table) != chosen.pit:
            return False
        text = text_of(alarm).casefold() if chosen.words else ""
        return all(word in text for word in chosen.words)

    return [alarm for alarm in ordered(alarms) if wanted(alarm)]


def filter_words(text: str) -> tuple[str, ...]:
    """Return the words of a filter, bounded."""
    return tuple(text[:LONGEST_FILTER].casefold().split())


def flood_since(raised: Iterable[int], now: int) -> int | None:
    """Return when the flood that lasts at ``now`` began, or nothing when there is none.

    It began with the oldest of those that made more than ten. It ends as soon as the fifth last
    alarm is ten minutes old, for then fewer than five are within them.
    """
    times = sorted(time for time in raised if time <= now)
    since: int | None = None
    for place, time in enumerate(times):
        if since is not None and _ends(times, place) <= time:
            since = None
        oldest = place - FLOOD_BEGINS
        if since is None and oldest >= 0 and times[oldest] > time - FLOOD_SPAN:
            since = times[oldest]
    return since if since is not None and _ends(times, len(times)) > now else None


def _ends(times: Sequence[int], place: int) -> int:
    """Return when a flood whose last alarm stands before ``place`` ends."""
    return times[place - FLOOD_ENDS] + FLOOD_SPAN


@dataclass(frozen=True, slots=True)
class Flood:
    """A flood as its line tells it.

    ``folded`` are the alarms it stands for, in order; ``codes`` how many of each code and
    severity, most first; ``cause`` what all of them have in common, in words, or nothing.
    """

    since: int
    folded: tuple[Alarm, ...]
    codes: tuple[tuple[str, str, int], ...]
    tables: int
    cause: str | None

    @property
    def severity(self) -> str:
        """Return the gravest of the folded, ``low`` where none is left."""
        return min((alarm.severity for alarm in self.folded), key=shape, default="low")


def find_flood(
    alarms: Iterable[Alarm],
    now: int,
    *,
    pit_of: Callable[[str], str | None],
    gateway_of: Callable[[str], str | None],
) -> Flood | None:
    """Return the flood that lasts, with what it folds: never a critical alarm.

    Args:
        alarms: All alarms known, closed ones of the last minutes among them.
        now: The time it is.
        pit_of: Tells a table's pit.
        gateway_of: Tells a table's gateway.
    """
    known = list(alarms)
    since = flood_since((alarm.raised_at for alarm in known), now)
    if since is None:
        return None
    folded = tuple(
        alarm
        for alarm in ordered(known)
        if alarm.state in TO_ANSWER and alarm.severity != "critical" and alarm.raised_at >= since
    )
    tables = {alarm.table for alarm in folded}
    by_code = Counter((alarm.code, alarm.severity) for alarm in folded)
    codes = sorted(
        ((code, severity, many) for (code, severity), many in by_code.items()),
        key=lambda row: (-row[2], row[0]),
    )
    return Flood(since, folded, tuple(codes), len(tables), _cause(tables, pit_of, gateway_of))


def _cause(
    tables: set[str],
    pit_of: Callable[[str], str | None],
    gateway_of: Callable[[str], str | None],
) -> str | None:
    """Return what all tables share: their gateway, their pit, or being one table."""
    if len(tables) < 2:
        return None
    said = []
    for of, words in ((gateway_of, "through {}"), (pit_of, "in {}")):
        shared = {of(table) for table in tables}
        only = shared.pop()
        if not shared and only is not None:
            said.append(words.format(only))
    return "all " + " ".join(said) if said else None
