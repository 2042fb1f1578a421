"""The games, one folder each: its script as data and its checks, one for a clause."""

from collections.abc import Mapping
from typing import Final

from streams.core.events import TableOpened
from streams.core.game import Game
from streams.core.games import blackjack, caribbean_stud, chemin_de_fer, four_card_poker

GAMES: Final[Mapping[str, Game]] = {
    game.name: game
    for game in (blackjack.GAME, caribbean_stud.GAME, four_card_poker.GAME, chemin_de_fer.GAME)
}
"""Every game by its name in ``table_opened``."""


def game_of(setup: TableOpened) -> Game:
    """Return the game a table's set-up plays: blackjack from the hand is 2.6A, not 2.6."""
    if setup.game == "blackjack" and setup.dealt_from == "hand":
        return blackjack.FROM_HAND
    return GAMES[setup.game]
