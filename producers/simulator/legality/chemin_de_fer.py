"""Whether coups keep 4.9: a reader of events that knows nothing of findings.

It reads a table whose devices see everything, and says in words what was not kept.
"""

from typing import TYPE_CHECKING

from producers.simulator.chemin_de_fer.counts import NATURALS, banker_may, count, player_words
from producers.simulator.setups import Setup
from producers.simulator.turns import Item
from streams.core.events import (
    Announced,
    CardDealt,
    CardExposed,
    CardsLoaded,
    NoMoreBets,
    RoundClosed,
    RoundVoided,
    ShuffleCompleted,
    TableClosed,
    TableOpened,
    WagerPlaced,
)

if TYPE_CHECKING:
    from streams.core.cards import Card

HANDS = ("player", "banker")


class CheminDeFerReader:
    """Reads a table's events in order; ``wrong`` says what was not kept, in words."""

    def __init__(self, setup: Setup) -> None:
        self.full = setup.decks * 52
        self.wrong: list[str] = []
        self.shuffled = False
        self.suspect = False
        self.begin()

    def begin(self) -> None:
        """Begin a round."""
        self.open = False
        self.voided = False
        self.hands: dict[str, list[Card]] = {hand: [] for hand in HANDS}
        self.down = dict.fromkeys(HANDS, 0)
        self.word: str | None = None
        self.bankers_word: str | None = None
        self.unrepeated: str | None = None

    def say(self, what: str) -> None:
        """Note what was not kept, of a round that is not voided."""
        if not self.voided:
            self.wrong.append(what)

    def points(self, hand: str) -> int:
        """Return the count of a hand's first two cards."""
        return count(self.hands[hand][:2])

    def complete(self, hand: str) -> bool:
        """Return whether a hand has its first two cards, so that it can be counted."""
        return len(self.hands[hand]) >= 2

    def is_natural(self, hand: str) -> bool:
        """Return whether a hand's first two cards make 8 or 9."""
        return self.complete(hand) and self.points(hand) in NATURALS

    def natural(self) -> bool:
        """Return whether no additional card may be dealt."""
        players = self.is_natural("player")
        return players or (self.word == "card" and self.is_natural("banker"))

    def card(self, card: CardDealt) -> None:
        """Read a dealt card: (a) to (c)."""
        self.open = True
        self.repetition_missing()
        if self.suspect and not any(self.hands.values()):
            self.say("a set with a wrong count is played")
        hand = self.hands.get(card.to)
        if hand is None or card.card is None:
            return
        if len(hand) == 2:
            self.additional(card)
        elif len(hand) > 2:
            self.say("a fourth card")
        hand.append(card.card)
        self.down[card.to] += card.face == "down" and len(hand) <= 2

    def additional(self, card: CardDealt) -> None:
        """Read a hand's third card."""
        if self.natural():
            self.say("(a)4, (b): a card after a natural")
            return
        if card.to == "player":
            if self.word != "card":
                self.say("(a), (b): a card not asked for")
            if self.bankers_word is None:
                self.say("(b): the banker has not announced")
            if card.face != "up":
                self.say("(b): the player's third card is down")
            if self.points("player") in (6, 7):
                self.say("(a)3: the player must stay")
            return
        third = self.hands["player"][2] if len(self.hands["player"]) > 2 else None
        if self.word != "stay" and third is None:
            self.say("(c): the banker's card comes early")
        if self.down["banker"] > 0:
            self.say("(c): the banker's hand is not turned")
        if banker_may(self.points("banker"), third) == (False,):
            self.say("(c): the banker must stay")

    def announcement(self, said: Announced) -> None:
        """Read an announcement: (a), (b) and (h)."""
        if said.by == "dealer":
            if self.unrepeated is not None and self.unrepeated != said.what:
                self.say("(h): the dealer repeats something else")
            self.unrepeated = None
            return
        self.repetition_missing()
        self.unrepeated = said.what
        if said.by == "dominant_player" and self.word is None:
            self.word = said.what
            known = said.what in ("card", "stay", "natural")
            allowed = player_words(self.points("player"))
            if known and self.complete("player") and said.what not in allowed:
                self.say("(a): an announcement that the count does not allow")
        elif said.by == "banker" and self.bankers_word is None:
            self.bankers_word = said.what
            known = said.what == "natural" and self.complete("banker")
            if known and not self.is_natural("banker"):
                self.say("(b): no natural")
            if said.what == "under_eight" and self.natural() and self.word == "card":
                self.say("(b): a natural not announced")

    def repetition_missing(self) -> None:
        """Read that something else comes where the dealer must repeat an announcement."""
        if self.unrepeated is not None:
            self.say("(h): an announcement is not repeated")
        self.unrepeated = None

    def close(self) -> None:
        """Read the end of a round."""
        self.repetition_missing()
        players, bankers = self.hands["player"], self.hands["banker"]
        if len(players) >= 2 and len(bankers) >= 2:
            if self.natural():
                self.end_of_natural()
            else:
                self.end_without_natural()
        self.begin()

    def end_of_natural(self) -> None:
        """Read the end of a round with a natural: (a)4, (b)."""
        players = self.is_natural("player")
        if any(self.down.values()):
            self.say("(a)4, (b): a hand is not turned")
        if (self.word if players else self.bankers_word) is None:
            self.say("(a)4, (b): a natural not announced")

    def end_without_natural(self) -> None:
        """Read the end of a round without a natural: (a), (c)."""
        third = self.hands["player"][2] if len(self.hands["player"]) > 2 else None
        if self.word is None and third is None:
            self.say("(a): the dominant player says nothing")
        if self.word == "card" and third is None:
            self.say("(b): a card asked for is not dealt")
        if self.down["banker"] > 0:
            self.say("(c): the banker's hand is not turned")
        drawn = len(self.hands["banker"]) > 2
        if not drawn and banker_may(self.points("banker"), third) == (True,):
            self.say("(c): the banker must draw")

    def read(self, item: Item) -> None:
        """Read the next event."""
        match item:
            case CardDealt():
                self.card(item)
            case CardExposed(to=to) if to in HANDS:
                self.down[to] = max(0, self.down[to] - 1)
            case Announced():
                self.announcement(item)
            case WagerPlaced() | NoMoreBets():
                self.open = True
            case RoundVoided():
                self.voided = True
            case RoundClosed():
                if self.open:
                    self.close()
            case TableOpened() | TableClosed():
                self.begin()
            case ShuffleCompleted(method=method, cards=cards):
                self.shuffled = True
                if method == "automatic" and cards is not None:
                    self.suspect = cards != self.full
                    if self.suspect:
                        self.say("the shuffler counts a wrong number of cards")
            case CardsLoaded(preshuffled=preshuffled):
                if not self.shuffled and not preshuffled:
                    self.say("the set was not shuffled")
                self.shuffled = False
            case _:
                pass
