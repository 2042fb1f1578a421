"""What a table is at, in one word for its tile.

==============  ==========================================================================
``closed``      the table is not open
``shuffling``   between rounds, and the cut card came since the last shuffle or load
``between``     between rounds
``betting``     a round is open, no card is dealt and betting is not closed
``dealing``     the cards that every hand gets are being dealt, or their order is not known
``deciding``    every hand has its first cards: players decide, and hands are made up
``settling``    a wager was settled, a hand was picked up, or the round was declared void
==============  ==========================================================================
"""

from streams.core.events import TableOpened
from streams.core.games import game_of
from streams.core.script import next_place
from streams.core.table import RoundState, TableState


def phase_of(table: TableState) -> str:
    """Return what a table is at."""
    setup, round_ = table.setup, table.round
    if not table.open or setup is None:
        return "closed"
    if round_ is None:
        cut = any(stock.cut_round is not None for stock in table.stocks.values())
        return "shuffling" if cut else "between"
    if round_.settling or round_.voided:
        return "settling"
    if not round_.dealt:
        return "dealing" if round_.no_more_bets else "betting"
    return "dealing" if _deals(setup, round_) else "deciding"


def _deals(setup: TableOpened, round_: RoundState) -> bool:
    game = game_of(setup)
    if game.deals is not None:
        return game.deals(round_)
    if game.script is None or round_.in_play is None:
        return True
    return next_place(game.script, round_, round_.in_play)[1] is not None
