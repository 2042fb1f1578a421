"""Every poker hand that can be dealt is ranked, by enumeration: exact counts, and another's order.

Hands alike in all that can matter are enumerated once, with how many of them there are.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise
from math import comb, prod

import pytest
from pokerkit import StandardLookup

from producers.simulator import hands
from producers.simulator.hands import RANK, Value, best_four_value, five_card_value, qualifies
from streams.core.cards import RANKS, SUITS, Card

Hand = tuple[Card, ...]


@cache
def ranked(size: int) -> tuple[tuple[str, ...], ...]:
    """Return every choice of ranks for so many cards; equal ranks stand together."""
    return tuple(
        ranks
        for ranks in combinations_with_replacement(RANKS, size)
        if max(Counter(ranks).values()) <= len(SUITS)
    )


def mixed(ranks: tuple[str, ...]) -> Hand:
    """Return cards of these ranks of which no three share a suit."""
    return tuple(Card(rank + SUITS[place % 4]) for place, rank in enumerate(ranks))


def ways(ranks: tuple[str, ...]) -> int:
    """Return how many hands have these ranks."""
    return prod(comb(4, copies) for copies in Counter(ranks).values())


def with_suited(size: int, least: int) -> Iterator[tuple[Hand, int]]:
    """Yield hands apart by ranks and by which share a suit, if so many do, and how many are so."""
    for ranks in ranked(size):
        copies = Counter(ranks)
        alike = 0
        for number in range(least, len(copies) + 1):
            for suited in combinations(copies, number):
                others = {rank: copies[rank] - (rank in suited) for rank in copies}
                many = 4 * prod(comb(3, left) for left in others.values())
                if not many:
                    continue
                rest = [
                    Card(rank + SUITS[1 + place])
                    for rank, left in others.items()
                    for place in range(left)
                ]
                alike += many
                yield (*(Card(rank + SUITS[0]) for rank in suited), *rest), many
        if alike < ways(ranks):
            yield mixed(ranks), ways(ranks) - alike


@cache
def five() -> tuple[tuple[Hand, int], ...]:
    return tuple(with_suited(5, 5))


def test_five_cards_rank_as_another_program_ranks_them() -> None:
    lookup = StandardLookup()
    theirs = {
        lookup.get_entry("".join(rank + suit.lower() for rank, suit in cards)).index: (
            five_card_value(cards)
        )
        for cards, _ in five()
    }
    assert len(five()) == len(theirs) == 7462
    values = [theirs[index] for index in sorted(theirs)]
    assert all(lower < higher for lower, higher in pairwise(values))


def test_the_five_card_hands_of_a_deck_are_counted_exactly() -> None:
    found: Counter[int] = Counter()
    royal = ace_king = qualified = 0
    for cards, many in five():
        value = five_card_value(cards)
        found[value[0]] += many
        qualified += many * qualifies(value)
        royal += many * (value == (hands.STRAIGHT_FLUSH, (RANK["A"],)))
        ace_king += many * (value[0] == hands.HIGH and qualifies(value))
    assert found == {
        hands.STRAIGHT_FLUSH: 40,
        hands.QUADS: 624,
        hands.FULL_HOUSE: 3744,
        hands.FLUSH: 5108,
        hands.STRAIGHT: 10200,
        hands.TRIPS: 54912,
        hands.TWO_PAIR: 123552,
        hands.PAIR: 1098240,
        hands.HIGH: 1302540,
    }
    assert found.total() == 2598960
    assert (royal, ace_king, qualified) == (4, 167280, 1463700)


@pytest.mark.parametrize(
    ("size", "known"),
    [
        (4, (13, 44, 2496, 2816, 2772, 2808, 82368, 177408)),
        (5, (624, 2072, 58656, 114616, 101808, 123552, 1047552, 1150080)),
        (6, (14664, 47752, 897616, 2245352, 1744080, 2342736, 8194320, 4872000)),
    ],
)
def test_the_best_four_of_a_deck_are_counted_exactly(size: int, known: tuple[int, ...]) -> None:
    found: Counter[int] = Counter()
    for cards, many in with_suited(size, 4):
        found[best_four_value(cards)[0]] += many
    assert tuple(found[each] for each in range(hands.F_QUADS, hands.F_HIGH - 1, -1)) == known
    assert found.total() == comb(52, size)


def four(cards: Hand) -> Value:
    """Return the value of four cards, written from the order in which the hands rank."""
    ranks = sorted((RANK[card[0]] for card in cards), reverse=True)
    shape = sorted(Counter(ranks).values(), reverse=True)
    order = tuple(sorted(set(ranks), key=lambda rank: (-ranks.count(rank), -rank)))
    suited = len({card[1] for card in cards}) == 1
    wheel = ranks == [14, 4, 3, 2]
    run = shape == [1, 1, 1, 1] and (wheel or ranks[0] - ranks[3] == 3)
    top = (4 if wheel else ranks[0],)
    match shape:
        case [4]:
            return 7, order
        case [3, 1]:
            return 5, order
        case [2, 2]:
            return 2, order
        case [2, 1, 1]:
            return 1, order
        case _ if run:
            return (6 if suited else 3), top
        case _:
            return (4 if suited else 0), tuple(ranks)


@pytest.mark.parametrize("size", [4, 5])
def test_the_best_four_are_the_best_of_every_four(size: int) -> None:
    for cards, _ in with_suited(size, 4):
        assert best_four_value(cards) == max(map(four, combinations(cards, 4))), cards


def test_the_dealers_six_cards_are_the_best_of_every_four_too() -> None:
    for cards, _ in list(with_suited(6, 4))[::29]:
        assert best_four_value(cards) == max(map(four, combinations(cards, 4))), cards
