"""What a deck or shoe holds, as a page shows it: whole, out, and what the stub must count."""

from typing import Final

from streams.core.events import StubCounted, TableOpened
from streams.core.game import Game
from streams.core.games import game_of
from streams.core.integrity import full_count
from streams.core.script import in_play_at
from streams.core.table import RoundState, Stock, TableState
from streams.core.views import ViewStock

SIDES: Final = ("left", "right")
_NEW: Final = Stock()


def counts_stub(setup: TableOpened) -> bool:
    """Return whether a table counts the stub of a deck dealt from the hand."""
    return setup.dealt_from == "hand" and StubCounted not in game_of(setup).kinds


def stocks_in_use(table: TableState, setup: TableOpened) -> tuple[ViewStock, ...]:
    """Return the deck in the hand, the shoe, or both sides of the double shoe."""
    if setup.dealt_from == "hand":
        round_ = table.round
        name = table.deck_named(None) if round_ is None else round_.stock
        return (_stock(table, name, 0 if round_ is None else round_.left),)
    names = SIDES if setup.dealt_from == "double_shoe" else ("",)
    return tuple(_stock(table, name, table.stocks.get(name, _NEW).left) for name in names)


def _stock(table: TableState, name: str, out: int) -> ViewStock:
    stock = table.stocks.get(name, _NEW)
    shuffle = stock.shuffle or table.shuffle_unnamed
    cut = stock.cut_round is not None
    return ViewStock(name or None, full_count(table, name), out, shuffle, cut)


def stub_now(table: TableState, round_: RoundState) -> int:
    """Return what a deck dealt from the hand holds in the open round."""
    return full_count(table, round_.stock) - round_.left


def stub_due(table: TableState, game: Game, round_: RoundState) -> int | None:
    """Return what the stub must count when every hand has its cards, if who plays is known."""
    in_play = in_play_at(round_, "wagers" in table.observes)
    if game.script is None or not in_play:
        return None
    hands = len(in_play) * len(game.script.player_faces) + len(game.script.dealer_faces)
    return full_count(table, round_.stock) - hands
