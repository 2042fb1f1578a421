"""The history page and the alarms' figures as values."""

from itertools import pairwise
from zoneinfo import ZoneInfo

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import RoundEvent
from schemas.times import MICROS_IN_DAY, MICROS_IN_HOUR
from streams.console import history_page as hp
from streams.console.alarm_figures import told
from streams.console.inventory import Inventory, Pit, PlannedTable
from streams.console.wording import NOTHING
from streams.database.figures import AlarmFigures, CodeCount, DispositionCount, Figures
from streams.database.positions import Position, Watch
from streams.database.queries import ActRow, RoundInFull
from tests.console_scene import Scene

UTC = ZoneInfo("UTC")
NOW = 1_796_000_000_000_000
FLOOR = Inventory((Pit("1", (PlannedTable("CS-03", rounds_an_hour=40),)),), listed=True)


@given(
    st.dictionaries(
        st.integers(0, 400).map(lambda hour: hour * MICROS_IN_HOUR), st.integers(0, 999)
    ),
    st.integers(0, 300 * MICROS_IN_HOUR),
    st.integers(1, 100 * MICROS_IN_HOUR),
)
def test_hours_are_a_week_at_most_and_lie_side_by_side(
    counts: dict[int, int], since: int, span: int
) -> None:
    bars = hp.hour_bars(counts, since, since + span, UTC)
    assert 1 <= len(bars) <= hp.MOST_HOURS
    assert all(one.x < other.x for one, other in pairwise(bars))
    assert all(0 <= bar.y <= hp.PLOT_HEIGHT and bar.height >= 0 for bar in bars)


def test_figures_are_told_with_their_target_and_a_dash_for_what_is_not_known() -> None:
    table = Figures("CS-03", None, 12, 2, 3, 2, 60_000_000, 50_000_000)
    line = hp.figure_line(table, FLOOR, UTC, of_table=True)
    assert (line.an_hour, line.target, line.findings) == ("24.0", "40", "25.0")
    assert (line.acknowledged, line.longest) == ("30 s", "50 s")
    nobody = Figures("", None, 0, 0, 0, 0, 0, 0)
    blank = hp.figure_line(nobody, FLOOR, UTC, of_table=False)
    assert (blank.name, blank.an_hour, blank.findings) == (NOTHING, NOTHING, NOTHING)
    assert (blank.target, blank.acknowledged, blank.longest) == (NOTHING, NOTHING, NOTHING)
    shift = hp.figure_line(Figures("", NOW, 1, 1, 0, 0, 0, 0), FLOOR, UTC, of_table=False)
    assert shift.name[-6] == " "


def test_a_round_that_is_over_shows_every_card_and_what_became_of_each_hand() -> None:
    scene = Scene()
    scene.play("bj-legal", "BJ-01", NOW)
    record = scene.rounds[0]
    hands = hp.played_hands(record)
    assert hands[0].label == "D"
    assert sum(len(each.hand.cards) for each in hands) == sum(
        card.place == "dealt" for card in record.cards
    )
    assert all(card.rank for each in hands for card in each.hand.cards)
    assert any("stand" in each.said for each in hands)
    assert any("main" in each.said for each in hands)
    events = hp.told_events(record)
    assert [each.kind for each in events][-1] == "round_closed"
    assert all(":" in each.at for each in events)
    numbers = [card.number or 0 for each in hands for card in each.hand.cards]
    assert sorted(numbers) == sorted(
        place + 1 for place, card in enumerate(record.cards) if card.place == "dealt"
    )


def test_cards_that_left_otherwise_stand_by_themselves_and_odd_lines_are_none() -> None:
    scene = Scene()
    scene.play("bj-double-shoe-legal", "BJ-02", NOW)
    labels = {label for record in scene.rounds for label, _ in hp.other_cards(record)}
    assert labels
    odd = msgspec.structs.replace(
        scene.rounds[0], events=(RoundEvent("no json", None), RoundEvent("7", None))
    )
    assert [each.kind for each in hp.told_events(odd)] == ["", ""]


def test_acts_are_told_in_order_and_refused_ones_with_their_reason() -> None:
    scene = Scene()
    scene.play("bj-legal", "BJ-01", NOW)

    def act(command: str, at: int | None, *, accepted: bool | None) -> ActRow:
        return ActRow(
            command,
            "a",
            "BJ-01",
            "c",
            "shelve",
            "op-27",
            "operator",
            at,
            None,
            None,
            "why",
            accepted,
            None if accepted else "surveillance_alone",
        )

    acts = (act("2", 5, accepted=False), act("1", 3, accepted=True), act("3", None, accepted=True))
    done = hp.things_done(RoundInFull(scene.rounds[0], (), (), acts))
    assert done == (
        (3, "shelve by op-27", "why"),
        (5, "shelve by op-27, refused: surveillance alone", "why"),
    )


def test_the_alarms_figures_are_told_and_nothing_is_made_up() -> None:
    full = AlarmFigures(
        raised=20,
        span=MICROS_IN_DAY,
        standing=3,
        stale=1,
        shares={"low": 15, "medium": 4, "critical": 1},
        in_flood=MICROS_IN_HOUR,
        noisiest=(CodeCount("sequence_gap", 12, 30),),
        dispositions=(
            DispositionCount("sequence_gap", "confirmed", 2),
            DispositionCount("sequence_gap", "device_error", 7),
        ),
    )
    positions = (
        Position("op-27", (), 4 * MICROS_IN_HOUR, 20, 12, 3),
        Position("op-14", ("1", "2"), 6 * MICROS_IN_HOUR, 10, 0, 0),
        Position("gone", (), 0, 0, 1, 0),
    )
    said = told(full, Watch(positions, 4))
    assert (said.an_hour, said.an_operator, said.flood) == ("0.8", "3.0", "4.2 %")
    assert [(each.where, each.an_hour) for each in said.positions] == [
        ("all pits, 4 h", "5.0"),
        ("pit 1, 2, 6 h", "1.7"),
        ("not signed in", NOTHING),
    ]
    assert (said.unattended, said.left) == (4, 0)
    assert said.shares == "75 %, 20 %, 5 %"
    assert said.dispositions == {"sequence_gap": {"confirmed": 2, "device_error": 7}}
    none = told(AlarmFigures(0, 0, 0, 0, {}, 0, (), ()), Watch((), 0))
    assert (none.an_hour, none.an_operator, none.shares, none.flood) == (NOTHING,) * 4
