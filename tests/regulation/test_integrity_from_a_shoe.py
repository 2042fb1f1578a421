"""Integrity: a shoe's cards that were not shuffled, by what was done and by how they come out."""

from dataclasses import replace

import pytest

from streams.core.cards import CARDS
from streams.core.events import Body, CardsLoaded, DeckRemoved, DrawnInError, ShuffleCompleted
from tests.blackjack_rounds import DOUBLE, SINGLE, script, table
from tests.traces import findings, observing, raised, told

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


def test_integrity_a_shuffler_counts_a_side_by_what_was_loaded_or_by_half_the_decks() -> None:
    def counted(cards: int) -> ShuffleCompleted:
        return ShuffleCompleted("automatic", cards, "left")

    def told_of(*trace: Body) -> list[dict[str, int | str]]:
        return [dict(each.detail) for each in findings([DOUBLE, *trace])]

    assert told_of(counted(208)) == []
    assert told_of(counted(207)) == [{"expected": 208, "counted": 207}]
    loaded: list[Body] = [counted(208), CardsLoaded(200, "left")]
    assert told_of(*loaded, counted(200)) == []
    assert told_of(*loaded, counted(208)) == [{"expected": 200, "counted": 208}]
    assert told_of(*loaded, ShuffleCompleted("automatic", 208, "right")) == []


def test_integrity_a_card_of_a_shoe_that_nobody_loaded_is_no_copy() -> None:
    trace = [replace(SINGLE, decks=1), *script("w1 1:TS D:6C 1:9H")]
    assert "duplicate_card" not in raised(trace)
    assert "duplicate_card" in raised([*trace, *script("D:6C")])


@pytest.mark.parametrize("drawn", ["5H", None])
def test_integrity_a_card_drawn_in_error_before_the_round_is_one_card_read_twice(
    drawn: str | None,
) -> None:
    error = DrawnInError(card=None if drawn is None else CARDS[drawn], exposed=False)
    trace = table(replace(SINGLE, decks=1), [error], script("w1 1:5H D:6C 1:9H"))
    assert "duplicate_card" not in raised(trace)
    assert "duplicate_card" in raised([*trace, *script("D:5H")])


def test_integrity_a_card_turned_up_as_another_than_it_was_dealt_is_no_card_more() -> None:
    one_deck = replace(SINGLE, decks=1, hole_card="down")
    trace = table(one_deck, script("w1 1:KS D:9C 1:7S D:8Cv x:D:8D 1:8D"))
    assert "duplicate_card" not in raised(trace)


def test_integrity_goes_on_in_a_round_that_was_voided() -> None:
    voided = table(SINGLE, script("w1 1:TS D:6C void"))
    assert raised([*voided, CardsLoaded(312)]) == ["unshuffled_shoe"]
