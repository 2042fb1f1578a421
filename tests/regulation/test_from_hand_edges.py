"""16.8 and 27.8 where traces are not plain: gaps, voids, unread cards, error cards, no wagers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import pytest

from streams.core.advance import advance_all
from streams.core.cards import Card
from streams.core.events import (
    CAPABILITIES,
    Body,
    CardDealt,
    CardExposed,
    CardsCollected,
    DeckInHand,
    DeckOutOfArea,
    DrawnInError,
    FaceUpCardFound,
    LockoutPressed,
    NoMoreBets,
    RoundClosed,
    RoundVoided,
    StubCounted,
    StubPlaced,
    TableClosed,
    WagerPlaced,
    WagerSettled,
)
from streams.core.games import GAMES
from streams.core.rounds import Round
from streams.core.script import Script, places
from streams.core.table import new_table
from tests.traces import (
    BOOK,
    CARIBBEAN,
    FOUR_CARD,
    SHUFFLE,
    SHUFFLED,
    after,
    before,
    events,
    findings,
    legal,
    observing,
    opened,
    place_of,
    raised,
    step_of,
    swapped,
    told,
    with_card,
    without,
)

both = pytest.mark.parametrize("game", [CARIBBEAN, FOUR_CARD])
SPARE = SHUFFLED[-1]
"""A card that no legal round of three players deals."""


def night(game: str, *rounds: Sequence[Body]) -> list[Body]:
    trace: list[Body] = [opened(game)]
    for each in rounds:
        trace += [SHUFFLE, *each]
    return trace


def right(game: str, by: int = 0) -> StubCounted:
    return StubCounted((32 if game == CARIBBEAN else 31) + by)


def rounds_of(trace: Sequence[Body]) -> list[Round]:
    effects = step_of(trace).effects
    return [each.round for each in effects if hasattr(each, "round")]


# who gets which card: every set of positions, in an order written from the text


Dealt = tuple[str, int | None, str]


def around(seats: Sequence[int]) -> list[Dealt]:
    return [("player", seat, "down") for seat in seats]


def by_16_8_c(seats: Sequence[int]) -> list[Dealt]:
    deal: list[Dealt] = [*around(seats), ("dealer", None, "up")]
    deal += [*around(seats), ("dealer", None, "down")]
    for _ in ("third", "fourth", "fifth"):
        deal += [*around(seats), ("dealer", None, "down")]
    return deal


def by_27_8_c(seats: Sequence[int]) -> list[Dealt]:
    one_each: list[Dealt] = [*around(seats), ("dealer", None, "down")]
    return [*one_each * 5, ("dealer", None, "up")]


ORDERS: dict[str, Callable[[Sequence[int]], list[Dealt]]] = {
    CARIBBEAN: by_16_8_c,
    FOUR_CARD: by_27_8_c,
}


@both
def test_c_every_set_of_positions_is_due_in_the_order_of_the_text(game: str) -> None:
    script = GAMES[game].script
    assert isinstance(script, Script)
    for many in range(1, 13):
        for seats in combinations(range(1, 13), many):
            due = []
            for (to, position, hand), number in places(script, seats):
                faces = script.player_faces if to == "player" else script.dealer_faces
                assert hand == 1
                due.append((to, position, faces[number - 1]))
            assert due == ORDERS[game](seats)


@both
def test_c_every_set_of_seven_positions_is_dealt_in_silence(game: str) -> None:
    for many in range(1, 8):
        for seats in combinations(range(1, 8), many):
            deal = ORDERS[game](seats)
            cards = [
                CardDealt(to, face, position, card=card)
                for (to, position, face), card in zip(deal, SHUFFLED, strict=False)
            ]
            trace = [each for each in legal(game, seats) if not isinstance(each, CardDealt)]
            assert raised(night(game, before(trace, StubPlaced, *cards))) == []


# gaps


@both
@pytest.mark.parametrize("lost", ["last card", "stub", "before the round's close"])
def test_a_gap_in_a_round_says_why_nothing_else_is_said(game: str, lost: str) -> None:
    trace = night(game, without(legal(game), StubPlaced))
    last = place_of(trace, CardDealt, 20) if lost == "last card" else len(trace) - 1
    assert raised(trace, gap_before=last) == ["sequence_gap"]


@both
def test_a_gap_right_before_a_rounds_first_event_is_a_gap_of_the_round(game: str) -> None:
    broken = without(without(legal(game), DeckInHand), NoMoreBets)
    trace = night(game, legal(game), broken)
    first = len(trace) - len(broken)
    assert told(trace, gap_before=first) == [("sequence_gap", "raised", 2)]
    between = told(trace, gap_before=first - 1)
    assert between[0] == ("sequence_gap", "raised", 1)
    assert {code for code, _, _ in between[1:]} == {"deck_not_in_hand", "bets_not_closed"}


@both
def test_a_gap_ends_with_its_round(game: str) -> None:
    trace = night(game, legal(game), without(legal(game), NoMoreBets))
    assert raised(trace, gap_before=5) == ["sequence_gap", "bets_not_closed"]


@both
def test_a_count_of_a_round_with_a_gap_is_called_neither_wrong_nor_does_it_hide_the_count(
    game: str,
) -> None:
    trace = [*night(game, legal(game)), right(game, by=-1)]
    assert raised(trace, gap_before=9) == ["sequence_gap"]
    before_close = before(night(game, legal(game)), RoundClosed, right(game, by=-1))
    assert raised(before_close, gap_before=9) == ["sequence_gap"]
    on_close = [*night(game, legal(game)), right(game, by=-1)]
    assert raised(on_close, gap_before=len(on_close) - 2) == ["sequence_gap"]
    assert raised(trace, gap_before=1) == ["sequence_gap", "stub_count_wrong"]


@both
def test_an_overdue_count_is_told_at_the_next_close_without_a_gap(game: str) -> None:
    trace = night(game, *[legal(game)] * 6)
    fifth = place_of(trace, RoundClosed, 5)
    assert told(trace, gap_before=fifth)[1:] == [("stub_count_overdue", "raised", 6)]
    assert findings(trace, gap_before=fifth)[1].detail == {"rounds": 6}


@both
def test_no_copy_is_seen_where_a_gap_may_hide_a_rounds_end(game: str) -> None:
    trace = night(game, legal(game), legal(game))
    close = place_of(trace, RoundClosed)
    lost = [*trace[:close], *trace[close + 1 :]]
    assert set(raised(lost, gap_before=close)) == {"sequence_gap"}


# voids


@both
def test_after_a_void_facts_and_integrity_are_judged_on(game: str) -> None:
    trace = before(legal(game), CardDealt, RoundVoided(), number=5)
    double = with_card(trace, 7, lambda card: replace(card, card=SHUFFLED[0]))
    assert raised(night(game, double)) == ["duplicate_card"]
    shown = with_card(trace, 7, lambda card: replace(card, face="up"))
    assert raised(night(game, shown)) == ["wrong_face"]
    assert raised(night(game, after(trace, RoundVoided, DeckOutOfArea()))) == ["deck_out_of_area"]
    wrong = before(trace, RoundClosed, right(game, by=1))
    assert raised(night(game, wrong)) == ["stub_count_wrong"]
    assert raised(night(game, swapped(trace, 9))) == []
    early = before(legal(game), CardDealt, RoundVoided())
    nothing_said = [each for each in early if not isinstance(each, NoMoreBets | LockoutPressed)]
    assert raised(night(game, nothing_said)) == []


@both
def test_what_was_said_before_a_void_stands(game: str) -> None:
    trace = before(swapped(legal(game), 1), RoundClosed, RoundVoided())
    assert raised(night(game, trace)) == ["deal_order"]
    assert [each.ended for each in rounds_of(night(game, trace))] == ["voided"]


# the table opens or closes in a round


@both
@pytest.mark.parametrize("end", ["opens", "closes"])
def test_a_round_in_which_the_table_opens_or_closes_ends_unjudged(game: str, end: str) -> None:
    last = opened(game) if end == "opens" else TableClosed()
    cut = before(without(legal(game), StubPlaced), RoundClosed, last)
    trace = night(game, cut[: place_of(cut, type(last)) + 1])
    assert raised(trace) == []
    (ended,) = rounds_of(trace)
    assert (ended.number, ended.ended) == (1, "cut_short")
    assert raised([*trace, SHUFFLE, *legal(game)]) == []
    assert rounds_of([*trace, SHUFFLE, *legal(game)])[-1].number == (1 if end == "opens" else 2)


@both
def test_a_round_that_is_cut_short_is_none_of_the_five(game: str) -> None:
    cut = [*legal(game)[:-1], TableClosed()]
    trace = night(game, *[legal(game)] * 4, cut)
    assert raised(trace) == []
    assert told([*trace, SHUFFLE, *legal(game)]) == [("stub_count_overdue", "raised", 6)]
    assert step_of(trace).state.rounds_since_stub_count == 4


# (b) holding


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


# (c) dealing


@both
def test_c_positions_in_play_are_fixed_at_the_first_card(game: str) -> None:
    late = after(legal(game), CardDealt, WagerPlaced(6, "ante"), CardDealt("player", "down", 6))
    assert raised(night(game, late)) == ["wager_after_close", "deal_order"]
    before_it = before(legal(game), CardDealt, WagerPlaced(6, "ante"))
    found = findings(night(game, before_it))
    assert ("wager_after_close", 6) in [(each.code, each.position) for each in found]
    assert ("wrong_card_count", 6) in [(each.code, each.position) for each in found]


@both
def test_c_a_side_wager_puts_no_position_in_play(game: str) -> None:
    trace = night(game, before(legal(game), NoMoreBets, WagerPlaced(6, "progressive")))
    assert raised(trace) == []
    dealt = after(trace, CardDealt, CardDealt("player", "down", 6), number=3)
    assert raised(dealt) == ["deal_order", "card_without_wager"]


@both
def test_c_a_second_hand_of_a_position_is_no_place_due(game: str) -> None:
    for to, position in (("player", 3), ("dealer", None)):
        extra = CardDealt(to, "down" if to == "player" else "up", position, hand=2)
        assert "deal_order" in raised(night(game, after(legal(game), CardDealt, extra)))


@both
def test_c_after_the_last_place_no_card_is_due(game: str) -> None:
    extra = before(legal(game), StubPlaced, CardDealt("player", "down", 3))
    (order, count) = findings(night(game, extra))
    assert (order.code, order.detail) == (
        "deal_order",
        {"dealt_to": "player", "dealt_position": 3},
    )
    assert (count.code, count.position) == ("wrong_card_count", 3)
    assert count.detail == {"expected": 5, "counted": 6}


@both
def test_c_where_wagers_are_not_seen_positions_are_those_that_got_a_first_card(game: str) -> None:
    unseen = tuple(each for each in CAPABILITIES if each != "wagers")
    legal_night: list[Body] = [opened(game, unseen), SHUFFLE, *without(legal(game), WagerPlaced)]
    assert raised(legal_night) == []
    assert rounds_of(legal_night)[0].positions == (1, 3, 4)
    assert raised([opened(game, unseen), SHUFFLE, *legal(game)]) == []
    assert raised(swapped(legal_night, 1)) == ["deal_order"]
    assert raised(swapped(legal_night, 3)) == ["deal_order"]
    again = with_card(legal_night, 2, lambda card: replace(card, position=1))
    assert sorted(raised(again)) == ["deal_order", "wrong_card_count", "wrong_card_count"]
    second = with_card(legal_night, 1, lambda card: replace(card, hand=2))
    assert raised(second)[0] == "deal_order"


@both
def test_c_where_wagers_are_not_seen_the_dealers_first_card_ends_the_first_pass(game: str) -> None:
    unseen = tuple(each for each in CAPABILITIES if each != "wagers")
    trace: list[Body] = [opened(game, unseen), SHUFFLE, *legal(game)]
    stray = after(trace, CardDealt, CardDealt("player", "down", 6), number=4)
    found = [(each.code, each.position) for each in findings(stray)]
    assert found == [("deal_order", None), ("wrong_card_count", 6)]
    dealer_first = before(
        without(trace, CardDealt), StubPlaced, CardDealt("dealer", "up"), *dealt(trace)
    )
    assert raised(dealer_first)[0] == "deal_order"


def dealt(trace: Sequence[Body]) -> list[CardDealt]:
    return [each for each in trace if isinstance(each, CardDealt)]


@both
def test_c_and_d_one_finding_for_each_hand_with_a_wrong_number(game: str) -> None:
    trace = legal(game)
    first = place_of(trace, CardDealt, 17)
    short = [*trace[:first], *(each for each in trace[first:] if not isinstance(each, CardDealt))]
    found = findings(night(game, short))
    assert [(each.code, each.position) for each in found] == [
        ("wrong_card_count", position) for position in (1, 3, 4, None)
    ]


@both
def test_c_and_d_nothing_is_counted_where_no_card_was_dealt(game: str) -> None:
    assert raised(night(game, without(legal(game), CardDealt))) == []


@both
def test_c_and_d_cards_after_the_count_of_the_stub_are_none_of_the_hands(game: str) -> None:
    trace = without(legal(game), StubPlaced)
    late = before(trace, CardDealt, StubCounted(52), number=1)
    codes = raised(night(game, late))
    assert codes.count("wrong_card_count") == 4


# (d) the stub, and (e) its count


@both
def test_d_the_stub_can_be_exposed_after_the_round_too(game: str) -> None:
    trace = [*night(game, legal(game)), StubPlaced(exposed=True)]
    assert told(trace) == [("stub_exposed", "raised", 1)]
    assert told([*trace, StubPlaced(exposed=True)]) == [("stub_exposed", "raised", 1)]
    assert raised(observing(trace, "stub")) == []


@both
def test_e_a_count_before_any_round_is_of_no_stub(game: str) -> None:
    assert raised([opened(game), StubCounted(3)]) == []
    anew = [*night(game, legal(game)), opened(game), StubCounted(3)]
    assert raised(anew) == []


@both
def test_e_overdue_then_counted_wrong_then_right(game: str) -> None:
    trace = [*night(game, *[legal(game)] * 5), right(game, by=2), right(game)]
    assert told(trace) == [
        ("stub_count_overdue", "raised", 5),
        ("stub_count_overdue", "cleared", 5),
        ("stub_count_wrong", "raised", 5),
        ("stub_count_wrong", "cleared", 5),
    ]


@both
def test_e_an_overdue_count_is_raised_anew_five_rounds_after_the_count(game: str) -> None:
    trace = [*night(game, *[legal(game)] * 5), right(game)]
    assert raised([*trace, *night(game, *[legal(game)] * 4)[1:]]) == ["stub_count_overdue"]
    assert raised([*trace, *night(game, *[legal(game)] * 5)[1:]]) == ["stub_count_overdue"] * 2


@both
def test_e_an_overdue_count_survives_what_does_not_end_it(game: str) -> None:
    trace = night(game, *[legal(game)] * 5)
    more = [*trace, SHUFFLE, *legal(game)]
    assert told(more) == [("stub_count_overdue", "raised", 5)]
    cleared = findings([*more, TableClosed()])[-1]
    assert (cleared.state, cleared.round, cleared.detail) == ("cleared", 6, {"rounds": 5})


@both
def test_e_a_wrong_count_survives_the_tables_closing_and_opening(game: str) -> None:
    trace = [*night(game, legal(game)), right(game, by=1), TableClosed(), opened(game)]
    assert told(trace) == [("stub_count_wrong", "raised", 1)]
    assert told([*trace, SHUFFLE])[1:] == [("stub_count_wrong", "cleared", 0)]


@both
def test_e_two_packs_in_one_deck_are_counted_as_two(game: str) -> None:
    trace = [opened(game, decks=2), replace(SHUFFLE, cards=104), *legal(game)]
    assert raised([*trace, right(game, by=52)]) == []
    assert raised([*trace, right(game)]) == ["stub_count_wrong"]
    (ended,) = rounds_of(trace)
    assert ended.expected_stub == right(game).cards + 52


# cards that left once


@both
@pytest.mark.parametrize("read", ["both", "neither", "drawing", "dealing"])
def test_e_a_card_drawn_in_error_and_then_dealt_leaves_once(game: str, read: str) -> None:
    trace = legal(game)
    next_card = dealt(trace)[6].card
    drawn = DrawnInError(exposed=False, card=next_card if read in ("both", "drawing") else None)
    trace = before(trace, CardDealt, drawn, number=7)
    if read in ("neither", "drawing"):
        trace = with_card(trace, 7, lambda card: replace(card, card=None))
    assert raised([*night(game, trace), right(game)]) == []
    (ended,) = rounds_of(night(game, trace))
    known = None if read == "neither" else next_card
    assert [card.card for card in ended.cards if card.place != "dealt"] == []
    assert [card.card for card in ended.cards][6] == known


@both
def test_e_a_card_drawn_in_error_and_put_aside_is_out_of_the_stub(game: str) -> None:
    trace = before(legal(game), CardDealt, DrawnInError(exposed=True, card=SPARE), number=7)
    assert raised([*night(game, trace), right(game, by=-1)]) == []
    unread_later = with_card(trace, 9, lambda card: replace(card, card=None))
    assert raised([*night(game, unread_later), right(game, by=-1)]) == []


@both
def test_e_a_card_drawn_in_error_and_dealt_later_is_known_again(game: str) -> None:
    cards = [card.card for card in dealt(legal(game))]
    trace = before(legal(game), CardDealt, DrawnInError(exposed=True, card=cards[8]), number=7)
    assert raised([*night(game, trace), right(game)]) == []


@both
def test_e_two_cards_drawn_in_error_are_dealt_one_after_the_other(game: str) -> None:
    drawn: list[Body] = [
        DrawnInError(exposed=False),
        FaceUpCardFound("table", SPARE),
        DrawnInError(False),
    ]
    trace = before(legal(game), CardDealt, *drawn, number=7)
    assert raised([*night(game, trace), right(game, by=-1)]) == []


@both
def test_e_a_card_found_face_up_is_out_of_the_stub(game: str) -> None:
    trace = before(legal(game), CardDealt, FaceUpCardFound("discard_rack", SPARE), number=3)
    assert raised([*night(game, trace), right(game, by=-1)]) == []
    assert raised([*night(game, trace), right(game)]) == ["stub_count_wrong"]


@both
def test_between_rounds_no_card_leaves_a_held_deck(game: str) -> None:
    stray: list[Body] = [DrawnInError(exposed=True, card=SPARE), FaceUpCardFound("table", SPARE)]
    assert raised([*night(game, legal(game)), *stray, right(game)]) == []


# duplicate_card, with unread and exposed cards


@both
def test_integrity_a_card_unread_when_dealt_counts_when_it_is_turned_up(game: str) -> None:
    trace = with_card(legal(game), 6, lambda card: replace(card, card=None))
    seen = CardExposed("player", 3, card=SHUFFLED[0])
    copied = findings(night(game, after(trace, StubPlaced, seen)))
    assert [(each.code, each.position) for each in copied] == [("duplicate_card", 3)]
    own = CardExposed("player", 3, card=SHUFFLED[5])
    assert raised(night(game, after(trace, StubPlaced, own))) == []
    unread = CardExposed("player", 3)
    (ended,) = rounds_of(night(game, after(trace, StubPlaced, unread)))
    assert [card.card for card in ended.cards][5] is None
    assert sum(card.exposed_at is not None for card in ended.cards) == 1


@both
def test_integrity_a_card_read_twice_is_one_card(game: str) -> None:
    shown = [CardExposed("player", 3, card=card.card) for card in dealt(legal(game))[1:19:4]]
    trace = night(game, before(legal(game), RoundClosed, *shown))
    assert raised(trace) == []
    (ended,) = rounds_of(trace)
    assert sum(card.exposed_at is not None for card in ended.cards) == 5
    again = before(legal(game), RoundClosed, *shown, *shown)
    assert raised(night(game, again)) == []
    other = CardExposed("player", 3, card=SPARE)
    assert raised(night(game, before(legal(game), RoundClosed, other))) == []
    nobody = CardExposed("player", 6, card=SHUFFLED[0])
    assert raised(night(game, before(legal(game), RoundClosed, nobody))) == []
    assert raised([opened(game), nobody]) == []


@both
def test_integrity_each_copied_card_is_one_finding_a_round(game: str) -> None:
    trace = with_card(legal(game), 7, lambda card: replace(card, card=SHUFFLED[0]))
    trace = with_card(trace, 9, lambda card: replace(card, card=SHUFFLED[0]))
    trace = with_card(trace, 10, lambda card: replace(card, card=SHUFFLED[1]))
    assert raised(night(game, trace)) == ["duplicate_card"] * 2
    assert raised(night(game, trace, trace)) == ["duplicate_card"] * 4


@both
def test_integrity_two_packs_hold_two_of_each(game: str) -> None:
    trace = with_card(legal(game), 7, lambda card: replace(card, card=SHUFFLED[0]))
    setup = opened(game, decks=2)
    assert raised([setup, replace(SHUFFLE, cards=104), *trace]) == []
    thrice = with_card(trace, 9, lambda card: replace(card, card=SHUFFLED[0]))
    (finding,) = findings([setup, replace(SHUFFLE, cards=104), *thrice])
    assert (finding.code, finding.detail) == ("duplicate_card", {"copies": 3, "decks": 2})


# ordered_cards


def in_order(game: str, cards: Sequence[Card | None], skip: int = 2) -> list[Body]:
    """Return a legal round whose cards after some others are these."""
    spare = [card for card in SHUFFLED if card not in cards]
    left = iter([*spare[:skip], *cards, *spare[skip:]])
    return [
        replace(each, card=next(left)) if isinstance(each, CardDealt) else each
        for each in legal(game)
    ]


RISING = [Card(f"{rank}S") for rank in "3456789TJQ"]


@both
@pytest.mark.parametrize(
    ("cards", "ordered"),
    [
        (RISING, True),
        (RISING[::-1], True),
        ([Card(f"{rank}S") for rank in "9TJQK"] + [Card(f"{rank}D") for rank in "A2345"], True),
        ([Card(f"{rank}C") for rank in "5432A"] + [Card(f"{rank}H") for rank in "KQJT9"], True),
        ([Card(f"{rank}S") for rank in "9TJQK"] + [Card(f"{rank}S") for rank in "A2345"], True),
        ([Card(f"{rank}S") for rank in "34567"] + [Card(f"{rank}H") for rank in "89TJQ"], False),
        ([*RISING[:5], *RISING[6:]], False),
        ([*RISING[:5], None, *RISING[5:]], False),
        ([*RISING[:5], *(Card(f"{rank}H") for rank in "TQJ98")], False),
        (RISING[:9], False),
    ],
)
def test_integrity_pack_order_rises_or_falls_within_a_suit_and_crosses_at_its_end(
    game: str, cards: Sequence[Card | None], ordered: bool
) -> None:
    assert raised(night(game, in_order(game, cards))) == (["ordered_cards"] if ordered else [])


@both
def test_integrity_a_run_is_told_once_a_round_and_ends_with_it(game: str) -> None:
    long = [Card(f"{rank}S") for rank in "A23456789TJQK"]
    assert raised(night(game, in_order(game, long))) == ["ordered_cards"]
    assert raised(night(game, *[in_order(game, long)] * 2)) == ["ordered_cards"] * 2
    many = len(dealt(legal(game)))
    tail, head = in_order(game, RISING[:5], many - 5), in_order(game, RISING[5:], 0)
    assert raised(night(game, tail, head)) == []


@both
def test_integrity_a_shuffle_breaks_a_run(game: str) -> None:
    trace = before(in_order(game, RISING), CardDealt, SHUFFLE, number=8)
    assert "ordered_cards" not in raised(night(game, trace))
    assert raised(observing(night(game, in_order(game, RISING)), "cards")) == []


# integrity findings are told of a table, not of what it is dealt


@both
def test_suspect_cards_are_told_once_a_round_for_each_round(game: str) -> None:
    short = replace(SHUFFLE, cards=51)
    trace: list[Body] = [opened(game), short, *legal(game), short, *legal(game)]
    assert raised(trace) == [
        "shuffler_count_wrong",
        "suspect_cards_in_play",
        "suspect_cards_in_play",
    ]
    assert raised([opened(game), short, *without(legal(game), CardDealt)]) == [
        "shuffler_count_wrong"
    ]


@both
def test_betting_after_settling_is_of_the_next_round(game: str) -> None:
    settled: list[Body] = [WagerSettled(3, "ante", "win", pays="1:1"), CardsCollected("player", 3)]
    trace = before(legal(game), RoundClosed, *settled, WagerPlaced(3, "ante"))
    assert raised(night(game, trace)) == []
    state = advance_all(new_table("T"), events(night(game, trace)), BOOK).state
    assert state.round is None
