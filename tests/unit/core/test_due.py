"""What a table page is told of the card or decision that comes next."""

from collections.abc import Sequence
from typing import Any

import pytest

from streams.core.advance import advance_all
from streams.core.due import Due
from streams.core.events import (
    Announced,
    Body,
    CardDealt,
    CardExposed,
    HandDeclaredDead,
    HoleCardRead,
    NoMoreBets,
    RoundVoided,
    TableOpened,
    WagerPlaced,
    WagerSettled,
)
from streams.core.projection import view
from streams.core.table import new_table
from tests.blackjack_rounds import SINGLE, script, table
from tests.coups import coup, shoe
from tests.traces import (
    BOOK,
    CARIBBEAN,
    FOUR_CARD,
    SHUFFLE,
    cards_of,
    events,
    legal,
    observing,
    opened,
)


def due(trace: Sequence[Body]) -> Due | None:
    """Return what is due after a trace."""
    return view(advance_all(new_table("T"), events(trace), BOOK).state).next


def told(trace: Sequence[Body]) -> str | None:
    """Return what is due in a short hand: ``1 draw up``, ``D pass down 2/2``, ``3.2 decision``."""
    next_ = due(trace)
    if next_ is None:
        return None
    place = {"dealer": "D", "banker": "B"}.get(next_.to, str(next_.position or "P"))
    place += f".{next_.hand}" if next_.hand != 1 else ""
    if next_.what == "decision":
        return f"{place} decision"
    passes = "" if next_.passes is None else f" {next_.pass_}/{next_.passes}"
    return f"{place} {next_.reason} {next_.face}{passes}"


@pytest.mark.parametrize("game", [CARIBBEAN, FOUR_CARD])
def test_each_card_of_a_legal_deal_is_due_before_it_is_dealt(game: str) -> None:
    trace = [opened(game), SHUFFLE, *legal(game)]
    dealt = [place for place, body in enumerate(trace) if isinstance(body, CardDealt)]
    for number, place in enumerate(dealt, start=1):
        card, next_ = trace[place], due(trace[:place])
        assert isinstance(card, CardDealt)
        assert next_ is not None
        assert (next_.what, next_.reason, next_.number) == ("card", "pass", number)
        assert (next_.to, next_.position, next_.hand) == (card.to, card.position, 1)
        assert (next_.face, next_.passes) == (card.face, 5)
    assert due(trace[: dealt[-1] + 1]) is None


def test_a_pass_is_told_by_the_players_cards_and_ends_with_the_dealers() -> None:
    cards = cards_of(FOUR_CARD, (1,))
    trace: list[Body] = [opened(FOUR_CARD), SHUFFLE, WagerPlaced(1, "ante"), NoMoreBets()]
    passes = [due([*trace, *cards[:number]]) for number in range(len(cards))]
    assert [each.pass_ for each in passes if each] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5]


def test_nothing_is_due_while_positions_may_join() -> None:
    trace: list[Body] = [opened(CARIBBEAN), SHUFFLE, WagerPlaced(1, "ante")]
    assert due(trace) is None
    assert told([*trace, NoMoreBets()]) == "1 pass down 1/5"
    assert due(observing([*trace, NoMoreBets()], "wagers")) is None
    assert due([opened(CARIBBEAN), SHUFFLE, NoMoreBets()]) is None


def test_where_wagers_are_not_seen_the_first_pass_tells_who_plays() -> None:
    trace = observing([opened(CARIBBEAN), SHUFFLE, NoMoreBets()], "wagers")
    cards = cards_of(CARIBBEAN, (1, 3))
    assert due([*trace, *cards[:2]]) is None
    assert told([*trace, *cards[:3]]) == "1 pass down 2/5"


@pytest.mark.parametrize("end", [RoundVoided(), WagerSettled(1, "ante", "lose")])
def test_nothing_is_due_once_a_round_is_void_or_settled(end: Body) -> None:
    trace = [opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)[:10]]
    assert due(trace) is not None
    assert due([*trace, end]) is None


def blackjack(text: str, **changes: Any) -> list[Body]:
    """Return a table of blackjack after a round's beginning."""
    return table(SINGLE, script(text), **{"hole_card": "down", "double_face": "up"} | changes)


TWO = "w1 w3 1:TS 3:8D D:9C 1:5H 3:8S"
HOLE = f"{TWO} D:QCv"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("w1 w3", None),
        ("w1 w3 1:TS", "3 pass up 1/2"),
        ("w1 w3 1:TS 3:8D", "D pass up 1/2"),
        ("w1 w3 1:TS 3:8D D:9C", "1 pass up 2/2"),
        ("w1 w3 1:TS 3:8D D:9C 1:5H", "3 pass up 2/2"),
        (TWO, "D hole_card down 2/2"),
        (HOLE, "1 decision"),
        (f"{HOLE} 1:draw", "1 draw up"),
        (f"{HOLE} 1:draw 1:2H", "1 decision"),
        (f"{HOLE} 1:draw 1:6C", "3 decision"),
        (f"{HOLE} 1:draw 1:KC", "3 decision"),
        (f"{HOLE} 1:stand", "3 decision"),
        (f"{HOLE} 1:surrender", "3 decision"),
        (f"{HOLE} 1:double", "1 double up"),
        (f"{HOLE} 1:double 1:2C", "3 decision"),
        (f"{HOLE} 1:stand 3:split", "3 split up"),
        (f"{HOLE} 1:stand 3:split 3:2H", "3 decision"),
        (f"{HOLE} 1:stand 3:split 3:2H 3:stand", "3.2 split up"),
        (f"{HOLE} 1:stand 3:split 3:2H 3:stand 3.2:4C", "3.2 decision"),
        (f"{HOLE} 1:stand 3:stand", None),
        (f"{HOLE} 1:stand 3:stand x:D:QC", None),
        (f"{HOLE} 1:draw 1:?", None),
    ],
)
def test_what_is_due_in_a_round_with_a_hole_card(text: str, expected: str | None) -> None:
    assert told(blackjack(text)) == expected


@pytest.mark.parametrize(
    ("hole", "expected"),
    [("5C", "D draw up"), ("8C", None), ("AC", None), ("?", None)],
)
def test_the_dealer_draws_to_seventeen_once_his_hole_card_is_turned(
    hole: str, expected: str | None
) -> None:
    trace = blackjack(f"{TWO} D:{hole}v 1:stand 3:stand x:D:{hole}")
    assert told(trace) == expected
    assert due(blackjack(f"{TWO} D:{hole}v 1:stand 3:stand")) is None


def test_the_dealer_draws_on_a_soft_seventeen_where_the_table_says_so() -> None:
    text = "w1 1:TS D:6C 1:9H D:ASv 1:stand x:D:AS"
    assert told(blackjack(text, soft_seventeen="stand")) is None
    assert told(blackjack(text, soft_seventeen="draw")) == "D draw up"


def test_the_dealer_draws_for_no_one() -> None:
    text = "w1 1:TS D:6C 1:9H D:5Sv 1:surrender x:D:5S"
    assert told(blackjack(text)) is None


def test_with_multiple_action_it_is_not_known_for_which_the_dealer_draws() -> None:
    text = "w1 1:TS D:6C 1:9H D:5Sv 1:stand x:D:5S"
    assert told(blackjack(text, offers=("multiple_action",))) is None


@pytest.mark.parametrize("hole_card", ["none", None])
def test_without_a_hole_card_the_dealer_draws_after_the_decisions(hole_card: str | None) -> None:
    assert told(blackjack(TWO, hole_card=hole_card)) == "1 decision"
    assert told(blackjack(f"{TWO} 1:stand 3:stand", hole_card=hole_card)) == "D draw up"


def test_a_hole_card_dealt_up_that_makes_a_blackjack_ends_the_decisions() -> None:
    text = "w1 1:TS D:AC 1:5H"
    assert told(blackjack(text, hole_card="up")) == "D hole_card up 2/2"
    assert told(blackjack(f"{text} D:5C", hole_card="up")) == "1 decision"
    assert told(blackjack(f"{text} D:KC", hole_card="up")) is None


@pytest.mark.parametrize("result", ["blackjack", "no_blackjack"])
def test_what_the_reader_found_changes_nothing(result: str) -> None:
    trace = [*blackjack("w1 1:TS D:AC 1:5H D:KCv"), HoleCardRead(result)]
    assert told(trace) == "1 decision"


def test_where_a_players_card_lies_down_it_is_not_told_whether_he_decides() -> None:
    for card in ("5H", "AH"):
        assert told(blackjack(f"w1 1:TS D:AC 1:{card}v D:KCv")) is None


def test_whose_turn_it_is_cannot_be_known_where_decisions_are_not_seen() -> None:
    assert due(observing(blackjack(HOLE), "decisions")) is None


def test_where_wagers_are_not_seen_blackjacks_first_pass_is_open() -> None:
    trace = observing(blackjack("1:TS 3:8D"), "wagers")
    assert due(trace) is None


@pytest.mark.parametrize(("double_face", "face"), [(None, "up"), ("up", "up"), ("down", "down")])
def test_a_double_is_due_as_the_table_deals_it(double_face: str | None, face: str) -> None:
    trace = blackjack(f"{HOLE} 1:double", double_face=double_face)
    assert told(trace) == f"1 double {face}"


@pytest.mark.parametrize("to", ["1", "3"])
def test_nothing_is_due_to_a_hand_that_was_declared_dead(to: str) -> None:
    trace = blackjack(HOLE if to == "1" else f"{HOLE} 1:stand")
    dead = [*trace, HandDeclaredDead(int(to), wager_returned=True)]
    assert told(trace) == f"{to} decision"
    assert told(dead) == ("3 decision" if to == "1" else None)


def test_a_dealers_card_that_was_made_up_is_not_owed_again() -> None:
    missed = "w1 1:TS 1:9H D:6C"
    assert told(blackjack(missed, hole_card="up")) == "D hole_card up 2/2"
    assert told(blackjack(f"{missed} D:5C", hole_card="up")) == "1 decision"


def test_no_third_card_is_due_while_the_first_four_are_dealt() -> None:
    cards = coup("23", "23")
    called = [*cards[:3], Announced("dominant_player", "card")]
    assert due(shoe(called)) is None
    assert told(shoe([*called, cards[3]])) == "P third_card up"


def test_the_players_third_card_is_due_once_it_was_called_for() -> None:
    trace = shoe(coup("23", "23"))
    third = next(
        place
        for place, body in enumerate(trace)
        if isinstance(body, CardDealt) and body.face == "up"
    )
    called = next(
        place
        for place, body in enumerate(trace)
        if isinstance(body, Announced) and body.by == "dominant_player"
    )
    assert all(due(trace[:place]) is None for place in range(called + 1))
    assert {told(trace[:place]) for place in range(called + 1, third + 1)} == {"P third_card up"}
    assert all(due(trace[:place]) is None for place in range(third + 1, len(trace)))


def test_nothing_is_due_at_blackjack_from_the_hand() -> None:
    opening = TableOpened("blackjack", "hand", 1, 7, ("*",))
    trace: list[Body] = [opening, SHUFFLE, WagerPlaced(1, "main"), CardDealt("player", "up", 1)]
    assert due(trace) is None
    assert due([*trace, CardExposed("dealer")]) is None
