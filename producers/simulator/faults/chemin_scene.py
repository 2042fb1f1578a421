"""What the faults of chemin de fer share: planned coups, and finding one's way in them."""

from collections.abc import Callable
from typing import Final

from producers.simulator.chemin_de_fer.dealer import CheminDeFerDealer, Plan
from producers.simulator.faults.registry import Scene
from producers.simulator.setups import Setup
from producers.simulator.turns import Item, Turn, places
from streams.core.events import Announced, CardDealt, CardExposed

CHEMIN: Final = ("chemin_de_fer",)

ZEROS: Final = "TJQK"
SIX: Final = [ZEROS, "6"]
SEVEN: Final = [ZEROS, "7"]
FOUR: Final = ["2", "2"]
NATURAL: Final = [ZEROS, "8"]


def dealer_of(scene: Scene) -> CheminDeFerDealer:
    """Return the scene's dealer, who deals chemin de fer."""
    if not isinstance(scene.dealer, CheminDeFerDealer):
        raise TypeError(f"expected chemin de fer, found {type(scene.dealer).__name__}")
    return scene.dealer


def coup(
    scene: Scene,
    player: list[str],
    banker: list[str],
    word: str | None = None,
    draws: bool | None = None,
    *,
    lawless: bool = False,
) -> Turn:
    """Deal a coup in which the two hands get these cards."""
    plan = Plan(player=player, banker=banker, word=word, draws=draws, lawless=lawless)
    return dealer_of(scene).turn(plan)


def speaks(setup: Setup) -> bool:
    """Return whether the table's devices send cards and announcements."""
    return setup.sends("cards") and setup.sends("announcements")


def one_of(scene: Scene, values: str) -> list[str]:
    """Return two cards whose count is one of these digits."""
    value = scene.rng.choice(values)
    return [ZEROS, value if value != "1" else "A"] if value != "0" else [ZEROS, ZEROS]


def cards_of(turn: Turn, hand: str) -> list[int]:
    """Return the places of a hand's cards."""
    return places(turn.during, lambda item: isinstance(item, CardDealt) and item.to == hand)


def shown_of(turn: Turn, hand: str) -> list[int]:
    """Return the places where a hand's cards are turned."""
    return places(turn.during, lambda item: isinstance(item, CardExposed) and item.to == hand)


def said(turn: Turn, test: Callable[[Announced], bool]) -> list[int]:
    """Return the places of the announcements for which the test holds."""

    def holds(item: Item) -> bool:
        return isinstance(item, Announced) and test(item)

    return places(turn.during, holds)


def unsay(turn: Turn, what: str) -> None:
    """Leave out an announcement and the dealer's repetition of it."""
    for at in reversed(said(turn, lambda item: item.what == what)):
        del turn.during[at]
