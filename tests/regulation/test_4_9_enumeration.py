"""Table 3 by exact enumeration: every six-card deal of a shoe, not a sample of them.

Drawing wherever the rules leave it free is punto banco, whose counts are known exactly; the other
choices are known to nine places. Each cell of the table that a coup can reach changes the counts.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Final

import pytest

from streams.core.cards import RANKS, Card
from streams.core.games.chemin_de_fer.hands import NATURALS, count
from streams.core.games.chemin_de_fer.table3 import DRAW, OPTION, STAY, TABLE_3, banker_does
from tests.coups import PRINTED

RANK_OF: Final = {count([Card(rank + "S")]): Card(rank + "S") for rank in RANKS}
"""A card of each value; ten and the court cards count 0."""

Counts = tuple[int, int, int]
"""Deals that the banker wins, that the player wins, and ties."""

Cell = tuple[int, int | None]
"""A cell of Table 3: the banker's count, and the value of the player's third card."""

Table = Callable[[int, int | None], str]
"""What a cell says: D, S or O."""

FREE: Final[tuple[Cell, ...]] = ((3, 9), (5, 4))
"""The cells that leave the banker a choice; the player has his on 5."""


class Deals:
    """Every ordered deal of six cards, by what it turns on."""

    def __init__(self, decks: int) -> None:
        self.settled: dict[bool | None, list[int]] = defaultdict(lambda: [0, 0, 0])
        self.cells: dict[tuple[bool | None, Cell, bool], list[int]] = defaultdict(lambda: [0, 0, 0])
        self._left = [16 * decks] + [4 * decks] * 9
        self._size = 52 * decks
        for player, banker in product(combinations_with_replacement(range(10), 2), repeat=2):
            ways = self._take(*player, *banker)
            ways *= (1 + (player[0] != player[1])) * (1 + (banker[0] != banker[1]))
            if ways:
                self._deal(player, banker, ways)
            self._put(*player, *banker)

    def _take(self, *values: int) -> int:
        ways = 1
        for value in values:
            ways *= self._left[value]
            self._left[value] -= 1
        return ways

    def _put(self, *values: int) -> None:
        for value in values:
            self._left[value] += 1

    def _deal(self, player: tuple[int, ...], banker: tuple[int, ...], ways: int) -> None:
        size = self._size
        own, bank = total(*player), total(*banker)
        if own in NATURALS:
            score(self.settled[None], own, bank, ways * (size - 4) * (size - 5))
            return
        for takes in (True, False):
            if (takes and own > 5) or (not takes and own < 5):
                continue
            five = takes if own == 5 else None
            if not takes:
                self._third(five, own, bank, banker, None, ways * (size - 5))
            elif bank in NATURALS:
                score(self.settled[five], own, bank, ways * (size - 4) * (size - 5))
            else:
                for third in range(10):
                    more = ways * self._take(third)
                    self._third(five, total(*player, third), bank, banker, third, more)
                    self._put(third)

    def _third(
        self,
        five: bool | None,
        own: int,
        bank: int,
        banker: tuple[int, ...],
        third: int | None,
        ways: int,
    ) -> None:
        """Count a deal both ways: the banker stays, or draws each value.

        Whatever is not drawn is left over: a deal is six cards, drawn or not.
        """
        last = self._size - (4 if third is None else 5)
        score(self.cells[five, (bank, third), False], own, bank, ways * last)
        for value in range(10):
            score(
                self.cells[five, (bank, third), True],
                own,
                total(*banker, value),
                ways * self._left[value],
            )

    def counts(
        self, does: Callable[[int, int | None], str], free: dict[Cell, bool], takes: bool
    ) -> Counts:
        """Return how many deals each wins by a table, with these free choices."""
        won = [0, 0, 0]
        for five, own in self.settled.items():
            if five in (None, takes):
                won = [left + right for left, right in zip(won, own, strict=True)]
        for (five, cell, drawn), own in self.cells.items():
            says = does(*cell)
            draws = free[cell] if says == OPTION else says == DRAW
            if five in (None, takes) and draws is drawn:
                won = [left + right for left, right in zip(won, own, strict=True)]
        return won[0], won[1], won[2]


@cache
def total(*values: int) -> int:
    """Return a hand's count, by the product's own counting."""
    return count([RANK_OF[value] for value in values])


def score(counts: list[int], player: int, banker: int, ways: int) -> None:
    counts[0 if banker > player else 1 if player > banker else 2] += ways


@cache
def deals(decks: int) -> Deals:
    return Deals(decks)


def always_drawn(decks: int) -> Counts:
    return deals(decks).counts(banker_does, dict.fromkeys(FREE, True), takes=True)


@pytest.mark.parametrize(
    ("decks", "banker", "player", "tie", "all_deals"),
    [
        (1, 6_737_232_640, 6_548_674_432, 1_372_227_328, 14_658_134_400),
        (6, 403_095_751_234_560, 392_220_492_728_832, 83_552_962_932_288, 878_869_206_895_680),
        (
            8,
            2_292_252_566_437_888,
            2_230_518_282_592_256,
            475_627_426_473_216,
            4_998_398_275_503_360,
        ),
    ],
)
def test_always_drawing_is_punto_banco(
    decks: int, banker: int, player: int, tie: int, all_deals: int
) -> None:
    assert always_drawn(decks) == (banker, player, tie)
    assert banker + player + tie == all_deals


@pytest.mark.parametrize(
    ("takes", "three_nine", "five_four", "player", "banker", "tie"),
    [
        (True, True, True, 446246609, 458597423, 95155968),
        (True, True, False, 446170821, 458488565, 95340614),
        (True, False, True, 446331876, 458330221, 95337903),
        (True, False, False, 446256088, 458221364, 95522548),
        (False, True, True, 446431708, 461645354, 91922938),
        (False, True, False, 446304191, 461536497, 92159312),
        (False, False, True, 446196435, 461645060, 92158505),
        (False, False, False, 446068918, 461536203, 92394879),
    ],
)
def test_the_eight_choices_of_the_three_free_ones(
    takes: bool, three_nine: bool, five_four: bool, player: int, banker: int, tie: int
) -> None:
    free = dict(zip(FREE, (three_nine, five_four), strict=True))
    won = deals(8).counts(banker_does, free, takes)
    billionths = [round(each * 10**9 / sum(won)) for each in won]
    assert billionths == [banker, player, tie]


REACHED = [
    (row, column)
    for row in range(10)
    for column in (None, *range(10))
    if column is None or row not in NATURALS
]


@pytest.mark.parametrize(("row", "column"), REACHED)
def test_any_one_cell_changed_changes_the_counts(row: int, column: int | None) -> None:
    def changed(banker: int, third: int | None) -> str:
        says = banker_does(banker, third)
        if (banker, third) != (row, column):
            return says
        return STAY if says in (DRAW, OPTION) else DRAW

    free = dict.fromkeys(FREE, True)
    assert deals(8).counts(changed, free, takes=True) != always_drawn(8)


def test_the_table_is_the_printed_one() -> None:
    assert list(TABLE_3) == ["".join(PRINTED[row].split()) for row in range(10)]
