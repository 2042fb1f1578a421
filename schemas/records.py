"""The records that travel: what stands on each topic, as frozen structs of our own.

Times are integers, microseconds since 1970-01-01 UTC; money is integer minor units. An absent
optional field is ``None``. An event's vocabularies are closed, in ``schemas.fields``. Those of
findings, rounds, views, alarms and commands are plain texts of 1 to 64 characters: a reader shows
them, and must not refuse a word that a later version adds.
"""

from msgspec import Struct, field

from schemas import fields as f
from schemas.kinds import AnyBody


class DealEvent(Struct, frozen=True, gc=False):
    """What one source said, with who said it and when: a value of the deal topic.

    ``at`` is the device's clock; ``received`` and ``gateway`` are the receiving gateway's clock
    and name, absent in recordings.
    """

    table: f.Table
    source: f.Source
    boot: f.Counter
    seq: f.Counter
    at: f.Micros
    body: AnyBody
    received: f.Micros | None = None
    gateway: f.Gateway | None = None

    @property
    def identity(self) -> str:
        """Return ``table/source/boot/seq``; no two events of a log share it."""
        return f"{self.table}/{self.source}/{self.boot}/{self.seq}"


class BookName(Struct, frozen=True):
    """Which rulebook a record was judged by: its name, and the digest of the parsed book."""

    name: f.Text
    sha256: f.Sha256


class Finding(Struct, frozen=True):
    """One irregularity, raised or cleared; (``id``, ``state``) is the key for those who read.

    The fields stand in the order in which `pitwatch check` prints them. ``game`` is absent where
    no table was open; ``round`` is 0 before the first; ``events`` are the identities that prove it.
    """

    id: f.Digest
    code: f.Text
    clause: f.Clause
    class_: f.Text = field(name="class")
    state: f.Text
    severity: f.Text
    table: f.Table
    game: f.Text | None
    round: f.Number
    position: f.Position | None
    hand: f.Hand | None
    at: f.Micros
    events: tuple[f.Identity, ...]
    detail: f.Detail
    book: BookName
    version: f.Text


class RoundCard(Struct, frozen=True):
    """One card that left the deck or shoe in a round; ``card`` is absent where it was not read.

    ``place`` is how it left: ``dealt``, ``burned``, ``determinant``, ``drawn_in_error`` or
    ``found_face_up``. ``event`` is the identity of the event that told it.
    """

    card: f.Card | None
    place: f.Text
    to: f.Text | None
    position: f.Position | None
    hand: f.Hand | None
    face: f.Text | None
    side: f.Text | None
    at: f.Micros
    event: f.Identity
    exposed_at: f.Micros | None


class RoundEvent(Struct, frozen=True):
    """One applied event of a round: its JSON line, as the event contract writes it.

    A line can be read without this program years later, and a new kind of event changes no
    Round schema: a union of kinds here could not be read by older readers.
    """

    line: f.Line
    received: f.Micros | None


class RoundFinding(Struct, frozen=True):
    """One finding raised in a round."""

    code: f.Text
    id: f.Digest


class Round(Struct, frozen=True):
    """A round, closed, voided or cut short, as its events told it.

    ``opened_by`` is the identity of its first event, and with the table the round's key: numbers
    begin anew with each opening of the table. ``dropped_events`` counts events beyond those kept.
    """

    table: f.Table
    game: f.Text | None
    number: f.Number
    opened_by: f.Identity
    opened_at: f.Micros
    closed_at: f.Micros
    ended: f.Text
    dealer: f.Text | None
    deck: f.Text | None
    positions: tuple[f.Position, ...]
    cards: tuple[RoundCard, ...]
    events: tuple[RoundEvent, ...]
    dropped_events: f.Number
    gap: bool
    expected_stub: f.Stub | None
    counted_stub: f.Cards | None
    findings: tuple[RoundFinding, ...]
    book: BookName
    version: f.Text


class ViewCard(Struct, frozen=True):
    """One card on the table; ``card`` is absent while it lies face down or was not read."""

    to: f.Text
    position: f.Position | None
    hand: f.Hand | None
    face: f.Text
    card: f.Card | None


class ViewStanding(Struct, frozen=True):
    """One standing finding of a table."""

    code: f.Text
    id: f.Digest
    severity: f.Text
    round: f.Number
    at: f.Micros


class TableView(Struct, frozen=True):
    """A table as it may be shown: never a card that lies face down.

    ``last_event_at`` is by the device's clock, ``last_received`` by the gateway's.
    """

    table: f.Table
    game: f.Text | None
    open: bool
    dealer: f.Text | None
    round: f.Number
    round_open: bool
    round_opened_at: f.Micros | None
    positions: tuple[f.Position, ...]
    cards: tuple[ViewCard, ...]
    rounds_since_stub_count: f.Number | None
    standing: tuple[ViewStanding, ...]
    last_event_at: f.Micros
    last_received: f.Micros | None
    book: BookName
    version: f.Text


class AlarmAct(Struct, frozen=True):
    """What a person did to an alarm; ``command`` is the id of the command that asked for it."""

    command: f.Text
    act: f.Text
    by: f.Text
    role: f.Text
    at: f.Micros
    until: f.Micros | None
    disposition: f.Text | None
    note: f.Note | None


class AlarmAnswer(Struct, frozen=True):
    """What became of the last command for an alarm; a refused one has a reason."""

    command: f.Text
    accepted: bool
    reason: f.Text | None


class Alarm(Struct, frozen=True):
    """The state of one alarm, after ISA-18.2; each change is the whole record anew.

    ``raised_at`` is the first finding's time and ``last_at`` the last one's, ``count`` how many
    there were, ``findings`` the ids of the last of them. ``cleared_at`` is when its cause went,
    ``closed_at`` when nothing was left to do.
    """

    id: f.Digest
    table: f.Table
    code: f.Text
    clause: f.Clause
    class_: f.Text = field(name="class")
    severity: f.Text
    game: f.Text | None
    state: f.Text
    round: f.Number
    position: f.Position | None
    hand: f.Hand | None
    raised_at: f.Micros
    last_at: f.Micros
    count: f.Repeats
    findings: tuple[f.Digest, ...]
    cleared_at: f.Micros | None
    acknowledged_at: f.Micros | None
    acknowledged_by: f.Text | None
    disposition: f.Text | None
    shelved_until: f.Micros | None
    closed_at: f.Micros | None
    acts: tuple[AlarmAct, ...]
    answer: AlarmAnswer | None
    book: BookName
    version: f.Text


class OperatorCommand(Struct, frozen=True):
    """What an operator asks for, signed by the console.

    ``alarm`` is the alarm's id, or absent where the act is for a table and code. ``role`` and
    ``pits`` (none is all) are what the operator held. ``signature`` is made with the key named
    ``key`` over the encoded record with an empty signature.
    """

    id: f.Text
    act: f.Text
    table: f.Table
    alarm: f.Digest | None
    code: f.Text | None
    by: f.Text
    role: f.Text
    pits: tuple[f.Text, ...]
    at: f.Micros
    until: f.Micros | None
    disposition: f.Text | None
    note: f.Note | None
    key: f.Text
    signature: bytes


AnyRecord = DealEvent | Finding | Round | TableView | Alarm | OperatorCommand
"""Every record that is the value of a topic."""
