"""The word of a table's tile."""

from collections.abc import Sequence

import pytest

from streams.core.advance import advance_all
from streams.core.events import (
    Body,
    CardDealt,
    CardsCollected,
    CutCardReached,
    LockoutPressed,
    NoMoreBets,
    RoundClosed,
    RoundVoided,
    ShuffleCompleted,
    TableClosed,
    TableOpened,
    WagerPlaced,
)
from streams.core.phase import phase_of
from streams.core.table import new_table
from tests.blackjack_rounds import SINGLE, script, table
from tests.coups import coup, shoe
from tests.traces import BOOK, CARIBBEAN, FOUR_CARD, SHUFFLE, events, legal, observing, opened


def phases(trace: Sequence[Body]) -> list[str]:
    """Return what a table is at after each event, one of a row of the same."""
    state, words = new_table("T"), [phase_of(new_table("T"))]
    for event in events(trace):
        state = advance_all(state, (event,), BOOK).state
        if phase_of(state) != words[-1]:
            words.append(phase_of(state))
    return words


@pytest.mark.parametrize("game", [CARIBBEAN, FOUR_CARD])
def test_a_night_of_a_game_dealt_from_the_hand(game: str) -> None:
    trace = [opened(game), SHUFFLE, *legal(game)]
    collected = CardsCollected("player", 1)
    assert phases([*trace[:-1], collected, trace[-1], SHUFFLE, TableClosed()]) == [
        "closed",
        "between",
        "betting",
        "dealing",
        "deciding",
        "settling",
        "between",
        "closed",
    ]


def test_a_lockout_closes_no_bets() -> None:
    trace: list[Body] = [opened(CARIBBEAN), WagerPlaced(1, "ante")]
    assert phases(trace)[-1] == "betting"
    assert phases([*trace, LockoutPressed()])[-1] == "betting"
    assert phases([*trace, LockoutPressed(), NoMoreBets()])[-1] == "dealing"


def test_a_void_round_is_settled() -> None:
    assert phases([opened(CARIBBEAN), WagerPlaced(1, "ante"), RoundVoided()])[-1] == "settling"


def test_until_it_is_known_who_plays_cards_are_dealt() -> None:
    trace = observing([opened(CARIBBEAN), *legal(CARIBBEAN, (1,))[:-4]], "wagers")
    assert phases(trace)[-1] == "deciding"
    cards = [place for place, body in enumerate(trace) if isinstance(body, CardDealt)]
    assert phases(trace[: cards[0] + 1])[-1] == "dealing"


def test_a_round_of_blackjack_and_its_cut_card() -> None:
    round_ = script("w1 1:TS D:9C 1:8H D:QCv 1:stand x:D:QC cD s1:lose close")
    trace = table(SINGLE, round_, hole_card="down")
    reached = [*trace[:-1], CutCardReached(), RoundClosed()]
    assert phases([*reached, ShuffleCompleted("hand")]) == [
        "closed",
        "between",
        "betting",
        "dealing",
        "deciding",
        "settling",
        "shuffling",
        "between",
    ]
    assert phases(trace)[-1] == "between"


def test_the_hole_card_is_still_dealt() -> None:
    trace = table(SINGLE, script("w1 1:TS D:9C 1:8H"), hole_card="down")
    assert phases(trace)[-1] == "dealing"
    assert phases(table(SINGLE, script("w1 1:TS D:9C 1:8H"), hole_card="none"))[-1] == "deciding"


def test_a_coup_is_dealt_until_both_hands_have_two_cards() -> None:
    trace = shoe(coup("23", "23"))
    dealt = [place for place, body in enumerate(trace) if isinstance(body, CardDealt)]
    assert phases(trace[: dealt[3]])[-1] == "dealing"
    assert phases(trace[: dealt[3] + 1])[-1] == "deciding"


def test_of_blackjack_from_the_hand_no_order_is_known() -> None:
    opening = TableOpened("blackjack", "hand", 1, 7, ("*",))
    trace: list[Body] = [opening, SHUFFLE, WagerPlaced(1, "main"), CardDealt("player", "up", 1)]
    assert phases(trace)[-1] == "dealing"
