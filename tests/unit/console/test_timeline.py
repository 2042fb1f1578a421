"""The places of a round's timeline."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.times import MICROS_IN_SECOND
from streams.console import timeline as tl

T0 = 1_796_000_000_000_000
S = MICROS_IN_SECOND


def test_the_axis_begins_at_the_opening_and_reaches_past_now() -> None:
    drawn = tl.draw(T0, T0 + 43 * S)
    assert drawn.ticks[0] == tl.Tick(tl.LEFT, "0 s")
    assert drawn.ticks[-1].x == tl.RIGHT
    assert [tick.text for tick in drawn.ticks][:3] == ["0 s", "5 s", "10 s"]
    assert drawn.now is not None
    assert drawn.ticks[-2].x < drawn.now < tl.RIGHT


def test_a_closed_round_has_no_now_and_nothing_due() -> None:
    drawn = tl.draw(T0, T0 + 43 * S, due_dealer=False, closed=True)
    assert drawn.now is None
    assert drawn.now_place is None


def test_cards_lie_in_their_lane_and_the_next_is_due_in_its_own() -> None:
    cards = [tl.DealtCard(T0 + S, False, False, "1"), tl.DealtCard(T0 + 2 * S, True, True)]
    drawn = tl.draw(T0, T0 + 20 * S, cards=cards, due_dealer=True)
    assert drawn.cards[0].y < drawn.cards[1].y == drawn.now_place
    assert [card.up for card in drawn.cards] == [False, True]
    assert drawn.cards[0].x < drawn.cards[1].x


def test_labels_and_words_that_have_no_room_are_left_out() -> None:
    cards = [tl.DealtCard(T0 + place * S // 100, False, True, "10") for place in range(5)]
    marks = [tl.Mark(T0, "deck in left hand"), tl.Mark(T0 + S, "wagers 5")]
    drawn = tl.draw(T0, T0 + 30 * S, cards=cards, marks=marks)
    assert [card.label for card in drawn.cards].count("10") == 1
    assert [mark.text for mark in drawn.marks] == ["", "wagers 5"]


def test_findings_say_their_words_beside_their_glyph_where_there_is_room() -> None:
    faults = [
        tl.Fault(T0 + S, 2, "stub count overdue", standing=True),
        tl.Fault(T0 + 29 * S, 3, "card face up, position 2"),
    ]
    drawn = tl.draw(T0, T0 + 29 * S, faults=faults)
    assert [one.text for one in drawn.standing] == ["stub count overdue"]
    assert not drawn.standing[0].before
    (point,) = drawn.points
    assert point.before
    assert point.text_x < point.x


def test_what_stands_lies_side_by_side_and_is_told_together() -> None:
    faults = [
        tl.Fault(T0, 3, "clock skew", standing=True),
        tl.Fault(T0, 2, "stub count overdue", standing=True),
    ]
    first, second = tl.draw(T0, T0 + 29 * S, faults=faults).standing
    assert (first.shape, first.text) == (2, "")
    assert second.x - first.x == tl.SIDE_BY_SIDE
    assert second.text == "stub count overdue; clock skew"
    crowd = [tl.Fault(T0, 2, "x" * 60, standing=True) for _ in range(9)]
    assert {one.text for one in tl.draw(T0, T0, faults=crowd).standing} == {""}


def test_only_the_latest_are_drawn_and_the_rest_is_counted() -> None:
    marks = [tl.Mark(T0 + place, "x") for place in range(tl.MOST_MARKS + 7)]
    drawn = tl.draw(T0, T0 + 10 * S, marks=marks)
    assert len(drawn.marks) == tl.MOST_MARKS
    assert drawn.left_out == 7


def test_a_round_of_minutes_and_of_hours_has_few_ticks() -> None:
    for seconds in (0, 9, 100, 700, 50_000, 3_000_000):
        drawn = tl.draw(T0, T0 + seconds * S)
        assert 2 <= len(drawn.ticks) <= tl.MOST_TICKS + 2
    assert tl.draw(T0, T0 + 1200 * S).ticks[-1].text.endswith("min")
    assert tl.draw(T0, T0 + 80_000 * S).ticks[-1].text.endswith("h")


@given(
    st.integers(-10, 10**6),
    st.lists(st.integers(-100, 10**6), max_size=30),
    st.lists(st.text(max_size=40), min_size=30, max_size=30),
)
def test_nothing_is_drawn_outside(until: int, times: list[int], texts: list[str]) -> None:
    drawn = tl.draw(
        T0,
        T0 + until * S,
        marks=[tl.Mark(T0 + at * S, text) for at, text in zip(times, texts, strict=False)],
        cards=[tl.DealtCard(T0 + at * S, at % 2 == 0, True, "3") for at in times],
        faults=[tl.Fault(T0 + at * S, 1, text) for at, text in zip(times, texts, strict=False)],
    )
    places = [mark.x for mark in drawn.marks] + [fault.x for fault in drawn.points]
    assert all(tl.LEFT <= place <= tl.RIGHT for place in places)
    assert all(tl.LEFT - 4 <= card.x <= tl.RIGHT - 4 for card in drawn.cards)
