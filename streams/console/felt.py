"""The felt: a table's view as seats and cards in their places, with what is due next.

Pure functions of a view. The table is seen from the players' side: the dealer is on top, and
position 1, on the dealer's left, is at the right. Seats are given in dealing order, 1 first; the
sheet turns them. A hand is what the view says it is: a card that lies face down has no name here,
for the view has none.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.records import TableView, ViewCard, ViewMark, ViewNext
from streams.console.wording import card_words, money, place_words, words
from streams.core.cards import CARDS
from streams.core.games.blackjack.counts import count as blackjack_count
from streams.core.games.chemin_de_fer.hands import count as baccarat_count

USUAL_SEATS: Final = 7
CARDS_OF_A_HAND: Final[Mapping[str, tuple[int, int]]] = {
    "caribbean_stud": (5, 5),
    "four_card_poker": (5, 6),
}
"""The cards of a player's hand and of the dealer's where the game fixes them."""

UNDER_WAY: Final[Mapping[str, str]] = {
    "betting": "Wagers are placed",
    "dealing": "Cards are dealt",
    "deciding": "Players decide",
    "settling": "Hands are settled",
}
"""What is said where the game's text fixes nothing that is due next."""

HandKey = tuple[str, int | None, int]
"""Whose hand it is: to whom, position, number."""


@dataclass(frozen=True, slots=True)
class CardMark:
    """A finding that a card caused: the number of its shape and the class of its alarm's state."""

    shape: int
    state: str
    words: str


@dataclass(frozen=True, slots=True)
class FeltCard:
    """One card: rank and suit as they are drawn, empty while it lies face down or was unread."""

    rank: str
    suit: str
    back: bool
    number: int | None
    words: str
    mark: CardMark | None = None

    @property
    def red(self) -> bool:
        """Return whether the suit is drawn hollow."""
        return self.suit in {"H", "D"}


@dataclass(frozen=True, slots=True)
class FeltHand:
    """One hand in the order of its cards; ``due`` is the number of a card due to it next."""

    label: str
    cards: tuple[FeltCard, ...]
    due: int | None = None


@dataclass(frozen=True, slots=True)
class Seat:
    """One position; ``note`` says how it stands, ``wagers`` what lies before it."""

    position: int
    note: str
    hands: tuple[FeltHand, ...]
    wagers: str
    next: bool


@dataclass(frozen=True, slots=True)
class Felt:
    """The table as it is drawn.

    ``sides`` are the player's and the banker's hand at chemin de fer, empty elsewhere; ``dealer``
    are the dealer's hands. The lines stand beside the dealer: his own, and what is due next.
    """

    dealer_lines: tuple[str, ...]
    next_lines: tuple[str, ...]
    dealer: tuple[FeltHand, ...]
    sides: tuple[Seat, ...]
    seats: tuple[Seat, ...]


def lay(view: TableView, marks: Mapping[str, CardMark] | None = None) -> Felt:
    """Return the felt of a view.

    Args:
        view: The table.
        marks: The findings by the identity of the event that caused each.
    """
    found = marks or {}
    hands: dict[HandKey, list[ViewCard]] = {}
    for card in view.cards:
        hands.setdefault((card.to, card.position, card.hand or 1), []).append(card)
    laid = {key: _hand(view, key, cards, found) for key, cards in hands.items()}
    due = view.next
    if due is not None and due.what == "card":
        laid.setdefault(_key(due), FeltHand(_label(_key(due)), (), due.number or 0))
    baccarat = view.game == "chemin_de_fer"
    seats = max(
        view.seats or USUAL_SEATS,
        *(key[1] or 0 for key in laid),
        *(wager.position for wager in view.wagers),
        0,
    )
    return Felt(
        dealer_lines=_dealer_lines(view, hands),
        next_lines=_next_lines(view),
        dealer=tuple(laid[key] for key in sorted(laid, key=_number) if key[0] == "dealer"),
        sides=tuple(_side(view, to, laid, hands) for to in ("player", "banker"))
        if baccarat
        else (),
        seats=tuple(_seat(view, place, laid, hands, baccarat) for place in range(1, seats + 1)),
    )


def _number(key: HandKey) -> int:
    return key[2]


def _key(due: ViewNext) -> HandKey:
    return due.to, due.position, due.hand or 1


def _label(key: HandKey) -> str:
    to, position, number = key
    if position is None and to == "dealer":
        return "Dealer's hand" if number == 1 else f"Dealer's hand, action {number}"
    said = place_words(to, position, number)
    return said[:1].upper() + said[1:]


def _hand(
    view: TableView, key: HandKey, cards: Sequence[ViewCard], marks: Mapping[str, CardMark]
) -> FeltHand:
    due = view.next
    is_due = due is not None and due.what == "card" and _key(due) == key
    return FeltHand(
        label=_label(key),
        cards=tuple(_card(view, card, marks) for card in cards),
        due=(due.number or 0) if due is not None and is_due else None,
    )


def _card(view: TableView, card: ViewCard, marks: Mapping[str, CardMark]) -> FeltCard:
    identity = view.identity(card)
    return felt_card(
        card.card,
        up=card.face == "up",
        number=card.number,
        mark=marks.get(identity) if identity is not None else None,
    )


def felt_card(
    card: str | None, *, up: bool, number: int | None, mark: CardMark | None = None
) -> FeltCard:
    """Return a card as it is drawn.

    Args:
        card: Which one, absent while it lies face down or where it was not read.
        up: Whether it lies open.
        number: Its place in the order of the round.
        mark: The finding that it caused.
    """
    order = f", card {number} of the round" if number else ""
    said = f", {mark.words}" if mark else ""
    if not up:
        return FeltCard("", "", True, number, f"face down{order}{said}", mark)
    if card is None or card not in CARDS:
        return FeltCard("?", "", False, number, f"face up, not read{order}{said}", mark)
    rank = "10" if card[0] == "T" else card[0]
    return FeltCard(rank, card[1], False, number, f"{card_words(card)}{order}{said}", mark)


def _seat(
    view: TableView,
    position: int,
    laid: Mapping[HandKey, FeltHand],
    hands: Mapping[HandKey, Sequence[ViewCard]],
    baccarat: bool,
) -> Seat:
    keys = sorted((key for key in laid if key[0] == "player" and key[1] == position), key=_number)
    due = view.next
    is_next = due is not None and due.to == "player" and due.position == position
    return Seat(
        position=position,
        note=_note(view, position, keys, hands, is_next, baccarat),
        hands=tuple(laid[key] for key in keys),
        wagers=_wagers(view, position),
        next=is_next,
    )


def _side(
    view: TableView,
    to: str,
    laid: Mapping[HandKey, FeltHand],
    hands: Mapping[HandKey, Sequence[ViewCard]],
) -> Seat:
    """Return the player's or the banker's hand of chemin de fer."""
    keys = [key for key in laid if key[0] == to]
    cards = [card for key in keys for card in hands.get(key, ())]
    total = _count_words(view.game, cards)
    due = view.next
    is_next = due is not None and due.to == to
    return Seat(0, total, tuple(laid[key] for key in keys), to.capitalize(), is_next)


def _note(
    view: TableView,
    position: int,
    keys: Sequence[HandKey],
    hands: Mapping[HandKey, Sequence[ViewCard]],
    is_next: bool,
    baccarat: bool,
) -> str:
    if is_next:
        what = "decision" if view.next is not None and view.next.what == "decision" else "next card"
        return f"{what} due"
    if baccarat:
        return "wager" if _wagers(view, position) else "no wager"
    if not keys:
        if position in view.positions:
            return "no card yet" if view.round_open else "in play"
        return "not in play" if view.positions or view.cards else ""
    if fixed := CARDS_OF_A_HAND.get(view.game or ""):
        dealt = sum(len(hands.get(key, ())) for key in keys)
        return _said_last(view, position, None) or f"{dealt} of {fixed[0]} cards"
    counted = [_count_words(view.game, hands.get(key, ())) for key in keys]
    if len(keys) > 1:
        return f"split, {' and '.join(each or 'not read' for each in counted)}"
    said = _said_last(view, position, keys[0][2])
    if said == "stand":
        return f"stand on {counted[0]}" if counted[0] else "stand"
    return _joined(said, counted[0])


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _said_last(view: TableView, position: int, hand: int | None) -> str:
    """Return the last that was decided of a hand, declared of it or settled for it."""
    for mark in reversed(view.marks):
        if mark.position != position or (hand is not None and (mark.hand or 1) != hand):
            continue
        match mark.kind:
            case "decision":
                return words(mark.word or "decided")
            case "hand_declared_dead":
                return "dead"
            case "wager_settled" if mark.word:
                return words(mark.word)
            case _:
                pass
    return ""


def _count_words(game: str | None, cards: Sequence[ViewCard]) -> str:
    """Return a hand's count, nothing where a card of it is not known."""
    known = [CARDS[card.card] for card in cards if card.card is not None and card.card in CARDS]
    if not known or len(known) != len(cards):
        return ""
    match game:
        case "blackjack":
            total = blackjack_count(known)
            soft = any(card[0] == "A" for card in known) and total <= 21
            hard = sum(_least(card) for card in known)
            return f"soft {total}" if soft and hard != total and total < 21 else str(total)
        case "chemin_de_fer":
            return str(baccarat_count(known))
        case _:
            return ""


def _least(card: str) -> int:
    """Return a card's least value at blackjack, an ace as 1."""
    return 1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0])


def _wagers(view: TableView, position: int) -> str:
    return ", ".join(
        words(wager.wager)
        if wager.amount is None
        else f"{words(wager.wager)} {money(wager.amount)}"
        for wager in view.wagers
        if wager.position == position
    )


def _last_mark(marks: Iterable[ViewMark], kind: str) -> ViewMark | None:
    return next((mark for mark in reversed(tuple(marks)) if mark.kind == kind), None)


def _dealer_lines(view: TableView, hands: Mapping[HandKey, Sequence[ViewCard]]) -> tuple[str, ...]:
    lines = [f"Dealer {view.dealer}" if view.dealer else "No dealer"]
    if view.holding:
        lines.append(f"{view.holding} hand")
    dealt = sum(len(cards) for key, cards in hands.items() if key[0] == "dealer")
    if fixed := CARDS_OF_A_HAND.get(view.game or ""):
        lines.append(f"{dealt} of {fixed[1]} cards")
    elif view.game == "blackjack":
        mine = [card for key, cards in hands.items() if key[0] == "dealer" for card in cards]
        if count := _count_words(view.game, mine):
            lines.append(f"shows {count}")
    read = _last_mark(view.marks, "hole_card_read")
    if read is not None and read.word:
        lines.append(f"reader: {words(read.word)}")
    return tuple(lines)


def _next_lines(view: TableView) -> tuple[str, ...]:
    due = view.next
    if due is None:
        return (
            UNDER_WAY.get(view.state or "", "The round is open")
            if view.round_open
            else "No round open",
        )
    place = place_words(due.to, due.position, due.hand)
    if due.what == "decision":
        return (f"Next: {place} decides",)
    lines = [f"Next: card {due.number}" if due.number else "Next: a card"]
    lines.append(f"{place}, face {due.face}" if due.face else place)
    if due.pass_ is not None and due.passes is not None:
        lines.append(f"pass {due.pass_} of {due.passes}")
    elif due.reason:
        lines.append(f"for the {words(due.reason)}" if due.reason != "pass" else "")
    return tuple(line for line in lines if line)
