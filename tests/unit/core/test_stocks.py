"""A card leaves its own side of the shoe, once."""

import pytest

from streams.core.advance import advance_all
from streams.core.cards import CARDS
from streams.core.events import Body, CardDealt, CardsLoaded, DeterminantDrawn, Event, TableOpened
from streams.core.table import new_table
from streams.rulebooks import load

OPENED = TableOpened(
    game="blackjack",
    dealt_from="double_shoe",
    decks=8,
    positions=7,
    observes=("*",),
    red_side="left",
)


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
    events = [Event("BJ-01", "gw", 1, seq, seq, body) for seq, body in enumerate(bodies, 1)]
    stocks = advance_all(new_table("BJ-01"), events, load("nj")).state.stocks
    assert stocks["left"].first == left
    assert stocks["right"].first == right
