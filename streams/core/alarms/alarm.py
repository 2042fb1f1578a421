"""An alarm as a value: what it stands for, how it stands, and what persons did to it.

An alarm is one code at one table. Its state is not kept but follows from the causes that stand,
the acknowledgement, and whether a person took it out of sight, so that no two of them can
contradict each other:

| out of sight | acknowledged | a cause stands, or | state |
|---|---|---|---|
| out of service | either | either | ``out_of_service`` |
| shelved | either | either | ``shelved`` |
| no | no | yes, or its code is of a point in time | ``unacknowledged`` |
| no | no | no | ``returned_unacknowledged`` |
| no | yes | yes | ``acknowledged`` |
| no | yes | no | ``normal``: it is closed |

A finding of a point in time has no cause that could go: it latches until it is acknowledged.
"""

from dataclasses import dataclass
from typing import Final

from streams.core.codes import CODES
from streams.core.findings import Finding, digest_of

NORMAL: Final = "normal"
UNACKNOWLEDGED: Final = "unacknowledged"
ACKNOWLEDGED: Final = "acknowledged"
RETURNED: Final = "returned_unacknowledged"
SHELVED: Final = "shelved"
OUT_OF_SERVICE: Final = "out_of_service"

STATES: Final = (NORMAL, UNACKNOWLEDGED, ACKNOWLEDGED, RETURNED, SHELVED, OUT_OF_SERVICE)
"""The states of an alarm, after ISA-18.2; one that is ``normal`` is closed."""

TO_ANSWER: Final = frozenset({UNACKNOWLEDGED, RETURNED})
"""The states in which an alarm asks for an answer."""

ALARMING_CLASSES: Final = frozenset({"breach", "irregularity", "integrity"})
ALARMING_SEVERITIES: Final = frozenset({"critical", "high"})

MOST_FINDINGS: Final = 16
"""Findings of an alarm whose ids are kept: the last of them."""

MOST_ACTS: Final = 50
"""Acts that are kept of an alarm: the last of them."""

MOST_STANDING: Final = 64
"""Causes of one code that stand at once: 12 positions, 8 decks or 32 sources are fewer."""


@dataclass(frozen=True, slots=True)
class Act:
    """What a person did to an alarm; ``command`` is the id of what asked for it."""

    command: str
    act: str
    by: str
    role: str
    at: int
    until: int | None = None
    disposition: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a command; a refused one has a reason."""

    command: str
    accepted: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Alarm:
    """One alarm.

    ``round``, ``position`` and ``hand`` are the last finding's, ``raised_at`` is the first one's
    time and ``last_at`` the last one's; ``findings`` are the ids of the last of them and
    ``standing`` of those whose cause stands. ``cleared_at`` is when the last cause went.
    ``out_of_sight`` is ``shelved``, ``out_of_service`` or nothing. ``closed_at`` is when nothing
    was left to do. Times are microseconds; those of findings and of what clears them are the
    device's, the others the machine's.
    """

    id: str
    table: str
    code: str
    clause: str
    class_: str
    severity: str
    game: str | None
    round: int
    position: int | None
    hand: int | None
    raised_at: int
    last_at: int
    count: int
    findings: tuple[str, ...]
    standing: tuple[str, ...] = ()
    cleared_at: int | None = None
    acknowledged_at: int | None = None
    acknowledged_by: str | None = None
    disposition: str | None = None
    out_of_sight: str | None = None
    shelved_until: int | None = None
    closed_at: int | None = None
    acts: tuple[Act, ...] = ()
    answer: Answer | None = None

    @property
    def state(self) -> str:
        """Return its state: one of ``STATES``."""
        if self.out_of_sight is not None:
            return self.out_of_sight
        if self.acknowledged_at is not None:
            return ACKNOWLEDGED if self.standing else NORMAL
        return UNACKNOWLEDGED if self.standing or latches(self.code) else RETURNED


@dataclass(frozen=True, slots=True)
class AlarmChanged:
    """An alarm is anew as it stands here."""

    alarm: Alarm


@dataclass(frozen=True, slots=True)
class AlarmGone:
    """An alarm that closed a day ago is to be remembered by nobody."""

    id: str


AlarmEffect = AlarmChanged | AlarmGone
"""All that happens to a table's alarms."""


def latches(code: str) -> bool:
    """Say whether the findings of a code are of a point in time, so that no cause of them goes."""
    return CODES[code].state == "point"


def is_alarming(finding: Finding) -> bool:
    """Say whether a finding asks for an answer of a person.

    What a device gets wrong without harm is for those who keep the devices, and no alarm.
    """
    return finding.class_ in ALARMING_CLASSES or finding.severity in ALARMING_SEVERITIES


def alarm_id(finding: Finding) -> str:
    """Return the id of the alarm whose first finding this is: 32 hexadecimal digits."""
    return digest_of(finding.table, finding.code, finding.id)
