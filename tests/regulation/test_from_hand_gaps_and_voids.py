"""16.8 and 27.8 in rounds with a gap, voided rounds, and rounds that the table cuts short."""

from dataclasses import replace

import pytest

from streams.core.events import (
    CardDealt,
    DeckInHand,
    DeckOutOfArea,
    LockoutPressed,
    NoMoreBets,
    RoundClosed,
    RoundVoided,
    StubPlaced,
    TableClosed,
)
from tests.from_hand import both, night, right, rounds_of
from tests.traces import (
    SHUFFLE,
    SHUFFLED,
    after,
    before,
    findings,
    legal,
    opened,
    place_of,
    raised,
    step_of,
    swapped,
    told,
    with_card,
    without,
)

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
