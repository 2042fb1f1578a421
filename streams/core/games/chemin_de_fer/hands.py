"""The two hands of a coup, their counts, and what was announced, read off the open round."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from streams.core.cards import Card
from streams.core.events import Announced, CardDealt
from streams.core.judge import Observation
from streams.core.table import HandKey, RoundState

PLAYER: Final[HandKey] = ("player", None, 1)
BANKER: Final[HandKey] = ("banker", None, 1)
NATURALS: Final = (8, 9)

VALUES: Final = {rank: value for value, rank in enumerate("A23456789", start=1)} | dict.fromkeys(
    "TJQK", 0
)
"""What a rank counts at baccarat."""


def count(cards: Sequence[Card]) -> int:
    """Return the count of cards at baccarat: the last digit of the sum of their values."""
    return sum(VALUES[card[0]] for card in cards) % 10


@dataclass(frozen=True, slots=True)
class Coup:
    """A round as its rules see it, before the event that is judged.

    ``player`` and ``banker`` are the counts of the first two cards, absent where a card is not
    dealt or was not read; ``player_cards`` and ``banker_cards`` how many cards each hand has;
    ``player_third`` the value of the player's third card. ``dominant`` and ``bank`` are what the
    dominant player and the banker announced, in order; ``bank_after_card`` what the banker
    announced since the dominant player's first "Card".
    """

    player: int | None
    banker: int | None
    player_cards: int
    banker_cards: int
    player_third: int | None
    dominant: tuple[str, ...]
    bank: tuple[str, ...]
    bank_after_card: tuple[str, ...]

    @property
    def card_announced(self) -> bool:
        """Return whether the dominant player announced "Card"."""
        return "card" in self.dominant

    @property
    def player_natural(self) -> bool:
        """Return whether the player's two cards are known to make 8 or 9."""
        return self.player in NATURALS

    @property
    def banker_natural(self) -> bool:
        """Return whether the banker, asked for a card, is known to hold 8 or 9."""
        return self.card_announced and self.banker in NATURALS

    @property
    def natural(self) -> bool:
        """Return whether a natural by the cards ends the coup."""
        return self.player_natural or self.banker_natural


def coup(seen: Observation, round_: RoundState) -> Coup:
    """Return the coup that the open round is before the event."""
    if not isinstance(seen.read, Coup):
        seen.read = read_coup(round_)
    return seen.read


def read_coup(round_: RoundState) -> Coup:
    """Return the coup a round is."""
    dominant: list[str] = []
    bank: list[str] = []
    after = 0
    for event in round_.events:
        body = event.body
        if isinstance(body, Announced):
            if body.by == "dominant_player":
                if "card" not in dominant:
                    after = len(bank)
                dominant.append(body.what)
            elif body.by == "banker":
                bank.append(body.what)
    player, banker = round_.hands.get(PLAYER, []), round_.hands.get(BANKER, [])
    third = round_.card(player[2]) if len(player) > 2 else None
    return Coup(
        player=_count_of_two(round_, player),
        banker=_count_of_two(round_, banker),
        player_cards=len(player),
        banker_cards=len(banker),
        player_third=None if third is None else VALUES[third[0]],
        dominant=tuple(dominant),
        bank=tuple(bank),
        bank_after_card=tuple(bank[after:]) if "card" in dominant else (),
    )


def _count_of_two(round_: RoundState, indices: Sequence[int]) -> int | None:
    cards = [round_.card(index) for index in indices[:2]]
    known = [card for card in cards if card is not None]
    return count(known) if len(known) == 2 else None


def lies_down(round_: RoundState, index: int) -> bool:
    """Return whether a card of the round was dealt down and not turned up since."""
    body = round_.cards[index].body
    return isinstance(body, CardDealt) and body.face == "down" and index not in round_.turned


def is_third(coup_: Coup, body: CardDealt) -> bool:
    """Return whether a card about to be dealt is its hand's third."""
    return (coup_.player_cards if body.to == "player" else coup_.banker_cards) == 2
