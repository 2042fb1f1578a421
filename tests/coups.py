"""Coups of chemin de fer, dealt and announced as 4.9 says, for tests to break."""

from collections.abc import Sequence
from itertools import count as counting
from typing import Final

from streams.core.cards import Card
from streams.core.events import (
    Announced,
    Body,
    CardDealt,
    CardExposed,
    CardsLoaded,
    RoundClosed,
    ShuffleCompleted,
    TableOpened,
)

VALUE: Final = {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0} | {str(n): n for n in range(2, 10)}
OPENING: Final[tuple[Body, ...]] = (
    TableOpened("chemin_de_fer", "shoe", 8, 12, ("*",)),
    ShuffleCompleted("hand"),
    CardsLoaded(416),
)

# Table 3 as the regulation prints it; columns none, 0 to 9.
PRINTED: Final = {
    0: "D D D D D D D D D D D",
    1: "D D D D D D D D D D D",
    2: "D D D D D D D D D D D",
    3: "D D D D D D D D D S O",
    4: "D S S D D D D D D S S",
    5: "D S S S S O D D D S S",
    6: "S S S S S S S D D S S",
    7: "S S S S S S S S S S S",
    8: "S S S S S S S S S S S",
    9: "S S S S S S S S S S S",
}


def total(ranks: str) -> int:
    return sum(VALUE[rank] for rank in ranks) % 10


def cell(banker: int, third: str | None) -> str:
    """Return what Table 3 says of a banker's count and the player's third card."""
    return PRINTED[banker].split()[0 if third is None else VALUE[third] + 1]


def said(by: str, what: str) -> list[Body]:
    """Return an announcement and the dealer's repetition of it."""
    return [Announced(by, what), Announced("dealer", what)]


def coup(
    player: str,
    banker: str,
    *,
    player_third: str = "2",
    banker_third: str = "3",
    takes: bool = True,
    option: bool = True,
) -> list[Body]:
    """Return a legal coup of these ranks.

    ``takes`` is the dominant player's choice on 5, ``option`` the banker's where Table 3 leaves
    him one; the thirds are dealt where they are due.
    """
    suits = counting()

    def card(rank: str) -> Card:
        return Card(rank + "SHDC"[next(suits) % 4])

    cards = {"player": [card(rank) for rank in player], "banker": [card(rank) for rank in banker]}
    trace: list[Body] = [
        CardDealt(to, "down", card=cards[to][number])
        for number in (0, 1)
        for to in ("player", "banker")
    ]
    turned = {to: [CardExposed(to, card=each) for each in own] for to, own in cards.items()}
    if total(player) >= 8:
        natural = said("dominant_player", "natural")
        return [*trace, *natural, *turned["player"], *turned["banker"], RoundClosed()]
    third: str | None = None
    if total(player) < 5 or (total(player) == 5 and takes):
        trace += said("dominant_player", "card")
        if total(banker) >= 8:
            natural = said("banker", "natural")
            return [*trace, *natural, *turned["player"], *turned["banker"], RoundClosed()]
        third = player_third
        trace += [*said("banker", "under_eight"), CardDealt("player", "up", card=card(third))]
    else:
        trace += said("dominant_player", "stay")
    trace += turned["banker"]
    says = cell(total(banker), third)
    if says == "D" or (says == "O" and option):
        trace.append(CardDealt("banker", "up", card=card(banker_third)))
    return [*trace, RoundClosed()]


def shoe(*coups: Sequence[Body]) -> list[Body]:
    return [*OPENING, *(body for each in coups for body in each)]
