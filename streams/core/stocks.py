"""Which stock a card leaves, and whether it leaves it now.

Each physical card leaves once. A determinant or a card drawn in error is ``loose`` until the next
card is dealt or burned, or, after one drawn in error, a determinant is drawn; that card is taken
for the loose one if its side and its reading allow it, and then has left already; later only a
card that is read as the loose one is. A card that was dealt only to be burned is loose to a burn
alone. A card dealt face down and unread becomes known when it is turned up.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from streams.core.cards import RANKS, Card
from streams.core.events import (
    Body,
    Burned,
    CardDealt,
    CardExposed,
    DeterminantDrawn,
    DrawnInError,
    Event,
    FaceUpCardFound,
)
from streams.core.round_play import ErrorCard
from streams.core.table import HandKey, Leaver, RoundState, Stock, TableState


@dataclass(frozen=True, slots=True)
class Leaving:
    """A card's leaving: from where, what was read, and what it is to the counts.

    ``physical`` is false where the card left before (it was loose, or is only turned up now);
    ``news`` is the card that becomes known by the event, absent where none does. ``loose`` is
    the index of the loose card it is taken for, ``turned`` of the face-down card turned up.
    """

    stock: str
    card: Card | None
    physical: bool
    news: Card | None
    loose: int | None = None
    turned: int | None = None


def hand_key(to: str, position: int | None, hand: int | None) -> HandKey:
    """Return whose hand a card goes to; an absent hand is the first."""
    return (to, position if to == "player" else None, 1 if hand is None else hand)


def leaving(table: TableState, round_: RoundState | None, body: Leaver) -> Leaving:
    """Return how a card leaves by an event that has not been applied yet."""
    if round_ is not None and table.from_hand:
        stock = round_.stock
    else:
        stock = table.stock_named(None, body.side)
    card = body.card
    if (
        round_ is not None
        and round_.loose
        and isinstance(body, CardDealt | Burned | DeterminantDrawn)
    ):
        last = _last_loose(round_)
        for index in round_.loose:
            if body.side is not None and _side(round_.cards[index]) not in (None, body.side):
                continue
            if not _may_take(body, round_.cards[index].body):
                continue
            known = round_.card(index)
            unread = known is None or card is None
            if index >= last if unread else known == card:
                news = card if known is None else None
                return Leaving(stock, card or known, physical=False, news=news, loose=index)
    if table.errors_waiting and isinstance(body, CardDealt | Burned | DeterminantDrawn):
        waits = _waiting(table, round_)
        if waits is not None and waits.may_be(card):
            news = card if waits.card is None else None
            return Leaving(stock, card or waits.card, physical=False, news=news)
    return Leaving(stock, card, physical=True, news=card)


def _waiting(table: TableState, round_: RoundState | None) -> ErrorCard | None:
    """Return the card drawn in error before the round that is to be the next card, if one is."""
    if round_ is None:
        return table.errors_waiting[0]
    errors = () if round_.play is None else round_.play.errors
    return errors[0] if errors and errors[0] in table.errors_waiting else None


def _may_take(body: CardDealt | Burned | DeterminantDrawn, loose: Body) -> bool:
    """Return whether a loose card can be the one of an event: one dealt is only burned."""
    if isinstance(body, DeterminantDrawn):
        return isinstance(loose, DrawnInError)
    return isinstance(body, Burned) or not isinstance(loose, CardDealt)


def _last_loose(round_: RoundState) -> int:
    """Return the first of the loose cards that no dealt or burned card has followed."""
    first = len(round_.cards)
    while first and (
        first - 1 in round_.loose or isinstance(round_.cards[first - 1].body, FaceUpCardFound)
    ):
        first -= 1
    return first


def turning(round_: RoundState, body: CardExposed) -> Leaving | None:
    """Return how a face-down card is turned up: nothing where the hand has none that lies down.

    The card with the same reading is meant; else the first that was not read; else the first.
    """
    down = [
        index
        for index in round_.hands.get(hand_key(body.to, body.position, body.hand), ())
        if index not in round_.turned and _face(round_.cards[index]) == "down"
    ]
    if not down:
        return None
    unread = None
    for index in down:
        known = round_.card(index)
        if known is None:
            unread = index if unread is None else unread
        elif known == body.card:
            stock = _stock_of(round_, index)
            return Leaving(stock, known, physical=False, news=None, turned=index)
    index = down[0] if unread is None else unread
    news = None if unread is None else body.card
    return Leaving(_stock_of(round_, index), news, physical=False, news=news, turned=index)


def _stock_of(round_: RoundState, index: int) -> str:
    body = round_.cards[index].body
    return (body.side if isinstance(body, CardDealt) else None) or round_.stock


def _side(event: Event) -> str | None:
    return event.body.side if isinstance(event.body, DeterminantDrawn | DrawnInError) else None


def _face(event: Event) -> str | None:
    return event.body.face if isinstance(event.body, CardDealt) else None


def run_after(stock: Stock, card: Card | None) -> tuple[int, int]:
    """Return how many cards in pack order, rising and falling, end with a card that leaves now.

    Pack order is ace to king within a suit; after the last of a suit any suit's first follows.
    """
    if card is None:
        return (0, 0)
    last = stock.last
    if last is None:
        return (1, 1)
    step = RANKS.index(card[0]) - RANKS.index(last[0])
    same_suit = card[1] == last[1]
    rising = stock.rising + 1 if (step == 1 and same_suit) or step == -12 else 1
    falling = stock.falling + 1 if (step == -1 and same_suit) or step == 12 else 1
    return (rising, falling)


def count_card(stock: Stock, leaves: Leaving, first: int) -> None:
    """Follow a card into the counts of its stock; ``first`` is how many first cards are kept."""
    news = leaves.news
    if news is not None:
        stock.seen[news] = stock.seen.get(news, 0) + 1
    if leaves.physical:
        stock.rising, stock.falling = run_after(stock, leaves.card)
        stock.last = leaves.card
        if leaves.card is not None and stock.loaded is not None and len(stock.first) < first:
            stock.first.append(leaves.card)


def cards_on_table(round_: RoundState, stock: str, collected: Sequence[HandKey]) -> dict[Card, int]:
    """Return the known cards of a stock that lie on the table, each with its number of copies."""
    seen: dict[Card, int] = {}
    for key, indices in round_.hands.items():
        if key in collected:
            continue
        for index in indices:
            card = round_.card(index)
            if card is not None and _stock_of(round_, index) == stock:
                seen[card] = seen.get(card, 0) + 1
    return seen
