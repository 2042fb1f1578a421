"""N.J.A.C. 13:69F-4.9, clause by clause: the nearest coup that breaks it and that keeps it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from streams.core.cards import Card
from streams.core.events import (
    Announced,
    Body,
    CardDealt,
    CardExposed,
    CardsLoaded,
    DeviceFault,
    HandDeclaredDead,
    RoundClosed,
    RoundVoided,
    ShuffleCompleted,
    TableOpened,
    WagerPlaced,
    WagerSettled,
)
from tests.coups import OPENING, PRINTED, coup, said, shoe
from tests.traces import BOOK, before, findings, observing, place_of, raised, without

PLAYER_HANDS = {
    0: "TK",
    1: "TA",
    2: "T2",
    3: "T3",
    4: "T4",
    5: "T5",
    6: "T6",
    7: "T7",
    8: "T8",
    9: "T9",
}
THIRDS = [None, *"TA23456789"]


def breaks(code: str, trace: Sequence[Body], *others: str) -> None:
    """Show that a trace raises a code once, with the others named, where all it needs is seen."""
    assert sorted(raised(trace)) == sorted([code, *others])
    rule = BOOK.rules[code]
    for need in rule.needs:
        assert code not in raised(observing(trace, need)), f"raised without {need}"
    finding = next(each for each in findings(trace) if each.code == code)
    assert finding.clause == BOOK.clause(code, "chemin_de_fer")
    assert set(finding.detail) <= set(rule.detail)
    begins = len(OPENING)
    assert code not in raised(trace, gap_before=begins + 1)


def keeps(*coups: Sequence[Body]) -> None:
    assert raised(shoe(*coups)) == []


def unsaid(trace: Sequence[Body], by: str) -> list[Body]:
    """Return a coup without one person's announcements and the dealer's repetitions of them."""
    kept: list[Body] = []
    for place, body in enumerate(trace):
        earlier = trace[place - 1] if place else None
        silent = isinstance(body, Announced) and body.by == by
        repeated = isinstance(earlier, Announced) and earlier.by == by
        if not silent and not (isinstance(body, Announced) and repeated):
            kept.append(body)
    return kept


def instead(trace: Sequence[Body], by: str, what: str) -> list[Body]:
    """Return a coup in which a person announces something else, and the dealer repeats it."""
    place = next(
        place for place, body in enumerate(trace) if isinstance(body, Announced) and body.by == by
    )
    return [*trace[:place], *said(by, what), *trace[place + 2 :]]


def cut(trace: Sequence[Body], number: int) -> list[Body]:
    """Return a coup without its how-manieth card dealt."""
    place = place_of(trace, CardDealt, number)
    return [*trace[:place], *trace[place + 1 :]]


@pytest.mark.parametrize("player", PLAYER_HANDS.values())
@pytest.mark.parametrize("banker", PLAYER_HANDS.values())
def test_a_legal_coup_is_silent(player: str, banker: str) -> None:
    for third in filter(None, THIRDS):
        for option in (True, False):
            trace = coup(player, banker, player_third=third, option=option, takes=option)
            assert raised(shoe(trace)) == [], (third, option)


# (a) the dominant player


@pytest.mark.parametrize("player", [PLAYER_HANDS[count] for count in range(5)])
def test_a_1_on_0_to_4_the_dominant_player_requests_a_card(player: str) -> None:
    stays = coup("T6", "T6")
    stays[0:3:2] = coup(player, "T6")[0:3:2]
    breaks("player_must_draw", shoe(stays))
    silent = unsaid(stays, "dominant_player")
    assert "player_must_draw" in raised(shoe(silent))
    keeps(coup(player, "T6"))


def test_a_2_on_5_the_dominant_player_may_request_a_card_or_stay_but_says_which() -> None:
    keeps(coup("T5", "T6", takes=True), coup("T5", "T6", takes=False))
    silent = unsaid(coup("T5", "T7", takes=False), "dominant_player")
    breaks("stay_not_announced", shoe(silent))


@pytest.mark.parametrize("player", ["T6", "T7"])
def test_a_3_on_6_or_7_the_dominant_player_stays(player: str) -> None:
    asks = coup("T4", "T6", player_third="T")
    asks[0:3:2] = coup(player, "T6")[0:3:2]
    breaks("player_must_stay", shoe(asks))
    unannounced = [
        body for body in asks if not (isinstance(body, Announced) and body.what in ("card",))
    ]
    assert "player_must_stay" in raised(shoe(unannounced))
    silent = unsaid(coup(player, "T7"), "dominant_player")
    breaks("stay_not_announced", shoe(silent))
    keeps(coup(player, "T7"))


@pytest.mark.parametrize("player", ["T8", "T9"])
@pytest.mark.parametrize("what", ["card", "stay"])
def test_a_4_on_8_or_9_the_dominant_player_announces_natural(player: str, what: str) -> None:
    breaks(
        "player_natural_not_announced", shoe(instead(coup(player, "T6"), "dominant_player", what))
    )
    breaks("player_natural_not_announced", shoe(unsaid(coup(player, "T6"), "dominant_player")))
    keeps(coup(player, "T6"))


def test_a_4_a_third_card_with_nothing_announced_shows_it_before_the_coup_is_over() -> None:
    card = CardDealt("player", "up", card=Card("2C"))
    trace = shoe(before(unsaid(coup("T8", "T6"), "dominant_player"), CardExposed, card))
    silent = next(each for each in findings(trace) if each.code == "player_natural_not_announced")
    after_natural = next(each for each in findings(trace) if each.code == "card_after_natural")
    assert silent.events[-1] == after_natural.events[-1]


def test_a_4_no_card_is_dealt_after_the_players_natural() -> None:
    for to in ("player", "banker"):
        card = CardDealt(to, "up", card=Card("2C"))
        trace = shoe(before(coup("T8", "T5"), CardExposed, card))
        assert "card_after_natural" in raised(trace)
        assert "card_after_natural" not in raised(observing(trace, "cards"))


def test_a_4_all_cards_of_both_hands_are_turned_at_the_players_natural() -> None:
    breaks("hands_not_turned", shoe(without(coup("T8", "T5"), CardExposed)))
    last = coup("T8", "T5")
    del last[place_of(last, CardExposed, 4)]
    breaks("hands_not_turned", shoe(last))
    shown = [
        CardDealt(body.to, "up", card=body.card) if isinstance(body, CardDealt) else body
        for body in without(coup("T8", "T5"), CardExposed)
    ]
    keeps(shown)


def test_a_a_natural_is_not_announced_on_another_hand() -> None:
    for by, hand, other in (("dominant_player", "T5", "T6"), ("banker", "T4", "T7")):
        trace = instead(coup(hand, other), by, "natural")
        assert "false_announcement" in raised(shoe(trace))
        assert "false_announcement" not in raised(observing(shoe(trace), "cards"))
    unread = [
        CardDealt(body.to, body.face) if isinstance(body, CardDealt) else body
        for body in instead(coup("T5", "T6"), "dominant_player", "natural")
    ]
    assert "false_announcement" not in raised(shoe(unread))


# (b) the banker before the player's third card


def test_b_no_third_card_without_card_announced() -> None:
    trace = instead(coup("T5", "T6"), "dominant_player", "stay")
    assert "card_not_requested" in raised(shoe(trace))
    assert "card_not_requested" not in raised(observing(shoe(trace), "announcements"))


def test_b_the_card_requested_is_dealt() -> None:
    missing = cut(coup("T4", "T7"), 5)
    breaks("requested_card_not_dealt", shoe(missing))
    drawn = cut(coup("T4", "T5", player_third="6"), 5)
    assert "requested_card_not_dealt" in raised(shoe(drawn))


@pytest.mark.parametrize("hand", ["player", "banker"])
def test_b_no_card_is_missed_where_a_hand_that_was_not_read_may_be_a_natural(hand: str) -> None:
    unread = [
        replace(body, card=None)
        if isinstance(body, CardDealt | CardExposed) and body.to == hand
        else body
        for body in cut(coup("T4", "T7"), 5)
    ]
    assert "requested_card_not_dealt" not in raised(shoe(unread))


@pytest.mark.parametrize("banker", ["T8", "T9"])
def test_b_the_banker_with_8_or_9_announces_natural(banker: str) -> None:
    breaks(
        "banker_natural_not_announced", shoe(instead(coup("T4", banker), "banker", "under_eight"))
    )
    breaks("banker_natural_not_announced", shoe(unsaid(coup("T4", banker), "banker")))
    said_so = instead(coup("T4", banker), "banker", "under_eight")
    place = said_so.index(Announced("banker", "under_eight"))
    # It is the banker's own word that breaks it, before the dealer repeats it.
    assert "banker_natural_not_announced" in raised(shoe(said_so[: place + 1]))
    assert "banker_natural_not_announced" not in raised(shoe(said_so[:place]))
    keeps(coup("T4", banker), coup("T6", banker))


def test_b_no_card_is_dealt_after_the_bankers_natural() -> None:
    card = CardDealt("player", "up", card=Card("2C"))
    trace = shoe(before(coup("T4", "T8"), CardExposed, card))
    assert "card_after_natural" in raised(trace)
    natural = next(each for each in findings(trace) if each.code == "card_after_natural")
    assert natural.detail == {"natural": "banker"}


def test_b_all_cards_of_both_hands_are_turned_at_the_bankers_natural() -> None:
    breaks("hands_not_turned", shoe(without(coup("T4", "T8"), CardExposed)))


def test_b_under_eight_is_announced_before_the_players_card() -> None:
    breaks("under_eight_not_announced", shoe(unsaid(coup("T4", "T6"), "banker")))
    trace = coup("T4", "T7")
    place = place_of(trace, CardDealt, 5)
    late = [*trace[: place - 2], trace[place], *trace[place - 2 : place], *trace[place + 1 :]]
    breaks("under_eight_not_announced", shoe(late))


def test_b_a_card_called_for_twice_does_not_undo_what_the_banker_said() -> None:
    again = said("dominant_player", "card")
    keeps(before(coup("T4", "T8"), CardExposed, *again))
    trace = coup("T4", "T7")
    place = place_of(trace, CardDealt, 5)
    keeps([*trace[:place], *again, *trace[place:]])


def test_a_a_card_that_nobody_called_for_is_no_card_on_six_or_seven() -> None:
    trace = shoe(unsaid(coup("T4", "T6"), "dominant_player"))
    assert "card_not_requested" in raised(trace)
    assert "player_must_stay" not in raised(trace)


def test_b_the_players_third_card_is_face_up() -> None:
    trace = coup("T4", "T7")
    place = place_of(trace, CardDealt, 5)
    trace[place] = CardDealt("player", "down", card=Card("2C"))
    breaks("wrong_face", shoe(trace))
    (finding,) = findings(shoe(trace))
    assert finding.detail == {"number": 3, "expected": "up", "dealt": "down"}


# (c) the banker's third card


def test_c_the_bankers_hand_is_turned_before_his_third_card() -> None:
    breaks("banker_hand_not_turned", shoe(without(coup("T6", "T5"), CardExposed)))
    breaks("banker_hand_not_turned", shoe(without(coup("T6", "T7"), CardExposed)))
    half = coup("T6", "T5")
    del half[place_of(half, CardExposed)]
    breaks("banker_hand_not_turned", shoe(half))


def test_c_the_banker_draws_after_the_player() -> None:
    trace = coup("T4", "T3", player_third="5")
    third = place_of(trace, CardDealt, 6)
    early = [*trace[:third], *trace[third + 1 :]]
    early.insert(place_of(early, CardDealt, 5), trace[third])
    assert "banker_card_early" in raised(shoe(early))
    assert "banker_card_early" not in raised(observing(shoe(early), "announcements"))


def test_c_a_card_after_a_natural_is_not_early_whether_cards_are_judged_or_not() -> None:
    drawn = CardDealt("banker", "up", card=Card("2D"))
    trace = shoe(before(coup("T8", "T3"), RoundClosed, drawn))
    assert raised(trace) == ["card_after_natural"]
    assert raised(observing(trace, "cards")) == []


@pytest.mark.parametrize("count", PRINTED)
@pytest.mark.parametrize("third", THIRDS)
def test_c_table_3_cell_by_cell(count: int, third: str | None) -> None:
    banker = PLAYER_HANDS[count]
    player = "T6" if third is None else "T4"
    if third is not None and count >= 8:
        return  # the banker's natural ends the coup before any third card
    says = PRINTED[count].split()[THIRDS.index(third)]
    legal = coup(player, banker, player_third=third or "2")
    drawn = 5 if third is None else 6
    has_third = sum(isinstance(body, CardDealt) for body in legal) == drawn
    if has_third:
        stays, draws = cut(legal, drawn), legal
    else:
        card = CardDealt("banker", "up", card=Card("3D"))
        stays, draws = legal, before(legal, RoundClosed, card)
    must_draw, must_stay = raised(shoe(stays)), raised(shoe(draws))
    assert must_draw == (["banker_must_draw"] if says == "D" else [])
    assert must_stay == (["banker_must_stay"] if says == "S" else [])
    for trace, codes in ((stays, must_draw), (draws, must_stay)):
        for finding in findings(shoe(trace)) if codes else []:
            expected = "none" if third is None else THIRDS.index(third) - 1
            assert finding.detail == {"count": count, "third": expected}
            assert finding.code not in raised(observing(shoe(trace), "cards"))


def test_c_of_a_card_that_was_not_read_nothing_is_said() -> None:
    trace = coup("T4", "T3", player_third="8")
    place = place_of(trace, CardDealt, 5)
    trace[place] = CardDealt("player", "up")
    keeps(trace)
    keeps(before(trace, RoundClosed, CardDealt("banker", "up", card=Card("3D"))))


def test_c_no_hand_gets_a_fourth_card() -> None:
    for to in ("player", "banker"):
        fourth = CardDealt(to, "up", card=Card("4D"))
        trace = shoe(before(coup("T4", "T3", player_third="5"), RoundClosed, fourth))
        breaks("card_beyond_third", trace)


def test_c_a_fourth_card_is_counted_in_the_hand_that_gets_it() -> None:
    fourth = CardDealt("player", "up", card=Card("4D"))
    stays = shoe(before(coup("T4", "T7", player_third="5"), RoundClosed, fourth))
    breaks("card_beyond_third", stays)
    assert findings(stays)[0].detail == {"cards": 4}


# (h) the dealer repeats


def test_h_each_announcement_is_repeated_at_once_by_the_dealer() -> None:
    trace = coup("T4", "T6")
    silent = [body for body in trace if not (isinstance(body, Announced) and body.by == "dealer")]
    breaks("announcement_not_repeated", shoe(silent))
    other = list(trace)
    other[other.index(Announced("dealer", "card"))] = Announced("dealer", "stay")
    breaks("announcement_not_repeated", shoe(other))
    twice = before(trace, CardExposed, Announced("dealer", "under_eight"))
    keeps(twice)


def test_after_a_void_no_absence_is_judged() -> None:
    begun = coup("T4", "T6")[:4]
    keeps([*begun, RoundVoided(), RoundClosed()])


@pytest.mark.parametrize(
    ("code", "player", "banker", "announced"),
    [
        ("player_must_draw", "T4", "T6", said("dominant_player", "stay")),
        ("player_must_stay", "T6", "T6", said("dominant_player", "card")),
        ("player_natural_not_announced", "T8", "T6", said("dominant_player", "stay")),
        (
            "banker_natural_not_announced",
            "T4",
            "T8",
            [*said("dominant_player", "card"), *said("banker", "under_eight")],
        ),
    ],
)
def test_after_a_void_what_is_announced_is_judged(
    code: str, player: str, banker: str, announced: list[Body]
) -> None:
    dealt = [coup(player, "T6")[0], *coup("T6", banker)[1:2], coup(player, "T6")[2]]
    dealt.append(coup("T6", banker)[3])
    assert raised(shoe([*dealt, RoundVoided(), *announced, RoundClosed()])) == [code]


# the shoe


def test_integrity_a_set_is_shuffled_before_it_is_loaded() -> None:
    opening = OPENING[0]
    assert raised([opening, CardsLoaded(416)]) == ["unshuffled_shoe"]
    assert raised([opening, CardsLoaded(416, preshuffled=True)]) == []
    assert raised([*OPENING, CardsLoaded(416)]) == ["unshuffled_shoe"]
    assert raised(observing([opening, CardsLoaded(416)], "shuffles")) == []


def test_integrity_the_first_twenty_cards_of_a_load_are_not_those_of_an_earlier_one() -> None:
    coups = [coup("T6", hand) for hand in ("T7", "27", "A6", "34", "52")]
    played = [body for each in coups for body in each]
    again: list[Body] = [*OPENING, *played, *OPENING[1:], *played]
    assert raised(again) == ["ordered_cards"]
    other = [*OPENING, *played, *OPENING[1:], *coup("T7", "T7"), *played]
    assert raised(other) == []


# what a table of chemin de fer cannot have


@pytest.mark.parametrize(
    "body",
    [
        Announced("dominant_player", "stay", position=3),
        HandDeclaredDead(3, wager_returned=True),
        CardExposed("banker", position=3),
        DeviceFault("progressive_light", 3),
    ],
    ids=str,
)
def test_only_wagers_have_positions(body: Body) -> None:
    stays = coup("T6", "T7")
    assert raised(shoe(before(stays, RoundClosed, body))) == ["event_out_of_place"]
    wagers: list[Body] = [WagerPlaced(3, "main", 5), WagerSettled(3, "main", "lose")]
    keeps(before(stays, RoundClosed, *wagers))


def test_only_a_double_shoe_has_sides() -> None:
    opening = OPENING[0]
    assert isinstance(opening, TableOpened)
    loads: list[Body] = []
    for side in ("left", "right"):
        loads += [ShuffleCompleted("hand", side=side), CardsLoaded(208, side)]
    assert raised([replace(opening, dealt_from="double_shoe"), *loads]) == []
    assert raised([opening, *loads]) == ["event_out_of_place"] * 4
