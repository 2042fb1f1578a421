"""Faults of 2.6(e) and of 2.15(e) and (g): the first cards, to whom, how, and missed."""

from dataclasses import replace

from producers.simulator.blackjack.dealer import Plan
from producers.simulator.faults.blackjack_scene import (
    BLACKJACK,
    EIGHTEEN,
    SEVENTEEN,
    STANDS,
    card_at,
    deal,
    dealt_to,
    drawing,
    extra_card,
    place,
    quiet,
    some_positions,
)
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.setups import Setup
from producers.simulator.turns import Turn
from streams.core.events import (
    Announced,
    CardDealt,
    CardExposed,
    CardsCollected,
    Decision,
    HandDeclaredDead,
    WagerPlaced,
    WagerSettled,
)


def sees_wagers(setup: Setup) -> bool:
    """Return whether the positions in play are known by their wagers."""
    return setup.sees("wagers")


def move(turn: Turn, source: int, to: int) -> None:
    """Move an event of a round to stand before what is now at ``to``."""
    item = turn.during.pop(source)
    turn.during.insert(to - (source < to), item)


@fault("deal_order", BLACKJACK, fits=sees_wagers)
def deal_order(scene: Scene) -> list[Turn]:
    """Serve a position twice in the first pass."""
    turn = quiet(scene, 3)
    place = scene.rng.randrange(2)
    early = dealt_to(turn, turn.positions[place])
    move(turn, early[1], dealt_to(turn, turn.positions[place + 1])[0])
    scene.raised("deal_order", turn.number)
    return [turn]


@fault("wrong_face", BLACKJACK, ("faces",))
def wrong_face(scene: Scene) -> list[Turn]:
    """Deal a player's card down, or a doubled hand's card as the table does not."""
    turn, position = drawing(scene)
    third = dealt_to(turn, position)[2]
    at = scene.rng.choice([each for each in turn.deals() if card_at(turn, each).to == "player"])
    if scene.rng.random() < 0.3:
        at = third
    if at == third and scene.setup.double_face == "down" and not scene.setup.sees("decisions"):
        # For all that such a table sees, this may be the card of a double.
        at = dealt_to(turn, position)[0]
    turn.during[at] = replace(card_at(turn, at), face="down")
    scene.raised("wrong_face", turn.number)
    return [turn]


@fault("card_without_wager", BLACKJACK, ("wagers",))
def card_without_wager(scene: Scene) -> list[Turn]:
    """Deal a first card to a box with no wager; that is also out of the order of dealing."""
    turn = quiet(scene, 2)
    if not scene.setup.sees("wagers"):
        # Whoever gets a first card plays, for all the table can see.
        position = scene.rng.choice(turn.positions)
        turn.during[:] = [
            item
            for item in turn.during
            if not (isinstance(item, WagerPlaced) and item.position == position)
        ]
        return [turn]
    free = [p for p in range(1, scene.setup.positions + 1) if p not in turn.positions]
    card = replace(extra_card(scene, turn, "23456", scene.rng.choice(free)), hand=None)
    at = scene.rng.choice((dealt_to(turn, turn.positions[1])[0], dealt_to(turn, None)[0]))
    turn.during.insert(at, card)
    scene.raised("card_without_wager", turn.number)
    scene.raised("deal_order", turn.number)
    return [turn]


@fault("dealer_card_missed", BLACKJACK, fits=sees_wagers)
def dealer_card_missed(scene: Scene) -> list[Turn]:
    """Miss the dealer's first card, and make it up after the players' second ones."""
    turn = quiet(scene)
    last = dealt_to(turn, turn.positions[-1])[1]
    move(turn, dealt_to(turn, None)[0], last + 1)
    scene.raised("dealer_card_missed", turn.number)
    return [turn]


def reader_idle(setup: Setup) -> bool:
    """Return whether no reader needs the dealer's hole card, and the positions are known."""
    return not setup.card_reader and sees_wagers(setup)


@fault("dealer_card_not_made_up", BLACKJACK, fits=reader_idle)
def dealer_card_not_made_up(scene: Scene) -> list[Turn]:
    """Miss the dealer's card that is due before the players' further ones, until after one."""
    turn, position = drawing(scene)
    missed = dealt_to(turn, None)[0 if scene.setup.hole == "none" else 1]
    move(turn, missed, dealt_to(turn, position)[2] + 1)
    scene.raised("dealer_card_missed", turn.number)
    scene.raised("dealer_card_not_made_up", turn.number)
    return [turn]


def forget_position(turn: Turn, position: int) -> list[CardDealt]:
    """Take a position's cards and all that followed from them out of a round; return the cards."""
    cards = [card_at(turn, at) for at in dealt_to(turn, position)]
    kinds = (CardDealt, Announced, Decision, WagerSettled, CardsCollected)
    turn.during[:] = [
        item for item in turn.during if not (isinstance(item, kinds) and item.position == position)
    ]
    return cards


def declare_dead(turn: Turn, position: int) -> None:
    """Declare a position's hand dead after the first two cards of the others."""
    at = next(at for at, item in enumerate(turn.during) if isinstance(item, Announced))
    turn.during[at:at] = [
        HandDeclaredDead(position=position, wager_returned=True),
        WagerSettled(position=position, wager="main", outcome="returned"),
    ]


def missing_turn(scene: Scene) -> tuple[Turn, int]:
    """Deal a turn of three; return it and a position that can be missed in it.

    The first position of a double shoe has the determinant and cannot.
    """
    turn = quiet(scene, 3)
    return turn, scene.rng.choice(turn.positions[1:])


@fault("position_missed", BLACKJACK, ("wagers",))
def position_missed(scene: Scene) -> list[Turn]:
    """Deal a position no card, or its second after all others or after the dealer's hole card."""
    turn, position = missing_turn(scene)
    chance = scene.rng.random()
    if chance < 0.5:
        forget_position(turn, position)
        declare_dead(turn, position)
    elif chance < 0.7 and scene.setup.hole != "none":
        move(turn, dealt_to(turn, None)[1], dealt_to(turn, turn.positions[-1])[1])
    else:
        position = turn.positions[scene.rng.randrange(2)]
        last = dealt_to(turn, turn.positions[-1])[1]
        move(turn, dealt_to(turn, position)[1], last + 1)
    scene.raised("position_missed", turn.number)
    return [turn]


@fault("card_to_dead_hand", BLACKJACK, ("wagers",))
def card_to_dead_hand(scene: Scene) -> list[Turn]:
    """Miss a position, and give it a card when its hand is dead."""
    turn, position = missing_turn(scene)
    if not scene.setup.sees("wagers") and (
        position != turn.positions[-1] or scene.setup.hole != "none"
    ):
        # Who has no first card is not in play, for all the table can see.
        scene.raised("deal_order", turn.number)
    at = dealt_to(turn, position)[1]
    late = turn.during[at]
    following = turn.during[at + 1]
    forget_position(turn, position)
    turn.during.insert(place(turn, lambda item: item is following), late)
    declare_dead(turn, position)
    scene.raised("position_missed", turn.number)
    scene.raised("card_to_dead_hand", turn.number)
    return [turn]


def shows_double_down(setup: Setup) -> bool:
    """Return whether the card of a doubled hand is dealt down, and doubling is seen."""
    return setup.double_face == "down" and setup.sends("decisions")


@fault("double_card_face_up", BLACKJACK, ("faces",), fits=shows_double_down)
def double_card_face_up(scene: Scene) -> list[Turn]:
    """Deal a doubled hand's card up where the table deals it down; play goes on."""
    turn, _ = doubled(scene)
    scene.raised("double_card_face_up", turn.number)
    return [turn]


def doubled(scene: Scene) -> tuple[Turn, int]:
    """Deal a turn in which a doubled hand's card comes up; return it and the position."""
    positions = some_positions(scene, 2)
    position = scene.rng.choice(positions)
    cards = dict.fromkeys(positions, SEVENTEEN) | {0: EIGHTEEN, position: ["6", "5", "2345"]}
    choices = dict.fromkeys(positions, STANDS) | {position: ["double"]}
    turn = deal(scene, Plan(positions=positions, cards=cards, choices=choices))
    at = dealt_to(turn, position)[2]
    turn.during[at] = replace(card_at(turn, at), face="up")
    turn.during[:] = [
        item
        for item in turn.during
        if not (isinstance(item, CardExposed) and item.position == position)
    ]
    return turn, position
