"""A round of blackjack as its rules see it: its hands, its dealer's cards, and what waits.

It depends on the table's set-up, on whether the reader was at fault and which cards drawn in error
waited when the round opened, and on the round's events in order; so it is never written down, but
followed again (``following``).
"""

from dataclasses import dataclass, field
from typing import Final, Self

from streams.core.cards import Card
from streams.core.events import (
    Announced,
    Burned,
    CardDealt,
    Decision,
    DeterminantDrawn,
    TableOpened,
)
from streams.core.games.blackjack.counts import count, is_blackjack, is_soft
from streams.core.games.blackjack.hand import PlayerHand
from streams.core.games.blackjack.passes import Passes, Placing
from streams.core.games.blackjack.remedies import Remedies
from streams.core.round_play import ErrorCard

DECISIONS: Final = frozenset({"surrender", "double", "split", "stand", "draw"})
"""Decisions on a hand whose total was announced."""


@dataclass(slots=True)
class Play:
    """The open round.

    ``reader_at_fault`` is how the card reader stands, ``reader_failed`` whether it was at fault at
    any time in the round. ``started`` tells that a card was dealt. ``dealer`` maps the action to
    the dealer's cards; the second and third begin with the up card. ``hole_down`` is that a hole
    card was dealt down, ``hole_turned`` that it was turned up. ``determinant_loose`` tells that
    the last determinant is neither dealt nor burned. ``made_up`` are positions whose missed card
    came after the decisions of a higher one. ``dealer_make_up_judged`` tells that a further card
    followed the dealer's missed one. ``supervisor_due`` is the code of what a supervisor is to be
    told; ``settled_other`` that after the reader's misuse a wager was not returned.
    ``last_to_burn`` is that the card dealt last is to be burned. ``pickups`` are the positions
    collected since the last card, decision or turned card, 0 the dealer.
    """

    setup: TableOpened
    observes: frozenset[str]
    reader_at_fault: bool
    reader_failed: bool
    passes: Passes
    remedies: Remedies = field(default_factory=Remedies)
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
    made_up: set[int] = field(default_factory=set)
    highest_decided: int = 0
    dealer_missed: bool = False
    dealer_make_up_judged: bool = False
    up_card_moved: bool = False
    up_card_discarded: bool = False
    last_to_burn: bool = False
    pickups: list[int] = field(default_factory=list)

    def copy(self) -> Self:
        """Return a copy that shares nothing that changes."""
        return type(self)(
            self.setup,
            self.observes,
            self.reader_at_fault,
            self.reader_failed,
            self.passes.copy(),
            self.remedies.copy(),
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
            self.made_up.copy(),
            self.highest_decided,
            self.dealer_missed,
            self.dealer_make_up_judged,
            self.up_card_moved,
            self.up_card_discarded,
            self.last_to_burn,
            self.pickups.copy(),
        )

    @property
    def errors(self) -> tuple[ErrorCard, ...]:
        """Return the cards drawn in error that no card followed, oldest first."""
        return tuple(self.remedies.errors)

    @property
    def burn_is_routine(self) -> bool:
        """Return whether a burn now is one of 2.6(c): no remedy under 2.15, no determinant."""
        return not (self.remedies.burn_due or self.determinant_loose)

    @property
    def hole_mode(self) -> str:
        """Return how the hole card is dealt; where the reader failed and none is, ``none``."""
        mode = self.setup.hole_card or "none"
        if mode == "down" and self.reader_failed and not self.hole_down:
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

    def dealer_hands(self, action: int | None) -> list[list[Card] | None]:
        """Return the hands that a total of the dealer's may be of: any where none is named."""
        if self.hole_hidden:
            return [None]
        return [self.dealer_known(each) for each in ([action] if action else self.dealer or [1])]

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
        playing = set(self.passes.in_play) - self.passes.dead
        return any(
            position in playing and hand.live and not hand.ended
            for (position, _), hand in self.hands.items()
        )

    def hand_dead(self, position: int) -> bool:
        """Return whether a position's first hand was declared dead."""
        hand = self.hands.get((position, 1))
        return hand is not None and hand.dead

    def named_side(self) -> str | None:
        """Return the side that the determinant names, if its suit and the sides are known."""
        red = self.setup.red_side
        card = self.determinants[0].card if self.determinants else None
        if red is None or card is None:
            return None
        if card[1] in "HD":
            return red
        return "right" if red == "left" else "left"

    def burns_determinant(self, body: Burned) -> bool:
        """Return whether a burned card may be the determinant."""
        drawn = self.determinants[-1].card if self.determinants else None
        return self.determinant_loose and (None in (drawn, body.card) or drawn == body.card)

    def sevens(self, position: int) -> bool:
        """Return whether a position has a sevens wager and two sevens as its first cards."""
        hand = self.hands.get((position, 1))
        return (
            hand is not None
            and hand.two_sevens
            and "sevens" in (self.setup.offers or ())
            and "sevens" in self.wagers.get(position, ())
        )

    def may_hold_sevens(self, position: int) -> bool:
        """Return whether a position has a sevens wager and two sevens, for all that can be seen."""
        hand = self.hands.get((position, 1))
        return (
            hand is not None
            and hand.may_be_sevens
            and "sevens" in (self.setup.offers or ())
            and ("wagers" not in self.observes or "sevens" in self.wagers.get(position, ()))
        )

    def position_cards(self, position: int) -> int:
        """Return how many cards a position has in all its hands."""
        return sum(len(hand.cards) for key, hand in self.hands.items() if key[0] == position)

    def missed_hands(self) -> list[tuple[int, int]]:
        """Return the hands whose requested card was missed and is neither dealt nor returned."""
        return [
            key
            for key, hand in self.hands.items()
            if hand.missed and hand.requested and not hand.called_off
        ]

    def passed_by(self, position: int | None, hand: int | None) -> list[tuple[int, int]]:
        """Return the hands whose requested card an event for another hand passes by."""
        return [
            key
            for key, one in self.hands.items()
            if one.requested
            and not one.missed
            and (key[0] != position if hand is None else key != (position, hand))
        ]

    def wagered(self) -> list[int]:
        """Return the positions with a main wager, ascending."""
        return sorted(position for position, names in self.wagers.items() if "main" in names)

    def deals_hole(self) -> bool:
        """Return whether the dealer's hole card is due at the end of the second pass."""
        return self.hole_mode != "none"

    def started_passes(self) -> Passes:
        """Return the passes as the card that is dealt now finds them.

        The positions in play are fixed at the round's first card, where wagers are observed.
        """
        if self.started:
            return self.passes
        seen = "wagers" in self.observes
        return Passes(self.deals_hole(), self.wagered() if seen else [], open=not seen)

    def is_hole(self, body: CardDealt) -> bool:
        """Return whether a card to the dealer is a hole card, dealt down where that may be."""
        second = len(self.dealer.get(1, ())) == 1
        return second and body.face == "down" and self.setup.hole_card == "down"

    def placing(self, body: CardDealt) -> Placing | None:
        """Return what a card does to the two passes, nothing where it goes to a later hand."""
        if (body.hand or 1) != 1:
            return None
        passes = self.started_passes()
        if body.to == "dealer":
            return passes.to_dealer(hole=self.is_hole(body))
        return passes.to_player(body.position or 0)

    def is_additional(self, body: CardDealt) -> bool:
        """Return whether a card to a player is one beyond the two passes, and no make-up."""
        if body.to != "player":
            return False
        placing = self.placing(body)
        return placing is None or placing.additional

    def ends_passes(self, body: Announced | Decision) -> bool:
        """Return whether a word passes over all that was not dealt: a total, or a decision."""
        if isinstance(body, Announced) and (body.by, body.what) != ("dealer", "total"):
            return False
        return self.started
