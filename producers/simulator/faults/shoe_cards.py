"""Faults of the cards in a shoe: a card too many, an order, no shuffle, a wrong count."""

from dataclasses import replace
from typing import Final, cast

from producers.simulator.blackjack.dealer import BlackjackDealer
from producers.simulator.blackjack.dealer import Plan as BlackjackPlan
from producers.simulator.chemin_de_fer.dealer import CheminDeFerDealer
from producers.simulator.chemin_de_fer.dealer import Plan as CoupPlan
from producers.simulator.faults.blackjack_shoe import OTHER, suits
from producers.simulator.faults.poker_cards import ORDERED_RUN, pack_order
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.setups import Setup
from producers.simulator.shoes import Shoe
from producers.simulator.turns import Item, Turn, of_kind
from streams.core.cards import DECK, Card
from streams.core.events import (
    Burned,
    CardDealt,
    CardsLoaded,
    ShuffleCompleted,
)

SAME_FIRST: Final = 20
"""So many first cards after a load in the same order as after an earlier one are no chance."""

SHOE_GAMES: Final = ("blackjack", "chemin_de_fer")


def plain_shoe(setup: Setup) -> bool:
    """Return whether whole sets are loaded, none shuffled back into the shoe."""
    return not setup.bart_carter


def counting_shoe(setup: Setup) -> bool:
    """Return whether whole sets are loaded, and the shuffler's counts would be seen."""
    return plain_shoe(setup) and setup.sees("shuffles")


def some_shoe(scene: Scene) -> Shoe:
    """Return the shoe, or a side of it."""
    if isinstance(scene.dealer, BlackjackDealer):
        return scene.rng.choice(list(scene.dealer.shoes.values()))
    if isinstance(scene.dealer, CheminDeFerDealer):
        return scene.dealer.shoe
    raise TypeError(f"expected a dealer with a shoe, found {type(scene.dealer).__name__}")


def round_from(scene: Scene, shoe: Shoe, wishes: list[str]) -> Turn:
    """Deal a round from a shoe or side; each card that is dealt is the next one wished for."""
    if isinstance(scene.dealer, CheminDeFerDealer):
        player, banker = wishes[0:6:2], wishes[1:6:2]
        return scene.dealer.turn(CoupPlan(player=player, banker=banker))
    if not isinstance(scene.dealer, BlackjackDealer):
        raise TypeError(f"expected a dealer with a shoe, found {type(scene.dealer).__name__}")
    positions = tuple(range(1, 6))
    cards = {position: wishes[position - 1 :: 5][:2] for position in positions} if wishes else {}
    named = None if shoe.side is None else suits(scene, shoe.side)
    drawn_from = None if shoe.side is None else OTHER[shoe.side]
    return scene.dealer.turn(
        BlackjackPlan(
            positions=positions,
            cards=cards,
            choices={position: ["stand"] for position in positions},
            side=drawn_from,
            suits=named,
        )
    )


def fresh(scene: Scene, shoe: Shoe) -> Turn:
    """Deal a round before which the shoe is loaded anew, from a set shuffled just then."""
    turns = scene.dealer
    if isinstance(turns, BlackjackDealer | CheminDeFerDealer):
        turns.spare_ready = False
    shoe.reached = True
    return round_from(scene, shoe, [])


@fault("duplicate_card", SHOE_GAMES, ("cards",), rounds=4, fits=plain_shoe)
def duplicate_card(scene: Scene) -> list[Turn]:
    """Deal one card more often than the decks in the shoe hold it."""
    shoe = some_shoe(scene)
    turns = [fresh(scene, shoe)]
    # A card burned unseen can be dealt no more: of this one all are in the shoe or were seen.
    card = scene.rng.choice(
        [
            each
            for each in DECK
            if each[0] in "TJQK"
            and shoe.cards.count(each) + times(turns[0], each, shoe) == shoe.decks
        ]
    )
    shoe.cards.insert(0, card)
    seen = times(turns[0], card, shoe)
    while seen <= shoe.decks:
        turns.append(round_from(scene, shoe, [card] * 10))
        seen += times(turns[-1], card, shoe)
    scene.raised("duplicate_card", turns[-1].number)
    return turns


def times(turn: Turn, card: Card, shoe: Shoe) -> int:
    """Return how often a round shows a card of a shoe or side."""
    return sum(
        isinstance(item, CardDealt | Burned) and item.card == card and item.side == shoe.side
        for item in (*turn.before, *turn.during)
    )


def known_cards(turn: Turn, shoe: Shoe) -> int:
    """Return how many cards of a shoe or side a round shows, with the burn before it."""
    return sum(
        isinstance(item, CardDealt | Burned) and item.card is not None and item.side == shoe.side
        for item in (*turn.before, *turn.during)
    )


def same_order_again(scene: Scene, shoe: Shoe) -> list[Turn]:
    """Load a set twice in the same order, and deal each time until it shows."""
    turns: list[Turn] = []
    for _ in range(2):
        if turns:
            shoe.unmixed = [*shoe.cards, *reversed(shoe.gone)]
        turns.append(fresh(scene, shoe))
        # A burned card that is shown once and not the other time would end the likeness.
        for at, burned in of_kind(turns[-1].before, Burned):
            turns[-1].before[at] = Burned(place=burned.place, exposed=False)
        seen = known_cards(turns[-1], shoe)
        while seen < SAME_FIRST:
            turns.append(round_from(scene, shoe, []))
            seen += known_cards(turns[-1], shoe)
    return turns


@fault("ordered_cards", SHOE_GAMES, ("cards",), rounds=16, fits=plain_shoe)
def ordered_cards(scene: Scene) -> list[Turn]:
    """Deal ten cards in the order of a pack, or twenty as after an earlier load."""
    shoe = some_shoe(scene)
    if scene.rng.random() < 0.3:
        turns = same_order_again(scene, shoe)
        scene.raised("ordered_cards", turns[-1].number)
        return turns
    turns = [fresh(scene, shoe)]
    start = scene.rng.randint(0, len(DECK) - ORDERED_RUN)
    run = pack_order(scene.rng)[start : start + ORDERED_RUN]
    for number, card in enumerate(run, 1):
        at = next(at for at, each in enumerate(shoe.cards) if each == card)
        shoe.cards[at], shoe.cards[-number] = shoe.cards[-number], shoe.cards[at]
    left = len(shoe.cards)
    while left - len(shoe.cards) < ORDERED_RUN:
        turns.append(round_from(scene, shoe, []))
    scene.raised("ordered_cards", turns[-1].number)
    return turns


@fault("unshuffled_shoe", SHOE_GAMES, ("shuffles",), rounds=2, fits=plain_shoe)
def unshuffled_shoe(scene: Scene) -> list[Turn]:
    """Load a set that was neither shuffled here nor before."""
    shoe = some_shoe(scene)
    turns = [fresh(scene, shoe), fresh(scene, shoe)]
    before = turns[1].before
    before[:] = [
        item
        for item in before
        if not (isinstance(item, ShuffleCompleted) and item.side == shoe.side)
    ]
    for at, loaded in of_kind(before, CardsLoaded):
        if loaded.side == shoe.side:
            before[at] = replace(loaded, preshuffled=scene.rng.choice((False, None)))
    scene.raised("unshuffled_shoe", turns[0].number)
    return turns


def shuffled_by_machine(scene: Scene, shoe: Shoe) -> tuple[Turn, int]:
    """Deal a round before whose load a machine counts the cards wrong; return the count's place."""
    turn = fresh(scene, shoe)
    before: list[Item] = turn.before
    at = next(
        at
        for at, item in enumerate(before)
        if isinstance(item, ShuffleCompleted | CardsLoaded) and item.side == shoe.side
    )
    wrong = ShuffleCompleted(
        method="automatic", cards=shoe.full - scene.rng.choice((-1, 1, 16)), side=shoe.side
    )
    before[at : at + isinstance(before[at], ShuffleCompleted)] = [wrong]
    return turn, at


@fault("shuffler_count_wrong", SHOE_GAMES, ("shuffles",), fits=plain_shoe)
def shuffler_count_wrong(scene: Scene) -> list[Turn]:
    """Let a machine count a wrong number of cards, and a right one the next time."""
    shoe = some_shoe(scene)
    turn, at = shuffled_by_machine(scene, shoe)
    wrong = cast(ShuffleCompleted, turn.before[at])
    turn.before.insert(at + 1, replace(wrong, cards=shoe.full))
    scene.raised("shuffler_count_wrong", turn.number - 1)
    scene.cleared("shuffler_count_wrong", turn.number - 1)
    return [turn]


@fault("suspect_cards_in_play", SHOE_GAMES, rounds=2, fits=counting_shoe)
def suspect_cards_in_play(scene: Scene) -> list[Turn]:
    """Deal from a set whose count was wrong; that count is a finding of its own."""
    shoe = some_shoe(scene)
    turn, at = shuffled_by_machine(scene, shoe)
    wrong = cast(ShuffleCompleted, turn.before[at])
    following = fresh(scene, shoe)
    following.before[:] = [
        item
        for item in following.before
        if not (isinstance(item, ShuffleCompleted) and item.side == shoe.side)
    ]
    load = next(at for at, item in of_kind(following.before, CardsLoaded) if item.side == shoe.side)
    following.before.insert(load, replace(wrong, cards=shoe.full))
    scene.raised("shuffler_count_wrong", turn.number - 1)
    if scene.observed("shuffler_count_wrong"):
        scene.raised("suspect_cards_in_play", turn.number)
    scene.cleared("shuffler_count_wrong", turn.number)
    return [turn, following]
