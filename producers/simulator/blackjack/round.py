"""One round of blackjack from the first wager to the last card picked up: 2.6(d) to (k)."""

from random import Random
from typing import TYPE_CHECKING

from producers.simulator.blackjack.counts import READABLE, best, is_blackjack
from producers.simulator.blackjack.felt import DEALER, Felt
from producers.simulator.blackjack.players import Hand, Seats, choices, choose
from producers.simulator.setups import Setup
from producers.simulator.shoes import Shoe
from producers.simulator.turns import Turn
from streams.core.cards import Card
from streams.core.events import (
    Announced,
    CardExposed,
    CardsCollected,
    Decision,
    HoleCardRead,
    RoundClosed,
    RoundVoided,
    SupervisorCalled,
    UpCardMoved,
    WagerPlaced,
)

if TYPE_CHECKING:
    from producers.simulator.blackjack.dealer import Plan


def deal_round(
    setup: Setup,
    rng: Random,
    seats: Seats,
    shoes: dict[str | None, Shoe],
    plan: "Plan",
    turn: Turn,
) -> None:
    """Deal a round into a turn."""
    if plan.positions:
        seats.seat(plan.positions, plan.sides, plan.actions)
    table = Round(setup, rng, seats.players, shoes, plan, turn)
    table.wagers()
    if not plan.tidy and rng.random() < 0.01:
        table.voided()
    else:
        table.play()


class Round(Felt):
    """A round played to its end, with every decision that players may take."""

    def play(self) -> None:
        """Play the round to its end."""
        self.passes()
        self.early_side_wagers()
        if self.setup.hole_card != "up" and self.dealer[0][0] == "A":
            self.insurance()
        if self.dealer_blackjack_known():
            self.offer_sevens()
        else:
            for position in self.positions:
                self.turn_of = position
                for hand in self.hands[position]:
                    if not hand.settled:
                        self.play_hand(hand)
            self.play_dealer()
        self.finish()

    def early_side_wagers(self) -> None:
        """Take the losing sevens wagers right after the second cards."""
        for position in self.positions:
            first = self.hands[position][0].cards[0]
            if "sevens" in self.players[position].sides and first[0] != "7":
                self.settle(position, "sevens", "lose")

    def insurance(self) -> None:
        """Offer insurance, and even money to a blackjack."""
        for position in self.positions:
            hand = self.hands[position][0]
            if self.rng.random() < 0.25:
                self.say(Decision(position=position, action="insurance"))
                if is_blackjack(hand.cards):
                    self.pay_off(hand, "win", "1:1")
                    continue
                amount = self.players[position].stake // 2
                self.say(WagerPlaced(position=position, wager="insurance", amount=amount))
                self.insured.add(position)

    def dealer_blackjack_known(self) -> bool:
        """Return whether the dealer is known to have a blackjack before any further card."""
        if self.setup.hole_card == "up":
            return is_blackjack(self.dealer)
        if (
            self.setup.hole_card == "down"
            and self.setup.card_reader
            and self.dealer[0][0] in READABLE
        ):
            found = is_blackjack(self.dealer)
            self.say(HoleCardRead(result="blackjack" if found else "no_blackjack"))
            if found:
                self.say(CardExposed(to="dealer", card=self.dealer[1]))
            return found
        return False

    def offer_sevens(self) -> None:
        """Offer a card to each player with two sevens and a sevens wager: 2.6(j)3, (k)6."""
        for position in self.positions:
            hand = self.hands[position][0]
            if "sevens" not in self.players[position].sides or hand.settled:
                continue
            if [card[0] for card in hand.cards] != ["7", "7"]:
                continue
            if self.rng.random() < 0.8:
                self.say(Decision(position=position, action="accept_card"))
                card = self.draw(position, self.side)
                self.deal(hand, card, further=True)
            else:
                self.say(Decision(position=position, action="refuse_card"))

    def play_hand(self, hand: Hand) -> None:
        """Let a hand decide until it ends; busts are taken at once, blackjacks paid if they can."""
        if len(hand.cards) == 1:
            self.take(hand)
        while True:
            self.total(hand)
            count = best(hand.cards)
            if count >= 21 or hand.split_aces:
                if count > 21:
                    self.pay_off(hand, "lose")
                elif is_blackjack(hand.cards) and not hand.from_split and self.dealer_cannot_have():
                    self.pay_off(hand, "win", "1:1" if self.setup.hole_card == "up" else "3:2")
                return
            if not self.decide(hand):
                return

    def dealer_cannot_have(self) -> bool:
        """Return whether a blackjack of the dealer is ruled out."""
        if self.setup.offered("multiple_action"):
            return False
        checked = self.setup.hole_card == "up" or (
            self.setup.hole_card == "down" and bool(self.setup.card_reader)
        )
        return checked or self.dealer[0][0] not in READABLE

    def decide(self, hand: Hand) -> bool:
        """Take one decision of a hand and carry it out; return whether the hand goes on."""
        hands = self.hands[hand.position]
        player = self.players[hand.position]
        forced = self.forced.get(hand.position)
        if forced and forced[0] in choices(hand, len(hands), self.setup):
            choice = forced.pop(0)
        else:
            choice = choose(hand, len(hands), self.dealer[0], self.setup, player, self.rng)
        self.say(Decision(position=hand.position, action=choice, hand=hand.number))
        match choice:
            case "draw":
                self.take(hand)
                return True
            case "double":
                self.say(WagerPlaced(position=hand.position, wager="main", amount=player.stake))
                face = "down" if self.setup.double_face == "down" else "up"
                self.take(hand, face)
                if face == "up":
                    self.total(hand)
                    if hand.busts():
                        self.pay_off(hand, "lose")
            case "split":
                self.say(WagerPlaced(position=hand.position, wager="main", amount=player.stake))
                self.split(hand)
                return True
            case "surrender":
                self.pay_off(hand, "lose", "1:2")
            case _:
                pass
        return False

    def split(self, hand: Hand) -> None:
        """Move the second card to a hand of its own, and deal to the first: 2.11."""
        hands = self.hands[hand.position]
        number = next(n for n in range(1, 5) if n not in {each.number for each in hands})
        aces = hand.cards[0][0] == "A"
        other = Hand(hand.position, number, [hand.cards.pop()], from_split=True, split_aces=aces)
        hands.insert(hands.index(hand) + 1, other)
        hand.from_split = True
        hand.split_aces = aces
        self.take(hand)

    def play_dealer(self) -> None:
        """Deal and show the dealer's cards: 2.6(h), (j)."""
        waiting = self.playing()
        if self.setup.hole_card in ("down", "up"):
            if self.setup.hole_card == "down" and (
                waiting or self.insured or self.rng.random() < 0.5
            ):
                self.say(CardExposed(to="dealer", card=self.dealer[1]))
        elif waiting or self.insured or self.rng.random() < 0.3:
            self.say(Announced(by="dealer", what="dealers_card"))
            self.take_dealer()
        if any(not self.needs_no_draw(hand) for hand in waiting):
            while self.draws(self.dealer):
                self.take_dealer()
        if len(self.dealer) > 1 and (waiting or self.setup.hole_card != "down"):
            self.say(Announced(by="dealer", what="total", total=best(self.dealer)))

    def needs_no_draw(self, hand: Hand) -> bool:
        """Return whether a hand is decided by the dealer's first two cards."""
        return hand.busts() or (is_blackjack(hand.cards) and not hand.from_split)

    def result(self, hand: Hand, dealer: list[Card]) -> tuple[str, str | None]:
        """Return how a hand's main wager ends against a hand of the dealer, and what it pays."""
        up = self.setup.hole_card == "up"
        mine = is_blackjack(hand.cards) and not hand.from_split and len(hand.cards) == 2
        theirs = is_blackjack(dealer)
        if hand.busts():
            return "lose", None
        if mine or theirs:
            if mine and theirs:
                return ("win", "1:1") if up else ("push", None)
            return ("win", "1:1" if up else "3:2") if mine else ("lose", None)
        if best(dealer) > 21 or best(hand.cards) > best(dealer):
            return "win", "1:1"
        if best(hand.cards) == best(dealer):
            return ("lose", None) if up else ("push", None)
        return "lose", None

    def finish(self) -> None:
        """Settle what is left, play further actions, pick up the cards: 2.6(i)."""
        waiting = self.playing()
        for hand in waiting:
            if hand.down_card is not None:
                self.say(
                    CardExposed(
                        to="player",
                        position=hand.position,
                        hand=hand.number,
                        card=hand.down_card,
                    )
                )
        blackjack = is_blackjack(self.dealer)
        for position in sorted(self.insured):
            self.settle(
                position, "insurance", "win" if blackjack else "lose", "2:1" if blackjack else None
            )
        self.settle_hands(waiting, self.dealer)
        for action in range(2, 4):
            again = [hand for hand in waiting if self.players[hand.position].actions >= action]
            if not again:
                break
            self.settle_hands(again, self.further_action(action))
        self.side_wagers()
        for position in reversed(self.positions):
            for hand in self.hands[position]:
                if not hand.collected:
                    number = hand.number if len(self.hands[position]) > 1 else None
                    self.say(CardsCollected(to="player", position=position, hand=number))
        self.say(CardsCollected(to="dealer"))
        self.say(RoundClosed())

    def settle_hands(self, hands: list[Hand], dealer: list[Card]) -> None:
        """Settle the main wagers of these hands, from the dealer's right."""
        for hand in sorted(hands, key=lambda each: (-each.position, each.number)):
            outcome, pays = self.result(hand, dealer)
            self.settle(hand.position, "main", outcome, pays, hand.number)

    def further_action(self, action: int) -> list[Card]:
        """Play the dealer's next hand of multiple action with the same up card."""
        self.say(UpCardMoved())
        cards = [self.dealer[0]]
        while self.draws(cards):
            card = self.draw(DEALER, self.side)
            self.deal(None, card, further=True, action=action)
            cards.append(card)
        return cards

    def side_wagers(self) -> None:
        """Settle the side wagers that are still out."""
        for position in reversed(self.positions):
            first = self.hands[position][0].cards[0]
            for side in self.players[position].sides:
                if side == "sevens" and first[0] == "7":
                    self.settle(position, side, "win", "3:1")
                elif side == "bonus":
                    won = self.rng.random() < 0.1
                    self.settle(position, side, "win" if won else "lose", "50:1" if won else None)
                elif side == "progressive":
                    self.settle(position, side, "lose")

    def voided(self) -> None:
        """Begin the round, and let a supervisor void it after some cards."""
        self.passes()
        self.say(SupervisorCalled())
        self.say(RoundVoided(reason="misdeal"))
        for position in self.positions:
            self.settle(position, "main", "returned")
        for position in reversed(self.positions):
            self.say(CardsCollected(to="player", position=position))
        self.say(CardsCollected(to="dealer"))
        self.say(RoundClosed())
