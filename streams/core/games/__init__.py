"""The games, one folder each: its script as data and its checks, one for a clause."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from streams.core.events import TableOpened
from streams.core.game import Game, clearing
from streams.core.games import blackjack, caribbean_stud, chemin_de_fer, four_card_poker
from streams.core.judge import Check, Once

_GAMES: Final = (blackjack.GAME, caribbean_stud.GAME, four_card_poker.GAME, chemin_de_fer.GAME)
_STANDING: Final[tuple[Check, ...]] = tuple(
    dict.fromkeys(check for game in _GAMES for check in game.checks if check.once is Once.STANDING)
)


def _clearing_all(game: Game) -> Game:
    """Return the game with what clears other games' findings, which survive a table's opening."""
    others = (clearing(check) for check in _STANDING if check not in game.checks)
    return replace(game, checks=(*game.checks, *others))


GAMES: Final[Mapping[str, Game]] = {game.name: _clearing_all(game) for game in _GAMES}
"""Every game by its name in ``table_opened``."""

BLACKJACK_FROM_HAND: Final = _clearing_all(blackjack.FROM_HAND)


def game_of(setup: TableOpened) -> Game:
    """Return the game a table's set-up plays: blackjack from the hand is 2.6A, not 2.6."""
    if setup.game == "blackjack" and setup.dealt_from == "hand":
        return BLACKJACK_FROM_HAND
    return GAMES[setup.game]
