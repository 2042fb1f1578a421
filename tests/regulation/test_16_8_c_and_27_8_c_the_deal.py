"""16.8(c) and 27.8(c), clause by clause: who gets which card, how many, up or down."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

from streams.core.events import (
    CAPABILITIES,
    Body,
    CardDealt,
    NoMoreBets,
    RoundClosed,
    RoundVoided,
    StubCounted,
    StubPlaced,
    WagerPlaced,
)
from streams.core.games import GAMES
from streams.core.script import Script, places
from tests.from_hand import both, breaks, dealt, keeps, night, rounds_of
from tests.traces import (
    CARIBBEAN,
    FOUR_CARD,
    SEATS,
    SHUFFLE,
    SHUFFLED,
    after,
    before,
    findings,
    legal,
    opened,
    place_of,
    raised,
    swapped,
    with_card,
    without,
)


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


# every set of positions, in an order written from the text


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


# where traces are not plain


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
