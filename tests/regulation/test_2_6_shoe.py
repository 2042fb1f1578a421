"""N.J.A.C. 13:69F-2.6(a) to (d), (l): from where cards come, burns, determinants, shuffles."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from streams.core.cards import Card
from streams.core.events import (
    Body,
    Burned,
    CardDealt,
    CardsLoaded,
    CardsTouched,
    CutCardReached,
    DealerArrived,
    DealerLeft,
    Decision,
    DeckInHand,
    DeterminantDrawn,
    DrawnInError,
    RackCounted,
    ShoeEmptied,
    ShuffleCompleted,
    TableClosed,
    TableOpened,
)
from tests.blackjack_rounds import DOUBLE, SINGLE, between, breaks, keeps, script, table
from tests.traces import findings, raised, told, with_card, without

RACK = "discard_rack"
AREA = "segregated_area"
PASSES = "w1 w2 w3 1:TS 2:9S 3:TH D:9C 1:7S 2:3S 3:8H"
PLAY = "=1:17 1:draw 1:4C =1:21 =2:12 2:draw 2:5H =2:17 2:stand =3:18 3:draw 3:2C =3:20 3:stand"
END = "dealers_card D:9D =D:18 s3:win s2:lose s1:win c3 c2 c1 cD close"
LEGAL = script(f"{PASSES} {PLAY} {END}")

Change = Callable[[CardDealt], CardDealt]


def handled(drawn_with: str, placed_with: str | None) -> Change:
    """Return a change that says which hand draws and places a card."""
    return lambda card: replace(card, drawn_with=drawn_with, placed_with=placed_with)


def sided(side: str, text: str) -> list[Body]:
    """Return the events of a text, the cards from a side of a double shoe."""
    return [
        replace(body, side=side) if isinstance(body, CardDealt) else body for body in script(text)
    ]


def test_the_round_below_is_legal_before_it_is_changed() -> None:
    keeps(table(SINGLE, LEGAL, LEGAL))


# (a) from a shoe


def test_a_cards_are_not_dealt_from_the_hand() -> None:
    trace = table(SINGLE, between(LEGAL, "1:7S", DeckInHand("left")))
    assert breaks("dealt_from_hand", trace, fact=True).detail == {"hand": "left"}


def test_a_of_a_table_dealt_from_the_hand_only_the_cards_are_judged() -> None:
    from_hand = TableOpened("blackjack", "hand", 1, 7, ("*",))
    trace = [from_hand, DeckInHand("left"), *script("w1 1:TS 2:9S 1:TS D:9Cv close")]
    assert raised(trace) == ["duplicate_card"]


# (b) with the left hand out of the shoe, with the right on the layout


@pytest.mark.parametrize(
    ("number", "drawn", "placed"),
    [
        (1, "right", "right"),
        (4, "right", None),
        (1, "left", "left"),
        (3, "left", "left"),
        (10, "left", "left"),
    ],
)
def test_b_a_card_is_drawn_with_the_left_hand_and_placed_with_the_right(
    number: int, drawn: str, placed: str | None
) -> None:
    trace = table(SINGLE, with_card(LEGAL, number, handled(drawn, placed)))
    # Whether a card to the first two positions is a hit card is a matter of how many went before.
    certain = drawn == "right" or number > 1
    finding = breaks("wrong_hand_used", trace, fact=certain)
    assert finding.detail == {"drawn_with": drawn, "placed_with": placed or "unknown"}


@pytest.mark.parametrize("number", [8, 9])
def test_b_a_hit_card_to_the_first_two_positions_may_be_placed_with_the_left(number: int) -> None:
    keeps(table(SINGLE, with_card(LEGAL, number, handled("left", "left"))))
    keeps(table(SINGLE, with_card(LEGAL, number, handled("left", "right"))))


def test_b_the_cards_of_a_split_are_hit_cards() -> None:
    split = "w1 1:8S D:9C 1:8H =1:16 1:split 1:TS =1:18 1:stand 1.2:9H =1.2:17 1.2:stand"
    trace = script(f"{split} dealers_card D:9D =D:18 s1:push s1.2:lose c1 c1.2 cD close")
    for number in (4, 5):
        keeps(table(SINGLE, with_card(trace, number, handled("left", "left"))))


def test_b_the_hand_is_told_once_a_round() -> None:
    trace = with_card(with_card(LEGAL, 1, handled("right", None)), 2, handled("right", None))
    assert told(table(SINGLE, trace)) == [("wrong_hand_used", "raised", 1)]


# (c) the burn after each set and by each new dealer


def test_c_the_first_card_of_a_set_is_burned() -> None:
    trace = without(table(SINGLE, LEGAL, LEGAL), Burned)
    assert breaks("burn_missing", trace).detail == {"reason": "new_set"}


def test_c_another_dealer_burns_a_card_before_he_deals() -> None:
    opened = table(SINGLE)
    trace = [*opened, DealerLeft("D1"), DealerArrived("D2"), *LEGAL, *LEGAL]
    assert breaks("burn_missing", trace).detail == {"reason": "new_dealer"}
    keeps([*opened, DealerLeft("D1"), DealerArrived("D2"), Burned(RACK), *LEGAL])
    keeps([*opened, *LEGAL, DealerLeft("D1"), DealerArrived("D1"), *LEGAL])


def test_c_each_load_and_each_arrival_asks_for_a_burn() -> None:
    loaded = without(table(SINGLE, LEGAL), Burned)
    again = [*loaded, ShuffleCompleted("hand"), CardsLoaded(312), *LEGAL, DealerArrived("D2")]
    assert told([*again, *LEGAL]) == [("burn_missing", "raised", each) for each in (1, 2, 3)]


def test_c_one_burn_is_for_the_set_and_for_the_dealer() -> None:
    keeps([*without(table(SINGLE), Burned), DealerArrived("D2"), Burned(RACK), *LEGAL])
    neither = [*without(table(SINGLE), Burned), DealerArrived("D2"), *LEGAL]
    assert breaks("burn_missing", neither).detail == {"reason": "new_set"}


@pytest.mark.parametrize("changes", [{"bart_carter": True}, {"dealt_from": "double_shoe"}])
def test_c_a_double_shoe_and_a_bart_carter_table_need_no_burn(changes: dict[str, object]) -> None:
    trace = [*without(table(SINGLE, **changes), Burned), DealerArrived("D2"), *LEGAL]
    assert "burn_missing" not in raised(trace)


def test_c_the_burn_of_an_irregularity_is_not_the_new_dealers() -> None:
    drew = script(f"{PASSES} {PLAY} dealers_card D:9D =D:18 D:2D")
    burned: list[Body] = [DealerArrived("D2"), Burned(RACK, Card("2D"), exposed=True)]
    ended = script("s3:win s2:lose s1:win c3 c2 c1 cD close")
    trace = table(SINGLE, drew, burned, ended, LEGAL)
    assert told(trace) == [
        ("dealer_drew_on_seventeen", "raised", 1),
        ("burn_missing", "raised", 2),
    ]


def test_c_the_burned_card_is_disclosed_only_to_a_player_who_asks() -> None:
    shown = Burned(RACK, Card("4C"), exposed=True)
    opened = without(table(SINGLE), Burned)
    breaks("burn_exposed", [*opened, shown, *LEGAL], fact=True)
    keeps([*opened, replace(shown, requested_by_player=True), *LEGAL])
    keeps([*opened, replace(shown, exposed=False), *LEGAL])


def test_c_a_refused_card_and_one_drawn_on_seventeen_are_burned_as_they_lie() -> None:
    refused: list[Body] = [
        DrawnInError(exposed=True, card=Card("4C")),
        Decision(3, "refuse_card"),
        Burned(RACK, Card("4C"), exposed=True),
    ]
    trace = table(SINGLE, between(LEGAL, "dealers_card", *refused))
    assert raised(trace) == ["exposed_card_drawn_in_error"]


def test_c_a_burned_card_goes_to_the_discard_rack() -> None:
    trace = [*without(table(SINGLE), Burned), Burned(AREA), *LEGAL]
    finding = breaks("burn_wrong_place", trace, fact=True)
    assert finding.detail == {"expected": RACK, "placed": AREA}


# (d) the determinant of a double shoe: hearts and diamonds name the left side here

FITS = DeterminantDrawn("left", Card("TH"))
FOREIGN = DeterminantDrawn("right", Card("TD"))
BURNED = Burned(AREA, Card("TD"), exposed=True, side="right")
WAGERS = script("w1 w2")
REST = sided(
    "left",
    "1:TH 2:9S D:9C 1:7S 2:8S =1:17 1:stand =2:17 2:stand"
    " dealers_card D:9D =D:18 s2:lose s1:lose c2 c1 cD close",
)


def double(*bodies: Body) -> list[Body]:
    """Return a double shoe's round of two positions that begins with these events."""
    return table(DOUBLE, [*WAGERS, *bodies, *REST])


def test_d_the_determinant_names_the_side() -> None:
    keeps(double(FITS), double(FOREIGN, BURNED))
    keeps(double(DeterminantDrawn("left")))
    unread = with_card(double(FITS), 1, lambda card: replace(card, card=None))
    keeps(unread)


def test_d_a_side_that_no_setup_names_is_not_judged() -> None:
    keeps(table(replace(DOUBLE, red_side=None), [*WAGERS, FOREIGN, *REST]))


def test_d_each_round_of_a_double_shoe_begins_with_a_determinant() -> None:
    breaks("determinant_missing", double())


def test_d_a_single_shoe_has_no_determinant() -> None:
    trace = table(SINGLE, [*LEGAL[:3], DeterminantDrawn("left", Card("TS")), *LEGAL[3:]])
    assert raised(trace) == ["event_out_of_place"]


def test_d_a_determinant_of_its_side_is_the_first_card_of_the_first_position() -> None:
    burned = Burned(AREA, Card("TH"), exposed=True, side="left")
    finding = breaks("determinant_misused", double(FITS, burned))
    assert finding.detail == {"reason": "not_first_card"}
    other = with_card(double(FITS), 1, lambda card: replace(card, card=Card("6H")))
    assert "determinant_misused" in raised(other)
    to_second = with_card(double(FITS), 1, lambda card: replace(card, position=2))
    assert "determinant_misused" in raised(to_second)
    to_dealer = with_card(double(FITS), 1, lambda card: replace(card, to="dealer", position=None))
    assert "determinant_misused" in raised(to_dealer)


def test_d_where_wagers_are_not_seen_the_first_position_is_the_one_dealt_to() -> None:
    seen = tuple(each for each in ("burns", "cards", "faces", "decisions", "totals"))
    keeps(table(replace(DOUBLE, observes=seen), [FITS, *REST]))


def test_d_a_determinant_of_the_other_side_is_burned_before_the_first_card() -> None:
    finding = breaks("determinant_misused", double(FOREIGN))
    assert finding.detail == {"reason": "not_burned"}
    of_another = Burned(AREA, Card("5C"), exposed=True, side="right")
    assert raised(double(FOREIGN, of_another)) == ["determinant_misused"]
    dealt = [CardDealt("player", "up", 1, card=Card("TD"), side="right"), *REST[1:]]
    assert "determinant_misused" in raised(table(DOUBLE, [*WAGERS, FOREIGN, *dealt]))


def test_d_where_burns_are_not_seen_only_the_dealt_determinant_tells() -> None:
    blind = replace(DOUBLE, observes=("cards", "wagers"))
    keeps(table(blind, [*WAGERS, FOREIGN, *REST]))
    dealt = [CardDealt("player", "up", 1, card=Card("TD"), side="right"), *REST[1:]]
    assert "determinant_misused" in raised(table(blind, [*WAGERS, FOREIGN, *dealt]))


@pytest.mark.parametrize("before", [0, 1, 8])
def test_d_there_is_one_determinant_a_round(before: int) -> None:
    trace = double(FITS)
    place = trace.index(REST[before])
    again = [*trace[:place], DeterminantDrawn("left", Card("3H")), *trace[place:]]
    assert breaks("determinant_misused", again).detail == {"reason": "second"}


def test_d_the_determinant_comes_before_the_first_card() -> None:
    trace = double()
    place = trace.index(REST[1])
    late = [*trace[:place], DeterminantDrawn("left", Card("3H")), *trace[place:]]
    finding = breaks("determinant_misused", late, "determinant_missing")
    assert finding.detail == {"reason": "late"}


def test_d_a_burned_determinant_goes_to_the_segregated_area() -> None:
    finding = breaks("burn_wrong_place", double(FOREIGN, replace(BURNED, place=RACK)), fact=True)
    assert finding.detail == {"expected": AREA, "placed": RACK}
    keeps([*table(DOUBLE), Burned(RACK, side="left")])
    other = Burned(RACK, Card("5C"), side="right")
    assert raised(double(FOREIGN, other, BURNED)) == []


# (l) what follows the cut card


def cut(*between_rounds: Body, setup: TableOpened = SINGLE) -> list[Body]:
    """Return two rounds, the cut card in the first, with these events between them."""
    first = between(LEGAL, "2:5H", CutCardReached())
    return table(setup, first, between_rounds, LEGAL)


CHANGED: Sequence[Body] = (
    ShoeEmptied(200),
    RackCounted(312),
    ShuffleCompleted("hand"),
    CardsLoaded(312),
    Burned(RACK),
)


def test_l_the_round_of_the_cut_card_is_the_last_before_the_shuffle() -> None:
    finding = breaks("shuffle_overdue", cut())
    assert (finding.round, finding.detail) == (2, {"side": "single"})
    keeps(cut(*CHANGED), cut(ShuffleCompleted("hand")))


def test_l_a_cut_card_between_rounds_belongs_to_the_next() -> None:
    assert told(table(SINGLE, [CutCardReached()], LEGAL, LEGAL, LEGAL)) == [
        ("shuffle_overdue", "raised", 2),
        ("shuffle_overdue", "raised", 3),
    ]


def test_l_a_table_that_opens_again_still_owes_the_shuffle() -> None:
    trace = [*table(SINGLE, between(LEGAL, "2:5H", CutCardReached())), TableClosed(), SINGLE]
    assert told([*trace, *LEGAL]) == [("shuffle_overdue", "raised", 1)]


def test_l_the_shoe_is_emptied_before_it_is_loaded() -> None:
    unemptied = cut(ShuffleCompleted("hand"), CardsLoaded(312), Burned(RACK))
    finding = breaks("shoe_not_emptied", unemptied, fact=True)
    assert (finding.round, finding.detail) == (1, {"side": "single"})
    twice = cut(*CHANGED, ShuffleCompleted("hand"), CardsLoaded(312), Burned(RACK))
    keeps(twice)
    bart_carter = cut(
        ShuffleCompleted("hand"), CardsLoaded(312), setup=replace(SINGLE, bart_carter=True)
    )
    keeps(bart_carter)


def test_l_the_emptied_shoe_and_the_rack_are_the_cards_loaded() -> None:
    short = cut(ShoeEmptied(200), RackCounted(311))
    finding = breaks("cards_missing", short, "suspect_cards_in_play", "shuffle_overdue", fact=True)
    assert finding.detail == {"expected": 312, "counted": 311}
    keeps(cut(RackCounted(100), *CHANGED))


def test_l_a_full_set_ends_the_search() -> None:
    short: list[Body] = [ShoeEmptied(200), RackCounted(311), ShuffleCompleted("hand")]
    cleared = cut(*short, CardsLoaded(312), Burned(RACK))
    assert told(cleared) == [("cards_missing", "raised", 1), ("cards_missing", "cleared", 1)]
    assert len({each.id for each in findings(cleared)}) == 1
    again_short = cut(*short, CardsLoaded(310), Burned(RACK))
    assert raised(again_short) == ["cards_missing", "suspect_cards_in_play"]


def test_l_a_set_of_which_no_load_is_known_is_not_counted() -> None:
    keeps([SINGLE, ShoeEmptied(200), RackCounted(311)])
    keeps([SINGLE, RackCounted(311)])


def of_side(side: str, cards: int = 208) -> list[Body]:
    """Return the change of one side of a double shoe."""
    return [
        ShoeEmptied(100, side),
        RackCounted(cards, side),
        ShuffleCompleted("hand", side=side),
        CardsLoaded(208, side),
    ]


def test_l_a_side_is_judged_for_itself() -> None:
    first = [*WAGERS, FITS, *REST[:3], CutCardReached("left"), *REST[3:]]
    second = [*WAGERS, FITS, *REST]
    overdue = table(DOUBLE, first, second)
    assert breaks("shuffle_overdue", overdue).detail == {"side": "left"}
    keeps(table(DOUBLE, first, of_side("left"), second))
    short = told(table(DOUBLE, first, of_side("left", 207), second))
    assert short == [("cards_missing", "raised", 1), ("cards_missing", "cleared", 1)]


def test_l_only_the_side_of_the_cut_card_is_shuffled() -> None:
    first = [*WAGERS, FITS, *REST[:3], CutCardReached("left"), *REST[3:]]
    wrong = table(DOUBLE, first, [ShuffleCompleted("hand", side="right")], of_side("left"))
    finding = breaks("wrong_side_shuffled", wrong, fact=True)
    assert finding.detail == {"due": "left", "shuffled": "right"}
    both = table(DOUBLE, first, [CutCardReached("right"), *of_side("right"), *of_side("left")])
    keeps(both, table(DOUBLE, [ShuffleCompleted("hand", side="right")]))
    keeps(table(SINGLE, [ShuffleCompleted("hand")]))
    keeps(table(DOUBLE, first, [ShuffleCompleted("hand"), *of_side("left")]))


def bart_carter(*rounds: Sequence[Body]) -> list[Body]:
    return without(table(SINGLE, *rounds, bart_carter=True), Burned)


def test_l_a_bart_carter_shuffle_comes_at_about_a_deck() -> None:
    # Eleven cards leave the shoe in a round: 44 in four, 55 in five.
    sixth = bart_carter(*[LEGAL] * 6)
    finding = breaks("bart_carter_overdue", sixth)
    assert (finding.round, finding.detail) == (6, {"cards": 55})
    keeps(bart_carter(*[LEGAL] * 5))
    shuffled = [ShuffleCompleted("bart_carter", stacks=3)]
    keeps(bart_carter(*[LEGAL] * 5, shuffled, *[LEGAL] * 5))


def test_l_a_card_drawn_before_the_first_is_not_in_the_rack() -> None:
    drawn = [DrawnInError(exposed=False, card=Card("TS"))]
    third = [*LEGAL[:3], *drawn, *LEGAL[3:]]
    # With eight burned 52 have left, and the one that is to be used now.
    trace = [*bart_carter(*[LEGAL] * 4), *[Burned(RACK)] * 8, *third]
    assert raised(trace) == ["card_drawn_in_error"]
    ninth = [*bart_carter(*[LEGAL] * 4), *[Burned(RACK)] * 9, *LEGAL]
    assert raised(ninth) == ["bart_carter_overdue"]


@pytest.mark.parametrize("stacks", [1, 2, 4])
def test_l_a_bart_carter_shuffle_makes_three_stacks(stacks: int) -> None:
    trace = bart_carter(LEGAL, [ShuffleCompleted("bart_carter", stacks=stacks)])
    assert breaks("bart_carter_stacks", trace, fact=True).detail == {"stacks": stacks}
    keeps(bart_carter([ShuffleCompleted("bart_carter")]), bart_carter([ShuffleCompleted("hand")]))


def test_l_no_player_or_spectator_handles_the_cards() -> None:
    touched = CardsTouched("spectator", permitted=False)
    trace = table(SINGLE, between(LEGAL, "2:5H", touched))
    assert breaks("cards_touched", trace, fact=True).detail == {"by": "spectator"}
    assert raised([*table(SINGLE), touched, touched]) == ["cards_touched"] * 2
    keeps(table(SINGLE, between(LEGAL, "2:5H", CardsTouched("player", permitted=True))))
