"""Decks of a table dealt from the hand: named, alternating, unnamed, renamed and removed."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from streams.core.advance import advance_all
from streams.core.events import (
    Body,
    CardDealt,
    DeckInHand,
    DeckRemoved,
    RoundClosed,
    ShuffleCompleted,
    StubCounted,
    WagerPlaced,
)
from streams.core.table import MOST_STOCKS, new_table
from tests.traces import (
    BOOK,
    CARIBBEAN,
    FOUR_CARD,
    SHUFFLE,
    before,
    events,
    findings,
    legal,
    opened,
    raised,
    told,
)

both = pytest.mark.parametrize("game", [CARIBBEAN, FOUR_CARD])
WRONG = StubCounted(20)


def shuffled(deck: str | None, method: str = "automatic", cards: int | None = 52) -> Body:
    return ShuffleCompleted(method, cards=cards, deck=deck)


def dealt(game: str, deck: str | None = None, *last: Body) -> list[Body]:
    """Return a legal round from a deck, with more events before it closes."""
    trace = [
        replace(body, deck=deck) if isinstance(body, DeckInHand) else body for body in legal(game)
    ]
    return before(trace, RoundClosed, *last) if last else trace


def counted(game: str, deck: str | None = None, by: int = 0) -> StubCounted:
    return StubCounted((32 if game == CARIBBEAN else 31) + by, deck)


def night(game: str, *parts: Body | Sequence[Body]) -> list[Body]:
    trace: list[Body] = [opened(game)]
    for part in parts:
        trace += part if isinstance(part, Sequence) else [part]
    return trace


# shuffler_not_used


@both
def test_a_spare_deck_is_shuffled_before_the_round_it_lies_out_has_ended(game: str) -> None:
    early = before(dealt(game, "red"), CardDealt, shuffled("blue"), number=9)
    trace = night(game, shuffled("red"), early, dealt(game, "blue"))
    assert raised(trace) == []


@both
def test_a_shuffle_before_the_previous_rounds_last_card_is_none_of_a_deck_without_a_name(
    game: str,
) -> None:
    early = before(dealt(game), CardDealt, SHUFFLE, number=9)
    assert raised(night(game, SHUFFLE, early, dealt(game))) == ["shuffler_not_used"]


@both
def test_a_shuffle_of_the_other_deck_is_no_shuffle_of_the_one_in_hand(game: str) -> None:
    assert raised(night(game, shuffled("red"), dealt(game, "blue"))) == ["shuffler_not_used"]
    twice = night(game, shuffled("red"), shuffled("blue"), dealt(game, "red"))
    assert raised(twice) == []
    assert raised([*twice, shuffled("blue"), *dealt(game, "red")]) == ["shuffler_not_used"]


@both
def test_the_last_shuffle_of_the_deck_in_hand_is_the_one_that_counts(game: str) -> None:
    by_hand = night(game, shuffled("red"), shuffled("red", "hand"), dealt(game, "red"))
    (finding,) = findings(by_hand)
    assert finding.detail == {"last_shuffle": "hand"}
    other = night(game, shuffled("red"), shuffled("blue", "hand"), dealt(game, "red"))
    assert raised(other) == []


@both
def test_decks_named_in_hand_alone_are_shuffled_since_the_previous_round(game: str) -> None:
    named = [dealt(game, deck) for deck in ("red", "blue", "red")]
    assert raised(night(game, *(body for one in named for body in (SHUFFLE, one)))) == []
    assert raised(night(game, SHUFFLE, named[0], SHUFFLE, named[1], named[2])) == [
        "shuffler_not_used"
    ]


@both
def test_decks_named_by_the_shuffler_alone_are_shuffled_since_the_previous_round(game: str) -> None:
    legal_night = night(game, shuffled("red"), dealt(game), shuffled("blue"), dealt(game))
    assert raised(legal_night) == []
    assert raised([*legal_night, *dealt(game)]) == ["shuffler_not_used"]


# stub_count_wrong


@both
@pytest.mark.parametrize("in_hand", [None, "red"])
@pytest.mark.parametrize("in_count", [None, "red"])
@pytest.mark.parametrize("by_shuffler", [(None,), ("red",), ("red", "blue")])
def test_a_right_count_is_right_wherever_the_deck_is_named(
    game: str, in_hand: str | None, in_count: str | None, by_shuffler: tuple[str | None, ...]
) -> None:
    shuffles = [shuffled(deck) for deck in by_shuffler]
    right, wrong = counted(game, in_count), counted(game, in_count, by=-1)
    assert raised(night(game, shuffles, dealt(game, in_hand, right))) == []
    assert raised(night(game, shuffles, dealt(game, in_hand), right)) == []
    assert raised(night(game, shuffles, dealt(game, in_hand, wrong))) == ["stub_count_wrong"]
    (finding,) = findings(night(game, shuffles, dealt(game, in_hand), wrong))
    assert finding.detail == {"expected": right.cards, "counted": right.cards - 1}
    recount = night(game, shuffles, dealt(game, in_hand, wrong, right))
    assert [state for _, state, _ in told(recount)] == ["raised", "cleared"]


@both
def test_the_stub_of_a_deck_that_lies_out_is_all_of_it(game: str) -> None:
    decks = [shuffled("red"), shuffled("blue")]
    for place in (1, 2):
        for cards in (52, 51):
            count = StubCounted(cards, "blue")
            trace = night(game, decks, dealt(game, "red", *[count] * (2 - place)))
            trace += [count] * (place - 1)
            assert raised(trace) == ([] if cards == 52 else ["stub_count_wrong"])


@both
def test_a_wrong_count_stands_of_its_deck_alone(game: str) -> None:
    decks = [shuffled("red"), shuffled("blue")]
    trace = night(game, decks, dealt(game, "red", WRONG), dealt(game, "blue"))
    assert raised(trace) == ["stub_count_wrong"]
    assert told([*trace, shuffled("blue")]) == told(trace)
    assert told([*trace, DeckRemoved(deck="blue")]) == told(trace)
    assert told([*trace, shuffled("red")])[1:] == [("stub_count_wrong", "cleared", 2)]
    again = [*trace, shuffled("red", cards=None), *dealt(game, "red")]
    assert raised(again) == ["stub_count_wrong", "suspect_cards_in_play"]


@both
def test_of_two_decks_both_can_be_wrong(game: str) -> None:
    wrong = [shuffled("red", cards=51), shuffled("blue", cards=50)]
    assert raised(night(game, wrong)) == ["shuffler_count_wrong", "shuffler_count_wrong"]
    right = [*wrong, shuffled("blue"), shuffled("red")]
    states = [state for _, state, _ in told(night(game, right))]
    assert states == ["raised", "raised", "cleared", "cleared"]


# the only deck gets its name


@both
def test_the_only_deck_is_the_one_that_is_named_later(game: str) -> None:
    short = shuffled(None, cards=51)
    suspect = night(game, short, dealt(game, "red"))
    assert raised(suspect) == ["shuffler_count_wrong", "suspect_cards_in_play"]
    assert told([*suspect, shuffled("red")])[2:] == [("shuffler_count_wrong", "cleared", 1)]
    wrong = night(game, SHUFFLE, dealt(game), counted(game, "red", by=1))
    assert raised([*wrong, shuffled(None, cards=None), *dealt(game)]) == [
        "stub_count_wrong",
        "suspect_cards_in_play",
    ]
    assert told([*wrong, SHUFFLE])[1:] == [("stub_count_wrong", "cleared", 1)]


@both
def test_a_name_given_in_a_round_is_of_the_deck_dealt(game: str) -> None:
    trace = night(game, SHUFFLE, dealt(game, None, counted(game, "red")))
    state = advance_all(new_table("T"), events(trace[:-1]), BOOK).state
    assert list(state.stocks) == ["red"]
    assert state.round is not None
    assert state.round.stock == "red"
    first = next(body for body in trace if isinstance(body, CardDealt))
    twice = before(trace, RoundClosed, first)
    assert "duplicate_card" in raised(twice)


# removed and forgotten


@both
def test_a_removed_deck_is_the_only_one_no_more(game: str) -> None:
    trace = night(game, shuffled("red"), dealt(game, "red", WRONG), DeckRemoved(deck="red"))
    assert told(trace)[1:] == [("stub_count_wrong", "cleared", 1)]
    state = advance_all(new_table("T"), events(trace), BOOK).state
    assert (state.stocks, state.stock_in_hand) == ({}, None)
    assert raised([*trace, shuffled("blue"), *dealt(game)]) == ["stub_count_wrong"]


@both
def test_a_deck_removed_in_its_own_round_is_still_dealt_from(game: str) -> None:
    removed = before(dealt(game), CardDealt, DeckRemoved(), number=9)
    assert raised(night(game, SHUFFLE, removed, counted(game))) == []
    assert raised(night(game, DeckRemoved(deck="red"), SHUFFLE, dealt(game))) == []


@both
def test_a_deck_removed_between_rounds_leaves_the_last_rounds_count_with_its_name(
    game: str,
) -> None:
    trace = night(game, shuffled("red"), dealt(game, "red"), DeckRemoved(deck="red"))
    assert raised([*trace, shuffled("blue"), counted(game)]) == []


@both
def test_deck_after_deck_is_named_and_the_one_longest_out_of_hand_is_forgotten(game: str) -> None:
    trace = night(game)
    for number in range(MOST_STOCKS * 2):
        trace += [shuffled(f"deck {number}"), *dealt(game, f"deck {number}", counted(game))]
        trace += [shuffled("red"), *dealt(game, "red", counted(game))]
    assert raised(trace) == []
    state = advance_all(new_table("T"), events(trace), BOOK).state
    assert len(state.stocks) == MOST_STOCKS
    assert "red" in state.stocks


@both
def test_decks_that_stand_wrong_are_not_forgotten_and_beyond_them_none_has_a_name(
    game: str,
) -> None:
    wrong = [shuffled(f"deck {number}", cards=51) for number in range(MOST_STOCKS + 3)]
    trace = night(game, wrong)
    assert raised(trace) == ["shuffler_count_wrong"] * (MOST_STOCKS + 1)
    assert told([*trace, shuffled("deck 0")])[-1] == ("shuffler_count_wrong", "cleared", 0)
    late = [*trace, shuffled("late"), *dealt(game, "late")]
    assert told(late)[-1] == ("shuffler_count_wrong", "cleared", 0)
    state = advance_all(new_table("T"), events(late), BOOK).state
    assert len(state.stocks) == MOST_STOCKS + 1
    assert len(state.standing) == MOST_STOCKS


@both
def test_names_without_end_are_bounded_in_an_open_round(game: str) -> None:
    trace = night(game, WagerPlaced(1, "ante"), DeckInHand("left", "red"))
    trace += [StubCounted(3, f"deck {number}") for number in range(MOST_STOCKS * 3)]
    state = advance_all(new_table("T"), events(trace), BOOK).state
    assert len(state.stocks) <= MOST_STOCKS + 1
    assert len(state.standing) <= MOST_STOCKS + 1
    assert "red" in state.stocks
