"""What the judge raises, and the other effects of an event.

A finding's id is BLAKE2b-128 over the table, the identity of the event that opened it, round,
code, position, hand and the identity of the causing event, each as UTF-8 with its length before
it: the same input gives the same ids on every run, machine and version.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from streams.core.events import Event
from streams.core.rounds import Round

Detail = Mapping[str, int | str]

DUPLICATE: Final = "duplicate"
LATE_EVENT: Final = "late_event"
CONFLICTING_EVENT: Final = "conflicting_event"


@dataclass(frozen=True, slots=True)
class Finding:
    """One irregularity as it is published; ``state`` is ``raised`` or ``cleared``.

    ``at`` is the causing event's time in microseconds, ``events`` the identities that prove it,
    ``detail`` has the keys its rulebook row fixes. Book and version are added by the shell.
    """

    id: str
    code: str
    clause: str
    class_: str
    state: str
    severity: str
    table: str
    game: str | None
    round: int
    position: int | None
    hand: int | None
    at: int
    events: tuple[str, ...]
    detail: Detail = field(default_factory=dict)


def finding_id(
    table: str,
    opening: str,
    round_number: int,
    code: str,
    position: int | None,
    hand: int | None,
    causing: str,
) -> str:
    """Return a finding's id, 32 hexadecimal digits.

    ``opening`` and ``causing`` are event identities; an absent position or hand is the empty
    string. Each part is UTF-8 with its length in bytes as four big-endian bytes before it.
    """
    return digest_of(
        table,
        opening,
        str(round_number),
        code,
        "" if position is None else str(position),
        "" if hand is None else str(hand),
        causing,
    )


def digest_of(*parts: str) -> str:
    """Return BLAKE2b-128 over texts, each as UTF-8 with its length before it, in hexadecimal."""
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(4, "big"))
        digest.update(data)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class FindingRaised:
    """A finding is raised."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class FindingCleared:
    """A standing finding is cleared: the same id with state ``cleared``."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class EventSetAside:
    """An event was not applied: ``duplicate``, ``late_event`` or ``conflicting_event``.

    A duplicate is only counted; the others become dead letters with their bytes.
    """

    event: Event
    reason: str


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """A round is over, closed or cut short."""

    round: Round


Effect = FindingRaised | FindingCleared | RoundEnded | EventSetAside
"""All that an event can cause beside the table's new state."""
