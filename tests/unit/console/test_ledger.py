"""The stub clock, the deck's ledger, the shoe, and the pace."""

from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Round, ViewStock
from schemas.times import MICROS_IN_HOUR
from streams.console import ledger, pace
from streams.console.wording import NOTHING
from streams.rulebooks import load
from tests.unit.console.alarm_records import BOOK
from tests.unit.console.views import T0, card, view

UTC = ZoneInfo("UTC")


def round_(number: int, counted: int | None, expected: int | None = 22) -> Round:
    return Round(
        table="CS-03",
        game="caribbean_stud",
        number=number,
        opened_by=f"CS-03/gw-2/1/{number}",
        opened_at=T0,
        closed_at=T0 + number,
        ended="closed",
        dealer="D-114",
        deck=None,
        positions=(1,),
        cards=(),
        events=(),
        dropped_events=0,
        gap=False,
        expected_stub=expected,
        counted_stub=counted,
        findings=(),
        book=BOOK,
        version="0.1.0",
    )


def test_the_stub_clock_has_a_pip_for_each_round_and_one_more_when_over() -> None:
    book = load()
    clock = ledger.stub_clock(view(rounds_since_stub_count=3), book)
    assert clock is not None
    assert clock.pips == ("on", "on", "on", "", "")
    assert clock.over == 0
    assert clock.last is None
    over = ledger.stub_clock(
        view(rounds_since_stub_count=6), book, (round_(212, 22), round_(213, None))
    )
    assert over is not None
    assert over.pips == ("on", "on", "on", "on", "over", "over")
    assert over.over == 1
    assert over.last == "round 212: 22 of 22"
    far = ledger.stub_clock(view(rounds_since_stub_count=4000), book, (round_(1, 20, None),))
    assert far is not None
    assert len(far.pips) == ledger.MOST_PIPS
    assert far.last == f"round 1: 20 of {NOTHING}"
    assert ledger.stub_clock(view(rounds_since_stub_count=None), book) is None


def test_the_ledger_of_a_deck_says_where_its_cards_are() -> None:
    cards = (card(1, position=1), card(2, position=2), card(3, to="dealer", card="KH"))
    rows = ledger.deck_ledger(
        view(cards=cards, cards_out=4, stub_now=48, stub_due=22, positions=(1, 2), counted_stub=22)
    )
    assert [(row.label, row.figure) for row in rows] == [
        ("Deck", "52"),
        ("Players, 2 in play", "\N{MINUS SIGN}2"),
        ("Dealer", "\N{MINUS SIGN}1"),
        ("Other cards", "\N{MINUS SIGN}1"),
        ("Stub now", "48"),
        ("Stub due at the end", "22"),
        ("Stub counted", "22"),
    ]
    unknown = ledger.deck_ledger(view(stocks=(ViewStock("A", 52, 0, None, False),)))
    assert [row.figure for row in unknown] == ["52", "0", "0", NOTHING, NOTHING]
    assert ledger.deck_ledger(view(dealt_from="shoe")) == ()


def test_a_shoe_says_how_far_it_is_dealt() -> None:
    stock = ViewStock(None, 312, 144, "automatic", False)
    (shoe,) = ledger.shoes(view(dealt_from="shoe", stocks=(stock,), cards_out=15))
    assert [(row.label, row.figure) for row in shoe.rows] == [
        ("Loaded", "312"),
        ("Earlier", "\N{MINUS SIGN}129"),
        ("This round", "\N{MINUS SIGN}15"),
        ("In the shoe", "168"),
    ]
    assert shoe.penetration == 46
    assert shoe.shuffle == "automatic"
    sides = (
        ViewStock("left", 156, 10, None, True),
        ViewStock("right", 156, 0, "bart_carter", False),
    )
    left, right = ledger.shoes(view(dealt_from="double_shoe", stocks=sides, cards_out=3))
    assert left.cut_card
    assert left.rows[1] == ledger.Row("Dealt and burned", "\N{MINUS SIGN}10")
    assert right.shuffle == "bart carter"
    assert ledger.shoes(view()) == ()


def test_the_pace_is_that_of_the_last_hour_and_an_unknown_one_is_none() -> None:
    assert pace.pace_now([], T0) is None
    assert pace.pace_now([T0 - MICROS_IN_HOUR, T0 - 1, T0, T0 + 1], T0) == 2
    assert pace.pace_now([T0 - 2 * MICROS_IN_HOUR], T0) == 0


def test_the_plot_starts_at_zero_and_shows_the_target() -> None:
    drawn = pace.plot([T0 - 1, T0 - 2, T0 - pace.QUARTER], T0, 40, UTC)
    assert drawn.bars[-1].pace == 8
    assert drawn.bars[-1].now
    assert drawn.axis[0] == (pace.BOTTOM, 0)
    assert drawn.axis[-1][1] == 60
    assert drawn.target_y is not None
    assert pace.plot([], T0, None, UTC).target_y is None


@given(st.lists(st.integers(0, 2 * pace.QUARTERS * pace.QUARTER), max_size=60))
def test_every_round_of_the_window_is_in_one_bar(ages: list[int]) -> None:
    drawn = pace.plot([T0 - age for age in ages], T0, None, UTC)
    within = sum(age < pace.QUARTERS * pace.QUARTER for age in ages)
    assert sum(bar.pace for bar in drawn.bars) == 4 * within
    assert all(pace.TOP <= bar.y <= pace.BOTTOM for bar in drawn.bars)
