"""What a finding at a table dealt from the hand says, and what there is no finding of."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from streams.core.events import (
    Announced,
    Body,
    CardDealt,
    DeckInHand,
    DeviceFault,
    RoundVoided,
    WagerPlaced,
)
from tests.traces import (
    CARIBBEAN,
    FOUR_CARD,
    SHUFFLE,
    before,
    findings,
    legal,
    opened,
    place_of,
    raised,
    swapped,
    with_card,
)

GAMES = (CARIBBEAN, FOUR_CARD)
SEATS = 3


def table(game: str, trace: Sequence[Body] | None = None) -> list[Body]:
    return [opened(game), SHUFFLE, *(legal(game) if trace is None else trace)]


def details(trace: Sequence[Body], code: str) -> list[dict[str, int | str]]:
    return [dict(each.detail) for each in findings(trace) if each.code == code]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("body", "told"),
    [
        (Announced("dealer", "dealers_card"), False),
        (Announced("dominant_player", "card"), False),
        (Announced("banker", "natural"), True),
        (DeviceFault("shuffler"), False),
        (DeviceFault("card_reader"), True),
        (DeviceFault("shoe"), True),
    ],
    ids=str,
)
def test_who_and_which_devices_such_a_table_has(game: str, body: Body, told: bool) -> None:
    trace = table(game, before(legal(game), CardDealt, body))
    assert ("event_out_of_place" in raised(trace)) is told


@pytest.mark.parametrize("game", GAMES)
def test_a_card_out_of_order_names_the_place_that_was_due(game: str) -> None:
    trace = table(game, swapped(legal(game), SEATS))
    due = {"dealt_to": "dealer", "expected_to": "player", "expected_position": 4}
    assert details(trace, "deal_order") == [due]


@pytest.mark.parametrize("game", GAMES)
def test_where_the_dealer_was_due_no_position_is_named(game: str) -> None:
    trace = table(game, swapped(legal(game), SEATS + 1))
    assert details(trace, "deal_order") == [
        {"dealt_to": "player", "dealt_position": 1, "expected_to": "dealer"}
    ]


@pytest.mark.parametrize("game", GAMES)
def test_a_position_in_play_without_a_card_has_none(game: str) -> None:
    wagered = [*legal(game)[:SEATS], WagerPlaced(6, "ante", 2500), *legal(game)[SEATS:]]
    counts = {
        each.position: each.detail
        for each in findings(table(game, wagered))
        if each.code == "wrong_card_count"
    }
    assert counts == {6: {"expected": 5, "counted": 0}}


@pytest.mark.parametrize("game", GAMES)
def test_a_dealers_card_is_none_of_a_position_without_a_wager(game: str) -> None:
    def astray(card: CardDealt) -> CardDealt:
        return replace(card, position=7)

    assert "card_without_wager" not in raised(
        table(game, with_card(legal(game), SEATS + 1, astray))
    )


@pytest.mark.parametrize("game", GAMES)
def test_a_position_without_a_wager_is_told_once_however_many_cards_it_gets(game: str) -> None:
    trace = [body for body in legal(game) if body != WagerPlaced(3, "ante", 2500)]
    told = [each for each in findings(table(game, trace)) if each.code == "card_without_wager"]
    assert [each.position for each in told] == [3]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("placed", "said"), [("left", "left"), (None, "unknown")])
def test_the_hand_that_placed_a_card_is_named_where_it_is_known(
    game: str, placed: str | None, said: str
) -> None:
    def with_the_deck(card: CardDealt) -> CardDealt:
        return replace(card, drawn_with="right", placed_with=placed)

    trace = table(game, with_card(legal(game), 1, with_the_deck))
    assert isinstance(trace[place_of(trace, DeckInHand)], DeckInHand)
    assert details(trace, "wrong_hand_used") == [{"drawn_with": "right", "placed_with": said}]


@pytest.mark.parametrize("game", GAMES)
def test_a_wager_in_a_voided_round_is_not_late(game: str) -> None:
    late = WagerPlaced(1, "ante", 2500)
    trace = legal(game)
    assert "wager_after_close" in raised(table(game, before(trace, CardDealt, late)))
    voided = before(trace, CardDealt, RoundVoided(), late)
    assert "wager_after_close" not in raised(table(game, voided))
