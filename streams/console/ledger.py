"""The stub clock, the deck's ledger and the shoe: what left the cards and what must be left.

Pure functions of a view. A figure that is not known is nothing, never 0.
"""

from dataclasses import dataclass
from typing import Final

from schemas.records import Round, TableView, ViewStock
from streams.console.wording import NOTHING, words
from streams.core.book import Book
from streams.core.cards import CARDS_IN_DECK

MOST_PIPS: Final = 12
"""Pips drawn at most; the text beside them says the number."""


@dataclass(frozen=True, slots=True)
class StubClock:
    """How many rounds were dealt since the stub was counted, and how many may be.

    ``pips`` are one each: ``on`` a round dealt, ``over`` one at or past the limit, `` `` none yet.
    """

    rounds: int
    limit: int
    pips: tuple[str, ...]
    last: str | None

    @property
    def over(self) -> int:
        """Return by how many rounds it is over."""
        return max(0, self.rounds - self.limit)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a ledger; ``total`` is drawn below a rule."""

    label: str
    figure: str
    total: bool = False


@dataclass(frozen=True, slots=True)
class Shoe:
    """One shoe, or a side of a double one; ``penetration`` is the share that left, in percent."""

    name: str
    rows: tuple[Row, ...]
    penetration: int
    cut_card: bool
    shuffle: str | None


def stub_clock(view: TableView, book: Book, rounds: tuple[Round, ...] = ()) -> StubClock | None:
    """Return the stub clock, nothing where the game counts no stub.

    Args:
        view: The table.
        book: The rulebook, for the limit.
        rounds: The table's last rounds, newest last, for the last count.
    """
    since = view.rounds_since_stub_count
    if since is None:
        return None
    limit = book.parameter("stub_count_overdue", "rounds")
    shown = min(max(since, limit), MOST_PIPS)
    pips = tuple(
        "" if place > since else "over" if place >= limit else "on" for place in range(1, shown + 1)
    )
    return StubClock(since, limit, pips, _last_count(rounds))


def _last_count(rounds: tuple[Round, ...]) -> str | None:
    for round_ in reversed(rounds):
        if round_.counted_stub is not None:
            expected = NOTHING if round_.expected_stub is None else str(round_.expected_stub)
            return f"round {round_.number}: {round_.counted_stub} of {expected}"
    return None


def deck_ledger(view: TableView) -> tuple[Row, ...]:
    """Return the ledger of a deck dealt from the hand, empty where none is."""
    if view.dealt_from != "hand":
        return ()
    players = sum(1 for card in view.cards if card.to == "player")
    dealer = sum(1 for card in view.cards if card.to == "dealer")
    other = (view.cards_out or 0) - players - dealer
    deck = view.stocks[0].cards if view.stocks else (view.decks or 1) * CARDS_IN_DECK
    return (
        Row("Deck", str(deck)),
        Row(f"Players, {len(view.positions)} in play", _minus(players)),
        Row("Dealer", _minus(dealer)),
        *((Row("Other cards", _minus(other)),) if other > 0 else ()),
        Row("Stub now", _figure(view.stub_now), total=True),
        Row("Stub due at the end", _figure(view.stub_due)),
        *((Row("Stub counted", str(view.counted_stub)),) if view.counted_stub is not None else ()),
    )


def shoes(view: TableView) -> tuple[Shoe, ...]:
    """Return the shoes a table is dealt from, empty where it is dealt from the hand."""
    if view.dealt_from not in {"shoe", "double_shoe"}:
        return ()
    out = view.cards_out or 0
    return tuple(_shoe(stock, out if len(view.stocks) == 1 else None) for stock in view.stocks)


def _shoe(stock: ViewStock, this_round: int | None) -> Shoe:
    left = stock.cards - stock.out
    rows = [Row("Loaded", str(stock.cards))]
    if this_round is not None and this_round <= stock.out:
        rows.append(Row("Earlier", _minus(stock.out - this_round)))
        rows.append(Row("This round", _minus(this_round)))
    else:
        rows.append(Row("Dealt and burned", _minus(stock.out)))
    rows.append(Row("In the shoe", str(left), total=True))
    percent = round(100 * min(max(stock.out, 0), stock.cards) / stock.cards) if stock.cards else 0
    shuffle = words(stock.shuffle) if stock.shuffle else None
    return Shoe(stock.name or "", tuple(rows), percent, stock.cut_card, shuffle)


def _minus(cards: int) -> str:
    return f"\N{MINUS SIGN}{cards}" if cards else "0"


def _figure(cards: int | None) -> str:
    return NOTHING if cards is None else str(cards)
