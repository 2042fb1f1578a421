"""What a table page is told of the deck or shoe, and of the cards on the felt."""

from collections.abc import Sequence

import pytest

from streams.core import events as e
from streams.core.advance import advance_all
from streams.core.projection import view
from streams.core.table import new_table
from streams.core.views import TableView
from tests.blackjack_rounds import DOUBLE, SINGLE, script, table
from tests.traces import (
    BOOK,
    CARIBBEAN,
    FOUR_CARD,
    SEATS,
    SHUFFLE,
    events,
    legal,
    observing,
    opened,
)


def shown(trace: Sequence[e.Body]) -> TableView:
    return view(advance_all(new_table("T"), events(trace), BOOK).state)


DEALT: list[e.Body] = [opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)]


@pytest.mark.parametrize(("game", "dealers"), [(CARIBBEAN, 5), (FOUR_CARD, 6)])
def test_the_stub_counts_down_to_what_is_due_of_it(game: str, dealers: int) -> None:
    trace: list[e.Body] = [opened(game), SHUFFLE, *legal(game)]
    views = [shown(trace[:end]) for end in range(3, len(trace))]
    due = 52 - 5 * len(SEATS) - dealers
    in_play = [one for one in views if len(one.positions) == len(SEATS)]
    assert {one.stub_due for one in in_play} == {due}
    assert [one.stub_now for one in views if one.cards] == [
        52 - len(one.cards) for one in views if one.cards
    ]
    assert views[-1].stub_now == due
    assert views[-1].cards_out == 52 - due


def test_between_rounds_there_is_no_stub_and_nothing_of_a_round() -> None:
    found = shown(DEALT)
    assert (found.stub_now, found.stub_due, found.cards_out, found.counted_stub) == (None,) * 4
    assert (found.holding, found.gap, found.next) == (None, False, None)
    assert (found.cards, found.wagers, found.marks) == ((), (), ())


def test_a_count_of_the_stub_is_told_in_its_round() -> None:
    counted = shown([*DEALT[:-1], e.StubCounted(31)])
    assert (counted.counted_stub, counted.rounds_since_stub_count) == (31, 0)


def test_rounds_without_a_count_are_told_only_where_a_count_would_be() -> None:
    assert shown(DEALT).rounds_since_stub_count == 1
    assert shown(observing(DEALT, "stub")).rounds_since_stub_count is None


def test_who_plays_is_not_known_before_the_first_wager_or_dealers_card() -> None:
    assert shown([opened(CARIBBEAN), e.DeckInHand("left")]).stub_due is None
    unseen = observing(DEALT, "wagers")
    first = next(place for place, body in enumerate(unseen) if isinstance(body, e.CardDealt))
    assert shown(unseen[: first + 1]).stub_due is None
    assert shown(unseen[:-1]).stub_due == 32


def test_the_hand_that_holds_the_deck_and_a_gap_are_told() -> None:
    trace: list[e.Body] = [opened(CARIBBEAN), SHUFFLE, e.DeckInHand("left"), e.DeckInHand("right")]
    assert shown(trace).holding == "right"
    assert not shown(trace).gap
    torn = events([*trace, e.NoMoreBets()], gap_before=4)
    assert view(advance_all(new_table("T"), torn, BOOK).state).gap


def test_the_deck_in_hand_is_the_stock() -> None:
    named: list[e.Body] = [
        opened(CARIBBEAN, decks=1),
        e.ShuffleCompleted("automatic", 52, deck="red"),
        e.DeckInHand("left", "red"),
    ]
    assert shown(named).stocks == (("red", 52, 0, "automatic", False),)
    assert shown(DEALT[:2]).stocks == ((None, 52, 0, "automatic", False),)
    assert shown(DEALT[:-1]).stocks == ((None, 52, 20, None, False),)


def test_a_shoe_tells_its_cards_and_its_cut_card() -> None:
    trace = table(SINGLE, script("w1 1:TS D:9C"))
    assert shown(trace).stocks == ((None, 312, 3, None, False),)
    assert shown(trace).cards_out == 2
    assert shown([*trace, e.CutCardReached()]).stocks == ((None, 312, 3, None, True),)
    assert (shown(trace).stub_now, shown(trace).stub_due) == (None, None)


def test_both_sides_of_a_double_shoe_are_told() -> None:
    trace = table(DOUBLE)
    assert shown(trace).stocks == (
        ("left", 208, 0, "hand", False),
        ("right", 208, 0, "hand", False),
    )
    assert [one.out for one in shown([*trace, e.Burned("discard_rack", side="left")]).stocks] == [
        1,
        0,
    ]


def test_a_table_tells_its_set_up() -> None:
    found = shown(table(SINGLE, hole_card="down"))
    assert (found.dealt_from, found.decks, found.seats, found.hole_card) == ("shoe", 6, 7, "down")
    nothing = view(new_table("T"))
    assert (nothing.dealt_from, nothing.decks, nothing.seats, nothing.hole_card) == (None,) * 4
    assert (nothing.state, nothing.stocks) == ("closed", ())


def test_cards_are_numbered_as_they_were_dealt_with_time_and_event() -> None:
    trace = [*DEALT[:12]]
    sent = [event for event in events(trace) if isinstance(event.body, e.CardDealt)]
    assert [(one.number, one.at, one.source, one.seq) for one in shown(trace).cards] == [
        (number, event.at, 0, event.seq) for number, event in enumerate(sent, start=1)
    ]


def test_a_burned_card_takes_no_number() -> None:
    trace = table(SINGLE, script("w1 1:TS"))
    burned = [*trace, e.Burned("discard_rack"), *script("D:9C")]
    assert [one.number for one in shown(burned).cards] == [1, 2]
    assert shown(burned).cards_out == 3
