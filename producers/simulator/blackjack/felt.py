"""The felt of a blackjack table during one round: its hands, and how cards and chips move on it."""

from random import Random
from typing import TYPE_CHECKING, Final

from producers.simulator.blackjack.counts import best, is_blackjack, soft
from producers.simulator.blackjack.players import Hand, Player
from producers.simulator.setups import Setup
from producers.simulator.shoes import Shoe
from producers.simulator.turns import Turn
from streams.core.cards import Card
from streams.core.events import (
    Announced,
    Burned,
    CardDealt,
    CardsCollected,
    CutCardReached,
    DeterminantDrawn,
    NoMoreBets,
    WagerPlaced,
    WagerSettled,
)

if TYPE_CHECKING:
    from producers.simulator.blackjack.dealer import Plan

DEALER: Final = 0
"""The dealer's key among the positions."""

OTHER: Final = {"left": "right", "right": "left"}
RED: Final = "HD"


class Felt:
    """A round in the making; it writes what happens into its turn."""

    def __init__(
        self,
        setup: Setup,
        rng: Random,
        players: dict[int, Player],
        shoes: dict[str | None, Shoe],
        plan: "Plan",
        turn: Turn,
    ) -> None:
        self.setup = setup
        self.rng = rng
        self.players = players
        self.shoes = shoes
        self.plan = plan
        self.say = turn.during.append
        self.positions = turn.positions = tuple(sorted(players))
        self.wished = {key: list(ranks) for key, ranks in plan.cards.items()}
        self.forced = {key: list(names) for key, names in plan.choices.items()}
        self.side: str | None = None
        self.hands = {position: [Hand(position, 1, [])] for position in self.positions}
        self.dealer: list[Card] = []
        self.insured: set[int] = set()
        self.turn_of = 0
        self.told_hands = setup.sees("draw_hand") and rng.random() < 0.9
        self.unread = 0.0 if plan.tidy else setup.unread

    def wagers(self) -> None:
        """Take the main and side wagers."""
        for position in self.positions:
            player = self.players[position]
            for _ in range(player.actions):
                self.say(WagerPlaced(position=position, wager="main", amount=player.stake))
            for side in player.sides:
                self.say(WagerPlaced(position=position, wager=side, amount=500))
        if self.rng.random() < 0.5:
            self.say(NoMoreBets())

    def draw(self, key: int, side: str | None, suits: str | None = None) -> Card:
        """Draw the next card of a side, of the ranks and suits wished for its taker."""
        shoe = self.shoes[side]
        if not self.setup.bart_carter and shoe.cut_card_next():
            self.say(CutCardReached(side=side))
        wished = self.wished.get(key)
        return shoe.draw(wished.pop(0) if wished else "", suits)

    def deal(
        self, hand: Hand | None, card: Card, face: str = "up", *, further: bool, action: int = 1
    ) -> None:
        """Deal a drawn card to a hand, or to the dealer where there is none."""
        drawn_with = placed_with = None
        if self.told_hands:
            drawn_with, placed_with = "left", "right"
            if further and hand is not None and hand.position <= 2 and self.rng.random() < 0.5:
                placed_with = "left"
        number = hand.number if hand is not None and further else None
        if hand is None and action > 1:
            number = action
        keep_unread = self.rng.random() < self.unread and (hand is not None or self.dealer)
        self.say(
            CardDealt(
                to="dealer" if hand is None else "player",
                face=face,
                position=None if hand is None else hand.position,
                hand=number,
                card=None if keep_unread else card,
                side=self.side,
                drawn_with=drawn_with,
                placed_with=placed_with,
            )
        )

    def take(self, hand: Hand, face: str = "up", *, further: bool = True) -> None:
        """Draw a card for a hand."""
        card = self.draw(hand.position, self.side)
        self.deal(hand, card, face, further=further)
        hand.cards.append(card)
        if face == "down":
            hand.down_card = card

    def take_dealer(self, face: str = "up") -> None:
        """Draw a card for the dealer."""
        card = self.draw(DEALER, self.side)
        self.deal(None, card, face, further=len(self.dealer) > 1)
        self.dealer.append(card)

    def determinant(self) -> None:
        """Draw the card whose suit tells the side; it is dealt or burned: 2.6(d)."""
        side = self.plan.side or self.rng.choice(("left", "right"))
        first = self.positions[0]
        wished = list(self.wished.get(first, ()))
        card = self.draw(first, side, self.plan.suits)
        red_side = self.setup.red_side or "left"
        self.side = red_side if card[1] in RED else OTHER[red_side]
        self.say(DeterminantDrawn(side=side, card=card))
        if self.side == side:
            hand = self.hands[first][0]
            self.deal(hand, card, further=False)
            hand.cards.append(card)
        else:
            self.wished[first] = wished
            self.say(Burned(place="segregated_area", card=card, exposed=True, side=side))

    def passes(self) -> None:
        """Deal the first cards: 2.6(d), (e), and the hole card of (j) or (k)."""
        if self.setup.dealt_from == "double_shoe":
            self.determinant()
        for number in (1, 2):
            for position in self.positions:
                if len(self.hands[position][0].cards) < number:
                    self.take(self.hands[position][0], further=False)
            if number == 1:
                self.take_dealer()
        if self.setup.hole_card in ("down", "up"):
            self.take_dealer(self.setup.hole_card)

    def settle(
        self,
        position: int,
        wager: str,
        outcome: str,
        pays: str | None = None,
        hand: int | None = None,
    ) -> None:
        """Settle a wager."""
        self.say(
            WagerSettled(position=position, wager=wager, outcome=outcome, hand=hand, pays=pays)
        )

    def pay_off(self, hand: Hand, outcome: str, pays: str | None = None) -> None:
        """Settle a hand's main wager before the round's end.

        Its cards are picked up at once only if another decision is sure to come, and to be told:
        not before a dealer's blackjack, at which a reader may end the round. Else they wait for
        the pick-up from the right (i), so that a hand to the left is not picked up before.
        """
        self.settle(hand.position, "main", outcome, pays, hand.number)
        hand.settled = True
        sure = any(
            self.will_decide(position) for position in self.positions if position > self.turn_of
        )
        if sure and self.setup.sends("decisions") and not is_blackjack(self.dealer):
            self.say(CardsCollected(to="player", position=hand.position, hand=hand.number))
            hand.collected = True

    def will_decide(self, position: int) -> bool:
        """Return whether a position that has not had its turn is sure to decide."""
        hand = self.hands[position][0]
        return not hand.settled and not is_blackjack(hand.cards)

    def total(self, hand: Hand) -> None:
        """Announce a hand's total: 2.6(f), (g)."""
        self.say(
            Announced(
                by="dealer",
                what="total",
                position=hand.position,
                hand=hand.number,
                total=best(hand.cards),
            )
        )

    def playing(self) -> list[Hand]:
        """Return the hands that wait for the dealer's."""
        return [hand for hands in self.hands.values() for hand in hands if not hand.settled]

    def draws(self, cards: list[Card]) -> bool:
        """Return whether the dealer must draw."""
        count = best(cards)
        return count < 17 or (count == 17 and soft(cards) and self.setup.soft_seventeen == "draw")
