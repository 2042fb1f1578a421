"""Whether blackjack rounds keep 2.6: a reader of events that knows nothing of findings.

It reads a table whose devices see every card, and says in words what was not kept. Multiple action
and what 2.15 foresees are not its matter: a legal night has no slips.
"""

from producers.simulator.blackjack.counts import READABLE, best, hard, is_blackjack
from producers.simulator.legality.shoe import ShoeReader
from producers.simulator.setups import Setup
from producers.simulator.turns import Item
from streams.core.cards import Card
from streams.core.events import (
    Announced,
    Burned,
    CardDealt,
    CardExposed,
    CardsCollected,
    CardsLoaded,
    CardsTouched,
    CutCardReached,
    DealerArrived,
    Decision,
    DeterminantDrawn,
    HoleCardRead,
    NoMoreBets,
    RackCounted,
    RoundClosed,
    RoundVoided,
    ShoeEmptied,
    ShuffleCompleted,
    TableClosed,
    TableOpened,
    WagerPlaced,
    WagerSettled,
)

Key = tuple[int, int]

ORDERED = ("surrender", "double", "split", "stand", "draw")


class BlackjackReader:
    """Reads a table's events in order; ``wrong`` says what was not kept, in words."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.hole = setup.hole
        self.wrong: list[str] = []
        self.voided = False
        self.shoe = ShoeReader(setup, self.say)
        self.begin()

    def begin(self) -> None:
        """Begin a round."""
        self.open = False
        self.voided = False
        self.playing: set[int] = set()
        self.dealt: list[tuple[str, int | None]] = []
        self.due: list[tuple[str, int | None]] = []
        self.hands: dict[Key, list[Card]] = {}
        self.dealer: list[Card] = []
        self.called: dict[Key, int] = {}
        self.told: set[Key] = set()
        self.ended: set[Key] = set()
        self.doubling: set[Key] = set()
        self.aces: set[Key] = set()
        self.from_split: set[Key] = set()
        self.highest = 0
        self.announced = False
        self.read_result: str | None = None
        self.pickup: list[tuple[str, int | None]] = []

    def say(self, what: str) -> None:
        """Note what was not kept, of a round that is not voided."""
        if not self.voided:
            self.wrong.append(what)

    def fix(self) -> None:
        """Fix the positions in play and the order of the first cards: (e), (j), (k)."""
        positions: list[tuple[str, int | None]] = [("player", p) for p in sorted(self.playing)]
        self.due = [*positions, ("dealer", None), *positions]
        if self.hole in ("down", "up"):
            self.due.append(("dealer", None))

    def card(self, card: CardDealt) -> None:
        """Read a dealt card."""
        if not self.dealt:
            self.fix()
        self.shoe.dealt(card, min(self.playing, default=None))
        number = len(self.dealt)
        to = (card.to, card.position)
        self.dealt.append(to)
        self.pickup.clear()
        if card.card is None:
            return
        if number < len(self.due):
            if to != self.due[number]:
                self.say("(e): a first card goes to another place than the one due")
        elif card.to == "player":
            self.further(card)
        if card.to == "dealer":
            self.dealers(card)
        elif card.position is not None:
            key = (card.position, card.hand or 1)
            self.hands.setdefault(key, []).append(card.card)
            self.told.discard(key)
            double_down = key in self.doubling and self.setup.double_face == "down"
            if (card.face == "down") != double_down:
                self.say("(e), (g): a player's card has the wrong face")
            count = best(self.hands[key])
            two_aces = key in self.aces and len(self.hands[key]) == 2
            if key in self.doubling or two_aces or (len(self.hands[key]) > 1 and count >= 21):
                self.ended.add(key)

    def further(self, card: CardDealt) -> None:
        """Read a card beyond the first two: (g), (j), (k)6."""
        key = (card.position or 0, card.hand or 1)
        sevens = [each[0] for each in self.hands.get(key, [])] == ["7", "7"]
        known = self.read_result == "blackjack" or (
            self.hole == "up" and is_blackjack(self.dealer[:2])
        )
        if known:
            if not sevens:
                self.say("(j)1, (k)6: a card after the dealer's blackjack")
            return
        if self.called.get(key, 0) <= 0:
            self.say("(g): a card that no decision called for")
        else:
            self.called[key] -= 1
        reads = self.hole == "down" and self.setup.card_reader
        if reads and self.dealer and self.dealer[0][0] in READABLE and self.read_result is None:
            self.say("(j): the hole card was not read")

    def dealers(self, card: CardDealt) -> None:
        """Read a card of the dealer's: (h), (j), (k)."""
        if card.card is None or (card.hand or 1) > 1:
            return
        self.dealer.append(card.card)
        second = len(self.dealer) == 2
        if (card.face == "down") != (second and self.hole == "down"):
            self.say("(e), (h), (j), (k): a card of the dealer's has the wrong face")
        if second and self.hole == "none":
            if not self.announced:
                self.say('(h): no "Dealer\'s Card"')
            if self.waiting():
                self.say("(h): the dealer's second card comes early")

    def waiting(self) -> bool:
        """Return whether a hand of two cards or more has not ended."""
        return any(len(cards) > 1 and key not in self.ended for key, cards in self.hands.items())

    def total(self, said: Announced) -> None:
        """Read an announced total: (f), (g)."""
        cards = self.dealer
        if said.position is not None:
            key = (said.position, said.hand or 1)
            self.told.add(key)
            cards = self.hands.get(key, [])
        if cards and said.total not in (best(cards), hard(cards)):
            self.say("(f), (g): a wrong total")

    def decision(self, made: Decision) -> None:
        """Read a decision: (f), (k)3 to 5."""
        self.pickup.clear()
        key = (made.position, made.hand or 1)
        cards = self.hands.get(key, [])
        up = self.hole == "up"
        if up and made.action in ("surrender", "insurance"):
            self.say("(k)3: neither surrender nor insurance")
        if made.action not in ORDERED:
            return
        if key not in self.told:
            self.say("(f): the total was not announced")
        if made.position < self.highest:
            self.say("(f): a decision out of order")
        self.highest = max(self.highest, made.position)
        match made.action:
            case "draw":
                self.called[key] = self.called.get(key, 0) + 1
            case "double":
                if up and cards and best(cards) not in (9, 10, 11):
                    self.say("(k)4: no doubling on this count")
                self.called[key] = self.called.get(key, 0) + 1
                self.doubling.add(key)
            case "split":
                if up and key in self.from_split:
                    self.say("(k)5: no second split")
                self.split(key, cards)
            case _:
                self.ended.add(key)

    def split(self, key: Key, cards: list[Card]) -> None:
        """Follow the splitting of a hand."""
        if len(cards) < 2:
            return
        number = next(n for n in range(1, 9) if (key[0], n) not in self.hands)
        other = (key[0], number)
        self.hands[other] = [cards.pop()]
        for hand in (key, other):
            self.called[hand] = self.called.get(hand, 0) + 1
            self.from_split.add(hand)
            if cards[0][0] == "A":
                self.aces.add(hand)

    def settled(self, item: WagerSettled) -> None:
        """Read a settlement: (k)1, 2."""
        if item.wager != "main":
            return
        key = (item.position, item.hand or 1)
        self.ended.add(key)
        cards = self.hands.get(key, [])
        if (
            self.hole != "up"
            or len(cards) < 2
            or len(self.dealer) < 2
            or item.outcome == "returned"
        ):
            return
        mine = is_blackjack(cards) and key not in self.from_split
        both = mine and is_blackjack(self.dealer)
        if best(cards) == best(self.dealer):
            expected = "win" if both else "lose"
            if item.outcome != expected and (both or not mine):
                self.say("(k)1: equal counts settled otherwise")
        if mine and item.outcome == "win" and item.pays not in (None, "1:1"):
            self.say("(k)2: a blackjack pays 1 to 1")

    def collected(self, item: CardsCollected) -> None:
        """Read the picking up of a hand: (i)."""
        if item.position is not None and item.hand is not None:
            self.ended.add((item.position, item.hand))
        elif item.position is not None:
            self.ended |= {key for key in self.hands if key[0] == item.position}
        self.pickup.append((item.to, item.position))

    def picked_up(self) -> None:
        """Read the picking up after the round's last card, decision and turned card: (i)."""
        lowest: int | None = None
        dealers = False
        for to, position in self.pickup:
            if to == "dealer":
                dealers = True
                continue
            higher = lowest is not None and position is not None and position > lowest
            if dealers or higher:
                self.say("(i): hands are picked up out of order")
            if position is not None:
                lowest = position if lowest is None else min(lowest, position)

    def close(self) -> None:
        """Read the end of a round."""
        if self.dealt and len(self.dealt) < len(self.due):
            self.say("(e): not everybody has two cards")
        self.picked_up()
        self.begin()
        self.shoe.begin()
        self.shoe.round += 1

    def read(self, item: Item) -> None:
        """Read the next event."""
        match item:
            case WagerPlaced(wager=wager, position=position):
                self.open = True
                if wager == "main" and not self.dealt:
                    self.playing.add(position)
                if wager == "insurance" and self.hole == "up":
                    self.say("(k)3: no insurance")
            case NoMoreBets():
                self.open = True
            case CardDealt():
                self.open = True
                self.card(item)
            case Announced(what="total"):
                self.total(item)
            case Announced(what="dealers_card"):
                self.announced = bool(self.dealer)
            case Decision():
                self.decision(item)
            case HoleCardRead(result=result):
                self.read_result = result
                if self.dealer and self.dealer[0][0] not in READABLE:
                    self.say("2.15(j): the reader is misused")
            case CardExposed(to=to):
                self.pickup.clear()
                seen = to == "dealer" and self.hole == "down" and self.read_result != "blackjack"
                if seen and self.waiting():
                    self.say("(j): the hole card is seen early")
            case WagerSettled():
                self.settled(item)
            case CardsCollected():
                self.collected(item)
            case CardsTouched(permitted=False):
                self.say("(l)3ii: cards are touched")
            case RoundVoided():
                self.voided = True
            case RoundClosed():
                if self.open:
                    self.close()
            case TableOpened() | TableClosed():
                self.begin()
                self.shoe.begin()
                if isinstance(item, TableOpened):
                    self.shoe.opened()
            case _:
                self.of_the_shoe(item)

    def of_the_shoe(self, item: Item) -> None:
        """Read an event of the shoe and its cards."""
        match item:
            case DeterminantDrawn():
                self.open = True
                self.shoe.determined(item)
            case Burned():
                self.shoe.burned(item)
            case CutCardReached():
                self.shoe.cut_card(item)
            case CardsLoaded():
                self.shoe.loaded(item)
            case ShuffleCompleted():
                self.shoe.shuffle(item)
            case ShoeEmptied():
                self.shoe.was_emptied(item)
            case RackCounted():
                self.shoe.counted(item)
            case DealerArrived():
                self.shoe.arrived(item)
            case _:
                pass
