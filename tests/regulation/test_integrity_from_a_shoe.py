"""Integrity: a shoe's cards that were not shuffled, by what was done and by how they come out."""

from dataclasses import replace

from streams.core.events import Body, CardsLoaded, DeckRemoved, ShuffleCompleted
from tests.blackjack_rounds import DOUBLE, SINGLE, script, table
from tests.traces import observing, raised, told

PACK_ORDER = "w1 w2 w3 w4 w5 1:AS 2:2S 3:3S 4:4S 5:5S D:6S 1:7S 2:8S 3:9S 4:TS 5:JS"


def test_integrity_a_set_is_shuffled_before_it_is_loaded() -> None:
    assert raised([SINGLE, CardsLoaded(312)]) == ["unshuffled_shoe"]
    assert raised([SINGLE, CardsLoaded(312, preshuffled=True)]) == []
    assert raised([*table(SINGLE), CardsLoaded(312)]) == ["unshuffled_shoe"]
    assert raised(observing([SINGLE, CardsLoaded(312)], "shuffles")) == []
    left: list[Body] = [DOUBLE, ShuffleCompleted("hand", side="left")]
    assert raised([*left, CardsLoaded(208, "left")]) == []
    assert raised([*left, CardsLoaded(208, "right")]) == ["unshuffled_shoe"]


def test_integrity_cards_in_the_order_of_a_pack_were_not_shuffled() -> None:
    assert raised(table(SINGLE, script(PACK_ORDER))) == ["ordered_cards"]
    mixed = PACK_ORDER.replace("4:4S 5:5S", "4:5S 5:4S")
    assert raised(table(SINGLE, script(mixed))) == []
    unread = PACK_ORDER.replace("D:6S", "D:?")
    assert raised(table(replace(SINGLE, decks=8), script(unread))) == []


def test_integrity_a_deck_taken_off_the_table_is_no_load_and_undoes_no_shuffle() -> None:
    short = ShuffleCompleted("automatic", 311)
    assert told([SINGLE, short, DeckRemoved(), CardsLoaded(312)]) == [
        ("shuffler_count_wrong", "raised", 0),
        ("shuffler_count_wrong", "cleared", 0),
    ]
    removed: list[Body] = [SINGLE, replace(short, cards=312), CardsLoaded(312), DeckRemoved()]
    assert raised([*removed, CardsLoaded(312)]) == ["unshuffled_shoe"]


def test_integrity_a_deck_taken_off_the_table_clears_the_counts_of_both_sides() -> None:
    short = [ShuffleCompleted("automatic", 207, side) for side in ("left", "right")]
    assert told([DOUBLE, *short, DeckRemoved()]) == [
        *[("shuffler_count_wrong", "raised", 0)] * 2,
        *[("shuffler_count_wrong", "cleared", 0)] * 2,
    ]
