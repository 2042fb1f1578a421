"""Point counts of baccarat hands, and who may draw a third card: 4.9(a) and Table 3 of 4.9(c)."""

from collections.abc import Iterable
from typing import Final

from streams.core.cards import Card

VALUE: Final = {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0} | {str(n): n for n in range(2, 10)}

NATURALS: Final = (8, 9)

BANKER_DRAWS_UP_TO: Final[dict[int | None, int]] = {
    None: 5,
    0: 3,
    1: 3,
    2: 4,
    3: 4,
    4: 5,
    5: 5,
    6: 6,
    7: 6,
    8: 2,
    9: 3,
}
"""Table 3 read by columns: for each third card of the player's hand, none included, the highest
count of the banker's two cards on which he draws, his two free choices (below) taken as drawing."""

BANKER_FREE: Final = ((3, 9), (5, 4))
"""Count of the banker's hand and value of the player's third card where he may do either."""


def count(cards: Iterable[Card]) -> int:
    """Return the point count of a hand."""
    return sum(VALUE[card[0]] for card in cards) % 10


def player_words(points: int) -> tuple[str, ...]:
    """Return what the dominant player may announce on the count of two cards: 4.9(a)."""
    if points in NATURALS:
        return ("natural",)
    if points == 5:
        return ("card", "stay")
    return ("card",) if points < 5 else ("stay",)


def banker_may(points: int, third: Card | None) -> tuple[bool, ...]:
    """Return whether the banker may draw, may stay, or both: true is drawing, 4.9(c)."""
    value = None if third is None else VALUE[third[0]]
    if (points, value) in BANKER_FREE:
        return (True, False)
    return (points <= BANKER_DRAWS_UP_TO[value],)
