"""What persons may ask for, who may ask for what, and why a worker refuses.

| role | may |
|---|---|
| ``viewer`` | look |
| ``operator``, ``admin`` | every act, but put nothing critical or of integrity out of sight |
| ``surveillance`` | every act |

To put out of sight is to shelve or to take out of service. Which pit a table is in is not known
here: whether it is one of the operator's is said with the command.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

ACKNOWLEDGE: Final = "acknowledge"
SHELVE: Final = "shelve"
UNSHELVE: Final = "unshelve"
TAKE_OUT: Final = "out_of_service"
PUT_BACK: Final = "in_service"
COMMENT: Final = "comment"

ACTS: Final = (ACKNOWLEDGE, SHELVE, UNSHELVE, TAKE_OUT, PUT_BACK, COMMENT)

VIEWER: Final = "viewer"
OPERATOR: Final = "operator"
SURVEILLANCE: Final = "surveillance"
ADMIN: Final = "admin"

ROLES: Final = (VIEWER, OPERATOR, SURVEILLANCE, ADMIN)
ACTING: Final = frozenset({OPERATOR, SURVEILLANCE, ADMIN})

DISPOSITIONS: Final = ("confirmed", "device_error", "no_fault_found")
"""What an acknowledged alarm turned out to be."""

SHELVED_SECONDS: Final = 8 * 3600
"""The longest an alarm is shelved: a shift."""

ROLE: Final = "role"
SURVEILLANCE_ALONE: Final = "surveillance_alone"
PIT: Final = "pit"
UNKNOWN_ACT: Final = "unknown_act"
STALE: Final = "stale"
DISPOSITION: Final = "disposition"
NOTE: Final = "note"
UNTIL: Final = "until"

REFUSALS: Final[Mapping[str, str]] = {
    ROLE: "this role may look but not act",
    SURVEILLANCE_ALONE: "surveillance alone may put a critical or integrity alarm out of sight",
    PIT: "the table is in none of the pits that this account may act in",
    UNKNOWN_ACT: "this version of the worker knows no such act",
    STALE: "it is older than acts that are no longer remembered; ask for it again",
    DISPOSITION: "an acknowledgement says what it was: confirmed, device_error or no_fault_found",
    NOTE: "this act needs a reason in words",
    UNTIL: "shelving ends after it begins and within eight hours",
    "is_normal": "the alarm is closed",
    "is_unacknowledged": "the alarm is not acknowledged, and neither shelved nor out of service",
    "is_acknowledged": "the alarm is acknowledged already, and neither shelved nor out of service",
    "is_returned_unacknowledged": "the alarm is neither shelved nor out of service",
    "is_shelved": "the alarm is shelved",
    "is_out_of_service": "the alarm is out of service",
}
"""Every reason for which a command is refused, with what a person is told of it."""


class Grave(Protocol):
    """What says how grave something is: an alarm, or the rule of its code."""

    @property
    def class_(self) -> str:
        """Return its class."""

    @property
    def severity(self) -> str:
        """Return its severity."""


def grave(alarm: Grave) -> bool:
    """Say whether surveillance alone may put an alarm out of sight."""
    return alarm.severity == "critical" or alarm.class_ == "integrity"


@dataclass(frozen=True, slots=True)
class Command:
    """What a person asks for.

    ``alarm`` is the alarm's id; where there is none, ``code`` says which of the table's is meant.
    ``at`` is when it was asked for and ``until`` when shelving is to end, in microseconds.
    ``elsewhere`` says that the table is in none of the pits that the person may act in.
    """

    id: str
    act: str
    table: str
    alarm: str | None
    code: str | None
    by: str
    role: str
    at: int
    until: int | None = None
    disposition: str | None = None
    note: str | None = None
    elsewhere: bool = False
