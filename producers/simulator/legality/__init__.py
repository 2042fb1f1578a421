"""What the regulations say of a stream of events: a second opinion, apart from dealer and judge."""

from collections.abc import Callable, Iterable
from typing import Final, Protocol

from producers.simulator.legality.blackjack import BlackjackReader
from producers.simulator.legality.chemin_de_fer import CheminDeFerReader
from producers.simulator.legality.poker import PokerReader
from producers.simulator.setups import Setup
from producers.simulator.turns import Item


class Reader(Protocol):
    """Reads a table's events in order; ``wrong`` says what was not kept, in words."""

    wrong: list[str]

    def read(self, item: Item) -> None:
        """Read the next event."""
        ...


READERS: Final[dict[str, Callable[[Setup], Reader]]] = {
    "caribbean_stud": PokerReader,
    "four_card_poker": PokerReader,
    "blackjack": BlackjackReader,
    "chemin_de_fer": CheminDeFerReader,
}


def not_kept(setup: Setup, items: Iterable[Item]) -> list[str]:
    """Return what the regulations say was not kept, in the words of no finding."""
    reader = READERS[setup.game](setup)
    for item in items:
        reader.read(item)
    return reader.wrong
