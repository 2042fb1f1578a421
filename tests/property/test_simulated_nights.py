"""Legal nights are silent; a planted fault raises what it declares and nothing else."""

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from producers.simulator.breaking import break_once
from producers.simulator.faults import FAULTS
from producers.simulator.floor import SETUPS, draw_setup
from producers.simulator.legality import READERS, not_kept
from producers.simulator.night import DEALERS
from producers.simulator.pairs import paired_setups
from streams.rulebooks import load
from tests.simulated import (
    Verdict,
    judge,
    paired_night,
    planted_night,
    rounds_a_table,
    verdict_of,
)

if TYPE_CHECKING:
    from producers.simulator.turns import Item

BY_THE_SHELL = {
    "clock_skew",
    "deals_lost",
    "round_stalled",
    "gateway_not_authorised",
    "judge_error",
}
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
    missed: list[str] = []
    illegal = 0
    for seed in range(BROKEN):
        rng = Random(f"broken/{game}/{seed}")
        setup = draw_setup(game, 1, rng, [])
        # A reader of every event has nothing to say of cards that were not read.
        setup = replace(setup, observes=("*",), leaves_out=False, unread=0.0)
        dealer = DEALERS[game](setup, rng)
        items: list[Item] = dealer.open()
        turns = [dealer.legal() for _ in range(rng.randint(1, 4))]
        turns += [dealer.plain(), dealer.legal(), dealer.legal()]
        how = break_once(turns[-3], rng)
        for turn in turns:
            items += [*turn.before, *turn.during]
        items += dealer.close()
        wrong = not_kept(setup, items)
        raised = judge(setup, items).raised
        if wrong:
            illegal += 1
            if not raised:
                missed.append(f"{seed}: {how}: {wrong}")
    assert illegal > BROKEN // 4
    assert len(missed) * 100 <= illegal, missed
