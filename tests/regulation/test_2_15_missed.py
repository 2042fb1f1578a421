"""N.J.A.C. 13:69F-2.15(e), (g) to (i): the nearest round that breaks each and that keeps it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from streams.core.cards import Card
from streams.core.events import (
    Body,
    Burned,
    CardDealt,
    DeterminantDrawn,
    DeviceFault,
    DeviceRestored,
    HandDeclaredDead,
    TableOpened,
    WagerPlaced,
)
from tests.blackjack_rounds import DOUBLE, SINGLE, breaks, keeps, script, table
from tests.traces import findings, raised

TOTALS = "=1:17 1:stand =2:12 2:stand =3:18 3:stand"
DEALER = "dealers_card D:9D =D:18"
END = "s3:push s2:lose s1:lose c3 c2 c1 cD close"


def dealt(*parts: str | Body, setup: TableOpened = SINGLE, **changes: object) -> list[Body]:
    """Return a table with one round of short-hand texts and events."""
    trace: list[Body] = []
    for part in parts:
        trace += script(part) if isinstance(part, str) else [part]
    return table(setup, trace, **changes)


# (e) the dealer's own cards

WITHOUT_DEALER = "w1 w2 w3 1:TS 2:9S 3:TH 1:7S 2:3S 3:8H"


def test_e_the_dealer_who_missed_his_first_card_deals_it_after_the_second_pass() -> None:
    finding = breaks("dealer_card_missed", dealt(WITHOUT_DEALER, "D:9C", TOTALS, DEALER, END))
    assert finding.detail == {"cards": 0}
    within = "w1 w2 w3 1:TS 2:9S 3:TH 1:7S D:9C 2:3S 3:8H"
    assert raised(dealt(within, TOTALS, DEALER, END)) == ["dealer_card_missed"]
    keeps(dealt("w1 w2 w3 1:TS 2:9S 3:TH D:9C 1:7S 2:3S 3:8H", TOTALS, DEALER, END))


@pytest.mark.parametrize(("hole", "card"), [("down", "D:9Dv"), ("up", "D:9D")])
def test_g_a_hole_card_passes_over_who_has_no_second_card(hole: str, card: str) -> None:
    passes = f"w1 w2 w3 1:TS 2:9S 3:TH D:9C 1:7S 2:3S {card} 3:8H"
    turned = "x:D:9D" if hole == "down" else ""
    rest = f"{TOTALS.replace('2:stand', '2:draw 2:5H =2:17 2:stand')} {turned}"
    end = "s3:lose s2:lose s1:lose c3 c2 c1 cD close"
    (finding,) = findings(dealt(passes, rest, end, hole_card=hole))
    assert (finding.code, finding.position, finding.detail) == ("position_missed", 3, {"cards": 1})


HOLE_MISSED = "w1 w2 w3 1:TS 2:9S 3:TH D:9C 1:7S 2:3S 3:8H"


@pytest.mark.parametrize(("hole", "card"), [("down", "D:9Dv"), ("up", "D:9D")])
def test_e_the_dealer_who_missed_his_hole_card_deals_it_before_any_further_card(
    hole: str, card: str
) -> None:
    turned = "x:D:9D" if hole == "down" else ""
    made_up = dealt(
        f"{HOLE_MISSED} =1:17 {card} 1:stand =2:12 2:draw 2:5H =2:17 2:stand",
        f"=3:18 3:stand {turned} s3:lose s2:lose s1:lose c3 c2 c1 cD close",
        hole_card=hole,
    )
    finding = breaks("dealer_card_missed", made_up)
    assert finding.detail == {"cards": 1}
    late = dealt(
        f"{HOLE_MISSED} =1:17 1:stand =2:12 2:draw 2:5H {card} =2:17 2:stand",
        f"=3:18 3:stand {turned} s3:lose s2:lose s1:lose c3 c2 c1 cD close",
        hole_card=hole,
    )
    finding = breaks("dealer_card_not_made_up", late, "dealer_card_missed")
    assert finding.detail == {"expected": 2, "cards": 1}


def test_e_a_further_card_can_itself_pass_over_the_hole_card() -> None:
    unseen = ("wagers", "cards", "faces")
    trace = dealt(
        f"{HOLE_MISSED} 2:5H D:9Dv x:D:9D s3:lose s2:lose s1:lose c3 c2 c1 cD close",
        hole_card="down",
        observes=unseen,
    )
    assert raised(trace) == ["dealer_card_missed", "dealer_card_not_made_up"]


def test_e_a_further_card_before_the_dealers_first_is_not_dealt() -> None:
    draws = "=1:17 1:stand =2:12 2:draw 2:5H"
    late = dealt(f"{WITHOUT_DEALER} {draws} D:9C =2:17 2:stand =3:18 3:stand", DEALER, END)
    finding = breaks("dealer_card_not_made_up", late, "dealer_card_missed")
    assert finding.detail == {"expected": 1, "cards": 0}
    in_time = dealt(f"{WITHOUT_DEALER} D:9C {draws} =2:17 2:stand =3:18 3:stand", DEALER, END)
    assert raised(in_time) == ["dealer_card_missed"]


def test_e_a_round_that_ends_without_the_dealers_cards_is_not_made_up() -> None:
    trace = dealt(WITHOUT_DEALER, TOTALS, END)
    breaks("dealer_card_not_made_up", trace, "dealer_card_missed")
    voided = dealt(WITHOUT_DEALER, TOTALS, "void", END)
    assert raised(voided) == ["dealer_card_missed"]


def test_e_without_a_reader_a_hole_card_is_not_missed() -> None:
    setup = replace(SINGLE, hole_card="down", card_reader=True)
    fault = [*table(setup), DeviceFault("card_reader")]
    plain = [*fault, *script(f"{HOLE_MISSED} {TOTALS} {DEALER} {END}")]
    assert raised(plain) == ["reader_malfunction"]
    first = [*fault, *script(f"{WITHOUT_DEALER} D:9C {TOTALS} {DEALER} {END}")]
    assert raised(first) == ["reader_malfunction", "dealer_card_missed"]
    late = [*fault, *script(f"{HOLE_MISSED} {TOTALS}"), DeviceRestored("card_reader")]
    assert raised([*late, *script(f"{DEALER} {END}")]) == ["reader_malfunction"]


# (g) a player who gets no card, or only one


def test_g_a_position_without_a_card_is_dead_from_the_dealers_first_card() -> None:
    passes = "w1 w2 w3 1:TS 3:TH D:9C 1:7S 3:8H"
    rest = f"=1:17 1:stand =3:18 3:stand {DEALER} s3:push s2:returned s1:lose c3 c1 cD close"
    finding = breaks("position_missed", dealt(passes, rest))
    assert (finding.position, finding.detail) == (2, {"cards": 0})
    dead = dealt(f"{passes} 2:3S", rest)
    finding = breaks("card_to_dead_hand", dead, "position_missed")
    assert finding.position == 2
    in_time = dealt("w1 w2 w3 1:TS 3:TH 2:9S D:9C 1:7S 2:3S 3:8H", TOTALS, DEALER, END)
    assert raised(in_time) == ["position_missed"]


def test_g_a_dead_position_is_not_waited_for_though_it_got_two_cards() -> None:
    passes = "w1 w2 w3 1:TS 3:TH D:9C 1:7S 2:9S 3:8H 2:3S"
    dead = dealt(passes, "=1:17 1:stand =3:18 3:stand", DEALER, END)
    assert raised(dead) == ["position_missed", "card_to_dead_hand"]
    turned = dealt(
        "w1 w2 1:TS D:9C 1:7S 2:9S D:9Dv 2:3S =1:17 1:stand x:D:9D s1:lose c1 cD close",
        hole_card="down",
    )
    assert raised(turned) == ["position_missed", "card_to_dead_hand"]


def test_g_where_the_dealer_is_missed_too_a_position_is_dead_from_the_second_pass() -> None:
    rest = f"=1:17 1:stand =3:18 3:stand {DEALER} s3:push s1:lose c3 c1 cD close"
    dead = dealt("w1 w2 w3 1:TS 3:TH 1:7S 2:9S 3:8H D:9C", rest)
    assert sorted(raised(dead)) == ["card_to_dead_hand", "dealer_card_missed", "position_missed"]


def test_g_a_position_with_one_card_may_have_its_second_after_the_others() -> None:
    passed = "w1 w2 w3 1:TS 2:9S 3:TH D:9C 1:7S 3:8H"
    made_up = dealt(f"{passed} 2:3S", TOTALS, DEALER, END)
    finding = breaks("position_missed", made_up)
    assert (finding.position, finding.detail) == (2, {"cards": 1})
    later = dealt(f"{passed} =1:17 1:stand =3:18 3:stand 2:3S =2:12 2:stand", DEALER, END)
    assert raised(later) == ["position_missed"]


def test_g_the_last_position_is_passed_over_by_the_first_announced_total() -> None:
    passed = "w1 w2 w3 1:TS 2:9S 3:TH D:9C 1:7S 2:3S"
    made_up = dealt(f"{passed} =1:17 3:8H 1:stand =2:12 2:stand =3:18 3:stand", DEALER, END)
    finding = breaks("position_missed", made_up)
    assert (finding.position, finding.detail) == (3, {"cards": 1})


def test_g_i_a_hand_declared_dead_gets_no_card() -> None:
    passed = "w1 w2 w3 1:TS 2:9S 3:TH D:9C 1:7S 3:8H"
    declared = HandDeclaredDead(2, wager_returned=True)
    rest = f"=1:17 1:stand =3:18 3:stand {DEALER} s3:push s1:lose c3 c2 c1 cD close"
    assert raised(dealt(passed, declared, rest)) == ["position_missed"]
    dead = dealt(passed, declared, "2:3S", rest)
    breaks("card_to_dead_hand", dead, "position_missed", fact=True)


# (h) the side of a double shoe


def sided(trace: Sequence[Body], side: str, wrong: dict[int, str]) -> list[Body]:
    """Return a trace whose cards come from a side, but some by their number from another."""
    changed: list[Body] = []
    number = 0
    for body in trace:
        if isinstance(body, CardDealt):
            number += 1
            changed.append(replace(body, side=wrong.get(number, side)))
        else:
            changed.append(body)
    return changed


NINE = Card("9H")


def of_sides(
    determinant: Card | None = NINE, wrong: dict[int, str] | None = None, **changes: object
) -> list[Body]:
    """Return a double shoe's round whose determinant names the left side, and is dealt."""
    wagers = [WagerPlaced(1, "main"), WagerPlaced(3, "main")]
    text = f"1:9H 3:TH D:9C 1:8S 3:8H =1:17 1:stand =3:18 3:stand {DEALER}"
    cards = sided(script(f"{text} s3:push s1:lose c3 c1 cD close"), "left", wrong or {})
    return table(DOUBLE, [*wagers, DeterminantDrawn("left", determinant), *cards], **changes)


def test_h_cards_of_the_side_that_the_determinant_did_not_name_are_played_on() -> None:
    keeps(of_sides())
    finding = breaks("wrong_side", of_sides(wrong={4: "right", 5: "right"}), fact=True)
    assert finding.detail == {"expected": "left", "dealt": "right"}
    keeps(of_sides(None, wrong={4: "right"}), of_sides(wrong={4: "right"}, red_side=None))


def test_h_a_determinant_may_come_from_either_side() -> None:
    drawn = DeterminantDrawn("right", NINE)
    cards = sided(
        script(f"1:TS 3:TH D:9C 1:7S 3:8H =1:17 1:stand =3:18 3:stand {DEALER}"), "left", {}
    )
    burned = Burned("segregated_area", NINE, exposed=True, side="right")
    end = script("s3:push s1:lose c3 c1 cD close")
    wagers = script("w1 w3")
    keeps(table(DOUBLE, [*wagers, drawn, burned, *cards, *end]))
    dealt_all_the_same = sided(script("1:9H"), "right", {})
    others = [body for body in cards if body != cards[0]]
    trace = table(DOUBLE, [*wagers, drawn, *dealt_all_the_same, *others[:-1], *end])
    assert sorted(raised(trace)[:2]) == ["determinant_misused", "wrong_side"]


# (i) a card that was asked for

PASSES = "w1 w2 w3 1:TS 2:9S 3:TH D:9C 1:7S 2:3S 3:8H =1:17 1:stand =2:12"


@pytest.mark.parametrize("action", ["draw", "double"])
def test_i_a_requested_card_may_be_dealt_after_the_others(action: str) -> None:
    told = "=2:17 2:stand" if action == "draw" else "=2:17"
    late = dealt(f"{PASSES} 2:{action} =3:18 3:stand 2:5H {told}", DEALER, END)
    finding = breaks("requested_card_missed", late)
    assert (finding.position, finding.hand) == (2, 1)
    keeps(dealt(f"{PASSES} 2:{action} 2:5H {told} =3:18 3:stand", DEALER, END))


def test_i_a_card_to_another_hand_or_to_the_dealer_passes_a_request_by() -> None:
    other = dealt(f"{PASSES} 2:draw 3:2H 2:5H =2:17 2:stand =3:20 3:stand", DEALER, END)
    breaks("requested_card_missed", other, "card_without_decision")


def test_i_of_two_hands_of_a_position_the_other_one_can_pass_it_by() -> None:
    text = "w1 1:8S D:9C 1:8H =1:16 1:split 1:2S =1:10 1:draw 1.2:3H 1:7H =1:17 1:stand"
    trace = dealt(f"{text} =1.2:11 1.2:stand", DEALER, "s1:lose s1.2:lose c1 cD close")
    finding = breaks("requested_card_missed", trace)
    assert (finding.position, finding.hand) == (1, 1)


def test_i_a_missed_card_is_dealt_before_the_dealers_second() -> None:
    late = dealt(f"{PASSES} 2:draw =3:18 3:stand dealers_card D:9D 2:5H =2:17 2:stand", END)
    others = ("requested_card_missed", "dealer_second_card_early")
    finding = breaks("missed_card_not_made_up", late, *others)
    assert (finding.position, finding.hand) == (2, 1)
    by_dealer = dealt(
        "w1 1:9S D:9C 1:3S =1:12 1:draw dealers_card D:9D 1:5H =1:17 1:stand s1:lose c1 cD close"
    )
    assert sorted(raised(by_dealer)) == sorted(["missed_card_not_made_up", *others])


def test_i_a_missed_card_is_dealt_before_the_hole_card_is_turned() -> None:
    passes = "w1 w2 1:TS 2:9S D:9C 1:2S 2:8S D:9Dv =1:12 1:draw =2:17 2:stand"
    rest = "s2:lose s1:lose c2 c1 cD close"
    late = dealt(f"{passes} x:D:9D 1:5H =1:17 1:stand {rest}", hole_card="down")
    breaks("missed_card_not_made_up", late, "requested_card_missed", "hole_card_seen_early")
    in_time = dealt(f"{passes} 1:5H =1:17 1:stand x:D:9D {rest}", hole_card="down")
    assert raised(in_time) == ["requested_card_missed"]


def test_i_a_players_card_turned_up_is_no_hole_card() -> None:
    passes = "w1 w2 1:TS 2:6S D:9C 1:2S 2:5C D:9Dv =1:12 1:draw =2:11 2:double 2:8Dv x:2:8D"
    rest = "1:5H =1:17 1:stand x:D:9D s2:win:1:1 s1:lose c2 c1 cD close"
    trace = dealt(passes, rest, hole_card="down", double_face="down")
    assert raised(trace) == ["requested_card_missed"]


def test_i_or_the_hand_is_declared_dead_and_its_wager_returned() -> None:
    passes = f"{PASSES} 2:draw =3:18 3:stand"
    end = f"{DEALER} s3:push s1:lose c3 c2 c1 cD close"
    returned = dealt(passes, HandDeclaredDead(2, wager_returned=True), end)
    assert raised(returned) == ["requested_card_missed"]
    kept = dealt(passes, HandDeclaredDead(2, wager_returned=False), end)
    breaks("missed_card_not_made_up", kept, "requested_card_missed")


def test_i_words_and_cards_between_rounds_are_of_no_request() -> None:
    keeps([*table(SINGLE), *script("2:draw 2:stand x:D:9D close")])


def test_i_a_request_that_nothing_passed_by_is_missed_when_the_round_ends() -> None:
    passes = "w1 w2 1:TS 2:9S D:9C 1:7S 2:3S D:9Dv =1:17 1:stand =2:12 2:draw"
    trace = dealt(f"{passes} s2:lose s1:lose c2 c1 cD close", hole_card="down")
    assert raised(trace) == ["missed_card_not_made_up"]


def test_i_a_hand_declared_dead_before_its_request_is_passed_by_was_missed_all_the_same() -> None:
    passes = "w1 w2 1:TS 2:9S D:9C 1:7S 2:3S =1:17 1:stand =2:12 2:draw"
    end = f"{DEALER} s1:lose c2 c1 cD close"
    returned = HandDeclaredDead(2, wager_returned=True)
    assert raised(dealt(passes, returned, end)) == ["requested_card_missed"]
    kept = dealt(passes, HandDeclaredDead(2, wager_returned=False), end)
    finding = breaks("missed_card_not_made_up", kept, "requested_card_missed")
    assert (finding.position, finding.hand) == (2, 1)
    hole = "w1 1:9S D:9C 1:3S D:9Dv =1:12 1:draw"
    keeps(dealt(hole, HandDeclaredDead(1, wager_returned=True), "cD close", hole_card="down"))
