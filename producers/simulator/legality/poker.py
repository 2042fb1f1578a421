"""Whether hand-dealt rounds keep 16.8 and 27.8: a reader of events that knows nothing of findings.

It reads a table whose devices see everything, and says in words what was not kept. It exists to
tell legal rounds from illegal ones after a random change, and to look over the dealer's shoulder.
"""

from collections import Counter
from typing import Final

from producers.simulator.poker.dealer import ROUNDS_TO_COUNT
from producers.simulator.poker.script import order
from producers.simulator.setups import Setup
from producers.simulator.turns import Item
from streams.core.cards import CARDS_IN_DECK
from streams.core.events import (
    CardDealt,
    CardExposed,
    CardsCollected,
    DeckInHand,
    DeckOutOfArea,
    DeckRemoved,
    DeterminantDrawn,
    LockoutPressed,
    NoMoreBets,
    RoundClosed,
    RoundVoided,
    ShuffleCompleted,
    StubCounted,
    StubPlaced,
    TableClosed,
    TableOpened,
    WagerPlaced,
    WagerSettled,
)

PLAYING: Final = ("ante", "aces_up")
EARLY: Final = ("ante", "aces_up", "progressive")


class PokerReader:
    """Reads a table's events in order; ``wrong`` says what was not kept, in words."""

    def __init__(self, setup: Setup) -> None:
        self.caribbean = setup.game == "caribbean_stud"
        self.game = setup.game
        self.wrong: list[str] = []
        self.ready: set[str | None] = set()
        self.suspect: set[str | None] = set()
        self.deck: str | None = None
        self.uncounted = 0
        self.dealt_last = 0
        self.begin()

    def begin(self) -> None:
        """Begin a round."""
        self.open = False
        self.playing: set[int] = set()
        self.fixed: tuple[int, ...] = ()
        self.holding: str | None = None
        self.bets_closed = False
        self.locked = False
        self.settling = False
        self.dealt: list[CardDealt] = []
        self.before_stub: int | None = None
        self.counted = False
        self.voided = False

    def say(self, what: str) -> None:
        """Note what was not kept."""
        self.wrong.append(what)

    def first_card(self) -> None:
        """Read what must stand before the first card: (b)1 to (b)3."""
        self.fixed = tuple(sorted(self.playing))
        if self.deck not in self.ready:
            self.say("(b)1: the deck was not shuffled by machine since it was played")
        if self.suspect:
            self.say("a deck with a wrong count is played")
        if self.holding is None:
            self.say("(b)2: the deck is in no hand")
        if not self.bets_closed:
            self.say('(b)3: no "No more bets"')
        if self.caribbean and not self.locked:
            self.say("16.8(b)3: the lock-out button was not pressed")

    def card(self, card: CardDealt) -> None:
        """Read a dealt card: (b)3 and (c)."""
        if not self.dealt:
            self.first_card()
        self.ready.discard(self.deck)
        places = order(self.game, self.fixed)
        number = len(self.dealt)
        self.dealt.append(card)
        if not self.voided:
            due = places[number] if number < len(places) else None
            if due is None or due[:2] != (card.to, card.position):
                self.say("(c): a card goes to another place than the one due")
        nth = sum((each.to, each.position) == (card.to, card.position) for each in self.dealt)
        up = card.to == "dealer" and nth == (1 if self.caribbean else 6)
        if up != (card.face == "up"):
            self.say("(c): a card has the wrong face")
        if card.drawn_with is not None and card.drawn_with == self.holding:
            self.say("(b)3: a card is drawn with the hand that holds the deck")
        if card.card is not None and any(card.card == each.card for each in self.dealt[:-1]):
            self.say("a card comes twice from one deck")

    def hands(self) -> Counter[tuple[str, int | None]]:
        """Return how many cards each hand had before the stub was put away."""
        counted = self.dealt if self.before_stub is None else self.dealt[: self.before_stub]
        return Counter((card.to, card.position) for card in counted)

    def close(self) -> None:
        """Read the end of a round: (d) and (e)."""
        if self.dealt and not self.voided:
            hands = self.hands()
            if any(hands["player", position] != 5 for position in self.fixed):
                self.say("(d): a player has not five cards")
            if hands["dealer", None] != (5 if self.caribbean else 6):
                self.say("(d): the dealer has not his number of cards")
            if self.before_stub is None:
                self.say("(d): the stub was not put away")
        if self.dealt and not self.counted:
            self.uncounted += 1
            if self.uncounted >= ROUNDS_TO_COUNT:
                self.say("(e): five rounds without a count of the stub")
        self.dealt_last = len(self.dealt)
        self.begin()

    def count(self, counted: StubCounted) -> None:
        """Read a count of the stub, in a round or after it: (e)."""
        deck = counted.deck if counted.deck is not None else self.deck
        dealt = self.dealt_last
        if self.open:
            dealt = len(self.dealt)
            self.counted = True
            if self.before_stub is None:
                self.before_stub = dealt
        self.uncounted = 0
        if deck != self.deck:
            dealt = 0
        if counted.cards == CARDS_IN_DECK - dealt:
            self.suspect.discard(deck)
        else:
            self.suspect.add(deck)
            self.say("(e): the stub has not the right number of cards")

    def read(self, item: Item) -> None:
        """Read the next event."""
        match item:
            case WagerPlaced(wager=wager, position=position):
                self.open = True
                closed = self.bets_closed or self.locked
                if wager in EARLY and closed and not self.settling:
                    self.say("(b)3: a wager after the bets were closed")
                if wager in PLAYING:
                    self.playing.add(position)
            case DeckInHand(hand=hand, deck=deck):
                self.open = True
                if self.holding is not None and self.holding != hand:
                    self.say("(b)2i: the deck changes hands")
                self.holding = hand
                self.deck = deck
            case NoMoreBets():
                self.open = self.bets_closed = True
            case LockoutPressed():
                self.open = self.locked = True
            case CardDealt():
                self.open = True
                self.card(item)
            case DeckOutOfArea():
                self.say("(b)2ii: the deck leaves its area")
            case StubPlaced(exposed=exposed):
                if exposed:
                    self.say("(d): the stub is exposed")
                if self.before_stub is None:
                    self.before_stub = len(self.dealt)
            case StubCounted():
                self.count(item)
            case ShuffleCompleted():
                self.shuffle(item)
            case DeckRemoved(deck=deck):
                self.suspect.discard(deck)
            case WagerSettled() | CardsCollected():
                self.settling = True
            case RoundVoided():
                self.settling = self.voided = True
            case RoundClosed():
                if self.open:
                    self.close()
            case TableOpened() | TableClosed():
                self.begin()
                self.uncounted = 0
            case DeterminantDrawn():
                self.say("a hand-dealt game has no determinant")
            case CardExposed() | _:
                pass

    def shuffle(self, done: ShuffleCompleted) -> None:
        """Read a shuffle: (b)1, and the shuffler's own count."""
        if done.method != "automatic":
            self.ready.discard(done.deck)
            return
        self.ready.add(done.deck)
        if done.cards is not None and done.cards != CARDS_IN_DECK:
            self.suspect.add(done.deck)
            self.say("the shuffler counts a wrong number of cards")
        elif done.cards is not None:
            self.suspect.discard(done.deck)
