"""A round of blackjack as its rules see it, followed from its events alone.

The round's hands, what decisions call for, what was announced, and every irregularity that waits
for its remedy. It depends on the table's set-up, on whether the reader was at fault when the round
opened, and on the round's events in order; so it is never written down, but followed again.
"""

from dataclasses import dataclass, field
from typing import Final

from streams.core.cards import Card
from streams.core.events import (
    Announced,
    Burned,
    CardDealt,
    CardExposed,
    CardsCollected,
    Decision,
    DeterminantDrawn,
    DeviceFault,
    DeviceRestored,
    DiscardsShuffledIn,
    DrawnInError,
    Event,
    HandDeclaredDead,
    HoleCardRead,
    RoundVoided,
    ShoeExhausted,
    SupervisorCalled,
    TableOpened,
    UpCardDiscarded,
    UpCardMoved,
    UpCardRestored,
    WagerPlaced,
    WagerSettled,
)
from streams.core.games.blackjack.counts import READ_FIRST, count, is_blackjack, is_soft
from streams.core.games.blackjack.hand import PlayerHand
from streams.core.games.blackjack.passes import Passes

DECISIONS: Final = frozenset({"surrender", "double", "split", "stand", "draw"})
"""Decisions on a hand whose total was announced."""

MOST_HANDS: Final = 4
EXHAUSTED, SHUFFLED_IN = "exhausted", "shuffled_in"


@dataclass(slots=True)
class ErrorCard:
    """A card drawn in error that waits to be used, or refused and burned."""

    card: Card | None
    exposed: bool
    refused: bool = False

    def copy(self) -> "ErrorCard":
        """Return a copy."""
        return ErrorCard(self.card, self.exposed, self.refused)


@dataclass(slots=True)
class Play:
    """The open round.

    ``dealer`` maps the action to the dealer's cards; the second and third begin with the up card.
    ``named_side`` is the side a determinant names. ``error`` waits to be used; ``refused`` that a
    refused card waits to be burned, ``seventeen`` one drawn by the dealer on seventeen;
    ``exhausted`` where the remedy of an empty shoe stands.
    """

    setup: TableOpened
    wagers_observed: bool
    reader_at_fault: bool
    passes: Passes
    wagers: dict[int, set[str]] = field(default_factory=dict)
    hands: dict[tuple[int, int], PlayerHand] = field(default_factory=dict)
    dealer: dict[int, list[Card | None]] = field(default_factory=dict)
    hole_down: bool = False
    hole_turned: bool = False
    dealers_card_announced: bool = False
    started: bool = False
    determinants: list[DeterminantDrawn] = field(default_factory=list)
    determinant_loose: bool = False
    reads: list[str] = field(default_factory=list)
    reader_misused: bool = False
    supervisor_due: str = ""
    voided: bool = False
    settled_other: bool = False
    error: ErrorCard | None = None
    refused: bool = False
    refusers: set[int] = field(default_factory=set)
    seventeen: bool = False
    exhausted: str = ""
    made_up: set[int] = field(default_factory=set)
    highest_decided: int = 0
    dealer_missed: bool = False
    dealer_make_up_judged: bool = False
    up_card_moved: bool = False
    up_card_discarded: bool = False
    pickups: list[int] = field(default_factory=list)

    def copy(self) -> "Play":
        """Return a copy that shares nothing that changes."""
        return Play(
            self.setup,
            self.wagers_observed,
            self.reader_at_fault,
            self.passes.copy(),
            {position: names.copy() for position, names in self.wagers.items()},
            {key: hand.copy() for key, hand in self.hands.items()},
            {action: cards.copy() for action, cards in self.dealer.items()},
            self.hole_down,
            self.hole_turned,
            self.dealers_card_announced,
            self.started,
            self.determinants.copy(),
            self.determinant_loose,
            self.reads.copy(),
            self.reader_misused,
            self.supervisor_due,
            self.voided,
            self.settled_other,
            None if self.error is None else self.error.copy(),
            self.refused,
            self.refusers.copy(),
            self.seventeen,
            self.exhausted,
            self.made_up.copy(),
            self.highest_decided,
            self.dealer_missed,
            self.dealer_make_up_judged,
            self.up_card_moved,
            self.up_card_discarded,
            self.pickups.copy(),
        )

    @property
    def burn_is_routine(self) -> bool:
        """Return whether a burn now is one of 2.6(c): no remedy under 2.15, no determinant."""
        remedy = self.error is not None or self.refused or self.seventeen
        return not (remedy or self.exhausted or self.determinant_loose)

    @property
    def hole_mode(self) -> str:
        """Return how the hole card is dealt; where the reader is at fault and none is, ``none``."""
        mode = self.setup.hole_card or "none"
        if mode == "down" and self.reader_at_fault and not self.hole_down:
            return "none"
        return mode

    @property
    def hole_hidden(self) -> bool:
        """Return whether the dealer's hole card lies face down."""
        return self.hole_down and not self.hole_turned

    @property
    def dealer_first(self) -> Card | None:
        """Return the dealer's first card, if it was dealt and read."""
        cards = self.dealer.get(1)
        return cards[0] if cards else None

    @property
    def dealer_blackjack(self) -> bool:
        """Return whether the dealer is known to have a blackjack: by the reader, or face up."""
        if "blackjack" in self.reads:
            return True
        cards = self.dealer_known(1)
        return self.setup.hole_card == "up" and cards is not None and is_blackjack(cards[:2])

    def dealer_known(self, action: int) -> list[Card] | None:
        """Return the dealer's cards of an action, or nothing where one was not read."""
        cards = self.dealer.get(action, [])
        known = [card for card in cards if card is not None]
        return known if len(known) == len(cards) else None

    def stands_on(self, action: int) -> int | None:
        """Return the dealer's count if it is 17 to 21 and he must stand on it: 2.15(d)."""
        cards = self.dealer_known(action)
        if not cards:
            return None
        points = count(cards)
        soft_draw = self.setup.soft_seventeen == "draw" and points == 17 and is_soft(cards)
        return points if 17 <= points <= 21 and not soft_draw else None

    def live_not_ended(self) -> bool:
        """Return whether a hand that is still in the game is due a decision or a card."""
        return any(hand.live and not hand.ended for hand in self.hands.values())

    def named_side(self) -> str | None:
        """Return the side that the determinant names, if its suit and the sides are known."""
        red = self.setup.red_side
        card = self.determinants[0].card if self.determinants else None
        if red is None or card is None:
            return None
        if card[1] in "HD":
            return red
        return "right" if red == "left" else "left"

    def sevens(self, position: int) -> bool:
        """Return whether a position has a sevens wager and two sevens as its first cards."""
        hand = self.hands.get((position, 1))
        return (
            hand is not None
            and hand.two_sevens
            and "sevens" in (self.setup.offers or ())
            and "sevens" in self.wagers.get(position, ())
        )

    def position_cards(self, position: int) -> int:
        """Return how many cards a position has in all its hands."""
        return sum(len(hand.cards) for key, hand in self.hands.items() if key[0] == position)

    def missed_hands(self) -> list[tuple[int, int]]:
        """Return the hands whose requested card was missed and is neither dealt nor returned."""
        return [
            key
            for key, hand in self.hands.items()
            if hand.missed and hand.requested and not (hand.dead and hand.returned)
        ]

    def passed_by(self, position: int | None, hand: int | None) -> list[tuple[int, int]]:
        """Return the hands whose requested card an event for another hand passes by."""
        return [
            key
            for key, one in self.hands.items()
            if one.requested
            and not one.missed
            and not one.dead
            and (key[0] != position if hand is None else key != (position, hand))
        ]

    def follow(self, event: Event) -> None:
        """Follow one event of the round."""
        match event.body:
            case CardDealt() as body:
                self._card_dealt(body)
            case Decision() as body:
                self._decision(body)
            case Announced() as body:
                self._announced(body)
            case WagerPlaced() as body:
                self.wagers.setdefault(body.position, set()).add(body.wager)
            case CardExposed() as body:
                self._exposed(body)
            case WagerSettled() as body:
                self._settled(body)
            case CardsCollected() as body:
                self._collected(body)
            case Burned() as body:
                self._burned(body)
            case DeterminantDrawn() as body:
                self.determinants.append(body)
                self.determinant_loose = True
            case DrawnInError() as body:
                self.error = ErrorCard(body.card, body.exposed)
            case HandDeclaredDead() as body:
                hand = self.hand(body.position, body.hand)
                hand.dead, hand.returned = True, hand.returned or body.wager_returned
            case HoleCardRead() as body:
                self._read(body)
            case SupervisorCalled():
                self.supervisor_due = ""
            case ShoeExhausted():
                self.exhausted = EXHAUSTED
            case DiscardsShuffledIn():
                self.exhausted = SHUFFLED_IN if self.exhausted else ""
            case RoundVoided():
                self.voided = True
            case DeviceFault(device="card_reader"):
                self.reader_at_fault = True
            case DeviceRestored(device="card_reader"):
                self.reader_at_fault = False
            case UpCardMoved():
                self.up_card_moved = True
            case UpCardDiscarded():
                self.up_card_discarded, self.supervisor_due = True, "up_card_discarded"
            case UpCardRestored():
                self.up_card_discarded = False
            case _:
                pass

    def hand(self, position: int, number: int | None) -> PlayerHand:
        """Return a hand of a position, there from now on."""
        return self.hands.setdefault((position, number or 1), PlayerHand())

    def started_passes(self) -> Passes:
        """Return the passes as the card that is dealt now finds them."""
        if self.started:
            return self.passes
        play = self.copy()
        play.start()
        return play.passes

    def start(self) -> None:
        """Fix the positions in play at the round's first card, where wagers are observed."""
        if not self.started:
            self.started = True
            self.passes.deals_hole = self.hole_mode != "none"
            self.passes.open = not self.wagers_observed
            if self.wagers_observed:
                self.passes.in_play = self.wagered()

    def wagered(self) -> list[int]:
        """Return the positions with a main wager, ascending."""
        return sorted(position for position, names in self.wagers.items() if "main" in names)

    def _card_dealt(self, body: CardDealt) -> None:
        self.start()
        self.pickups.clear()
        card = body.card
        if self.error is not None:
            drawn = self.error.card
            self.refused = self.refused and None not in (drawn, card) and drawn != card
            card = card or drawn
            self.error = None
        if self.determinant_loose:
            card = card or self.determinants[-1].card
            self.determinant_loose = False
        if body.to == "dealer":
            self._to_dealer(body, card)
        elif body.position is not None:
            self._to_player(body.position, body.hand or 1, body, card)

    def _to_dealer(self, body: CardDealt, card: Card | None) -> None:
        action = body.hand or 1
        for key in self.passed_by(None, None):
            self.hands[key].missed = True
        if self.stands_on(action) is not None:
            self.seventeen = True
        if action == 1:
            cards = self.dealer.setdefault(1, [])
            if len(cards) == 1 and body.face == "down":
                self.hole_down = True
            elif cards:
                self.hole_turned = True
            self.passes.follow_dealer()
            if not cards:
                self.dealers_card_announced = False
            cards.append(card)
            return
        if action not in self.dealer:
            self.dealer[action] = self.dealer.get(1, [])[:1]
            self.up_card_moved = False
        self.dealer[action].append(card)

    def _to_player(self, position: int, number: int, body: CardDealt, card: Card | None) -> None:
        for key in self.passed_by(position, number):
            self.hands[key].missed = True
        hand = self.hand(position, number)
        if number == 1:
            placing = self.passes.to_player(position)
            if placing.make_up:
                self.made_up.add(position)
            if placing.dealer_missed:
                self.dealer_missed = True
            elif placing.additional and self.dealer_missed:
                self.dealer_make_up_judged = True
            self.passes.follow_player(position)
        elif self.dealer_missed:
            self.dealer_make_up_judged = True
        if hand.missed and hand.requested:
            self.made_up.add(position)
        hand.calls = max(0, hand.calls - 1)
        hand.requested = hand.missed = False
        if hand.doubled:
            hand.double_dealt = True
        hand.cards.append(card)
        hand.announced = hand.double_dealt and body.face == "down"

    def _decision(self, body: Decision) -> None:
        self.pickups.clear()
        if self.passes.by_word().dealer_missed:
            self.dealer_missed = True
        self.passes.follow_word()
        position, number = body.position, body.hand or 1
        hand = self.hand(position, number)
        if body.action in DECISIONS:
            self.highest_decided = max(self.highest_decided, position)
            for key in self.passed_by(position, None):
                self.hands[key].missed = True
        match body.action:
            case "stand":
                hand.stood = True
            case "draw":
                hand.calls += 1
                hand.requested = True
            case "double":
                hand.calls += 1
                hand.requested = hand.doubled = True
            case "accept_card":
                hand.calls += 1
            case "refuse_card":
                self.refusers.add(position)
                if self.error is not None and self.error.exposed:
                    self.error.refused = self.refused = True
            case "surrender":
                hand.surrendered = True
            case "split":
                self._split(position, hand)
            case _:
                pass

    def _split(self, position: int, hand: PlayerHand) -> None:
        unused = [
            number for number in range(1, MOST_HANDS + 1) if (position, number) not in self.hands
        ]
        hand.from_split = True
        hand.calls += 1
        if unused:
            other = self.hand(position, unused[0])
            other.from_split = True
            other.calls += 1
            if len(hand.cards) >= 2:
                other.cards.append(hand.cards.pop(1))

    def _announced(self, body: Announced) -> None:
        if body.by != "dealer":
            return
        if body.what == "dealers_card":
            self.dealers_card_announced = True
        elif body.what == "total" and body.position is not None:
            if self.passes.by_word().dealer_missed:
                self.dealer_missed = True
            self.passes.follow_word()
            self.hand(body.position, body.hand).announced = True

    def _exposed(self, body: CardExposed) -> None:
        self.pickups.clear()
        if body.to == "dealer":
            self.hole_turned = True
        if body.card is None:
            return
        if body.to == "dealer":
            cards = self.dealer.get(body.hand or 1, [])
        else:
            key = (body.position or 0, body.hand or 1)
            cards = self.hands[key].cards if key in self.hands else []
        if body.card not in cards and None in cards:
            cards[cards.index(None)] = body.card

    def _settled(self, body: WagerSettled) -> None:
        if body.wager == "main":
            self.hand(body.position, body.hand).settled = True
            if self.reader_misused and body.outcome != "returned":
                self.settled_other = True

    def _collected(self, body: CardsCollected) -> None:
        if body.to == "player" and body.position is not None:
            self.hand(body.position, body.hand).collected = True
            self.pickups.append(body.position)
        elif body.to == "dealer":
            self.pickups.append(0)

    def _burned(self, body: Burned) -> None:
        self.error = None
        self.refused = self.seventeen = self.determinant_loose = False
        if self.exhausted == SHUFFLED_IN and not body.exposed:
            self.exhausted = ""

    def _read(self, body: HoleCardRead) -> None:
        self.reads.append(body.result)
        first = self.dealer_first
        if first is not None and first[0] not in READ_FIRST:
            self.reader_misused = True
            self.supervisor_due = "reader_misused"


def new_play(setup: TableOpened, observes: frozenset[str], reader_at_fault: bool) -> Play:
    """Return the play of a round that opens now."""
    return Play(setup, "wagers" in observes, reader_at_fault, Passes(deals_hole=False))
