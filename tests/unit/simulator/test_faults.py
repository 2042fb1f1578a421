"""The registry of faults, and nights in which they are planted."""

from random import Random

import pytest

from producers.simulator.faults import FAULTS, games_of
from producers.simulator.floor import Floor, draw_setup
from producers.simulator.legality import not_kept
from producers.simulator.night import ENDLESS, Night, rounds_needed
from producers.simulator.setups import POKER
from producers.simulator.turns import MISHAPS
from streams.core.events import GAMES, Event, RoundClosed
from streams.rulebooks import load

NO_FINDING = {"duplicate_event", "bad_line"}
NOT_IN_A_RECORDING = {
    "clock_skew",
    "deals_lost",
    "judge_error",
    "round_stalled",
    "gateway_not_authorised",
}
ALL_FAULTS = sorted(FAULTS)
TELEMETRY = {"sequence_gap", "late_event", "conflicting_event", "event_out_of_place"}


def test_every_code_that_a_recording_can_show_has_a_fault_for_each_of_its_games() -> None:
    for code, rule in load("nj").rules.items():
        if code in NOT_IN_A_RECORDING:
            continue
        games = set(GAMES) if rule.games == ("all",) else set(rule.games)
        assert games == set(games_of(code)), code


def test_a_fault_needs_what_its_finding_needs() -> None:
    book = load("nj")
    for (code, game), fault in FAULTS.items():
        if code in NO_FINDING:
            continue
        rule = book.rules[code]
        assert set(fault.needs) == set(rule.needs), code
        assert rule.games == ("all",) or game in rule.games


@pytest.mark.parametrize(("code", "game"), ALL_FAULTS)
def test_a_fault_takes_no_more_rounds_than_it_says_and_declares_its_finding(
    code: str, game: str
) -> None:
    for seed in range(6):
        rng = Random(f"{code}/{game}/{seed}")
        setup = draw_setup(game, 1, rng, [code])
        fault = FAULTS[code, game]
        night = Night(setup, rng, fault.rounds + 3, [fault])
        items = list(night.everything())
        assert sum(isinstance(item, RoundClosed) for item in items) == fault.rounds + 3
        raised = {due.code for due in night.due if due.state == "raised"}
        assert raised == set() if code in NO_FINDING else code in raised
        judged = raised - TELEMETRY - {"ordered_cards"}
        if judged and game in POKER:
            assert not_kept(setup, [item for item in items if not isinstance(item, MISHAPS)])


def test_faults_one_after_the_other_each_in_rounds_of_its_own() -> None:
    rng = Random(1)
    codes = ["wrong_face", "stub_exposed", "duplicate_card"]
    setup = draw_setup("four_card_poker", 1, rng, codes)
    faults = [FAULTS[code, "four_card_poker"] for code in codes]
    night = Night(setup, rng, rounds_needed(faults), faults)
    list(night.everything())
    rounds = {due.code: due.round for due in night.due}
    assert rounds == {"wrong_face": 1, "stub_exposed": 2, "duplicate_card": 3}


def test_too_few_rounds_for_a_fault_are_refused() -> None:
    fault = FAULTS["stub_count_overdue", "caribbean_stud"]
    setup = draw_setup("caribbean_stud", 1, Random(1), ["stub_count_overdue"])
    with pytest.raises(ValueError, match="expected at least 9 rounds, found 3"):
        list(Night(setup, Random(1), 3, [fault]).everything())


def test_an_endless_night_plants_its_fault_again_and_again() -> None:
    setup = draw_setup("caribbean_stud", 1, Random(1), ["wrong_face"])
    night = Night(setup, Random(1), ENDLESS, [FAULTS["wrong_face", "caribbean_stud"]])
    rounds = set()
    for item in night.everything():
        if isinstance(item, RoundClosed):
            rounds |= {(len(night.due))}
        if len(night.due) > 3:
            break
    assert len(rounds) > 1


def test_what_a_table_cannot_see_is_not_due() -> None:
    floor = Floor(["caribbean_stud"], 1, 20, 5, 0, ["stub_exposed"], unseen=["stub"])
    events = [what for what in floor.stream() if isinstance(what, Event)]
    assert floor.expected() == {"raised": [], "cleared": [], "bad_lines": 0}
    assert any(getattr(event.body, "exposed", False) for event in events)


def test_a_fault_without_a_table_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"expected a table of caribbean_stud that can .* four_card"
    ):
        Floor(["four_card_poker"], 1, 20, 1, 0, ["lockout_not_pressed"])
