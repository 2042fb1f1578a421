"""A card leaves its own side of the shoe, once."""

import pytest

from streams.core.advance import advance_all
from streams.core.cards import CARDS
from streams.core.events import (
    Body,
    CardDealt,
    CardsLoaded,
    DeterminantDrawn,
    DiscardsShuffledIn,
    DrawnInError,
    Event,
    FaceUpCardFound,
    TableOpened,
)
from streams.core.table import Stock, TableState, new_table
from streams.rulebooks import load
from tests.blackjack_rounds import SINGLE, script, table

OPENED = TableOpened(
    game="blackjack",
    dealt_from="double_shoe",
    decks=8,
    positions=7,
    observes=("*",),
    red_side="left",
)


def state_after(bodies: list[Body]) -> TableState:
    events = [Event("BJ-01", "gw", 1, seq, seq, body) for seq, body in enumerate(bodies, 1)]
    return advance_all(new_table("BJ-01"), events, load("nj")).state


def after(bodies: list[Body]) -> dict[str, Stock]:
    return state_after(bodies).stocks


@pytest.mark.parametrize(
    ("dealt_from", "left", "right"), [("left", ["4C"], ["4C"]), ("right", [], ["4C"])]
)
def test_a_card_of_the_other_side_is_not_taken_for_the_determinant(
    dealt_from: str, left: list[str], right: list[str]
) -> None:
    bodies: list[Body] = [
        OPENED,
        CardsLoaded(cards=208, side="left", preshuffled=True),
        CardsLoaded(cards=208, side="right", preshuffled=True),
        DeterminantDrawn(side="right", card=CARDS["4C"]),
        CardDealt(to="player", face="up", position=1, card=CARDS["4C"], side=dealt_from),
    ]
    stocks = after(bodies)
    assert stocks["left"].first == left
    assert stocks["right"].first == right


def test_two_cards_drawn_in_error_with_one_reading_are_two_cards() -> None:
    drawn = [DrawnInError(card=CARDS["5H"], exposed=True)] * 2
    trace = table(SINGLE, script("w1 1:TS D:6C 1:9H"), drawn)
    assert after(trace)[""].left == after(trace[:-2])[""].left + 2


def test_the_dealers_card_on_seventeen_is_not_the_one_dealt_after_it() -> None:
    trace = table(SINGLE, script("w1 1:TS D:TC 1:9H 1:stand dealers_card D:7C D:5H 1:5H"))
    assert after(trace)[""].left == after(trace[:-1])[""].left + 1


@pytest.mark.parametrize("drawn", ["5H", None])
@pytest.mark.parametrize("dealt", ["5H", "?"])
@pytest.mark.parametrize("found", [False, True], ids=["at once", "after a card face up"])
def test_a_card_drawn_in_error_and_dealt_next_is_one_card_read_or_not(
    drawn: str | None, dealt: str, found: bool
) -> None:
    card = None if drawn is None else CARDS[drawn]
    trace = table(SINGLE, script("w1 w2 1:TS"), [DrawnInError(card=card, exposed=False)])
    if found:
        trace.append(FaceUpCardFound("discard_rack"))
    before = after(trace)[""]
    stock = after([*trace, *script(f"2:{dealt}")])[""]
    assert stock.left == before.left
    assert stock.seen.get(CARDS["5H"], 0) == (0 if (drawn, dealt) == (None, "?") else 1)


def test_a_card_drawn_in_error_that_another_followed_is_only_one_that_is_read_as_it() -> None:
    drawn = [DrawnInError(card=CARDS["5H"], exposed=False)]
    trace = table(SINGLE, script("w1 w2 w3 1:TS"), drawn, script("2:6D"))
    left = after(trace)[""].left
    assert after([*trace, *script("3:?")])[""].left == left + 1
    assert after([*trace, *script("3:5H")])[""].left == left


def test_a_card_that_was_read_when_it_was_drawn_is_known_where_it_is_dealt_unread() -> None:
    drawn = [DrawnInError(card=CARDS["5H"], exposed=False)]
    round_ = state_after(table(SINGLE, script("w1 w2 1:TS"), drawn, script("2:?"))).round
    assert round_ is not None
    assert [round_.card(index) for index in round_.hands["player", 2, 1]] == [CARDS["5H"]]


def test_discards_shuffled_in_leave_seen_what_lies_on_the_table_and_was_not_picked_up() -> None:
    trace = table(SINGLE, script("w1 w2 1:KS 2:QH D:5C 1:7S 2:QH c1"), [DiscardsShuffledIn()])
    assert after(trace)[""].seen == {CARDS["QH"]: 2, CARDS["5C"]: 1}


def test_a_hole_card_turned_up_is_no_card_more_and_none_that_lay_up() -> None:
    trace = table(SINGLE, script("w1 1:KS D:9C 1:7S D:9Cv"), hole_card="down")
    before, state = state_after(trace), state_after([*trace, *script("x:D:9C")])
    assert state.round is not None
    assert list(state.round.turned) == [state.round.hands["dealer", None, 1][1]]
    assert state.stocks == before.stocks


def test_an_unread_hole_card_is_known_once_it_is_turned_up_and_follows_no_card() -> None:
    trace = table(SINGLE, script("w1 1:KS D:9C 1:7S D:?v"), hole_card="down")
    before, stock = after(trace)[""], after([*trace, *script("x:D:8S")])[""]
    assert (stock.last, stock.left) == (before.last, before.left)
    assert stock.seen == before.seen | {CARDS["8S"]: 1}


@pytest.mark.parametrize(
    ("cards", "rising", "falling"),
    [
        ("5H 6H", 2, 1),
        ("6H 5H", 1, 2),
        ("6H 5S", 1, 1),
        ("5H 6S", 1, 1),
        ("QH KH AS", 3, 1),
        ("2H AH KS", 1, 3),
        ("5H ? 6H", 1, 1),
    ],
)
def test_a_run_goes_up_or_down_in_a_suit_and_on_in_any(
    cards: str, rising: int, falling: int
) -> None:
    first, *others = cards.split()
    deal = " ".join(f"1:{card}" for card in others)
    stock = after(table(SINGLE, script(f"w1 1:{first} {deal}")))[""]
    assert (stock.rising, stock.falling) == (rising, falling)


def test_a_card_found_or_drawn_while_another_waits_is_another_card() -> None:
    drawn = DrawnInError(card=CARDS["5H"], exposed=False)
    trace = table(SINGLE, [drawn])
    left = after(trace)[""].left
    for other in (FaceUpCardFound("discard_rack"), drawn):
        assert after([*trace, other])[""].left == left + 1


def test_a_card_drawn_in_error_before_the_round_is_known_where_it_is_dealt_unread() -> None:
    drawn = [DrawnInError(card=CARDS["5H"], exposed=False)]
    round_ = state_after(table(SINGLE, drawn, script("w1 1:?"))).round
    assert round_ is not None
    assert [round_.card(index) for index in round_.hands["player", 1, 1]] == [CARDS["5H"]]


@pytest.mark.parametrize("drawn", [None, "5H"])
def test_a_card_drawn_in_error_before_the_round_is_seen_once(drawn: str | None) -> None:
    error = [DrawnInError(card=None if drawn is None else CARDS[drawn], exposed=False)]
    state = state_after(table(SINGLE, error, script("w1 1:5H")))
    assert state.stocks[""].seen == {CARDS["5H"]: 1}
    assert state.round is not None
    assert [state.round.card(index) for index in state.round.hands["player", 1, 1]] == [CARDS["5H"]]


def test_two_determinants_with_one_reading_are_two_cards() -> None:
    drawn: list[Body] = [DeterminantDrawn(side="left", card=CARDS["4C"])] * 2
    assert after([OPENED, *drawn])["left"].seen == {CARDS["4C"]: 2}


def test_only_so_many_first_cards_of_a_load_are_kept_as_are_compared() -> None:
    cards = " ".join(f"1:{card}" for card in list(CARDS)[::2])
    most = load("nj").parameter("ordered_cards", "first")
    trace = table(SINGLE, script(f"w1 {cards}"))
    assert after(trace)[""].first == list(CARDS.values())[: 2 * most : 2]
    unloaded: list[Body] = [body for body in trace if not isinstance(body, CardsLoaded)]
    assert after(unloaded)[""].first == []


def test_a_card_that_was_not_read_is_none_of_those_on_the_table() -> None:
    trace = table(SINGLE, script("w1 1:? D:5C"), [DiscardsShuffledIn()])
    assert after(trace)[""].seen == {CARDS["5C"]: 1}
