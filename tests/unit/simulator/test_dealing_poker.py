"""The poker dealer keeps 16.8 and 27.8, and a legal night brings all that a night brings."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from producers.simulator.legality import not_kept
from producers.simulator.night import Night
from producers.simulator.poker.dealer import Plan, PokerDealer
from producers.simulator.poker.script import order, random_setup
from producers.simulator.setups import POKER, Setup
from producers.simulator.stamp import Stamper
from producers.simulator.turns import Item
from streams.core.events import CardDealt, Event, RoundClosed


def all_seen(game: str, seed: int) -> Setup:
    setup = random_setup(game, 1, Random(seed))
    return replace(setup, observes=("*",), leaves_out=False)


def night(setup: Setup, seed: int, rounds: int) -> list[Item]:
    return list(Night(setup, Random(seed), rounds).items())


@pytest.mark.parametrize("game", POKER)
@pytest.mark.parametrize("seed", range(12))
def test_a_second_reading_of_the_regulations_finds_nothing(game: str, seed: int) -> None:
    setup = all_seen(game, seed)
    assert not_kept(setup, night(setup, seed, 60)) == []


def test_caribbean_stud_deals_the_dealers_first_card_up_after_the_players_first() -> None:
    assert order("caribbean_stud", (2, 5))[:4] == (
        ("player", 2, "down"),
        ("player", 5, "down"),
        ("dealer", None, "up"),
        ("player", 2, "down"),
    )
    assert len(order("caribbean_stud", (2, 5))) == 15


def test_four_card_poker_deals_the_dealers_fifth_and_sixth_together_the_sixth_up() -> None:
    assert order("four_card_poker", (1,))[-3:] == (
        ("player", 1, "down"),
        ("dealer", None, "down"),
        ("dealer", None, "up"),
    )
    assert len(order("four_card_poker", (1,))) == 11


@pytest.mark.parametrize("game", POKER)
def test_every_round_is_closed_and_no_card_comes_twice_in_one(game: str) -> None:
    cards: Counter[object] = Counter()
    rounds = 0
    for item in night(all_seen(game, 3), 3, 80):
        if isinstance(item, CardDealt):
            cards[item.card] += 1
        elif isinstance(item, RoundClosed):
            rounds += 1
            assert all(n == 1 for n in cards.values())
            cards.clear()
    assert rounds == 80


def test_a_legal_night_brings_what_nights_bring() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(6):
        kinds.update(
            item.kind
            for item in night(all_seen(POKER[seed % 2], seed), seed, 200)
            if hasattr(item, "kind")
        )
    expected = {
        "table_closed",
        "dealer_left",
        "dealer_arrived",
        "supervisor_called",
        "device_fault",
        "device_restored",
        "deck_removed",
        "shuffle_completed",
        "deck_in_hand",
        "stub_placed",
        "stub_counted",
        "round_voided",
        "decision",
        "wager_settled",
        "cards_collected",
        "card_exposed",
    }
    assert expected <= set(kinds)


def test_a_planned_turn_has_the_players_and_the_count_asked_for() -> None:
    dealer = PokerDealer(all_seen("four_card_poker", 1), Random(1))
    dealer.open()
    turn = dealer.turn(Plan(count="none", least=6))
    assert len(turn.positions) >= 6
    assert dealer.since_count == 1
    assert len(dealer.turn(Plan(seat_free=True)).positions) < dealer.setup.positions


def test_times_never_run_back_and_every_source_counts_from_one() -> None:
    setup = replace(all_seen("caribbean_stud", 2), several_sources=True)
    stamper = Stamper(setup, Random(1), 0)
    last: dict[str, tuple[int, int]] = {}
    at = -1
    for event in stamper.stamp(night(setup, 2, 120)):
        assert isinstance(event, Event)
        assert event.at > at
        at = event.at
        boot, seq = last.get(event.source, (1, 0))
        assert (event.boot, event.seq) in ((boot, seq + 1), (boot + 1, 1))
        last[event.source] = event.boot, event.seq
    assert set(last) == {"sim/table", "sim/shuffler", "sim/lockout"}
    assert any(boot > 1 for boot, _ in last.values())
