"""How a round of blackjack follows its events. It follows what happened, legal or not."""

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
from streams.core.games.blackjack.counts import READ_FIRST
from streams.core.games.blackjack.hand import PlayerHand
from streams.core.games.blackjack.passes import Passes
from streams.core.games.blackjack.play import DECISIONS, Play
from streams.core.round_play import ErrorCard

MOST_HANDS: Final = 4
"""Hands of a position after splits: the highest number that ``hand`` can have."""


class FollowedPlay(Play):
    """A play that follows events."""

    __slots__ = ()

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
                self.remedies.follow_determinant(body.card)
                self.determinants.append(body)
                self.determinant_loose = True
            case DrawnInError() as body:
                self.remedies.follow_drawn(body.card, exposed=body.exposed)
            case HandDeclaredDead() as body:
                hand = self.hand(body.position, body.hand)
                hand.dead, hand.returned = True, hand.returned or body.wager_returned
            case HoleCardRead() as body:
                self._read(body)
            case SupervisorCalled():
                self.supervisor_due = ""
            case ShoeExhausted():
                self.remedies.follow_exhausted()
            case DiscardsShuffledIn():
                self.remedies.follow_shuffled_in()
            case RoundVoided():
                self.voided = True
            case DeviceFault(device="card_reader"):
                self.reader_at_fault = self.reader_failed = True
                self.passes.deals_hole = self.deals_hole()
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

    def _card_dealt(self, body: CardDealt) -> None:
        self.passes = self.started_passes()
        self.started = True
        self.pickups.clear()
        self.last_to_burn = body.to == "dealer" and self.stands_on(body.hand or 1) is not None
        card = self.remedies.follow_dealt(body.card)
        if self.determinant_loose:
            card = card or self.determinants[-1].card
            self.determinant_loose = False
        if body.to == "dealer":
            self._to_dealer(body, card)
        else:
            self._to_player(body.position or 0, body.hand or 1, body, card)

    def _to_dealer(self, body: CardDealt, card: Card | None) -> None:
        action = body.hand or 1
        for key in self.passed_by(None, None):
            self.hands[key].missed = True
        if self.last_to_burn:
            self.remedies.seventeen = action
        if action == 1:
            cards = self.dealer.setdefault(1, [])
            hole = self.is_hole(body)
            self.passes.follow_dealer(hole=hole)
            if hole:
                self.hole_down = True
            elif cards:
                self.hole_turned = True
            else:
                self.dealers_card_announced = False
            cards.append(card)
        else:
            if action not in self.dealer:
                self.dealer[action] = self.dealer.get(1, [])[:1]
            self.dealer[action].append(card)
        self.up_card_moved = False

    def _to_player(self, position: int, number: int, body: CardDealt, card: Card | None) -> None:
        for key in self.passed_by(position, number):
            self.hands[key].missed = True
        self._doubt(position, number)
        hand = self.hand(position, number)
        placing = self.placing(body)
        if placing is not None:
            if placing.dealer_missed:
                self.dealer_missed = True
            if placing.make_up:
                self.made_up.add(position)
            self.passes.follow_player(position)
        if placing is None or placing.additional:
            self.dealer_make_up_judged = self.dealer_missed
        if hand.missed and hand.requested:
            self.made_up.add(position)
        if placing is None or not placing.make_up:
            hand.calls = max(0, hand.calls - 1)
        hand.requested = hand.missed = False
        if hand.doubled:
            hand.double_dealt = True
        hand.cards.append(card)
        hand.announced = hand.double_dealt and body.face == "down"

    def _doubt(self, position: int, number: int) -> None:
        """Give up counting a position's hands where a split that nobody reported may be."""
        hand = self.hand(position, number)
        if number > 1 and not hand.from_split:
            doubtful = True
        else:
            unseen = "decisions" not in self.observes and not hand.calls
            doubtful = unseen and hand.is_pair
        if doubtful:
            for key, each in self.hands.items():
                if key[0] == position:
                    each.unclear = True

    def _decision(self, body: Decision) -> None:
        self.pickups.clear()
        self._follow_word(body)
        position, number = body.position, body.hand or 1
        hand = self.hand(position, number)
        if body.action in DECISIONS:
            self.highest_decided = max(self.highest_decided, position)
            self.made_up = {one for one in self.made_up if one >= position}
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
                self._refused(position)
            case "surrender":
                hand.surrendered = True
            case "split":
                self._split(position, hand)
            case _:
                pass

    def _refused(self, position: int) -> None:
        """Follow a refusal: the player gets no further card, so none that he asked for is due."""
        self.remedies.follow_refusal(position)
        for key, each in self.hands.items():
            if key[0] == position and not each.missed:
                each.requested = False

    def _split(self, position: int, hand: PlayerHand) -> None:
        hand.from_split = True
        hand.calls += 1
        others = (self.hand(position, number) for number in range(2, MOST_HANDS + 1))
        other = next((each for each in others if not each.from_split), None)
        if other is not None:
            other.from_split = True
            other.unclear = hand.unclear
            other.calls += 1
            if len(hand.cards) >= 2:
                other.cards.append(hand.cards.pop(1))

    def _announced(self, body: Announced) -> None:
        self._follow_word(body)
        if body.by != "dealer":
            return
        if body.what == "dealers_card":
            self.dealers_card_announced = True
        elif body.what == "total" and body.position is not None:
            self.hand(body.position, body.hand).announced = True

    def _follow_word(self, body: Announced | Decision) -> None:
        if self.ends_passes(body):
            self.dealer_missed = self.dealer_missed or self.passes.by_word().dealer_missed
            self.passes.follow_word()

    def _exposed(self, body: CardExposed) -> None:
        self.pickups.clear()
        if body.to == "dealer":
            self.hole_turned = True
            cards = self.dealer.get(body.hand or 1, [])
        else:
            key = (body.position or 0, body.hand or 1)
            cards = self.hands[key].cards if key in self.hands else []
        if body.card is not None and body.card not in cards and None in cards:
            cards[cards.index(None)] = body.card

    def _settled(self, body: WagerSettled) -> None:
        if body.wager == "main":
            self.hand(body.position, body.hand).settled = True
            if self.reader_misused and body.outcome != "returned":
                self.settled_other = True

    def _collected(self, body: CardsCollected) -> None:
        if body.to == "dealer":
            self.pickups.append(0)
        elif body.position is not None:
            self.pickups.append(body.position)
            self.hand(body.position, body.hand).collected = True

    def _burned(self, body: Burned) -> None:
        action = self.remedies.seventeen
        if action and self.dealer.get(action):
            # What the dealer drew on seventeen is no card of his hand: 2.15(d).
            self.dealer[action].pop()
        if self.burns_determinant(body):
            self.determinant_loose = False
        self.remedies.follow_burned(exposed=bool(body.exposed))

    def _read(self, body: HoleCardRead) -> None:
        self.reads.append(body.result)
        first = self.dealer_first
        if first is not None and first[0] not in READ_FIRST:
            self.reader_misused = True
            self.supervisor_due = "reader_misused"


def new_play(
    setup: TableOpened,
    observes: frozenset[str],
    reader_at_fault: bool,
    errors: tuple[ErrorCard, ...],
) -> FollowedPlay:
    """Return the play of a round that opens now, with cards drawn in error that wait."""
    play = FollowedPlay(setup, observes, reader_at_fault, reader_at_fault, Passes(deals_hole=False))
    play.remedies.errors.extend(errors)
    return play
