"""Faults of 16.8(b)3 and (c), 27.8(b)3 and (c): to whom a card goes, how, and how many."""

from dataclasses import replace
from typing import cast

from producers.simulator.faults.poker_scene import deal_turn, dealer_of
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.poker.script import dealt
from producers.simulator.setups import POKER, Setup
from producers.simulator.turns import Turn, forget_card, of_kind
from streams.core.events import CardDealt, StubCounted, WagerPlaced


def card_at(turn: Turn, at: int) -> CardDealt:
    """Return the card dealt at a place."""
    return cast(CardDealt, turn.during[at])


def count_stub(scene: Scene, turn: Turn, more: int) -> None:
    """Let the counts of the round, in it or after it, find so many more cards in the stub."""
    dealer_of(scene).last_stub += more
    for at, counted in of_kind(turn.during, StubCounted):
        turn.during[at] = replace(counted, cards=counted.cards + more)


def extra_card(scene: Scene, turn: Turn, at: int, position: int) -> None:
    """Deal one card too many, down, to a position."""
    drawn_with = next(item.drawn_with for _, item in of_kind(turn.during, CardDealt))
    card = turn.rest.pop()
    turn.during.insert(at, dealt("player", position, "down", card, drawn_with))
    count_stub(scene, turn, -1)


def swap_two(scene: Scene, turn: Turn) -> None:
    """Let two cards that follow each other go each to the other's hand.

    Where the wagers are not seen, the positions in play are known after the first pass only.
    """
    first = 0 if scene.setup.sees("wagers") else len(turn.positions) + 1
    deals = turn.deals()
    pairs = [
        (here, there)
        for here, there in zip(deals[first:], deals[first + 1 :], strict=False)
        if (card_at(turn, here).to, card_at(turn, here).position)
        != (card_at(turn, there).to, card_at(turn, there).position)
    ]
    here, there = scene.rng.choice(pairs)
    during = turn.during
    during[here], during[there] = during[there], during[here]


@fault("deal_order", POKER)
def deal_order(scene: Scene) -> list[Turn]:
    """Deal a card to another hand than the one due, or one more when all have theirs."""
    if scene.rng.random() < 0.7:
        turn = deal_turn(scene)
        swap_two(scene, turn)
    else:
        turn = deal_turn(scene, "during" if scene.rng.random() < 0.5 else None)
        extra_card(scene, turn, turn.deals()[-1] + 1, scene.rng.choice(turn.positions))
        scene.raised("wrong_card_count", turn.number)
    scene.raised("deal_order", turn.number)
    return [turn]


@fault("wrong_face", POKER, ("faces",))
def wrong_face(scene: Scene) -> list[Turn]:
    """Deal a card up that must be down, or down that must be up."""
    turn = deal_turn(scene)
    for at in scene.rng.sample(turn.deals(), scene.rng.choice((1, 1, 2))):
        card = card_at(turn, at)
        turn.during[at] = replace(card, face="up" if card.face == "down" else "down")
        scene.raised("wrong_face", turn.number)
    return [turn]


@fault("wrong_card_count", POKER)
def wrong_card_count(scene: Scene) -> list[Turn]:
    """End the dealing before every hand has its cards: each short hand is one finding."""
    turn = deal_turn(scene)
    last_pass = len(turn.positions) + 1
    hands = set()
    for _ in range(scene.rng.randint(1, last_pass)):
        card = forget_card(turn, turn.deals()[-1])
        count_stub(scene, turn, 1)
        hands.add(card.position)
    for _ in hands:
        scene.raised("wrong_card_count", turn.number)
    return [turn]


def free_position(turn: Turn, setup: Setup) -> int:
    """Return a position that is not in play."""
    return next(p for p in range(1, setup.positions + 1) if p not in turn.positions)


@fault("card_without_wager", POKER, ("wagers",))
def card_without_wager(scene: Scene) -> list[Turn]:
    """Deal to a position with no wager; that is also out of the order of dealing."""
    seen = scene.setup.sees("wagers")
    if not seen or scene.rng.random() < 0.5:
        turn = deal_turn(scene, least=2)
        position = scene.rng.choice(turn.positions)
        turn.during[:] = [
            item
            for item in turn.during
            if not (isinstance(item, WagerPlaced) and item.position == position)
        ]
    else:
        turn = deal_turn(scene, seat_free=True)
        at = scene.rng.choice(turn.deals()[1:])
        extra_card(scene, turn, at, free_position(turn, scene.setup))
    scene.raised("card_without_wager", turn.number)
    if seen:  # or else whoever gets a first card plays, for all its table can see
        scene.raised("deal_order", turn.number)
    return [turn]


@fault("wrong_hand_used", POKER, ("draw_hand",), fits=lambda setup: setup.sees("dealing_hand"))
def wrong_hand_used(scene: Scene) -> list[Turn]:
    """Draw a card with the hand that holds the deck."""
    turn = deal_turn(scene)
    for at in scene.rng.sample(turn.deals(), scene.rng.choice((1, 1, 3))):
        turn.during[at] = replace(card_at(turn, at), drawn_with=turn.holding)
    scene.raised("wrong_hand_used", turn.number)
    return [turn]
