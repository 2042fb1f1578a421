"""Breaking a round once changes one thing, and the second readers see what became illegal."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from producers.simulator.breaking import break_once
from producers.simulator.floor import draw_setup
from producers.simulator.legality import READERS, not_kept
from producers.simulator.night import DEALERS


@pytest.mark.parametrize("game", READERS)
def test_a_broken_round_is_often_illegal_and_every_way_of_breaking_comes(game: str) -> None:
    ways: Counter[str] = Counter()
    illegal = 0
    for seed in range(150):
        rng = Random(f"{game}/{seed}")
        setup = replace(draw_setup(game, 1, rng, []), observes=("*",), leaves_out=False, unread=0.0)
        dealer = DEALERS[game](setup, rng)
        opened = dealer.open()
        turn = dealer.plain()
        whole = [*opened, *turn.before, *turn.during]
        assert not_kept(setup, whole) == []
        ways[break_once(turn, rng).split()[0]] += 1
        broken = [*opened, *turn.before, *turn.during]
        assert abs(len(broken) - len(whole)) <= 1
        illegal += not_kept(setup, broken) != []
    assert set(ways) == {"dropped", "swapped", "doubled", "altered"}
    assert illegal > 30
