"""Legal nights are silent; a planted fault raises what it declares and nothing else."""

from collections import Counter

import pytest

from producers.simulator.faults import FAULTS
from producers.simulator.floor import SETUPS
from producers.simulator.legality import READERS
from producers.simulator.pairs import paired_setups
from streams.rulebooks import load
from tests.proof.work import Work, broken, holds, pieces, planted
from tests.simulated import (
    Verdict,
    judge,
    paired_night,
    planted_night,
    rounds_a_table,
    verdict_of,
)

BY_THE_SHELL = {
    "clock_skew",
    "deals_lost",
    "round_stalled",
    "gateway_not_authorised",
    "judge_error",
}
FOUR = "four_card_poker"
PLANTED = sorted(FAULTS)
ROUNDS = 500
BROKEN = 400


@pytest.mark.parametrize(
    ("game", "at"), [(game, at) for game in SETUPS for at in range(len(paired_setups(game)))]
)
def test_a_legal_night_is_silent_where_every_two_options_meet(game: str, at: int) -> None:
    setup, items = paired_night(game, at, rounds_a_table(game, ROUNDS))
    assert judge(setup, items) == Verdict(), setup


def test_every_finding_that_rests_on_deals_alone_is_planted_in_each_of_its_games() -> None:
    due = {(rule.code, game) for rule in load().rules.values() for game in rule.games}
    assert {each for each in due if each[0] not in BY_THE_SHELL} <= set(FAULTS)


@pytest.mark.parametrize(("code", "game"), PLANTED)
@pytest.mark.parametrize("seed", range(6))
def test_a_planted_fault_raises_what_it_declares(code: str, game: str, seed: int) -> None:
    setup, items, due = planted_night(code, game, seed)
    assert judge(setup, items) == verdict_of(due), setup


@pytest.mark.parametrize(
    ("code", "game", "need"),
    [(code, game, need) for code, game in PLANTED for need in FAULTS[code, game].needs],
)
@pytest.mark.parametrize("seed", range(3))
def test_what_a_table_cannot_see_is_not_judged(code: str, game: str, need: str, seed: int) -> None:
    setup, items, due = planted_night(code, game, seed, (need,))
    assert code not in {each.code for each in due}
    assert judge(setup, items) == verdict_of(due), setup


@pytest.mark.parametrize("game", READERS)
def test_a_round_broken_once_raises_something_where_it_became_illegal(game: str) -> None:
    outcome = broken(Work("broken", game, last=BROKEN))
    assert holds("broken", outcome.counts, outcome.wrong), (outcome.counts, outcome.wrong)


def test_the_proof_does_every_kind_of_work_for_every_fault_and_need() -> None:
    work = list(pieces(1000))
    assert {(each.code, each.game) for each in work if each.kind == "planted"} == set(FAULTS)
    needs = {(each.code, each.game, each.need) for each in work if each.kind == "unseen"}
    assert needs == {(*key, need) for key, fault in FAULTS.items() for need in fault.needs}
    for game in SETUPS:
        dealt = [each for each in work if (each.kind, each.game) == ("legal", game)]
        assert [each.first for each in dealt] == list(range(len(paired_setups(game))))
        assert sum(each.last for each in dealt) >= 1000
        parts = [each for each in work if (each.kind, each.game) == ("broken", game)]
        assert [seed for each in parts for seed in range(each.first, each.last)] == list(
            range(1000)
        )


def test_the_proof_tells_a_judge_that_misses_or_errs() -> None:
    assert holds("legal", Counter(), [])
    assert not holds("legal", Counter(), ["a finding"])
    assert holds("broken", Counter(rounds=200, illegal=100, missed=1), ["one"])
    assert not holds("broken", Counter(rounds=200, illegal=100, missed=2), ["one", "two"])
    assert not holds("broken", Counter(rounds=400, illegal=100), [])


@pytest.mark.parametrize(("code", "game"), [("wrong_face", "blackjack"), ("sequence_gap", FOUR)])
def test_a_fault_is_planted_at_three_places_of_a_round_and_two_seats(code: str, game: str) -> None:
    outcome = planted(Work("planted", game, code))
    assert not outcome.wrong
    assert outcome.counts["at three places"] == outcome.counts["at two seats"] == 1
