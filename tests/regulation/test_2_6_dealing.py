"""N.J.A.C. 13:69F-2.6(e), (i), and the hole card of (j), (k): whose card is next, how it lies."""

import pytest

from streams.core.events import Body, CardsCollected, WagerPlaced
from tests.blackjack_rounds import SINGLE, breaks, keeps, script, table
from tests.traces import findings, raised, told, without

FIRST = "1:TS 2:9S 3:TH"
SECOND = "1:7S 2:8S 3:8H"
STANDS = "=1:17 1:stand =2:17 2:stand =3:18 3:stand"
END = "s3:win s2:lose s1:win c3 c2 c1 cD close"
NONE = f"{STANDS} dealers_card D:9D =D:18 {END}"
DOWN = f"{STANDS} x:D:9D =D:18 {END}"
UP = f"{STANDS} =D:18 s3:lose s2:lose s1:lose c3 c2 c1 cD close"


def dealt(passes: str, hole: str = "none", wagers: str = "w1 w2 w3") -> list[Body]:
    """Return a table with a round that is dealt so far as said and then played as it must be."""
    rest = {"none": NONE, "down": DOWN, "up": UP}[hole]
    return table(SINGLE, script(f"{wagers} {passes} {rest}"), hole_card=hole)


# (e) one to each, one to the dealer, a second to each


@pytest.mark.parametrize(("hole", "card"), [("none", ""), ("down", "D:9Dv"), ("up", "D:9D")])
def test_e_each_box_gets_a_card_then_the_dealer_then_each_another(hole: str, card: str) -> None:
    keeps(dealt(f"{FIRST} D:9C {SECOND} {card}", hole))


@pytest.mark.parametrize(
    ("passes", "due", "to"),
    [
        ("1:TS 1:7S 2:9S 3:TH D:9C 2:8S 3:8H", ("player", 2), ("player", 1)),
        ("1:TS 2:9S 2:8S 3:TH D:9C 1:7S 3:8H", ("player", 3), ("player", 2)),
        ("1:TS 2:9S 1:7S 2:8S 3:TH D:9C 3:8H", ("player", 3), ("player", 1)),
    ],
)
def test_e_a_second_card_in_the_first_pass_fills_the_place_in_the_second(
    passes: str, due: tuple[str, int], to: tuple[str, int]
) -> None:
    finding = breaks("deal_order", dealt(passes))
    assert finding.detail == {
        "expected_to": due[0],
        "expected_position": due[1],
        "dealt_to": to[0],
        "dealt_position": to[1],
    }


def test_e_a_third_card_in_the_second_pass_is_out_of_order() -> None:
    trace = dealt(f"{FIRST} D:9C 1:7S 1:2C 2:8S 3:8H")
    assert raised(trace) == ["deal_order", "card_without_decision", "total_misannounced"]


def test_e_the_dealers_second_card_does_not_come_in_the_second_pass() -> None:
    trace = table(
        SINGLE, script(f"w1 w2 w3 {FIRST} D:9C 1:7S dealers_card D:9D 2:8S 3:8H {STANDS} {END}")
    )
    finding = breaks("deal_order", trace, "dealer_second_card_early")
    assert finding.detail == {
        "expected_to": "player",
        "expected_position": 2,
        "dealt_to": "dealer",
    }


def test_e_a_card_to_a_box_without_a_wager_is_out_of_order() -> None:
    trace = dealt(f"1:TS 2:9S 3:TH 4:2C D:9C {SECOND}")
    assert breaks("card_without_wager", trace, "deal_order").position == 4
    second = dealt(f"{FIRST} D:9C 1:7S 4:2C 2:8S 3:8H")
    assert raised(second) == ["deal_order", "card_without_wager"]


def test_e_before_the_hole_card_nobody_else_is_due() -> None:
    trace = dealt(f"{FIRST} D:9C {SECOND} 4:2C D:9Dv", "down")
    assert raised(trace) == ["deal_order", "card_without_wager"]
    assert findings(trace)[0].detail == {
        "expected_to": "dealer",
        "dealt_to": "player",
        "dealt_position": 4,
    }
    after = dealt(f"{FIRST} D:9C {SECOND} D:9Dv 4:2C", "down")
    assert raised(after) == ["card_without_wager"]


def test_e_a_first_wager_after_the_first_card_adds_no_box() -> None:
    late = dealt("1:TS w4 2:9S 3:TH D:9C 1:7S 2:8S 3:8H")
    keeps(late)
    dealt_to = dealt("1:TS w4 2:9S 3:TH 4:2C D:9C 1:7S 2:8S 3:8H")
    assert raised(dealt_to) == ["deal_order"]


def test_e_a_side_wager_alone_is_no_wager_of_the_box() -> None:
    trace = dealt("1:TS 2:9S 3:TH 4:2C D:9C 1:7S 2:8S 3:8H", wagers="w1 w2 w3 w4:sevens")
    assert raised(trace) == ["deal_order", "card_without_wager"]


def test_e_a_box_missed_twice_over_is_made_up_twice_over() -> None:
    passes = "1:TS 3:TH 2:9S D:9C 1:7S 3:8H 2:8S"
    assert raised(dealt(passes)) == ["position_missed"]
    dead = "1:TS 3:TH D:9C 1:7S 3:8H 2:9S 2:8S"
    assert raised(dealt(dead)) == ["position_missed", "card_to_dead_hand"]


def test_e_where_the_dealer_is_missed_a_box_served_twice_is_not_due_in_the_second_pass() -> None:
    early = dealt("1:TS 1:7S 2:9S 3:TH 1:2C 2:8S 3:8H D:9C")
    assert raised(early) == [
        "deal_order",
        "card_without_decision",
        "dealer_card_missed",
        "total_misannounced",
    ]
    skipping = dealt("1:TS 1:7S 2:9S 3:TH 3:8H 2:8S D:9C")
    assert raised(skipping) == ["deal_order", "dealer_card_missed", "position_missed"]


def test_e_a_word_passes_over_whatever_was_not_dealt() -> None:
    trace = table(SINGLE, script(f"w1 w2 w3 1:TS 2:9S =1:10 D:9C 1:7S 2:8S 3:TH {NONE}"))
    missed = [each.position for each in findings(trace) if each.code == "position_missed"]
    assert missed == [1, 2, 3]
    assert "dealer_card_missed" in raised(trace)


def test_e_the_order_is_told_once_a_round() -> None:
    twice = dealt("1:TS 1:7S 2:9S 2:8S 3:TH D:9C 3:8H")
    assert told(twice) == [("deal_order", "raised", 1)]


def test_e_a_place_passed_over_is_never_out_of_order_and_nor_is_its_make_up() -> None:
    for passes in (
        "1:TS 3:TH 2:9S D:9C 1:7S 2:8S 3:8H",
        f"{FIRST} D:9C 1:7S 3:8H 2:8S",
        f"{FIRST} {SECOND} D:9C",
        f"{FIRST} 1:7S D:9C 2:8S 3:8H",
    ):
        assert "deal_order" not in raised(dealt(passes))


# without wagers: who has a first card plays


def blind(passes: str, hole: str = "none") -> list[Body]:
    """Return such a round where the table does not see wagers."""
    trace = without(dealt(passes, hole), WagerPlaced)
    seen = tuple(each for each in ("faces", "cards", "totals", "decisions", "announcements"))
    return [table(SINGLE, observes=seen, hole_card=hole)[0], *trace[1:]]


def test_without_wagers_each_ascending_box_is_due_in_the_first_pass() -> None:
    keeps(blind(f"{FIRST} D:9C {SECOND}"))
    assert raised(blind("2:9S 1:TS 3:TH D:9C 1:7S 2:8S 3:8H")) == ["deal_order"]


def test_without_wagers_the_dealers_card_fixes_who_plays() -> None:
    late = blind("1:TS 3:TH D:9C 1:7S 2:8S 3:8H 2:9S")
    assert raised(late) == ["deal_order"]


def test_without_wagers_a_second_card_to_the_first_box_begins_the_second_pass() -> None:
    assert raised(blind(f"{FIRST} {SECOND} D:9C")) == ["dealer_card_missed"]


# (e), (g), (h), (j), (k): how a card lies


@pytest.mark.parametrize(
    ("passes", "hole", "number", "expected"),
    [
        ("1:TSv 2:9S 3:TH D:9C 1:7S 2:8S 3:8H", "none", 1, "up"),
        ("1:TS 2:9S 3:TH D:9Cv 1:7S 2:8S 3:8H", "none", 1, "up"),
        ("1:TS 2:9S 3:TH D:9C 1:7S 2:8Sv 3:8H", "none", 2, "up"),
        (f"{FIRST} D:9C {SECOND} D:9D", "down", 2, "down"),
        (f"{FIRST} D:9C {SECOND} D:9Dv", "up", 2, "up"),
    ],
)
def test_e_j_k_every_card_is_up_but_a_hole_card_dealt_down(
    passes: str, hole: str, number: int, expected: str
) -> None:
    other = "down" if expected == "up" else "up"
    trace = dealt(passes, hole)
    finding = breaks("wrong_face", trace)
    assert finding.detail == {"number": number, "expected": expected, "dealt": other}


def test_g_h_further_cards_are_up_and_each_that_is_not_is_told() -> None:
    text = "w1 1:2S D:9C 1:3S =1:5 1:draw 1:4Cv =1:9 1:draw 1:TDv =1:19 1:stand"
    trace = table(SINGLE, script(f"{text} dealers_card D:3Dv D:6Dv =D:18 s1:win c1 cD close"))
    assert [(each.code, each.position, each.hand) for each in findings(trace)] == [
        ("wrong_face", 1, 1),
        ("wrong_face", 1, 1),
        ("wrong_face", None, 1),
        ("wrong_face", None, 1),
    ]
    assert len({each.id for each in findings(trace)}) == 4


DOUBLES = "w1 1:5S D:9C 1:6S =1:11 1:double 1:{} {} dealers_card D:9D =D:18 s1:win c1 cD close"


@pytest.mark.parametrize("face", [None, "up"])
def test_g_a_double_down_card_is_up_where_the_house_deals_it_up(face: str | None) -> None:
    trace = table(SINGLE, script(DOUBLES.format("TCv", "x:1:TC")), double_face=face)
    assert breaks("wrong_face", trace).position == 1
    keeps(table(SINGLE, script(DOUBLES.format("TC", "=1:21")), double_face=face))


def test_g_a_double_down_card_dealt_up_for_down_is_an_irregularity_of_its_own() -> None:
    keeps(table(SINGLE, script(DOUBLES.format("TCv", "x:1:TC")), double_face="down"))
    shown = table(SINGLE, script(DOUBLES.format("TC", "=1:21")), double_face="down")
    assert raised(shown) == ["double_card_face_up"]


def test_g_where_decisions_are_not_seen_a_further_card_may_be_for_a_double() -> None:
    seen = ("faces", "cards", "wagers")
    down = script("w1 1:5S D:9C 1:6S 1:TCv D:9D close")
    keeps(table(SINGLE, down, double_face="down", observes=seen))
    assert raised(table(SINGLE, down, observes=seen)) == ["wrong_face"]
    split = script("w1 1:5S D:9C 1:5C 1:6S 1:TCv 1.2:7Cv D:9D close")
    keeps(table(SINGLE, split, double_face="down", observes=seen))
    second = script("w1 1:5S D:9C 1:6Sv D:9D close")
    assert raised(table(SINGLE, second, double_face="down", observes=seen)) == ["wrong_face"]


# (i) the pick-up: from the far right, the dealer's last


@pytest.mark.parametrize(
    ("order", "position", "after"),
    [
        ("c2 c3 c1 cD", 3, 2),
        ("c3 c1 c2 cD", 2, 1),
        ("c3 c2 cD c1", 1, "dealer"),
    ],
)
def test_i_cards_are_picked_up_from_the_right(order: str, position: int, after: int | str) -> None:
    text = f"w1 w2 w3 {FIRST} D:9C {SECOND} {NONE}".replace("c3 c2 c1 cD", order)
    finding = breaks("pickup_order", table(SINGLE, script(text)))
    assert (finding.position, finding.detail) == (position, {"after": after})


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("c1 c2 c3 cD", [(2, 1), (3, 1)]),
        ("c1 c3 c2 cD", [(3, 1), (2, 1)]),
        ("c2 c1 c3 c3 cD", [(3, 1)]),
        ("cD c3 c2 c1", [(3, "dealer"), (2, "dealer"), (1, "dealer")]),
    ],
)
def test_i_each_position_picked_up_too_late_is_named_once(
    order: str, expected: list[tuple[int, int | str]]
) -> None:
    text = f"w1 w2 w3 {FIRST} D:9C {SECOND} {NONE}".replace("c3 c2 c1 cD", order)
    found = findings(table(SINGLE, script(text)))
    assert [(one.code, one.position, one.detail["after"]) for one in found] == [
        ("pickup_order", *each) for each in expected
    ]


def test_i_the_dealers_cards_are_his_whatever_position_is_named_with_them() -> None:
    trace = script(f"w1 w2 w3 {FIRST} D:9C {SECOND} {NONE}")
    place = trace.index(CardsCollected("player", 2))
    trace[place] = CardsCollected("dealer", 2)
    finding = breaks("pickup_order", table(SINGLE, trace))
    assert (finding.position, finding.detail) == (1, {"after": "dealer"})


def test_i_cards_picked_up_at_a_seat_unknown_are_in_no_order() -> None:
    trace = script(f"w1 w2 w3 {FIRST} D:9C {SECOND} {NONE}")
    trace[trace.index(CardsCollected("player", 2))] = CardsCollected("player")
    keeps(table(SINGLE, trace))


def test_i_what_is_collected_before_the_last_card_or_decision_does_not_count() -> None:
    text = f"w1 w2 w3 {FIRST} D:9C {SECOND} {NONE}"
    bust = text.replace("=1:17 1:stand", "=1:17 1:draw 1:8C =1:25 s1:lose c1").replace(
        " c1 cD", " cD"
    )
    keeps(table(SINGLE, script(bust.replace("s1:win ", ""))))


def test_i_split_hands_are_of_one_position() -> None:
    split = "w1 1:8S D:9C 1:8H =1:16 1:split 1:TS =1:18 1:stand 1.2:9H =1.2:17 1.2:stand"
    for order in ("c1 c1.2", "c1.2 c1"):
        keeps(
            table(
                SINGLE,
                script(f"{split} dealers_card D:9D =D:18 s1:push s1.2:lose {order} cD close"),
            )
        )


def test_i_a_round_without_a_pickup_is_not_judged_by_it() -> None:
    keeps(without(dealt(f"{FIRST} D:9C {SECOND}"), CardsCollected))


def test_a_round_in_which_no_card_is_dealt_passes_nobody_over() -> None:
    keeps(table(SINGLE, script("w1 w2 1:insurance close")))
