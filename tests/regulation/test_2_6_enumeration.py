"""The dealer's final counts at blackjack, by exact recursion over every order of the cards.

The dealer takes cards of a full shoe until 2.6(h) lets him stop, whatever the players hold; the
counts, soft hands and blackjacks are the product's own. The figures are known to six places.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Final

import pytest

from streams.core.cards import RANKS, Card
from streams.core.games.blackjack.counts import VALUES, count, is_blackjack, is_soft

BLACKJACK: Final = "blackjack"
BUST: Final = "bust"
FINAL: Final = (17, 18, 19, 20, 21, BLACKJACK, BUST)
RANK_OF: Final = {VALUES[rank]: rank for rank in RANKS}
"""A rank of each value; ten and the court cards count 10."""

Ending = int | str
"""A final count, or a blackjack, or more than 21."""


@cache
def hand(values: tuple[int, ...]) -> tuple[Card, ...]:
    return tuple(Card(RANK_OF[value] + "S") for value in values)


def draws(values: tuple[int, ...], on_soft_seventeen: bool) -> bool:
    """Return whether the dealer takes another card."""
    cards = hand(values)
    if len(cards) < 2 or count(cards) < 17:
        return True
    return on_soft_seventeen and count(cards) == 17 and is_soft(cards)


def ending(values: tuple[int, ...]) -> Ending:
    cards = hand(values)
    if is_blackjack(cards):
        return BLACKJACK
    return BUST if count(cards) > 21 else count(cards)


def shoe(decks: int) -> dict[int, int]:
    """Return how many cards of each value some decks hold."""
    cards: dict[int, int] = defaultdict(int)
    for value in VALUES.values():
        cards[value] += 4 * decks
    return dict(cards)


@cache
def finals(
    decks: int | None, on_soft_seventeen: bool, up: int | None = None
) -> dict[Ending, Fraction]:
    """Return how probable each ending is, of a shoe of some decks or one that never changes.

    ``up`` is the value of the first card, any where none is given. A hand is its values in
    ascending order: in what order its cards came tells nothing of what comes next.
    """
    full = shoe(decks or 1)
    ended: dict[Ending, Fraction] = defaultdict(Fraction)
    open_hands: dict[tuple[int, ...], Fraction] = {(): Fraction(1)}
    while open_hands:
        longer: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for values, chance in open_hands.items():
            if not draws(values, on_soft_seventeen):
                ended[ending(values)] += chance
                continue
            gone = len(values) if decks else 0
            for value, cards in full.items():
                if not values and up is not None:
                    share = Fraction(value == up)
                else:
                    left = cards - (values.count(value) if decks else 0)
                    share = Fraction(left, sum(full.values()) - gone)
                if share:
                    longer[tuple(sorted((*values, value)))] += chance * share
        open_hands = longer
    assert sum(ended.values()) == 1
    return dict(ended)


def millionths(chance: Fraction) -> int:
    return round(chance * 10**6)


@pytest.mark.parametrize(
    ("decks", "on_soft_seventeen", "known"),
    [
        (1, False, (145830, 138063, 134820, 175806, 73630, 48265, 283585)),
        (6, False, (145245, 139258, 133685, 179527, 72874, 47489, 281921)),
        (6, True, (133459, 141205, 135682, 181531, 74874, 47489, 285760)),
        (8, False, (145215, 139318, 133629, 179709, 72838, 47451, 281839)),
        (8, True, (133409, 141280, 135630, 181714, 74841, 47451, 285675)),
        (None, False, (145126, 139497, 133464, 180252, 72731, 47337, 281593)),
        (None, True, (133260, 141507, 135474, 182262, 74741, 47337, 285419)),
    ],
)
def test_the_dealers_final_counts_by_decks(
    decks: int | None, on_soft_seventeen: bool, known: tuple[int, ...]
) -> None:
    found = finals(decks, on_soft_seventeen)
    assert set(found) == set(FINAL)
    assert tuple(millionths(found[each]) for each in FINAL) == known


@pytest.mark.parametrize(
    ("up", "stands", "draws_on"),
    [
        (1, 115426, 139091),
        (2, 353530, 356677),
        (3, 374115, 376891),
        (4, 395469, 398119),
        (5, 417902, 419136),
        (6, 422922, 439314),
        (7, 262031, 262031),
        (8, 243954, 243954),
        (9, 229037, 229037),
        (10, 212381, 212381),
    ],
)
def test_how_often_the_dealer_passes_21_by_his_first_card(
    up: int, stands: int, draws_on: int
) -> None:
    assert millionths(finals(8, False, up)[BUST]) == stands
    assert millionths(finals(8, True, up)[BUST]) == draws_on


def test_how_often_the_dealer_has_blackjack_by_his_first_card() -> None:
    chances = [millionths(finals(8, False, up).get(BLACKJACK, Fraction())) for up in range(1, 11)]
    assert chances == [308434, *[0] * 8, 77108]


def test_more_decks_come_nearer_to_a_shoe_that_never_changes() -> None:
    off = [
        sum(abs(finals(decks, False)[each] - finals(None, False)[each]) for each in FINAL)
        for decks in (1, 2, 4, 6, 8)
    ]
    assert all(nearer < farther for farther, nearer in pairwise(off))
