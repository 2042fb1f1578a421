"""Blackjack and chemin de fer as dealt: legal to a second reading, rich in what nights bring."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from producers.simulator.blackjack import counts
from producers.simulator.blackjack.dealer import BlackjackDealer, Plan
from producers.simulator.chemin_de_fer.counts import banker_may, count, player_words
from producers.simulator.floor import draw_setup
from producers.simulator.legality import not_kept
from producers.simulator.night import Night
from producers.simulator.setups import Setup
from producers.simulator.shoes import Shoe
from producers.simulator.turns import MISHAPS, Item
from streams.core.cards import CARDS, Card
from streams.core.events import CardDealt, DeterminantDrawn


def night(game: str, seed: int, rounds: int) -> tuple[Setup, list[Item]]:
    rng = Random(f"{game}/{seed}")
    setup = draw_setup(game, 1, rng, [])
    setup = replace(setup, observes=("*",), leaves_out=False, unread=0.0)
    return setup, list(Night(setup, rng, rounds).items())


def hand(text: str) -> list[Card]:
    return [CARDS[card] for card in text.split()]


@pytest.mark.parametrize("game", ["blackjack", "chemin_de_fer"])
@pytest.mark.parametrize("seed", range(25))
def test_a_second_reading_of_the_regulations_finds_nothing(game: str, seed: int) -> None:
    setup, items = night(game, seed, 40)
    assert not_kept(setup, items) == []


def test_a_night_of_blackjack_brings_what_nights_bring() -> None:
    kinds: Counter[str] = Counter()
    actions: Counter[str] = Counter()
    for seed in range(30):
        for item in night("blackjack", seed, 60)[1]:
            if not isinstance(item, MISHAPS):
                kinds[item.kind] += 1
                actions[getattr(item, "action", "")] += 1
    assert {"stand", "draw", "double", "split", "surrender", "insurance"} <= set(actions)
    assert {
        "cards_loaded",
        "cards_cut",
        "cut_card_reached",
        "shoe_emptied",
        "rack_counted",
        "burned",
        "determinant_drawn",
        "hole_card_read",
        "card_exposed",
        "up_card_moved",
        "round_voided",
        "cards_touched",
        "dealer_left",
        "table_closed",
    } <= set(kinds)


@pytest.mark.parametrize(
    ("cards", "best", "hard"),
    [("AS KH", 21, 11), ("AS AH", 12, 2), ("AS AH KD", 12, 12), ("TS 9H 5D", 24, 24)],
)
def test_blackjack_counts(cards: str, best: int, hard: int) -> None:
    assert counts.best(hand(cards)) == best
    assert counts.hard(hand(cards)) == hard


def test_a_planned_hand_gets_the_cards_wished_for() -> None:
    for seed in range(20):
        rng = Random(seed)
        setup = draw_setup("blackjack", 1, rng, [])
        dealer = BlackjackDealer(setup, rng)
        dealer.open()
        cards = {2: ["8", "9"], 4: ["TJQK", "7S"], 0: ["6", "5"]}
        choices = {2: ["stand"], 4: ["stand"]}
        turn = dealer.turn(Plan(positions=(2, 4), cards=cards, choices=choices))
        dealt = [item for item in turn.during if isinstance(item, CardDealt)]
        assert [str(item.card)[0] for item in dealt if item.position == 2] == ["8", "9"]
        assert [item.card for item in dealt if item.position == 4][1] == "7S"
        assert next(str(item.card)[0] for item in dealt if item.to == "dealer") == "6"


def test_a_determinant_can_be_wished_for() -> None:
    rng = Random(3)
    setup = draw_setup("blackjack", 1, rng, ["wrong_side"])
    dealer = BlackjackDealer(setup, rng)
    dealer.open()
    turn = dealer.turn(Plan(side="left", suits="SC"))
    drawn = next(item for item in turn.during if isinstance(item, DeterminantDrawn))
    assert drawn.side == "left"
    assert str(drawn.card)[1] in "SC"


def test_a_wish_leaves_the_shoe_with_what_it_held() -> None:
    shoe = Shoe(2, None, Random(1))
    before = Counter(shoe.cards)
    drawn = [shoe.draw("A"), shoe.draw("H"), shoe.draw("TJQK", "D"), shoe.draw()]
    assert drawn[0][0] == "A"
    assert drawn[1][1] == "H"
    assert drawn[2][0] in "TJQK"
    assert drawn[2][1] == "D"
    assert Counter(shoe.cards) + Counter(drawn) == before


def test_the_words_that_a_count_allows() -> None:
    assert [player_words(points) for points in (0, 4, 5, 6, 7, 8, 9)] == [
        ("card",),
        ("card",),
        ("card", "stay"),
        ("stay",),
        ("stay",),
        ("natural",),
        ("natural",),
    ]
    assert count(hand("KS 7H 9D")) == 6


@pytest.mark.parametrize(
    ("banker", "third", "may"),
    [
        (3, "8S", (False,)),
        (3, "9S", (True, False)),
        (4, "AS", (False,)),
        (5, "4S", (True, False)),
        (5, None, (True,)),
        (6, None, (False,)),
        (6, "6S", (True,)),
        (7, "6S", (False,)),
        (2, "8S", (True,)),
    ],
)
def test_what_table_3_lets_the_banker_do(
    banker: int, third: str | None, may: tuple[bool, ...]
) -> None:
    assert banker_may(banker, None if third is None else CARDS[third]) == may
