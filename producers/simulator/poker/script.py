"""The order of dealing from the hand, as N.J.A.C. 13:69F-16.8(c) and 27.8(c) tell it.

Caribbean stud: one card down to each player from the dealer's left, one up to the dealer, then a
second, third, fourth and fifth down to each player and the dealer. Four card poker: five times one
card down to each player and the dealer, then the dealer's sixth up.
"""

from functools import lru_cache
from random import Random
from typing import Final

from producers.simulator.setups import PREFIXES, Setup, random_observes
from streams.core.cards import Card
from streams.core.events import CardDealt, CardExposed

Place = tuple[str, int | None, str]
"""To whom a card goes, the player's position, and its face."""

HAND: Final = 5
OTHER_HAND: Final = {"left": "right", "right": "left"}


@lru_cache(maxsize=4096)
def order(game: str, positions: tuple[int, ...]) -> tuple[Place, ...]:
    """Return the places of a round's cards in the order of dealing."""
    places: list[Place] = []
    for number in range(1, HAND + 1):
        places += [("player", position, "down") for position in positions]
        up = game == "caribbean_stud" and number == 1
        places.append(("dealer", None, "up" if up else "down"))
    if game == "four_card_poker":
        places.append(("dealer", None, "up"))
    return tuple(places)


@lru_cache(maxsize=16_384)
def dealt(
    to: str, position: int | None, face: str, card: Card, drawn_with: str | None
) -> CardDealt:
    """Return a card's dealing; equal ones are the same object."""
    return CardDealt(to=to, face=face, position=position, card=card, drawn_with=drawn_with)


@lru_cache(maxsize=4096)
def shown(to: str, position: int | None, card: Card) -> CardExposed:
    """Return the turning up of a face-down card; equal ones are the same object."""
    return CardExposed(to=to, position=position, card=card)


def random_setup(game: str, number: int, rng: Random, width: int = 2) -> Setup:
    """Draw the set-up of a hand-dealt table: its devices, its decks, what it offers."""
    observes = random_observes(rng)
    names = ("blue", "red") if rng.random() < 0.5 else ()
    if names and "*" not in observes and "dealing_hand" not in observes:
        observes = (*observes, "dealing_hand")
    progressive = game == "caribbean_stud" and rng.random() < 0.6
    return Setup(
        table=f"{PREFIXES[game]}-{number:0{width}d}",
        game=game,
        dealt_from="hand",
        decks=1,
        positions=rng.choice((6, 7)),
        observes=observes,
        offers=("progressive",) if progressive else None,
        jurisdiction="nj" if rng.random() < 0.3 else None,
        deck_names=names,
        shuffler_counts=rng.random() < 0.8,
        leaves_out=observes != ("*",) and rng.random() < 0.7,
    )
