"""The open round's play, as checks of blackjack see it."""

from streams.core.events import CardDealt
from streams.core.games.blackjack.passes import Placing
from streams.core.games.blackjack.play import Play
from streams.core.judge import Observation
from streams.core.table import RoundState


def play_of(seen: Observation) -> Play | None:
    """Return the play of the open round, nothing between rounds."""
    return None if seen.round is None else play_in(seen.round)


def play_in(round_: RoundState) -> Play | None:
    """Return the play of a round of blackjack."""
    play = round_.play
    return play if isinstance(play, Play) else None


def placing(seen: Observation, body: CardDealt) -> Placing | None:
    """Return what a card does to the two passes, nothing where it goes to a later hand."""
    if not isinstance(seen.read, tuple):
        play = play_of(seen)
        seen.read = (None if play is None else play.placing(body),)
    read: Placing | None = seen.read[0]
    return read
