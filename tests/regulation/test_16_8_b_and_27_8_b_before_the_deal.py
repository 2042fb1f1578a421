"""16.8(b) and 27.8(b), clause by clause: shuffle, hand, close of betting, lock-out."""

from dataclasses import replace

import pytest

from streams.core.advance import advance_all
from streams.core.events import (
    Body,
    CardDealt,
    CardsCollected,
    DeckInHand,
    DeckOutOfArea,
    LockoutPressed,
    NoMoreBets,
    RoundClosed,
    RoundVoided,
    ShuffleCompleted,
    WagerPlaced,
    WagerSettled,
)
from streams.core.table import new_table
from tests.from_hand import both, breaks, keeps, night
from tests.traces import (
    BOOK,
    CARIBBEAN,
    FOUR_CARD,
    SHUFFLE,
    after,
    before,
    events,
    findings,
    legal,
    opened,
    raised,
    with_card,
    without,
)


@both
def test_a_legal_round_is_silent(game: str) -> None:
    keeps(night(game, legal(game)))
    keeps(night(game, legal(game, (1, 2, 3, 4, 5, 6, 7)), legal(game, (4,))))


@both
def test_b_1_the_automated_shuffling_device_shuffles_the_cards(game: str) -> None:
    finding = breaks("shuffler_not_used", [opened(game), *legal(game)])
    assert finding.detail == {"last_shuffle": "none"}
    by_hand = [opened(game), SHUFFLE, ShuffleCompleted("hand"), *legal(game)]
    assert breaks("shuffler_not_used", by_hand).detail == {"last_shuffle": "hand"}
    breaks("shuffler_not_used", [*night(game, legal(game)), *legal(game)])
    keeps([opened(game), ShuffleCompleted("hand"), SHUFFLE, *legal(game)])


@both
def test_b_1_of_two_decks_each_is_shuffled_since_its_own_last_card(game: str) -> None:
    def dealt(deck: str) -> list[Body]:
        return [
            replace(body, deck=deck) if isinstance(body, DeckInHand) else body
            for body in legal(game)
        ]

    red, blue = replace(SHUFFLE, deck="red"), replace(SHUFFLE, deck="blue")
    keeps([opened(game), red, blue, *dealt("red"), *dealt("blue"), red, *dealt("red")])
    breaks("shuffler_not_used", [opened(game), red, blue, *dealt("red"), *dealt("red")])


@both
def test_b_2_the_stacked_deck_is_placed_in_either_hand(game: str) -> None:
    breaks("deck_not_in_hand", night(game, without(legal(game), DeckInHand)))
    late = after(without(legal(game), DeckInHand), CardDealt, DeckInHand("left"))
    breaks("deck_not_in_hand", night(game, late))
    left = [DeckInHand("left") if isinstance(each, DeckInHand) else each for each in legal(game)]
    keeps(night(game, left))


@both
def test_b_2_i_the_hand_once_chosen_holds_the_cards_for_the_round(game: str) -> None:
    changed = after(legal(game), CardDealt, DeckInHand("left"), number=4)
    finding = breaks("dealing_hand_changed", night(game, changed))
    assert finding.detail == {"chosen": "right", "used": "left"}
    keeps(night(game, after(legal(game), CardDealt, DeckInHand("right"), number=4)))
    other = [DeckInHand("left") if isinstance(each, DeckInHand) else each for each in legal(game)]
    keeps(night(game, legal(game), other))


@both
def test_b_2_ii_the_cards_are_kept_over_the_table_inventory_container(game: str) -> None:
    breaks("deck_out_of_area", night(game, after(legal(game), CardDealt, DeckOutOfArea())))
    keeps([*night(game, legal(game)), DeckOutOfArea()])


@both
def test_b_3_no_more_bets_is_announced_before_any_card(game: str) -> None:
    breaks("bets_not_closed", night(game, without(legal(game), NoMoreBets)))
    late = after(without(legal(game), NoMoreBets), CardDealt, NoMoreBets())
    breaks("bets_not_closed", night(game, late))
    keeps(night(game, before(legal(game), CardDealt, NoMoreBets())))


def test_16_8_b_3_the_lock_out_button_is_pressed_before_any_card() -> None:
    breaks("lockout_not_pressed", night(CARIBBEAN, without(legal(CARIBBEAN), LockoutPressed)))
    late = after(without(legal(CARIBBEAN), LockoutPressed), CardDealt, LockoutPressed())
    breaks("lockout_not_pressed", night(CARIBBEAN, late))


def test_27_8_b_3_knows_no_lock_out_button() -> None:
    keeps(night(FOUR_CARD, legal(FOUR_CARD)))
    keeps(night(FOUR_CARD, before(legal(FOUR_CARD), CardDealt, LockoutPressed())))


@both
@pytest.mark.parametrize("wager", ["ante", "aces_up", "progressive"])
def test_b_3_no_wager_is_placed_after_the_close(game: str, wager: str) -> None:
    late = WagerPlaced(3, wager, 500)
    finding = breaks("wager_after_close", night(game, before(legal(game), CardDealt, late)))
    assert finding.position == 3
    assert finding.detail == {"wager": wager, "closed_by": "no_more_bets"}
    keeps(night(game, before(legal(game), NoMoreBets, late)))


@both
def test_b_3_a_raise_and_what_comes_after_settling_are_allowed(game: str) -> None:
    keeps(night(game, before(legal(game), RoundClosed, WagerPlaced(3, "raise"))))
    late = WagerPlaced(3, "aces_up", 500)
    settled = WagerSettled(3, "ante", "lose")
    for end in (settled, CardsCollected("player", 3), RoundVoided()):
        keeps(night(game, before(legal(game), RoundClosed, end, late)))
    breaks("wager_after_close", night(game, before(legal(game), RoundClosed, late, settled)))


def test_16_8_b_3_the_lock_out_button_closes_betting_too() -> None:
    first = before(
        without(legal(CARIBBEAN), LockoutPressed),
        NoMoreBets,
        LockoutPressed(),
        WagerPlaced(3, "ante"),
    )
    finding = breaks("wager_after_close", night(CARIBBEAN, first))
    assert finding.detail["closed_by"] == "lockout_pressed"


@both
def test_b_3_the_other_hand_removes_the_card(game: str) -> None:
    def drawn(with_hand: str, holding: str = "right") -> list[Body]:
        trace = with_card(legal(game), 2, lambda card: replace(card, drawn_with=with_hand))
        trace = with_card(trace, 5, lambda card: replace(card, drawn_with=with_hand))
        return [DeckInHand(holding) if isinstance(each, DeckInHand) else each for each in trace]

    finding = breaks("wrong_hand_used", night(game, drawn("right")))
    assert finding.detail["drawn_with"] == "right"
    breaks("wrong_hand_used", night(game, drawn("left", holding="left")))
    keeps(night(game, drawn("left")))


# where traces are not plain


@both
def test_b_3_after_a_change_of_hands_the_other_one_removes_the_cards(game: str) -> None:
    def changed(drawn_with: str) -> list[Body]:
        trace = with_card(legal(game), 9, lambda card: replace(card, drawn_with=drawn_with))
        return before(trace, CardDealt, DeckInHand("left"), number=9)

    assert raised(night(game, changed("right"))) == ["dealing_hand_changed"]
    both_broken = ["dealing_hand_changed", "wrong_hand_used"]
    assert raised(night(game, changed("left"))) == both_broken
    back = before(changed("left"), CardDealt, DeckInHand("right"), number=9)
    assert raised(night(game, back)) == ["dealing_hand_changed"]


@both
def test_b_3_no_hand_is_wrong_where_none_holds_the_deck(game: str) -> None:
    trace = with_card(legal(game), 2, lambda card: replace(card, drawn_with="left"))
    assert raised(night(game, without(trace, DeckInHand))) == ["deck_not_in_hand"]


@both
def test_b_3_placed_with_alone_says_nothing_of_the_drawing_hand(game: str) -> None:
    trace = with_card(legal(game), 2, lambda card: replace(card, placed_with="right"))
    assert raised(night(game, trace)) == []
    drawn = with_card(trace, 2, lambda card: replace(card, drawn_with="right"))
    (finding,) = findings(night(game, drawn))
    assert finding.detail == {"drawn_with": "right", "placed_with": "right"}


@both
def test_b_3_two_late_wagers_of_a_position_are_one_finding_and_of_two_are_two(game: str) -> None:
    late = [WagerPlaced(3, "ante"), WagerPlaced(3, "aces_up"), WagerPlaced(4, "progressive")]
    told_of = findings(night(game, after(legal(game), NoMoreBets, *late)))
    assert [(each.code, each.position) for each in told_of] == [
        ("wager_after_close", 3),
        ("wager_after_close", 4),
    ]


@both
@pytest.mark.parametrize("wager", ["main", "raise", "insurance", "sevens", "bonus"])
def test_b_3_other_wagers_are_not_named_by_the_close(game: str, wager: str) -> None:
    assert raised(night(game, after(legal(game), NoMoreBets, WagerPlaced(3, wager)))) == []


@both
def test_betting_after_settling_is_of_the_next_round(game: str) -> None:
    settled: list[Body] = [WagerSettled(3, "ante", "win", pays="1:1"), CardsCollected("player", 3)]
    trace = before(legal(game), RoundClosed, *settled, WagerPlaced(3, "ante"))
    assert raised(night(game, trace)) == []
    state = advance_all(new_table("T"), events(night(game, trace)), BOOK).state
    assert state.round is None
