"""N.J.A.C. 13:69F-16.8 and 27.8, clause by clause: the nearest that breaks it and that keeps it.

The two sections run side by side, so a test holds for both games unless it names one. Whatever
breaks a clause is also dealt at tables that lack a capability the clause needs, and with an event
lost in the round: there nothing may be said that rests on an absence, an order or a number.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from streams.core.cards import Card
from streams.core.events import (
    Body,
    CardDealt,
    CardsCollected,
    Decision,
    DeckInHand,
    DeckOutOfArea,
    DeckRemoved,
    LockoutPressed,
    NoMoreBets,
    RoundClosed,
    RoundVoided,
    ShuffleCompleted,
    StubCounted,
    StubPlaced,
    TableClosed,
    WagerPlaced,
    WagerSettled,
)
from streams.core.findings import Finding
from tests.traces import (
    BOOK,
    CARIBBEAN,
    FOUR_CARD,
    SEATS,
    SHUFFLE,
    after,
    before,
    findings,
    legal,
    observing,
    opened,
    place_of,
    raised,
    swapped,
    told,
    with_card,
    without,
)

FACTS = {
    "dealing_hand_changed",
    "deck_out_of_area",
    "stub_exposed",
    "wrong_hand_used",
    "duplicate_card",
    "shuffler_count_wrong",
    "suspect_cards_in_play",
}
"""Codes that rest on what an event itself says, and are judged after a gap too."""

IN_ROUND = (
    WagerPlaced,
    DeckInHand,
    DeckOutOfArea,
    NoMoreBets,
    LockoutPressed,
    CardDealt,
    StubPlaced,
    StubCounted,
    Decision,
    CardsCollected,
    WagerSettled,
    RoundVoided,
)
"""Kinds that do not end what came before the round."""

both = pytest.mark.parametrize("game", [CARIBBEAN, FOUR_CARD])


def night(game: str, *rounds: Sequence[Body]) -> list[Body]:
    """Return a table's opening and rounds with a shuffle before each."""
    trace: list[Body] = [opened(game)]
    for each in rounds:
        trace += [SHUFFLE, *each]
    return trace


def breaks(code: str, trace: Sequence[Body], *others: str) -> Finding:
    """Show that a trace raises a code once, with the others named, and return the finding."""
    said = raised(trace)
    assert sorted(said) == sorted([code, *others])
    rule = BOOK.rules[code]
    for need in rule.needs:
        assert code not in raised(observing(trace, need)), f"raised without {need}"
    finding = next(each for each in findings(trace) if each.code == code)
    assert set(finding.detail) <= set(rule.detail)
    assert finding.clause == BOOK.clause(code, finding.game)
    cause = int(finding.events[-1].rpartition("/")[2]) - 1
    begins = max(place for place in range(cause) if not isinstance(trace[place], IN_ROUND)) + 1
    assert (code in raised(trace, gap_before=begins)) is (code in FACTS)
    return finding


def keeps(trace: Sequence[Body]) -> None:
    """Show that a trace raises nothing."""
    assert raised(trace) == []


@both
def test_a_legal_round_is_silent(game: str) -> None:
    keeps(night(game, legal(game)))
    keeps(night(game, legal(game, (1, 2, 3, 4, 5, 6, 7)), legal(game, (4,))))


# (b) before the deal


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


# (c) the deal


@both
def test_c_players_are_dealt_to_clockwise_from_the_dealers_left(game: str) -> None:
    finding = breaks("deal_order", night(game, swapped(legal(game), 1)))
    assert finding.detail == {
        "expected_to": "player",
        "expected_position": 1,
        "dealt_to": "player",
        "dealt_position": 3,
    }


@both
def test_c_after_a_slip_the_dealing_is_judged_on_from_what_was_dealt(game: str) -> None:
    keeps_on = swapped(swapped(legal(game), 1), 6)
    assert raised(night(game, keeps_on)) == ["deal_order"]
    assert raised(night(game, swapped(legal(game), 1), legal(game))) == ["deal_order"]


@both
def test_c_the_dealer_is_dealt_to_after_the_players(game: str) -> None:
    finding = breaks("deal_order", night(game, swapped(legal(game), 3)))
    assert finding.detail == {
        "expected_to": "player",
        "expected_position": 4,
        "dealt_to": "dealer",
    }


def test_16_8_c_the_dealers_fifth_card_is_the_last() -> None:
    extra = before(legal(CARIBBEAN), StubPlaced, CardDealt("dealer", "down"))
    finding = breaks("deal_order", night(CARIBBEAN, extra), "wrong_card_count")
    assert finding.detail == {"dealt_to": "dealer"}


def test_27_8_c_the_dealers_fifth_and_sixth_cards_are_dealt_consecutively() -> None:
    trace = legal(FOUR_CARD)
    last = place_of(trace, CardDealt, 21)
    early = [*trace[:last], *trace[last + 1 :]]
    early.insert(place_of(trace, CardDealt, 19), trace[last])
    breaks("deal_order", night(FOUR_CARD, early), "wrong_face", "wrong_face")


@both
def test_c_no_card_goes_to_a_position_without_a_wager(game: str) -> None:
    extra = after(legal(game), CardDealt, CardDealt("player", "down", 2))
    finding = breaks("card_without_wager", night(game, extra), "deal_order")
    assert finding.position == 2
    twice = after(extra, CardDealt, CardDealt("player", "down", 2), number=6)
    assert sorted(raised(night(game, twice))) == ["card_without_wager", "deal_order"]


@both
def test_c_a_position_with_an_aces_up_wager_alone_is_in_play(game: str) -> None:
    aces = [
        WagerPlaced(3, "aces_up", 500) if each == WagerPlaced(3, "ante", 2500) else each
        for each in legal(game)
        if each != WagerPlaced(3, "raise", 5000)
    ]
    keeps(night(game, aces))


@both
def test_b_3_and_c_every_card_of_a_player_is_face_down(game: str) -> None:
    for number in (1, 6):
        shown = with_card(legal(game), number, lambda card: replace(card, face="up"))
        finding = breaks("wrong_face", night(game, shown))
        assert finding.position == SEATS[(number - 1) % 4]
        assert finding.detail == {"number": 1 + number // 4, "expected": "down", "dealt": "up"}


@both
def test_c_each_card_with_the_wrong_face_is_one_finding(game: str) -> None:
    shown = with_card(legal(game), 1, lambda card: replace(card, face="up"))
    shown = with_card(shown, 5, lambda card: replace(card, face="up"))
    assert raised(night(game, shown)) == ["wrong_face", "wrong_face"]


def test_16_8_c_2_the_dealers_first_card_is_face_up_and_no_other() -> None:
    down = with_card(legal(CARIBBEAN), 4, lambda card: replace(card, face="down"))
    finding = breaks("wrong_face", night(CARIBBEAN, down))
    assert finding.position is None
    assert finding.detail == {"number": 1, "expected": "up", "dealt": "down"}
    breaks(
        "wrong_face",
        night(CARIBBEAN, with_card(legal(CARIBBEAN), 8, lambda card: replace(card, face="up"))),
    )


def test_27_8_c_the_dealers_sixth_card_is_face_up_and_no_other() -> None:
    down = with_card(legal(FOUR_CARD), 21, lambda card: replace(card, face="down"))
    assert breaks("wrong_face", night(FOUR_CARD, down)).detail["number"] == 6
    breaks(
        "wrong_face",
        night(FOUR_CARD, with_card(legal(FOUR_CARD), 4, lambda card: replace(card, face="up"))),
    )


@both
def test_c_and_d_each_hand_has_its_number_of_cards(game: str) -> None:
    trace = legal(game)
    last = place_of(trace, CardDealt, 19)
    short = [*trace[:last], *trace[last + 1 :]]
    finding = breaks("wrong_card_count", night(game, short), "deal_order")
    assert finding.position == 4
    assert finding.detail == {"expected": 5, "counted": 4}
    assert raised(night(game, before(short, RoundClosed, RoundVoided()))) == ["deal_order"]


@both
def test_c_and_d_the_dealers_hand_is_counted_too(game: str) -> None:
    trace = legal(game)
    last = place_of(trace, CardDealt, 20 if game == CARIBBEAN else 21)
    finding = breaks("wrong_card_count", night(game, [*trace[:last], *trace[last + 1 :]]))
    assert finding.position is None
    full = 5 if game == CARIBBEAN else 6
    assert finding.detail == {"expected": full, "counted": full - 1}


@both
def test_c_and_d_a_hand_is_counted_as_it_was_when_the_stub_was_put_aside(game: str) -> None:
    trace = legal(game)
    last = place_of(trace, CardDealt, 19)
    late = [*trace[:last], *trace[last + 1 :]]
    late = after(late, StubPlaced, trace[last])
    breaks("wrong_card_count", night(game, late), "deal_order")


@both
def test_c_and_d_after_a_void_no_hand_is_counted(game: str) -> None:
    trace = legal(game)
    cut = [*trace[: place_of(trace, CardDealt, 8)], RoundVoided(), RoundClosed()]
    keeps(night(game, cut))


# (d) and (e) the stub


@both
def test_d_the_stub_is_placed_without_exposing_the_cards(game: str) -> None:
    shown = [
        StubPlaced(exposed=True) if isinstance(each, StubPlaced) else each for each in legal(game)
    ]
    breaks("stub_exposed", night(game, shown))


@both
def test_d_the_stub_is_placed_in_the_discard_rack(game: str) -> None:
    missing = without(legal(game), StubPlaced)
    breaks("stub_not_placed", night(game, missing))
    count = StubCounted(52 - len([each for each in missing if isinstance(each, CardDealt)]))
    keeps(night(game, before(missing, RoundClosed, count)))
    keeps(night(game, before(missing, RoundClosed, RoundVoided())))
    keeps(night(game, [WagerPlaced(1, "ante"), RoundClosed()]))


def overdue(game: str, rounds: int = 5) -> list[Body]:
    return night(game, *(legal(game) for _ in range(rounds)))


def right_count(game: str) -> StubCounted:
    return StubCounted(32 if game == CARIBBEAN else 31)


@both
def test_e_the_stub_is_counted_at_least_once_every_five_rounds(game: str) -> None:
    assert told(overdue(game, 4)) == []
    assert told(overdue(game, 7)) == [("stub_count_overdue", "raised", 5)]
    (finding,) = findings(overdue(game, 5))
    assert finding.detail == {"rounds": 5}
    assert raised(observing(overdue(game), "stub")) == []


@both
def test_e_a_count_in_or_after_a_round_starts_the_five_anew(game: str) -> None:
    counted = before(legal(game), RoundClosed, right_count(game))
    plain = legal(game)
    assert told(night(game, *[plain] * 4, counted, *[plain] * 4)) == []
    assert told(night(game, *[plain] * 4, counted, *[plain] * 5)) == [
        ("stub_count_overdue", "raised", 10)
    ]
    between = [*overdue(game, 4), right_count(game), *overdue(game, 4)[1:]]
    assert told(between) == []


@both
def test_e_an_overdue_count_is_cleared_by_the_next_count_right_or_wrong(game: str) -> None:
    cleared = ("stub_count_overdue", "cleared", 5)
    assert told([*overdue(game), right_count(game)])[1:] == [cleared]
    wrong = told([*overdue(game), StubCounted(30)])
    assert cleared in wrong
    assert ("stub_count_wrong", "raised", 5) in wrong
    first, last = (each for each in findings([*overdue(game), right_count(game)]))
    assert first.id == last.id


@both
def test_e_an_overdue_count_ends_with_the_table(game: str) -> None:
    cleared = ["raised", "cleared"]
    assert [state for _, state, _ in told([*overdue(game), TableClosed()])] == cleared
    assert [state for _, state, _ in told([*overdue(game), opened(game)])] == cleared
    anew = [*overdue(game, 4), opened(game), *overdue(game, 4)[1:]]
    assert told(anew) == []


@both
def test_e_voided_rounds_count_and_rounds_without_cards_do_not(game: str) -> None:
    void = before(legal(game), RoundClosed, RoundVoided())
    assert raised(night(game, *[void] * 5)) == ["stub_count_overdue"]
    empty: list[Body] = [WagerPlaced(1, "ante"), RoundClosed()]
    plain = legal(game)
    assert raised(night(game, plain, empty, plain, empty, plain, plain)) == []


@both
def test_e_the_count_shows_that_the_deck_is_whole(game: str) -> None:
    right = right_count(game)
    short = StubCounted(right.cards - 1)
    finding = breaks("stub_count_wrong", night(game, before(legal(game), RoundClosed, short)))
    assert finding.detail == {"expected": right.cards, "counted": right.cards - 1}
    keeps(night(game, before(legal(game), RoundClosed, right)))
    assert told([*night(game, legal(game)), short]) == [("stub_count_wrong", "raised", 1)]
    keeps([*night(game, legal(game)), right])
    keeps([opened(game), SHUFFLE, StubCounted(40)])


@both
@pytest.mark.parametrize(
    ("remedy", "clears"),
    [
        ("right count", True),
        ("deck removed", True),
        ("automatic shuffle with 52", True),
        ("automatic shuffle uncounted", False),
        ("automatic shuffle with 51", False),
        ("shuffle by hand", False),
    ],
)
def test_e_a_wrong_count_stands_until_the_deck_is_shown_whole(
    game: str, remedy: str, clears: bool
) -> None:
    bodies: dict[str, Body] = {
        "right count": right_count(game),
        "deck removed": DeckRemoved(),
        "automatic shuffle with 52": SHUFFLE,
        "automatic shuffle uncounted": ShuffleCompleted("automatic"),
        "automatic shuffle with 51": ShuffleCompleted("automatic", cards=51),
        "shuffle by hand": ShuffleCompleted("hand", cards=52),
    }
    trace = [*night(game, legal(game)), StubCounted(20), bodies[remedy]]
    assert (("stub_count_wrong", "cleared", 1) in told(trace)) is clears


@both
def test_e_a_second_count_of_a_round_replaces_the_first(game: str) -> None:
    recount = before(legal(game), RoundClosed, StubCounted(20), right_count(game))
    assert told(night(game, recount)) == [
        ("stub_count_wrong", "raised", 1),
        ("stub_count_wrong", "cleared", 1),
    ]


# the cards themselves


@both
def test_integrity_one_card_is_not_seen_twice_in_a_round(game: str) -> None:
    first = next(each for each in legal(game) if isinstance(each, CardDealt))
    double = with_card(legal(game), 7, lambda card: replace(card, card=first.card))
    finding = next(each for each in findings(night(game, double)) if each.code == "duplicate_card")
    assert raised(night(game, double)) == ["duplicate_card"]
    assert finding.detail == {"copies": 2, "decks": 1}
    assert raised(observing(night(game, double), "cards")) == []
    keeps(night(game, legal(game), legal(game)))
    unread = with_card(legal(game), 7, lambda card: replace(card, card=None))
    keeps(night(game, unread))


@both
def test_integrity_the_shufflers_own_count_is_the_whole_deck(game: str) -> None:
    short = ShuffleCompleted("automatic", cards=51)
    assert told([opened(game), short]) == [("shuffler_count_wrong", "raised", 0)]
    assert told([opened(game), short, SHUFFLE])[1:] == [("shuffler_count_wrong", "cleared", 0)]
    assert told([opened(game), short, DeckRemoved()])[1:] == [
        ("shuffler_count_wrong", "cleared", 0)
    ]
    assert len(told([opened(game), short, short])) == 1
    keeps([opened(game), ShuffleCompleted("automatic"), ShuffleCompleted("hand", cards=51)])


@both
def test_integrity_no_round_is_dealt_with_suspect_cards(game: str) -> None:
    suspect = [opened(game), ShuffleCompleted("automatic", cards=51), *legal(game)]
    assert raised(suspect) == ["shuffler_count_wrong", "suspect_cards_in_play"]
    wrong = findings(
        [*night(game, legal(game)), StubCounted(20), ShuffleCompleted("automatic"), *legal(game)]
    )
    assert [each.code for each in wrong] == ["stub_count_wrong", "suspect_cards_in_play"]
    assert wrong[1].detail == {"standing": "stub_count_wrong"}
    assert wrong[0].events[-1] in wrong[1].events
    keeps([*night(game, legal(game)), right_count(game), SHUFFLE, *legal(game)])


@both
@pytest.mark.parametrize("falling", [False, True])
def test_integrity_ten_cards_in_pack_order_were_not_shuffled(game: str, falling: bool) -> None:
    order = "432AKQJT98" if falling else "TJQKA23456"
    run = [Card(rank + ("S" if place < 4 else "H")) for place, rank in enumerate(order)]

    spare = [Card(rank + suit) for rank in "37JA59K2684TQ" for suit in "DC"]

    def dealt(cards: list[Card]) -> list[Body]:
        left = iter([*spare[:2], *cards, *spare[2:]])
        return night(
            game,
            [
                replace(each, card=next(left)) if isinstance(each, CardDealt) else each
                for each in legal(game)
            ],
        )

    finding = next(each for each in findings(dealt(run)) if each.code == "ordered_cards")
    assert raised(dealt(run)) == ["ordered_cards"]
    assert finding.detail == {"reason": "pack_order", "cards": 10}
    keeps(dealt(run[:9]))
