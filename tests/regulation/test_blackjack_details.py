"""2.6 and 2.15 where another clause speaks, where nothing is known, and what a finding says."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from streams.core.cards import CARDS
from streams.core.events import (
    Announced,
    Body,
    Burned,
    CardDealt,
    CardExposed,
    DealerArrived,
    Decision,
    DeterminantDrawn,
    DeviceFault,
    DeviceRestored,
    DrawnInError,
    HandDeclaredDead,
)
from tests.blackjack_rounds import DOUBLE, SINGLE, script, table
from tests.traces import findings, observing, raised

HOLE_UP = replace(SINGLE, hole_card="up")
HOLE_DOWN = replace(SINGLE, hole_card="down")


def single(text: str) -> list[str]:
    return raised(table(SINGLE, script(text)))


def places(trace: Sequence[Body], code: str) -> list[tuple[int | None, int | None]]:
    return [(each.position, each.hand) for each in findings(trace) if each.code == code]


# 2.6(d), the determinant


def test_where_no_burn_is_seen_only_the_determinant_itself_tells_that_it_was_not_burned() -> None:
    drawn = DeterminantDrawn(side="right", card=CARDS["4H"])
    opened = observing(table(DOUBLE, [drawn]), "burns")

    def first_from(side: str) -> list[str]:
        card = CardDealt("player", "up", 1, card=CARDS["4H"], side=side)
        return raised([*opened, *script("w1"), card])

    assert "determinant_misused" in first_from("right")
    assert "determinant_misused" not in first_from("left")


def test_a_card_like_the_determinant_that_was_dealt_is_burned_like_any_other() -> None:
    drawn = DeterminantDrawn(side="left", card=CARDS["4H"])
    dealt = [CardDealt("player", "up", 1, card=CARDS["4H"], side="left")]
    like = Burned("discard_rack", card=CARDS["4H"], side="left")
    assert raised(table(DOUBLE, [drawn], script("w1"), dealt, [like])) == []
    loose = raised(table(DOUBLE, [drawn], script("w1"), [like]))
    assert loose == ["burn_wrong_place"]


# 2.6(e), the passes


def test_who_has_two_cards_of_the_first_pass_is_not_passed_over_by_a_total() -> None:
    trace = table(SINGLE, script("w1 w2 1:TS 1:9H =1:19"))
    assert places(trace, "position_missed") == [(2, None)]


def test_a_total_ends_the_passes_so_that_a_card_answers_a_decision() -> None:
    trace = table(SINGLE, script("w1 w2 1:TS 2:5H D:6C 1:4S =1:14 1:draw 1:5H"))
    assert raised(trace) == ["position_missed"]


def test_who_had_no_card_when_totals_began_is_dead() -> None:
    trace = table(SINGLE, script("w1 w2 1:TS =1:10 2:9H"))
    assert places(trace, "card_to_dead_hand") == [(2, 1)]


def test_a_hole_card_passes_over_who_has_no_second_card_though_the_reader_is_at_fault() -> None:
    fault: list[Body] = [DeviceFault("card_reader")]
    trace = table(HOLE_DOWN, fault, script("w1 w2 1:TS 2:5H D:6C 1:4S D:9Cv 2:8H"))
    assert raised(trace) == ["reader_malfunction", "position_missed"]
    assert places(trace, "position_missed") == [(2, None)]


def test_a_second_card_up_is_announced_where_the_reader_is_at_fault() -> None:
    fault: list[Body] = [DeviceFault("card_reader")]
    deal = script("w1 1:TS D:6C 1:9H =1:19 1:stand")
    silent = table(HOLE_DOWN, fault, deal, script("D:9C"))
    assert raised(silent) == ["reader_malfunction", "dealers_card_not_announced"]
    said = table(HOLE_DOWN, fault, deal, script("dealers_card D:9C"))
    assert raised(said) == ["reader_malfunction"]


def test_a_hand_of_one_card_keeps_no_dealer_waiting() -> None:
    text = "w1 w2 1:TS 2:5H D:6C 1:9H =1:19 1:stand dealers_card D:9C"
    assert single(text) == ["position_missed"]


# 2.6(f), (g), (k), totals and decisions


def test_a_total_without_a_number_is_not_misannounced() -> None:
    total = Announced("dealer", "total", position=1)
    assert raised(table(SINGLE, script("w1 1:TS D:6C 1:9H"), [total])) == []


def test_two_sevens_get_no_card_undecided_unless_the_dealer_has_a_blackjack() -> None:
    offers = replace(HOLE_UP, offers=("sevens",))
    deal = "w1 w1:sevens 1:7S D:{} 1:7H D:{} 1:5C"
    ten = table(offers, script(deal.format("AC", "9S")))
    assert "card_without_decision" in raised(ten)
    blackjack = table(offers, script(deal.format("AC", "KS")))
    assert "card_without_decision" not in raised(blackjack)


def test_a_dealers_card_that_was_not_read_makes_no_blackjack() -> None:
    trace = table(HOLE_UP, script("w1 1:TS D:? 1:9H D:KS =1:19 1:draw 1:2C"))
    assert raised(trace) == []


def test_a_split_of_a_hand_that_got_no_card_is_not_split_again() -> None:
    trace = table(HOLE_UP, script("w1 1:8S D:6C 1:8H D:5C"), [Decision(1, "split", 3)])
    assert "resplit_not_permitted" not in raised(trace)


def test_a_reader_that_was_restored_is_to_be_asked_again() -> None:
    deal = script("w1 1:TS D:AC 1:2H D:9Cv")
    fault: list[Body] = [DeviceFault("card_reader")]
    restored: list[Body] = [*fault, DeviceRestored("card_reader")]
    for between, told in ((fault, False), (restored, True)):
        trace = table(HOLE_DOWN, deal, between, script("=1:12 1:draw 1:5C"), card_reader=True)
        assert ("reader_check_missing" in raised(trace)) is told


# 2.15


def test_a_card_to_a_dead_hand_names_the_hand() -> None:
    split = script("w1 1:8S D:6C 1:8H =1:16 1:split 1:3C =1:11")
    for hand, number in ((None, 1), (1, 1), (2, 2)):
        dead = HandDeclaredDead(1, wager_returned=True, hand=hand)
        card = CardDealt("player", "up", 1, hand, CARDS["5C"])
        trace = table(SINGLE, split, [dead, card])
        assert places(trace, "card_to_dead_hand") == [(1, number)]
        other = replace(card, hand=3 - number)
        assert places(table(SINGLE, split, [dead, other]), "card_to_dead_hand") == []


def test_a_card_to_who_was_passed_over_is_of_his_first_hand() -> None:
    trace = table(SINGLE, script("w1 w2 1:TS D:6C 2:9H"))
    assert places(trace, "card_to_dead_hand") == [(2, 1)]


def test_turning_up_another_actions_card_is_not_the_dealers_going_on() -> None:
    deal = script("w1 w2 1:TS 2:5H D:6C 1:2H 2:5S =1:12 1:draw =2:10 2:stand")
    for hand, told in ((None, True), (1, True), (2, False)):
        trace = table(HOLE_DOWN, deal, [CardExposed("dealer", hand=hand)])
        assert ("missed_card_not_made_up" in raised(trace)) is told


def test_of_two_cards_drawn_in_error_the_second_is_used_after_the_first() -> None:
    drawn = [DrawnInError(card=CARDS[name], exposed=False) for name in ("5H", "6D")]
    used = table(SINGLE, script("w1 w2 w3 1:TS"), drawn, script("2:5H 3:6D"))
    assert raised(used) == ["card_drawn_in_error"] * 2
    unused = table(SINGLE, script("w1 w2 w3 1:TS"), drawn, script("2:5H 3:9C"))
    assert raised(unused) == ["card_drawn_in_error"] * 2 + ["error_card_not_used"]


def test_the_burn_of_a_refused_card_is_not_the_burn_for_a_new_dealer() -> None:
    deal = script("w1 w2 1:TS 2:5H D:6C 1:2H 2:5S =1:12 1:draw")
    drawn: list[Body] = [DrawnInError(card=CARDS["9D"], exposed=True)]
    refused = script("1:refuse_card =2:10 2:draw 2:8C")
    burned: list[Body] = [DealerArrived("D2"), Burned("discard_rack", exposed=True)]
    trace = table(SINGLE, deal, drawn, refused, burned, script("=2:18 2:draw 2:2D"))
    assert "burn_missing" in raised(trace)


@pytest.mark.parametrize("double_face", [None, "down"])
def test_where_no_decision_is_seen_a_third_card_may_lie_down_for_a_double(
    double_face: str | None,
) -> None:
    trace = table(SINGLE, script("w1 1:5S D:6C 1:6H 1:9Dv"), double_face=double_face)
    told = raised(observing(trace, "decisions"))
    assert ("wrong_face" in told) is (double_face is None)
