"""One record for each kind of event: what a table device can say, field for field.

A field without a default is required. An optional field that is absent is ``None``; a JSON line
leaves it out, and one that says ``null`` is refused. Ranges are those of ``schemas.fields``.
"""

import re
from typing import Final

from msgspec import Struct

from schemas import fields as f


def kind_name(class_name: str) -> str:
    """Return the kind of a record's class: ``CardDealt`` is ``card_dealt``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", class_name).lower()


class Body(
    Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,  # a body holds no reference cycle, only texts, numbers and tuples of texts
    tag_field="kind",
    tag=kind_name,
):
    """What all kinds share: frozen, and told apart by ``kind``."""


class TableOpened(Body, frozen=True):
    """A table opens: its game and set-up, and what its devices can observe."""

    game: f.Game
    dealt_from: f.DealtFrom
    decks: f.Decks
    positions: f.Position
    observes: f.Capabilities
    hole_card: f.HoleCard | None = None
    card_reader: bool | None = None
    reader_reveals_to_players: bool | None = None
    double_face: f.Face | None = None
    soft_seventeen: f.SoftSeventeen | None = None
    bart_carter: bool | None = None
    offers: f.Offers | None = None
    red_side: f.Side | None = None
    jurisdiction: f.Jurisdiction | None = None


class TableClosed(Body, frozen=True):
    """The table closes."""


class DealerArrived(Body, frozen=True):
    """A dealer takes the table."""

    dealer: f.Text


class DealerLeft(Body, frozen=True):
    """A dealer leaves the table."""

    dealer: f.Text


class SupervisorCalled(Body, frozen=True):
    """A supervisor is called; reason ``amount_ascertained``: the bonus amount was read off."""

    reason: f.Text | None = None


class Tick(Body, frozen=True):
    """Time passed: written by the worker that owns the partition, never by a device."""


class DeviceFault(Body, frozen=True):
    """A device of the table reports a fault."""

    device: f.Device
    position: f.Position | None = None
    code: f.Text | None = None


class DeviceRestored(Body, frozen=True):
    """A device of the table works again."""

    device: f.Device
    position: f.Position | None = None
    code: f.Text | None = None


class CardsLoaded(Body, frozen=True):
    """A full set of cards is put in the shoe."""

    cards: f.Cards
    side: f.Side | None = None
    preshuffled: bool | None = None


class ShuffleCompleted(Body, frozen=True):
    """A shuffle ends; ``cards`` is the device's count, ``stacks`` of a Bart Carter shuffle."""

    method: f.ShuffleMethod
    cards: f.Cards | None = None
    side: f.Side | None = None
    stacks: f.Stacks | None = None
    deck: f.Text | None = None


class CardsCut(Body, frozen=True):
    """The cards are cut."""

    side: f.Side | None = None


class DeckInHand(Body, frozen=True):
    """The dealer takes the deck in one hand."""

    hand: f.Side
    deck: f.Text | None = None


class DeckOutOfArea(Body, frozen=True):
    """The held deck leaves the area over the table inventory container."""


class Burned(Body, frozen=True):
    """A card is burned."""

    place: f.BurnPlace
    card: f.Card | None = None
    exposed: bool | None = None
    requested_by_player: bool | None = None
    side: f.Side | None = None


class CutCardReached(Body, frozen=True):
    """The cut card comes out of the shoe."""

    side: f.Side | None = None


class ShoeEmptied(Body, frozen=True):
    """What was left in the shoe is put in the discard rack."""

    cards: f.Cards
    side: f.Side | None = None


class RackCounted(Body, frozen=True):
    """The discard rack is counted."""

    cards: f.Cards
    side: f.Side | None = None


class DiscardsShuffledIn(Body, frozen=True):
    """Discards are shuffled and cut because the shoe or deck ran out."""

    side: f.Side | None = None


class ShoeExhausted(Body, frozen=True):
    """The shoe runs out of cards."""

    side: f.Side | None = None


class StubPlaced(Body, frozen=True):
    """The stub goes into the discard rack."""

    exposed: bool


class StubCounted(Body, frozen=True):
    """The stub is counted; a second count of a round replaces the first."""

    cards: f.Cards
    deck: f.Text | None = None


class DeckRemoved(Body, frozen=True):
    """A deck is taken off the table."""

    reason: f.Text | None = None
    deck: f.Text | None = None


class WagerPlaced(Body, frozen=True):
    """A wager is placed."""

    position: f.Position
    wager: f.Wager
    amount: f.Amount | None = None


class NoMoreBets(Body, frozen=True):
    """The dealer announces "No more bets"."""


class LockoutPressed(Body, frozen=True):
    """The lock-out button of the progressive wager is pressed."""


class DeterminantDrawn(Body, frozen=True):
    """The determinant card of a double shoe is drawn."""

    side: f.Side
    card: f.Card | None = None


class CardDealt(Body, frozen=True):
    """A card is dealt; ``hand`` absent is 1, a dealer's hand is the action of multiple action."""

    to: f.Recipient
    face: f.Face
    position: f.Position | None = None
    hand: f.Hand | None = None
    card: f.Card | None = None
    side: f.Side | None = None
    drawn_with: f.Side | None = None
    placed_with: f.Side | None = None


class CardExposed(Body, frozen=True):
    """A face-down card is turned up."""

    to: f.Recipient
    position: f.Position | None = None
    hand: f.Hand | None = None
    card: f.Card | None = None


class Announced(Body, frozen=True):
    """The dealer, the dominant player or the banker announces something."""

    by: f.Announcer
    what: f.Announcement
    position: f.Position | None = None
    hand: f.Hand | None = None
    total: f.Total | None = None


class Decision(Body, frozen=True):
    """A player decides."""

    position: f.Position
    action: f.Action
    hand: f.Hand | None = None


class HoleCardRead(Body, frozen=True):
    """The card reader reads the dealer's hole card."""

    result: f.ReaderResult


class DrawnInError(Body, frozen=True):
    """A card is drawn in error."""

    exposed: bool
    card: f.Card | None = None
    side: f.Side | None = None


class FaceUpCardFound(Body, frozen=True):
    """A card is found face up in the shoe."""

    place: f.FoundPlace
    card: f.Card | None = None
    side: f.Side | None = None


class HandDeclaredDead(Body, frozen=True):
    """A hand is declared dead."""

    position: f.Position
    wager_returned: bool
    hand: f.Hand | None = None


class UpCardMoved(Body, frozen=True):
    """Multiple action: the up card moves to the next action."""


class UpCardDiscarded(Body, frozen=True):
    """Multiple action: the up card is discarded by mistake."""


class UpCardRestored(Body, frozen=True):
    """Multiple action: the discarded up card is restored."""


class CardsTouched(Body, frozen=True):
    """A player or spectator touches the cards."""

    by: f.Toucher
    permitted: bool


class WagerSettled(Body, frozen=True):
    """A wager is settled."""

    position: f.Position
    wager: f.Wager
    outcome: f.Outcome
    hand: f.Hand | None = None
    pays: f.Pays | None = None


class CardsCollected(Body, frozen=True):
    """The cards of a hand are picked up."""

    to: f.Recipient
    position: f.Position | None = None
    hand: f.Hand | None = None


class RoundVoided(Body, frozen=True):
    """The round is declared void."""

    reason: f.Text | None = None


class RoundClosed(Body, frozen=True):
    """The round ends."""


AnyBody = (
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

BODIES: Final[tuple[type[AnyBody], ...]] = AnyBody.__args__
"""Every kind's record, in order of release: new ones go last."""


def kind_of(body: Body | type[Body]) -> str:
    """Return the kind of a body or of its class, such as ``card_dealt``."""
    return str(body.__struct_config__.tag)


KINDS: Final[dict[str, type[AnyBody]]] = {kind_of(body): body for body in BODIES}
"""Every kind's record by its name."""


def entries_differ(opened: TableOpened) -> bool:
    """Say whether no capability and no offer of a table is named twice."""
    offers = opened.offers or ()
    return len(set(opened.observes)) == len(opened.observes) and len(set(offers)) == len(offers)
