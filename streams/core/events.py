"""What a table device can say: one frozen record a kind, in an envelope that names its source.

An event's identity is (table, source, boot, seq). Times are integers, microseconds since
1970-01-01 UTC: ``at`` on the device's clock, ``received`` on the gateway's (absent in recordings).
Money is integer minor units. Absent optional fields are ``None``. The field names and their
meaning are those of the event contract; ranges are checked where bytes are read, never here.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from streams.core.cards import Card

CLOCK_SOURCE: Final = "pitwatch/clock"
"""The source of ticks, which the worker itself writes."""

GAMES: Final = ("blackjack", "caribbean_stud", "four_card_poker", "chemin_de_fer")
"""What a table can open with."""

CAPABILITIES: Final = (
    "wagers",
    "announcements",
    "lockout",
    "shuffles",
    "dealing_hand",
    "deck_area",
    "draw_hand",
    "burns",
    "faces",
    "cards",
    "totals",
    "decisions",
    "collection",
    "settlements",
    "stub",
    "reader",
    "supervisor",
    "up_card",
)
"""What a table's devices can observe; ``["*"]`` in ``table_opened`` means all of them."""


@dataclass(frozen=True, slots=True)
class TableOpened:
    """A table opens: its game and set-up, and what its devices can observe."""

    kind: ClassVar[str] = "table_opened"
    game: str
    dealt_from: str
    decks: int
    positions: int
    observes: tuple[str, ...]
    hole_card: str | None = None
    card_reader: bool | None = None
    reader_reveals_to_players: bool | None = None
    double_face: str | None = None
    soft_seventeen: str | None = None
    bart_carter: bool | None = None
    offers: tuple[str, ...] | None = None
    red_side: str | None = None
    jurisdiction: str | None = None


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table closes."""

    kind: ClassVar[str] = "table_closed"


@dataclass(frozen=True, slots=True)
class DealerArrived:
    """A dealer takes the table."""

    kind: ClassVar[str] = "dealer_arrived"
    dealer: str


@dataclass(frozen=True, slots=True)
class DealerLeft:
    """A dealer leaves the table."""

    kind: ClassVar[str] = "dealer_left"
    dealer: str


@dataclass(frozen=True, slots=True)
class SupervisorCalled:
    """A supervisor is called; reason ``amount_ascertained``: the bonus amount was read off."""

    kind: ClassVar[str] = "supervisor_called"
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passed: written by the worker that owns the partition, never by a device."""

    kind: ClassVar[str] = "tick"


@dataclass(frozen=True, slots=True)
class DeviceFault:
    """A device of the table reports a fault."""

    kind: ClassVar[str] = "device_fault"
    device: str
    position: int | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class DeviceRestored:
    """A device of the table works again."""

    kind: ClassVar[str] = "device_restored"
    device: str
    position: int | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class CardsLoaded:
    """A full set of cards is put in the shoe."""

    kind: ClassVar[str] = "cards_loaded"
    cards: int
    side: str | None = None
    preshuffled: bool | None = None


@dataclass(frozen=True, slots=True)
class ShuffleCompleted:
    """A shuffle ends; ``cards`` is the device's count, ``stacks`` of a Bart Carter shuffle."""

    kind: ClassVar[str] = "shuffle_completed"
    method: str
    cards: int | None = None
    side: str | None = None
    stacks: int | None = None
    deck: str | None = None


@dataclass(frozen=True, slots=True)
class CardsCut:
    """The cards are cut."""

    kind: ClassVar[str] = "cards_cut"
    side: str | None = None


@dataclass(frozen=True, slots=True)
class DeckInHand:
    """The dealer takes the deck in one hand."""

    kind: ClassVar[str] = "deck_in_hand"
    hand: str
    deck: str | None = None


@dataclass(frozen=True, slots=True)
class DeckOutOfArea:
    """The held deck leaves the area over the table inventory container."""

    kind: ClassVar[str] = "deck_out_of_area"


@dataclass(frozen=True, slots=True)
class Burned:
    """A card is burned."""

    kind: ClassVar[str] = "burned"
    place: str
    card: Card | None = None
    exposed: bool | None = None
    requested_by_player: bool | None = None
    side: str | None = None


@dataclass(frozen=True, slots=True)
class CutCardReached:
    """The cut card comes out of the shoe."""

    kind: ClassVar[str] = "cut_card_reached"
    side: str | None = None


@dataclass(frozen=True, slots=True)
class ShoeEmptied:
    """What was left in the shoe is put in the discard rack."""

    kind: ClassVar[str] = "shoe_emptied"
    cards: int
    side: str | None = None


@dataclass(frozen=True, slots=True)
class RackCounted:
    """The discard rack is counted."""

    kind: ClassVar[str] = "rack_counted"
    cards: int
    side: str | None = None


@dataclass(frozen=True, slots=True)
class DiscardsShuffledIn:
    """Discards are shuffled and cut because the shoe or deck ran out."""

    kind: ClassVar[str] = "discards_shuffled_in"
    side: str | None = None


@dataclass(frozen=True, slots=True)
class ShoeExhausted:
    """The shoe runs out of cards."""

    kind: ClassVar[str] = "shoe_exhausted"
    side: str | None = None


@dataclass(frozen=True, slots=True)
class StubPlaced:
    """The stub goes into the discard rack."""

    kind: ClassVar[str] = "stub_placed"
    exposed: bool


@dataclass(frozen=True, slots=True)
class StubCounted:
    """The stub is counted; a second count of a round replaces the first."""

    kind: ClassVar[str] = "stub_counted"
    cards: int
    deck: str | None = None


@dataclass(frozen=True, slots=True)
class DeckRemoved:
    """A deck is taken off the table."""

    kind: ClassVar[str] = "deck_removed"
    reason: str | None = None
    deck: str | None = None


@dataclass(frozen=True, slots=True)
class WagerPlaced:
    """A wager is placed."""

    kind: ClassVar[str] = "wager_placed"
    position: int
    wager: str
    amount: int | None = None


@dataclass(frozen=True, slots=True)
class NoMoreBets:
    """The dealer announces "No more bets"."""

    kind: ClassVar[str] = "no_more_bets"


@dataclass(frozen=True, slots=True)
class LockoutPressed:
    """The lock-out button of the progressive wager is pressed."""

    kind: ClassVar[str] = "lockout_pressed"


@dataclass(frozen=True, slots=True)
class DeterminantDrawn:
    """The determinant card of a double shoe is drawn."""

    kind: ClassVar[str] = "determinant_drawn"
    side: str
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class CardDealt:
    """A card is dealt; ``hand`` absent is 1, a dealer's hand is the action of multiple action."""

    kind: ClassVar[str] = "card_dealt"
    to: str
    face: str
    position: int | None = None
    hand: int | None = None
    card: Card | None = None
    side: str | None = None
    drawn_with: str | None = None
    placed_with: str | None = None


@dataclass(frozen=True, slots=True)
class CardExposed:
    """A face-down card is turned up."""

    kind: ClassVar[str] = "card_exposed"
    to: str
    position: int | None = None
    hand: int | None = None
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class Announced:
    """The dealer, the dominant player or the banker announces something."""

    kind: ClassVar[str] = "announced"
    by: str
    what: str
    position: int | None = None
    hand: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """A player decides."""

    kind: ClassVar[str] = "decision"
    position: int
    action: str
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class HoleCardRead:
    """The card reader reads the dealer's hole card."""

    kind: ClassVar[str] = "hole_card_read"
    result: str


@dataclass(frozen=True, slots=True)
class DrawnInError:
    """A card is drawn in error."""

    kind: ClassVar[str] = "drawn_in_error"
    exposed: bool
    card: Card | None = None
    side: str | None = None


@dataclass(frozen=True, slots=True)
class FaceUpCardFound:
    """A card is found face up in the shoe."""

    kind: ClassVar[str] = "face_up_card_found"
    place: str
    card: Card | None = None
    side: str | None = None


@dataclass(frozen=True, slots=True)
class HandDeclaredDead:
    """A hand is declared dead."""

    kind: ClassVar[str] = "hand_declared_dead"
    position: int
    wager_returned: bool
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class UpCardMoved:
    """Multiple action: the up card moves to the next action."""

    kind: ClassVar[str] = "up_card_moved"


@dataclass(frozen=True, slots=True)
class UpCardDiscarded:
    """Multiple action: the up card is discarded by mistake."""

    kind: ClassVar[str] = "up_card_discarded"


@dataclass(frozen=True, slots=True)
class UpCardRestored:
    """Multiple action: the discarded up card is restored."""

    kind: ClassVar[str] = "up_card_restored"


@dataclass(frozen=True, slots=True)
class CardsTouched:
    """A player or spectator touches the cards."""

    kind: ClassVar[str] = "cards_touched"
    by: str
    permitted: bool


@dataclass(frozen=True, slots=True)
class WagerSettled:
    """A wager is settled."""

    kind: ClassVar[str] = "wager_settled"
    position: int
    wager: str
    outcome: str
    hand: int | None = None
    pays: str | None = None


@dataclass(frozen=True, slots=True)
class CardsCollected:
    """The cards of a hand are picked up."""

    kind: ClassVar[str] = "cards_collected"
    to: str
    position: int | None = None
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """The round is declared void."""

    kind: ClassVar[str] = "round_voided"
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RoundClosed:
    """The round ends."""

    kind: ClassVar[str] = "round_closed"


Body = (
    TableOpened
    | TableClosed
    | DealerArrived
    | DealerLeft
    | SupervisorCalled
    | Tick
    | DeviceFault
    | DeviceRestored
    | CardsLoaded
    | ShuffleCompleted
    | CardsCut
    | DeckInHand
    | DeckOutOfArea
    | Burned
    | CutCardReached
    | ShoeEmptied
    | RackCounted
    | DiscardsShuffledIn
    | ShoeExhausted
    | StubPlaced
    | StubCounted
    | DeckRemoved
    | WagerPlaced
    | NoMoreBets
    | LockoutPressed
    | DeterminantDrawn
    | CardDealt
    | CardExposed
    | Announced
    | Decision
    | HoleCardRead
    | DrawnInError
    | FaceUpCardFound
    | HandDeclaredDead
    | UpCardMoved
    | UpCardDiscarded
    | UpCardRestored
    | CardsTouched
    | WagerSettled
    | CardsCollected
    | RoundVoided
    | RoundClosed
)

BODIES: Final[tuple[type[Body], ...]] = Body.__args__
"""Every kind's class, in order of release: new ones go last."""

KINDS: Final[dict[str, type[Body]]] = {body.kind: body for body in BODIES}


@dataclass(frozen=True, slots=True)
class Event:
    """One thing a source said, with who said it and when."""

    table: str
    source: str
    boot: int
    seq: int
    at: int
    body: Body
    received: int | None = None

    @property
    def identity(self) -> str:
        """Return ``table/source/boot/seq``; no two events of a log share it."""
        return f"{self.table}/{self.source}/{self.boot}/{self.seq}"
