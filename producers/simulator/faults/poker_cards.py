"""Faults of the hand-dealt deck itself: a card too many of a kind, an order, a wrong count."""

from dataclasses import replace
from random import Random
from typing import cast

from producers.simulator.faults.poker_scene import deal_turn, only_deck
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.setups import POKER, Setup
from producers.simulator.turns import Turn, find, of_kind
from streams.core.cards import CARDS, CARDS_IN_DECK, RANKS, SUITS, Card
from streams.core.events import DeckRemoved, ShuffleCompleted, StubCounted

ORDERED_RUN = 10
"""So many cards in pack order are no chance."""


def counting_shuffler(setup: Setup) -> bool:
    """Return whether the shuffler reports its counts."""
    return setup.shuffler_counts


def suspicious(setup: Setup) -> bool:
    """Return whether there is one deck, and wrong counts of it would be seen."""
    seen = setup.sees("stub") and setup.sees("shuffles")
    return only_deck(setup) and setup.shuffler_counts and seen


@fault("duplicate_card", POKER, ("cards",))
def duplicate_card(scene: Scene) -> list[Turn]:
    """Deal a card that was dealt in this round already, as from a deck that was mixed up."""
    rng = scene.rng

    def arrange(deck: list[Card], dealt: int) -> None:
        first, second = rng.sample(range(dealt), 2)
        deck[second] = deck[first]

    turn = deal_turn(scene, arrange=arrange)
    scene.raised("duplicate_card", turn.number)
    return [turn]


def pack_order(rng: Random) -> list[Card]:
    """Return a deck in the order of a new pack, up or down, the suits in any order."""
    ranks = RANKS if rng.random() < 0.5 else RANKS[::-1]
    return [CARDS[rank + suit] for suit in rng.sample(SUITS, len(SUITS)) for rank in ranks]


@fault("ordered_cards", POKER, ("cards",))
def ordered_cards(scene: Scene) -> list[Turn]:
    """Deal ten cards or more in the order of a pack that was never shuffled."""
    rng = scene.rng

    def arrange(deck: list[Card], dealt: int) -> None:
        length = rng.randint(ORDERED_RUN, dealt)
        start = rng.randint(0, CARDS_IN_DECK - length)
        run = pack_order(rng)[start : start + length]
        others = [card for card in deck if card not in run]
        at = rng.randint(0, dealt - length)
        deck[:] = [*others[:at], *run, *others[at:]]

    turn = deal_turn(scene, arrange=arrange)
    scene.raised("ordered_cards", turn.number)
    return [turn]


def shuffled_turns(scene: Scene) -> list[Turn]:
    """Deal turns until one has a shuffle before its round."""
    turns = [deal_turn(scene)]
    while find(turns[-1].before, ShuffleCompleted) < 0:
        turns.append(deal_turn(scene))
    return turns


def miscounted(scene: Scene, done: ShuffleCompleted) -> ShuffleCompleted:
    """Return a shuffle whose count is not that of a full deck."""
    return replace(done, cards=CARDS_IN_DECK + scene.rng.choice((-16, -2, -1, 1)))


@fault("shuffler_count_wrong", POKER, ("shuffles",), rounds=2, fits=counting_shuffler)
def shuffler_count_wrong(scene: Scene) -> list[Turn]:
    """Let the shuffler count a wrong number; shuffle again, or take the deck away."""
    turns = shuffled_turns(scene)
    before = turns[-1].before
    at = find(before, ShuffleCompleted)
    right = cast(ShuffleCompleted, before[at])
    before.insert(at, miscounted(scene, right))
    if scene.rng.random() < 0.5:
        before.insert(at + 1, DeckRemoved(reason="count", deck=right.deck))
    scene.raised("shuffler_count_wrong", turns[-1].number - 1)
    scene.cleared("shuffler_count_wrong", turns[-1].number - 1)
    return turns


@fault("suspect_cards_in_play", POKER, rounds=3, fits=suspicious)
def suspect_cards_in_play(scene: Scene) -> list[Turn]:
    """Deal on with a deck whose count was wrong; that count is a finding of its own."""
    if scene.rng.random() < 0.5:
        code = "shuffler_count_wrong"
        turns = shuffled_turns(scene)
        turn = turns[-1]
        at = find(turn.before, ShuffleCompleted)
        turn.before[at] = miscounted(scene, cast(ShuffleCompleted, turn.before[at]))
    else:
        code = "stub_count_wrong"
        turns = [deal_turn(scene, "during"), deal_turn(scene)]
        turn = turns[-1]
        place, counted = next(of_kind(turns[0].during, StubCounted))
        turns[0].during[:] = [item for item in turns[0].during if not isinstance(item, StubCounted)]
        turns[0].during.insert(place, replace(counted, cards=counted.cards - 1))
        at = find(turn.before, ShuffleCompleted)
        turn.before[at] = replace(cast(ShuffleCompleted, turn.before[at]), cards=None)
    scene.raised(code, turn.number - 1)
    if scene.observed(code):
        scene.raised("suspect_cards_in_play", turn.number)
    turns.append(deal_turn(scene))
    scene.cleared(code, turn.number)
    return turns
