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
    """One card on the table; ``card`` is absent while it lies face down or was not read.

    ``number`` is its place in the order of the round's dealt cards, from 1; with ``source``, a
    place in the view's ``sources``, ``seq`` names the event that told it. All are absent in
    version 1.
    """

    to: f.Text
    position: f.Position | None
    hand: f.Hand | None
    face: f.Text
    card: f.Card | None
    number: f.Place | None = None
    at: f.Micros | None = None
    source: f.Place | None = None
    seq: f.Counter | None = None


class ViewStanding(Struct, frozen=True):
    """One standing finding of a table."""

    code: f.Text
    id: f.Digest
    severity: f.Text
    round: f.Number
    at: f.Micros


class ViewSource(Struct, frozen=True):
    """A source in one boot; ``seq`` is its last, absent for a boot before the present one."""

    source: f.Source
    boot: f.Counter
    seq: f.Counter | None


class ViewWager(Struct, frozen=True):
    """A wager of a position, as last placed."""

    position: f.Position
    wager: f.Text
    amount: f.Amount | None


class ViewMark(Struct, frozen=True):
    """One event of the round that deals no card, in what may be told of it.

    ``of`` is what it is of: a wager, who announces or touches, a device, a side. ``word`` is what
    it says: an action, an announcement, an outcome, a place; ``figure`` an amount in minor units, a
    total or a number of cards. ``card`` is one that lies open.
    """

    at: f.Micros
    source: f.Place
    seq: f.Counter
    kind: f.Text
    to: f.Text | None
    position: f.Position | None
    hand: f.Hand | None
    of: f.Text | None
    word: f.Text | None
    figure: f.Amount | None
    card: f.Card | None


class ViewNext(Struct, frozen=True):
    """What is due next by the game's order: a ``card`` or a ``decision``.

    ``reason`` is what a card is for: ``pass``, ``hole_card``, ``draw``, ``double``, ``split`` or
    ``third_card``; ``number`` which card of the round it will be.
    """

    what: f.Text
    to: f.Text
    position: f.Position | None
    hand: f.Hand | None
    number: f.Place | None
    face: f.Text | None
    reason: f.Text | None
    pass_: f.Place | None = field(name="pass")
    passes: f.Place | None


class ViewStock(Struct, frozen=True):
    """A deck, a shoe or one side of a double shoe in use.

    ``cards`` are those it has whole, ``out`` those that left: of a deck in the round, of a shoe
    since its last shuffle or load. ``shuffle`` is the method of the last one, where no card left
    since.
    """

    name: f.Text | None
    cards: f.Cards
    out: f.Number
    shuffle: f.Text | None
    cut_card: bool


class TableView(Struct, frozen=True):
    """A table as it may be shown: never a card that lies face down.

    ``last_event_at`` is by the device's clock, ``last_received`` by the gateway's. ``state`` is a
    word for a tile: ``closed``, ``shuffling``, ``between``, ``betting``, ``dealing``, ``deciding``
    or ``settling``. ``sources`` are who told what is shown, the first of them the last event.
    ``marks`` are the last of the round's events that deal no card, in order; ``marks_dropped``
    stood before them. What is of the open round is empty or absent between rounds.
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
    state: f.Text | None = None
    dealt_from: f.Text | None = None
    decks: f.Decks | None = None
    seats: f.Position | None = None
    hole_card: f.Text | None = None
    holding: f.Text | None = None
    gap: bool = False
    sources: tuple[ViewSource, ...] = ()
    wagers: tuple[ViewWager, ...] = ()
    marks: tuple[ViewMark, ...] = ()
    marks_dropped: f.Number = 0
    next: ViewNext | None = None
    stocks: tuple[ViewStock, ...] = ()
    cards_out: f.Place | None = None
    stub_now: f.Stub | None = None
    stub_due: f.Stub | None = None
    counted_stub: f.Cards | None = None

    def identity(self, told: ViewCard | ViewMark) -> str | None:
        """Return the identity of the event that told a card or mark, if the view names it."""
        if told.source is None or told.seq is None or told.source >= len(self.sources):
            return None
        source = self.sources[told.source]
        return f"{self.table}/{source.source}/{source.boot}/{told.seq}"


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
