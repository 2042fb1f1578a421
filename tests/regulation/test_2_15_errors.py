"""N.J.A.C. 13:69F-2.15(a) to (d), (f): the nearest round that breaks each and that keeps it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from streams.core.cards import Card
from streams.core.events import (
    Body,
    Burned,
    CardsLoaded,
    DealerArrived,
    DeterminantDrawn,
    DiscardsShuffledIn,
    DrawnInError,
    FaceUpCardFound,
    ShoeExhausted,
    ShuffleCompleted,
    TableClosed,
)
from tests.blackjack_rounds import DOUBLE, SINGLE, between, breaks, keeps, script, table
from tests.traces import findings, raised, step_of, told

PASSES = "w1 w2 w3 1:TS 2:9S 3:TH D:9C 1:7S 2:3S 3:8H"
FIRST = "=1:17 1:stand"
SECOND = "=2:12 2:draw 2:5H =2:17 2:stand"
SECOND_STANDS = "=2:12 2:stand"
THIRD = "=3:18 3:stand"
DEALER = "dealers_card D:9D =D:18"
END = "s3:push s2:lose s1:lose c3 c2 c1 cD close"
LEGAL = script(f"{PASSES} {FIRST} {SECOND} {THIRD} {DEALER} {END}")
STANDING = script(f"{PASSES} {FIRST} {SECOND_STANDS} {THIRD} {DEALER} {END}")
RACK = "discard_rack"
SHOWN = DrawnInError(exposed=True, card=Card("KD"))


def dealt(*parts: str | Body) -> list[Body]:
    """Return a table with one round of short-hand texts and events."""
    trace: list[Body] = []
    for part in parts:
        trace += script(part) if isinstance(part, str) else [part]
    return table(SINGLE, trace)


def test_the_rounds_below_are_legal_before_they_are_changed() -> None:
    keeps(table(SINGLE, LEGAL, LEGAL), table(SINGLE, STANDING))


# (a) a card turned face upwards in the shoe


def test_a_a_card_found_face_up_is_put_in_the_rack() -> None:
    found = FaceUpCardFound(RACK, Card("4C"))
    breaks("face_up_card_in_shoe", table(SINGLE, between(LEGAL, "2:5H", found)), fact=True)
    twice = table(SINGLE, between(LEGAL, "2:5H", found, FaceUpCardFound(RACK)))
    assert raised(twice) == ["face_up_card_in_shoe"] * 2
    assert told([*table(SINGLE, LEGAL), found]) == [("face_up_card_in_shoe", "raised", 1)]


def test_a_a_card_found_face_up_is_not_used() -> None:
    used = FaceUpCardFound("table", Card("4C"))
    trace = table(SINGLE, between(LEGAL, "2:5H", used))
    breaks("face_up_card_used", trace, "face_up_card_in_shoe", fact=True)


# (b) a card drawn in error, unseen


@pytest.mark.parametrize("card", [Card("5H"), None])
def test_b_a_card_drawn_in_error_is_the_next_card(card: Card | None) -> None:
    drawn = DrawnInError(exposed=False, card=card)
    breaks("card_drawn_in_error", table(SINGLE, between(LEGAL, "2:5H", drawn)), fact=True)


def test_b_a_card_not_read_may_be_the_one_drawn_in_error() -> None:
    drawn = DrawnInError(exposed=False, card=Card("6C"))
    unread = dealt(PASSES, FIRST, "=2:12 2:draw", drawn, "2:? 2:stand", THIRD, DEALER, END)
    assert raised(unread) == ["card_drawn_in_error", "total_not_announced"]
    exact = dealt(PASSES, FIRST, "=2:12 2:draw", drawn, "2:? =2:18 2:stand", THIRD, DEALER, END)
    assert raised(exact) == ["card_drawn_in_error"]


@pytest.mark.parametrize("exposed", [True, False])
def test_b_c_another_card_than_the_one_drawn_in_error_is_not_the_next(*, exposed: bool) -> None:
    drawn = DrawnInError(exposed, Card("6H"))
    drew = "exposed_card_drawn_in_error" if exposed else "card_drawn_in_error"
    breaks("error_card_not_used", table(SINGLE, between(LEGAL, "2:5H", drawn)), drew)


def test_b_a_card_drawn_in_error_is_not_burned() -> None:
    drawn = DrawnInError(exposed=False, card=Card("6H"))
    trace = table(SINGLE, between(LEGAL, "2:5H", drawn, Burned(RACK, Card("6H"))))
    breaks("error_card_not_used", trace, "card_drawn_in_error")


def test_b_two_cards_drawn_in_error_are_used_in_their_order() -> None:
    drawn = [DrawnInError(exposed=False, card=Card(card)) for card in ("5H", "9D")]
    used = table(SINGLE, between(LEGAL, "2:5H", *drawn))
    assert raised(used) == ["card_drawn_in_error"] * 2
    swapped = table(SINGLE, between(LEGAL, "2:5H", *reversed(drawn)))
    assert raised(swapped) == [*["card_drawn_in_error"] * 2, "error_card_not_used"]


def test_b_one_card_told_of_by_two_devices_is_used_once() -> None:
    told_twice = [DrawnInError(exposed=False, card=Card("5H"))] * 2
    assert raised(table(SINGLE, between(LEGAL, "2:5H", *told_twice))) == ["card_drawn_in_error"] * 2
    unread = [DrawnInError(exposed=False), DrawnInError(exposed=False, card=Card("5H"))]
    assert raised(table(SINGLE, between(LEGAL, "2:5H", *unread))) == ["card_drawn_in_error"] * 2


@pytest.mark.parametrize("card", [Card("4C"), None])
def test_b_a_card_drawn_in_error_may_be_the_determinant(card: Card | None) -> None:
    drawn = DrawnInError(exposed=False, card=Card("4C"))
    determinant = DeterminantDrawn(side="left", card=card)
    burned = Burned("segregated_area", card)
    trace = table(DOUBLE, [*script("w1"), drawn, determinant, burned, *script("1:TS void close")])
    assert raised(trace) == ["card_drawn_in_error"]
    round_ = step_of(trace[:-1]).state.round
    assert round_ is not None
    assert round_.left == 2


FITTING = DrawnInError(exposed=False, card=Card("TS"))
OTHER = DrawnInError(exposed=False, card=Card("6H"))
LAST = script(f"{PASSES} {FIRST} {SECOND} {THIRD} {DEALER}")


@pytest.mark.parametrize("after", [[*LEGAL, OTHER], [*LAST, OTHER, *script(END)]])
def test_b_a_card_drawn_after_the_last_of_a_round_is_the_next_rounds_first(
    after: list[Body],
) -> None:
    drew, missed = ("card_drawn_in_error", "raised", 1), ("error_card_not_used", "raised", 2)
    assert told([*table(SINGLE, after), *LEGAL]) == [drew, missed]
    used = [FITTING if each is OTHER else each for each in after]
    assert told([*table(SINGLE, used), *LEGAL]) == [drew]
    assert told([*table(SINGLE, used), *LEGAL, *LEGAL]) == [drew]


def test_b_a_card_drawn_between_rounds_leaves_once_and_is_not_burned() -> None:
    drawn = [*table(SINGLE, LEGAL), FITTING]
    left = step_of(drawn).state.stocks[""].left
    assert step_of([*drawn, *script("w1 1:TS")]).state.stocks[""].left == left
    assert step_of([*drawn, *script("w1 1:9S")]).state.stocks[""].left == left + 1
    codes = ["card_drawn_in_error", "error_card_not_used", "burn_missing"]
    arrived = [*drawn, DealerArrived("D2"), Burned(RACK)]
    assert raised([*arrived, *LEGAL]) == codes
    assert raised([*arrived, Burned(RACK), *LEGAL]) == codes[:2]


def test_b_a_card_drawn_between_rounds_is_waited_for_while_it_can_come() -> None:
    drawn = [*table(SINGLE, LEGAL), OTHER]
    new_set: list[Body] = [ShuffleCompleted("hand"), CardsLoaded(312), Burned(RACK)]
    assert raised([*drawn, *new_set, *LEGAL]) == ["card_drawn_in_error"]
    assert raised([*drawn, SINGLE, *LEGAL]) == ["card_drawn_in_error"]
    assert raised([*drawn, TableClosed(), SINGLE, *LEGAL]) == ["card_drawn_in_error"]
    lost = raised([*drawn, *LEGAL, *LEGAL], gap_before=len(drawn))
    assert lost == ["card_drawn_in_error", "sequence_gap"]
    torn = [*table(SINGLE, LAST), OTHER, *script(END), *LEGAL]
    place = torn.index(OTHER)
    assert raised(torn, gap_before=place) == ["sequence_gap", "card_drawn_in_error"]


def test_c_a_refused_card_is_not_waited_for_after_its_round() -> None:
    refused = [*table(SINGLE, LAST), SHOWN, *script("3:refuse_card s3:push s2:lose s1:lose close")]
    codes = ["exposed_card_drawn_in_error", "refused_card_not_burned"]
    assert raised([*refused, Burned(RACK), *LEGAL]) == codes
    assert raised([*refused, *LEGAL]) == codes


# (c) a card drawn in error, shown


def test_c_a_card_shown_after_the_first_two_to_each_is_the_next_card() -> None:
    drawn = DrawnInError(exposed=True, card=Card("5H"))
    breaks("exposed_card_drawn_in_error", table(SINGLE, between(LEGAL, "2:5H", drawn)))
    early = DrawnInError(exposed=True, card=Card("8H"))
    keeps(table(SINGLE, between(LEGAL, "3:8H", early)))
    keeps(table(SINGLE, between(LEGAL, "1:TS", DrawnInError(exposed=True, card=Card("TS")))))


def test_c_a_dead_hand_is_not_waited_for() -> None:
    passes = "w1 w2 w3 1:TS 3:TH D:9C 1:7S 3:8H"
    drawn = DrawnInError(exposed=True, card=Card("9D"))
    trace = dealt(passes, FIRST, THIRD, drawn, DEALER, "s3:push s1:lose c3 c1 cD close")
    assert raised(trace) == ["position_missed", "exposed_card_drawn_in_error"]


def shown(*then: str | Body) -> list[Body]:
    """Return a round in which position 2 is shown a card drawn in error."""
    return dealt(PASSES, FIRST, "=2:12", SHOWN, *then)


def test_c_a_refused_card_is_burned_where_nobody_can_use_it() -> None:
    burned = Burned(RACK, Card("KD"), exposed=True)
    refused = shown("2:refuse_card", burned, "2:stand", THIRD, DEALER, END)
    assert raised(refused) == ["exposed_card_drawn_in_error"]


def test_c_a_refused_card_may_go_to_another_player_or_to_the_dealer() -> None:
    other = shown("2:refuse_card 2:stand =3:18 3:draw 3:KD", "dealers_card D:9D =D:18", END)
    assert raised(other) == ["exposed_card_drawn_in_error"]
    dealers = shown("2:refuse_card 2:stand", THIRD, "dealers_card D:KD =D:19", END)
    assert raised(dealers) == ["exposed_card_drawn_in_error"]


def test_c_a_refused_card_is_not_passed_over_by_another_card() -> None:
    silent = shown("2:refuse_card 2:stand", THIRD, DEALER, END)
    others = ("exposed_card_drawn_in_error", "refused_card_not_burned")
    breaks("error_card_not_used", silent, *others)


def test_c_a_refused_card_that_is_never_dealt_is_burned_before_the_round_ends() -> None:
    trace = dealt(PASSES, FIRST, SECOND_STANDS, THIRD, DEALER, SHOWN, "3:refuse_card", END)
    breaks("refused_card_not_burned", trace, "exposed_card_drawn_in_error")
    later = dealt(
        *(PASSES, FIRST, SECOND_STANDS, THIRD, DEALER, SHOWN, "3:refuse_card"),
        *("s3:push s2:lose", Burned(RACK), "s1:lose c3 c2 c1 cD close"),
    )
    assert raised(later) == ["exposed_card_drawn_in_error"]
    voided = dealt(
        *(PASSES, FIRST, SECOND_STANDS, THIRD, DEALER, SHOWN, "3:refuse_card void"),
        *("s3:returned s2:returned s1:returned c3 c2 c1 cD close",),
    )
    assert raised(voided) == ["exposed_card_drawn_in_error"]


def test_c_a_refused_card_not_read_may_be_any_that_is_dealt_next() -> None:
    unread = DrawnInError(exposed=True)
    next_one = dealt(PASSES, FIRST, "=2:12", unread, "2:refuse_card 2:stand", THIRD, DEALER, END)
    assert raised(next_one) == ["exposed_card_drawn_in_error"]
    twice = shown("2:refuse_card 2:stand =3:18 3:refuse_card 3:stand dealers_card D:KD", END)
    assert raised(twice) == ["exposed_card_drawn_in_error"]


def test_c_a_refused_card_may_still_be_dealt_after_another() -> None:
    late = shown("2:refuse_card 2:stand", THIRD, "dealers_card D:3D D:KD =D:22", END)
    assert raised(late) == ["exposed_card_drawn_in_error", "error_card_not_used"]


def test_c_an_accepted_card_is_dealt() -> None:
    accepted = shown("2:accept_card 2:KD =2:22 s2:lose c2", THIRD, DEALER)
    assert raised([*accepted, *script("s3:push s1:lose c3 c1 cD close")]) == [
        "exposed_card_drawn_in_error"
    ]


def test_c_a_player_who_refused_gets_no_further_card_in_the_round() -> None:
    burned = Burned(RACK, Card("KD"), exposed=True)
    trace = shown("2:refuse_card", burned, "2:draw 2:5H =2:17 2:stand", THIRD, DEALER, END)
    finding = breaks("card_after_refusal", trace, "exposed_card_drawn_in_error", fact=True)
    assert finding.position == 2
    following = [*shown("2:refuse_card", burned, "2:stand", THIRD, DEALER, END), *LEGAL]
    assert raised(following) == ["exposed_card_drawn_in_error"]


@pytest.mark.parametrize("asked", ["draw", "double"])
def test_c_a_player_who_refuses_the_card_he_asked_for_is_owed_none(asked: str) -> None:
    burned = Burned(RACK, Card("KD"), exposed=True)
    asking = (PASSES, FIRST, f"=2:12 2:{asked}", SHOWN)
    refused = dealt(*asking, "2:refuse_card", burned, "2:stand", THIRD, DEALER, END)
    assert raised(refused) == ["exposed_card_drawn_in_error"]
    passed_by = dealt(*asking, THIRD, "2:refuse_card 2:stand", burned, DEALER, END)
    assert sorted(raised(passed_by)) == [
        "decision_order",
        "exposed_card_drawn_in_error",
        "missed_card_not_made_up",
        "requested_card_missed",
    ]


def test_c_a_refused_card_that_two_devices_told_of_is_dealt_once() -> None:
    twice = dealt(PASSES, FIRST, "=2:12", SHOWN, SHOWN, "2:refuse_card 2:stand =3:18 3:draw 3:KD")
    trace = [*twice, *script(f"dealers_card D:9D =D:18 {END}")]
    assert raised(trace) == ["exposed_card_drawn_in_error"] * 2


def test_c_two_sevens_that_refuse_a_card_at_a_blackjack_are_no_refusal_of_this_kind() -> None:
    passes = "w1 w1:sevens w2 1:7S 2:TS D:AC 1:7D 2:9S D:KH"
    trace = script(f"{passes} 1:refuse_card 1:7H s2:lose s1:lose c2 c1 cD close")
    keeps(table(SINGLE, trace, hole_card="up", offers=("sevens",)))


# (d) the dealer draws on seventeen


def drawn_by_dealer(*then: str | Body) -> list[Body]:
    return dealt(PASSES, FIRST, SECOND_STANDS, THIRD, DEALER, "D:5C", *then, END)


def test_d_a_card_that_the_dealer_draws_on_seventeen_is_burned() -> None:
    burned = drawn_by_dealer(Burned(RACK, Card("5C"), exposed=True))
    finding = breaks("dealer_drew_on_seventeen", burned)
    assert finding.detail == {"count": 18}
    breaks("seventeen_card_not_burned", drawn_by_dealer(), "dealer_drew_on_seventeen")
    assert raised(drawn_by_dealer("void")) == ["dealer_drew_on_seventeen"]


@pytest.mark.parametrize("card", [Card("5C"), None])
def test_d_the_burned_card_has_left_the_shoe_already(card: Card | None) -> None:
    burned = Burned(RACK, card, exposed=True)
    drawn = dealt(PASSES, FIRST, SECOND_STANDS, THIRD, DEALER, "D:5C", burned)
    drawn[0] = replace(SINGLE, decks=1)
    assert raised([*drawn, *script(END)]) == ["dealer_drew_on_seventeen"]
    round_ = step_of(drawn).state.round
    assert round_ is not None
    assert round_.left == 9
    assert len(round_.cards) == 9
    assert round_.loose == []


def test_d_the_burned_card_is_no_card_of_the_dealers_hand() -> None:
    burned = Burned(RACK, Card("5C"), exposed=True)
    told_again = drawn_by_dealer(burned, "=D:18")
    assert raised(told_again) == ["dealer_drew_on_seventeen"]
    kept = drawn_by_dealer("=D:23")
    assert raised(kept) == ["dealer_drew_on_seventeen", "seventeen_card_not_burned"]


@pytest.mark.parametrize(
    ("cards", "counts"),
    [
        ("D:9C D:7D D:5D", []),
        ("D:9C D:8D D:5D", [17]),
        ("D:9C D:3D D:9D D:5H", [21]),
        ("D:9C D:?", []),
        ("D:AC D:6D D:5D", [17]),
        ("D:AC D:7D D:5D", [18]),
        ("D:AC D:6D D:KD D:5D", [17]),
    ],
)
def test_d_seventeen_counts_an_ace_as_eleven_where_that_does_not_pass_twenty_one(
    cards: str, counts: list[int]
) -> None:
    first, *others = cards.split()
    passes = f"w1 1:TS {first} 1:7S =1:17 1:stand dealers_card"
    trace = [*script(f"{passes} {' '.join(others)}"), Burned(RACK, exposed=True)]
    ended = table(SINGLE, [*trace, *script("s1:lose c1 cD close")])
    drew = [each for each in findings(ended) if each.code == "dealer_drew_on_seventeen"]
    assert [each.detail["count"] for each in drew] == counts[:1]


def test_d_the_count_is_not_told_while_the_hole_card_lies_face_down() -> None:
    text = "w1 1:TS D:9C 1:7S D:8Dv =1:17 1:stand {} D:5D s1:lose c1 cD close"
    hidden = table(SINGLE, script(text.format("")), hole_card="down")
    turned = table(SINGLE, script(text.format("x:D:8D")), hole_card="down")
    assert [findings(trace)[0].detail for trace in (hidden, turned)] == [{}, {"count": 17}]


def test_d_on_a_soft_seventeen_the_dealer_may_draw_where_the_house_says_so() -> None:
    text = "w1 1:TS D:AC 1:7S =1:17 1:stand dealers_card D:6D D:KD =D:17 s1:lose c1 cD close"
    keeps(table(SINGLE, script(text), soft_seventeen="draw"))
    stands = table(SINGLE, script(text))
    assert raised(stands) == ["dealer_drew_on_seventeen", "seventeen_card_not_burned"]
    eighteen = script(text.replace("D:6D", "D:7D").replace("=D:17", "=D:18"))
    drew = table(SINGLE, eighteen, soft_seventeen="draw")
    assert raised(drew) == ["dealer_drew_on_seventeen", "seventeen_card_not_burned"]


# (f) the shoe runs out


def run_out(*remedy: Body) -> list[Body]:
    return table(SINGLE, between(LEGAL, "2:5H", ShoeExhausted(), *remedy))


FACE_DOWN = Burned(RACK, exposed=False)


def test_f_the_discards_are_shuffled_in_and_a_card_is_burned() -> None:
    breaks("shoe_exhausted", run_out(DiscardsShuffledIn(), FACE_DOWN), fact=True)
    breaks("shoe_exhausted", run_out(DiscardsShuffledIn(), Burned(RACK)), fact=True)
    keeps([*table(SINGLE, LEGAL), ShoeExhausted()])


def test_f_discards_are_shuffled_in_only_where_the_shoe_ran_out() -> None:
    keeps(table(SINGLE, between(LEGAL, "2:5H", DiscardsShuffledIn())))


@pytest.mark.parametrize(
    ("remedy", "missing", "others"),
    [
        ([], "shuffle", []),
        ([FACE_DOWN], "shuffle", []),
        ([DiscardsShuffledIn()], "burn", []),
        ([FACE_DOWN, DiscardsShuffledIn()], "burn", []),
        ([DiscardsShuffledIn(), Burned(RACK, exposed=True)], "burn", ["burn_exposed"]),
    ],
)
def test_f_without_the_whole_remedy_no_card_is_dealt(
    remedy: Sequence[Body], missing: str, others: list[str]
) -> None:
    trace = run_out(*remedy)
    finding = breaks("exhaustion_remedy_incomplete", trace, "shoe_exhausted", *others)
    assert finding.detail == {"missing": missing}
