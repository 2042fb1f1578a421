"""The order in which a game's cards are due, as data.

A script is a list of passes: in each, one card to every position in play, ascending, then the
dealer's cards of that pass with their faces. The place due is the first in this order that is not
filled, whatever was dealt before, so one card out of place does not put the rest out of place.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from streams.core.table import HandKey, RoundState

DEALER: Final[HandKey] = ("dealer", None, 1)


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: the face of each player's card, then of the dealer's cards in it."""

    players: str
    dealer: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """A game's passes in order; compared by identity, so that its places can be kept by it."""

    passes: tuple[Pass, ...]

    @property
    def player_faces(self) -> tuple[str, ...]:
        """Return the faces of a player's cards by number."""
        return tuple(one.players for one in self.passes)

    @property
    def dealer_faces(self) -> tuple[str, ...]:
        """Return the faces of the dealer's cards by number."""
        return tuple(face for one in self.passes for face in one.dealer)

    def pass_of_dealer(self, number: int) -> int:
        """Return in which pass, from 1, the dealer's card of a number is dealt."""
        return [place for place, one in enumerate(self.passes, start=1) for _ in one.dealer][
            number - 1
        ]


class Place(NamedTuple):
    """A place to fill: whose hand, and the how-manieth card of it, from 1."""

    hand: HandKey
    number: int


@lru_cache(maxsize=4096)  # twelve positions have 4,095 sets of positions in play
def places(script: Script, in_play: tuple[int, ...]) -> tuple[Place, ...]:
    """Return every place of a round in the order in which they are due."""
    order: list[Place] = []
    dealer = 0
    for number, one in enumerate(script.passes, start=1):
        order += [Place(("player", position, 1), number) for position in in_play]
        for _ in one.dealer:
            dealer += 1
            order.append(Place(DEALER, dealer))
    return tuple(order)


def in_play_at(round_: RoundState, wagers_observed: bool) -> tuple[int, ...] | None:
    """Return the positions in play at the round's next card, ``None`` while they are open.

    They are fixed at the first card by the wagers; where wagers are not observed, by the cards
    of the first pass, up to the dealer's first card.
    """
    if round_.in_play is not None:
        return round_.in_play
    if wagers_observed:
        return tuple(sorted(round_.wagered))
    return None


def next_place(
    script: Script, round_: RoundState, in_play: tuple[int, ...]
) -> tuple[int, Place | None]:
    """Return the place due and its index; no place once the order is complete."""
    order = places(script, in_play)
    index = round_.next_place
    hands = round_.hands
    while index < len(order):
        place = order[index]
        if len(hands.get(place.hand, ())) < place.number:
            return index, place
        index += 1
    return index, None


def is_due(
    script: Script, round_: RoundState, key: HandKey, in_play: tuple[int, ...] | None
) -> bool:
    """Return whether a card to that hand goes to the place due."""
    if in_play is None:
        served = round_.served()
        if key == DEALER:
            return bool(served)
        return key[0] == "player" and key[2] == 1 and (key[1] or 0) > max(served, default=0)
    _, place = next_place(script, round_, in_play)
    return place is not None and place.hand == key
