"""What the history's queries answer with: frozen rows, each made of a row that was found."""

from dataclasses import dataclass
from typing import Any

import msgspec

from schemas import records


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding that was raised; times in microseconds since 1970-01-01 UTC.

    ``dealer`` and ``opened_by`` are its round's; nothing where it stands in none that is over.
    ``cleared_at`` is when it was cleared, for one that stood.
    """

    id: str
    code: str
    clause: str
    class_: str
    severity: str
    table: str
    game: str | None
    round: int
    position: int | None
    hand: int | None
    at: int
    cleared_at: int | None
    dealer: str | None
    opened_by: str | None
    record: records.Finding


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round that is over, without its cards; ``findings`` is how many were raised in it."""

    opened_by: str
    table: str
    game: str | None
    number: int
    opened_at: int
    closed_at: int
    ended: str
    dealer: str | None
    deck: str | None
    gap: bool
    findings: int


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """An alarm as it was told last."""

    id: str
    raised_at: int
    record: records.Alarm


@dataclass(frozen=True, slots=True)
class ActRow:
    """What an operator asked for.

    ``accepted`` is nothing while no answer is known; a refused act has a ``reason``. Of an act
    whose answer alone is known, ``act``, ``by``, ``role`` and ``at`` are nothing.
    """

    command: str
    alarm: str | None
    table: str
    code: str | None
    act: str | None
    by: str | None
    role: str | None
    at: int | None
    until: int | None
    disposition: str | None
    note: str | None
    accepted: bool | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class RoundInFull:
    """A round with all that was said and done of it.

    ``findings`` has those raised in it and, as a stub is counted after it, those raised at its
    table until the next round; ``alarms`` are those made of them, ``acts`` what was asked of these.
    """

    round: records.Round
    findings: tuple[FindingRow, ...]
    alarms: tuple[AlarmRow, ...]
    acts: tuple[ActRow, ...]


def finding_row(row: Any) -> FindingRow:  # noqa: ANN401  a row of SQLAlchemy
    """Return a finding as a statement found it."""
    record = msgspec.json.decode(row.body, type=records.Finding)
    return FindingRow(
        id=row.id,
        code=row.code,
        clause=row.clause,
        class_=record.class_,
        severity=row.severity,
        table=row.table,
        game=row.game,
        round=row.round,
        position=row.position,
        hand=row.hand,
        at=row.at,
        cleared_at=row.cleared_at,
        dealer=row.dealer,
        opened_by=row.opened_by,
        record=record,
    )


def round_row(row: Any) -> RoundRow:  # noqa: ANN401  a row of SQLAlchemy
    """Return a round as a statement found it."""
    return RoundRow(**row._mapping)


def alarm_row(row: Any) -> AlarmRow:  # noqa: ANN401  a row of SQLAlchemy
    """Return an alarm as a statement found it."""
    return AlarmRow(row.id, row.raised_at, msgspec.json.decode(row.body, type=records.Alarm))


def act_row(row: Any) -> ActRow:  # noqa: ANN401  a row of SQLAlchemy
    """Return an act as a statement found it."""
    return ActRow(**row._mapping)
