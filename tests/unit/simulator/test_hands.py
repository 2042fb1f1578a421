"""Values of poker hands, on cases small enough to see."""

import pytest

from producers.simulator.hands import best_four_value, five_card_value, qualifies
from streams.core.cards import CARDS, Card


def hand(text: str) -> list[Card]:
    return [CARDS[card] for card in text.split()]


FIVE = [
    "KS QH 9D 5C 2S",
    "AS KH 9D 5C 2S",
    "2S 2H 9D 5C 3S",
    "2S 2H 3D 3C 4S",
    "2S 2H 2D 3C 4S",
    "AS 2H 3D 4C 5S",
    "TS JH QD KC AS",
    "2S 4S 6S 8S TS",
    "2S 2H 2D 3C 3S",
    "2S 2H 2D 2C 3S",
    "AS 2S 3S 4S 5S",
]


def test_five_card_hands_rank_as_the_game_says() -> None:
    values = [five_card_value(hand(text)) for text in FIVE]
    assert values == sorted(values)
    assert len(set(values)) == len(values)


@pytest.mark.parametrize(
    ("text", "yes"),
    [("AS KH 2D 3C 4S", True), ("AS QH JD TC 8S", False), ("2S 2H 3D 4C 5S", True)],
)
def test_the_dealer_qualifies_with_ace_king_or_better(text: str, yes: bool) -> None:
    assert qualifies(five_card_value(hand(text))) is yes


FOUR = [
    "KS QH 9D 5C 2S",
    "2S 2H 9D 5C 4S",
    "2S 2H 3D 3C 9S",
    "AS 2H 3D 4C 9S",
    "2S 5S 9S JS KH",
    "2S 2H 2D 5C 9S",
    "AS 2S 3S 4S 9H",
    "2S 2H 2D 2C 9S",
]


def test_the_best_four_rank_as_the_game_says() -> None:
    values = [best_four_value(hand(text)) for text in FOUR]
    assert values == sorted(values)
    assert len(set(values)) == len(values)


def test_the_dealers_sixth_card_can_make_the_hand() -> None:
    five, six = hand("2S 5H 9D JC KS"), hand("2S 5H 9D JC KS 2D")
    assert best_four_value(six) > best_four_value(five)
