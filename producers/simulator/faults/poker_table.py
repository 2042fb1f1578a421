"""Faults of 16.8(b) and 27.8(b): shuffler, deck in hand, closing of the bets."""

from dataclasses import replace
from typing import Final

from producers.simulator.faults.poker_scene import deal_turn, dealt_places, only_deck
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.poker.players import wager
from producers.simulator.poker.script import OTHER_HAND
from producers.simulator.setups import POKER
from producers.simulator.turns import Turn, find, of_kind, places
from streams.core.events import (
    CardDealt,
    CardsCollected,
    DeckInHand,
    DeckOutOfArea,
    LockoutPressed,
    NoMoreBets,
    RoundVoided,
    ShuffleCompleted,
    WagerSettled,
)

CARIBBEAN: Final = ("caribbean_stud",)


@fault("shuffler_not_used", POKER, ("shuffles",), rounds=3)
def shuffler_not_used(scene: Scene) -> list[Turn]:
    """Play a deck that was not shuffled, or was last shuffled by hand, since it was played."""
    turns = [deal_turn(scene) for _ in range(1 + len(scene.setup.deck_names or "1"))]
    deck = turns[-1].deck
    before = turns[1].before
    at = next(at for at, done in of_kind(before, ShuffleCompleted) if done.deck == deck)
    by_hand = ShuffleCompleted(method="hand", deck=deck)
    match scene.rng.randrange(3):
        case 0:
            del before[at]
        case 1:
            before[at] = by_hand
        case _:
            before.insert(at + 1, by_hand)
    scene.raised("shuffler_not_used", turns[-1].number)
    return turns


@fault("deck_not_in_hand", POKER, ("dealing_hand",), fits=only_deck)
def deck_not_in_hand(scene: Scene) -> list[Turn]:
    """Deal before the deck was taken in one hand, or without it."""
    turn = deal_turn(scene)
    taken = turn.during.pop(find(turn.during, DeckInHand))
    turn.during[:] = [item for item in turn.during if not isinstance(item, DeckInHand)]
    deals = turn.deals()
    if scene.rng.random() < 0.5:
        turn.during.insert(scene.rng.choice(deals) + 1, taken)
        untold_hand(turn)
    else:
        untold_hand(turn)
    scene.raised("deck_not_in_hand", turn.number)
    return [turn]


def untold_hand(turn: Turn, start: int = 0) -> None:
    """Leave out with which hand the cards from ``start`` on were drawn."""
    for at in turn.deals():
        item = turn.during[at]
        if at >= start and isinstance(item, CardDealt):
            turn.during[at] = replace(item, drawn_with=None)


@fault("dealing_hand_changed", POKER, ("dealing_hand",))
def dealing_hand_changed(scene: Scene) -> list[Turn]:
    """Take the deck in the other hand in the middle of the round."""
    turn = deal_turn(scene)
    at = scene.rng.choice(dealt_places(turn))
    untold_hand(turn, at)
    turn.during.insert(at, DeckInHand(hand=OTHER_HAND[turn.holding], deck=turn.deck))
    scene.raised("dealing_hand_changed", turn.number)
    return [turn]


@fault("deck_out_of_area", POKER, ("deck_area",))
def deck_out_of_area(scene: Scene) -> list[Turn]:
    """Hold the deck elsewhere than over the table inventory container."""
    turn = deal_turn(scene)
    turn.during.insert(scene.rng.choice(dealt_places(turn)), DeckOutOfArea())
    scene.raised("deck_out_of_area", turn.number)
    return [turn]


@fault("bets_not_closed", POKER, ("announcements",))
def bets_not_closed(scene: Scene) -> list[Turn]:
    """Deal the first card before "No more bets", or without it."""
    turn = deal_turn(scene)
    announced = turn.during.pop(find(turn.during, NoMoreBets))
    if scene.rng.random() < 0.5:
        turn.during.insert(scene.rng.choice(turn.deals()) + 1, announced)
    scene.raised("bets_not_closed", turn.number)
    return [turn]


@fault("lockout_not_pressed", CARIBBEAN, ("lockout",))
def lockout_not_pressed(scene: Scene) -> list[Turn]:
    """Deal the first card before the lock-out button was pressed, or without it."""
    turn = deal_turn(scene)
    pressed = turn.during.pop(find(turn.during, LockoutPressed))
    if scene.rng.random() < 0.5:
        turn.during.insert(scene.rng.choice(turn.deals()) + 1, pressed)
    scene.raised("lockout_not_pressed", turn.number)
    return [turn]


@fault("wager_after_close", POKER, ("wagers",), fits=lambda setup: setup.sends("announcements"))
def wager_after_close(scene: Scene) -> list[Turn]:
    """Let a player wager between the closing of the bets and the first settlement."""
    turn = deal_turn(scene)
    closed = find(turn.during, NoMoreBets)
    ended = min(
        places(
            turn.during, lambda item: isinstance(item, WagerSettled | CardsCollected | RoundVoided)
        )
    )
    side = "progressive" if scene.setup.game == "caribbean_stud" else "aces_up"
    late = wager(scene.rng.choice(turn.positions), scene.rng.choice(("ante", side)), 500)
    turn.during.insert(scene.rng.randint(closed + 1, ended), late)
    scene.raised("wager_after_close", turn.number)
    return [turn]
