"""Faults of 2.6(f) to (k): totals, decisions, further cards, the dealer's, settling, picking up."""

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from producers.simulator.blackjack.dealer import Plan
from producers.simulator.faults.blackjack_dealing import move
from producers.simulator.faults.blackjack_scene import (
    BLACKJACK,
    DRAWS_ONCE,
    EIGHTEEN,
    STANDS,
    TWELVE_AND_FIVE,
    card_at,
    deal,
    dealt_to,
    decisions_of,
    drawing,
    extra_card,
    place,
    quiet,
    some_positions,
    with_reader,
)
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.setups import Setup
from producers.simulator.turns import Item, Turn, find, places
from streams.core.events import (
    Announced,
    CardDealt,
    CardExposed,
    CardsCollected,
    Decision,
    HoleCardRead,
    WagerPlaced,
    WagerSettled,
)


def hole(*kinds: str) -> Callable[[Setup], bool]:
    """Return a test whether the dealer's hole card is dealt in one of these ways."""
    return lambda setup: setup.hole in kinds


def is_total(item: Item) -> bool:
    """Return whether an item announces a player's total."""
    return isinstance(item, Announced) and item.what == "total" and item.position is not None


def sends_decisions(setup: Setup) -> bool:
    """Return whether the table's devices send decisions."""
    return setup.sends("decisions")


@fault("total_not_announced", BLACKJACK, ("totals",), fits=sends_decisions)
def total_not_announced(scene: Scene) -> list[Turn]:
    """Take a decision before the hand's total was announced."""
    turn, _ = drawing(scene, scene.rng.randrange(2))
    del turn.during[scene.rng.choice(places(turn.during, is_total))]
    scene.raised("total_not_announced", turn.number)
    return [turn]


@fault("total_misannounced", BLACKJACK, ("totals", "cards"))
def total_misannounced(scene: Scene) -> list[Turn]:
    """Announce another total than either of a hand's or the dealer's."""
    turn, _ = drawing(scene, scene.rng.randrange(2))
    totals = places(turn.during, lambda item: isinstance(item, Announced) and item.what == "total")
    at = scene.rng.choice(totals)
    said = cast(Announced, turn.during[at])
    more = scene.rng.choice((-2, -1, 1, 2))
    turn.during[at] = replace(said, total=(said.total or 0) + more)
    scene.raised("total_misannounced", turn.number)
    return [turn]


@fault("decision_order", BLACKJACK, ("decisions",))
def decision_order(scene: Scene) -> list[Turn]:
    """Let a player decide after one to his left."""
    turn = quiet(scene, 3)
    late, early = scene.rng.choice(((0, 1), (1, 2)))
    first = decisions_of(turn, turn.positions[late])[0]
    second = decisions_of(turn, turn.positions[early])[0]
    during = turn.during
    during[first - 1 : second + 1] = [
        *during[second - 1 : second + 1],
        *during[first - 1 : first + 1],
    ]
    scene.raised("decision_order", turn.number)
    return [turn]


@fault("card_without_decision", BLACKJACK, ("decisions",))
def card_without_decision(scene: Scene) -> list[Turn]:
    """Deal a player a card that he did not ask for."""
    turn, position = drawing(scene, scene.rng.randrange(2))
    del turn.during[decisions_of(turn, position)[0]]
    scene.raised("card_without_decision", turn.number)
    return [turn]


@fault("dealers_card_not_announced", BLACKJACK, ("announcements",), fits=hole("none"))
def dealers_card_not_announced(scene: Scene) -> list[Turn]:
    """Deal the dealer's second card before "Dealer's Card", or without it."""
    turn = quiet(scene)
    at = place(turn, lambda item: isinstance(item, Announced) and item.what == "dealers_card")
    if scene.rng.random() < 0.5:
        move(turn, at, at + 2)
    else:
        del turn.during[at]
    scene.raised("dealers_card_not_announced", turn.number)
    return [turn]


@fault("dealer_second_card_early", BLACKJACK, ("decisions", "cards"), fits=hole("none"))
def dealer_second_card_early(scene: Scene) -> list[Turn]:
    """Deal the dealer's second card before every player is done."""
    turn = quiet(scene)
    at = dealt_to(turn, None)[1]
    waits = decisions_of(turn, turn.positions[-1])[0] - 1
    early = turn.during[at - 1 : at + 1]
    del turn.during[at - 1 : at + 1]
    turn.during[waits:waits] = early
    scene.raised("dealer_second_card_early", turn.number)
    return [turn]


@fault("pickup_order", BLACKJACK, ("collection",))
def pickup_order(scene: Scene) -> list[Turn]:
    """Pick up two hands the wrong way round, or the dealer's before a player's."""
    turn = quiet(scene, 3)
    collected = places(turn.during, lambda item: isinstance(item, CardsCollected))
    at = scene.rng.randrange(len(collected) - 1)
    here, there = collected[at], collected[at + 1]
    turn.during[here], turn.during[there] = turn.during[there], turn.during[here]
    scene.raised("pickup_order", turn.number)
    return [turn]


@fault("hole_card_seen_early", BLACKJACK, ("faces", "decisions", "cards"), fits=hole("down"))
def hole_card_seen_early(scene: Scene) -> list[Turn]:
    """Turn the hole card before every player is done."""
    turn = quiet(scene)
    waits = decisions_of(turn, turn.positions[-1])[0] - 1
    move(turn, find(turn.during, CardExposed), waits)
    scene.raised("hole_card_seen_early", turn.number)
    return [turn]


@fault("reader_check_missing", BLACKJACK, ("reader", "cards"), fits=with_reader)
def reader_check_missing(scene: Scene) -> list[Turn]:
    """Deal a player a third card without reading the hole card under a ten."""
    turn, _ = drawing(scene, dealer=["TJQK", "8"])
    del turn.during[find(turn.during, HoleCardRead)]
    scene.raised("reader_check_missing", turn.number)
    return [turn]


def known_blackjack(setup: Setup) -> bool:
    """Return whether a dealer's blackjack is known, and seen, before the players' decisions."""
    if setup.hole == "up":
        return setup.sends("cards")
    return with_reader(setup) and setup.sends("reader")


def sevens_known(setup: Setup) -> bool:
    """Return whether a dealer's blackjack is known, and who has two sevens then."""
    return known_blackjack(setup) and (setup.sends("cards") or not setup.offered("sevens"))


@fault("card_after_dealer_blackjack", BLACKJACK, fits=sevens_known)
def card_after_dealer_blackjack(scene: Scene) -> list[Turn]:
    """Deal a player a card though the dealer has a blackjack."""
    turn = quiet(scene, dealer=["TJQK", "A"])
    position = scene.rng.choice(turn.positions)
    at = place(turn, lambda item: isinstance(item, WagerSettled) and item.wager == "main")
    turn.during[at:at] = [
        Announced(by="dealer", what="total", position=position, hand=1, total=17),
        Decision(position=position, action="draw", hand=1),
        extra_card(scene, turn, "23456789", position),
    ]
    scene.raised("card_after_dealer_blackjack", turn.number)
    return [turn]


def sevens_at_blackjack(setup: Setup) -> bool:
    """Return whether two sevens are offered a card at a dealer's blackjack."""
    return setup.offered("sevens") and known_blackjack(setup)


@fault(
    "sevens_card_not_offered",
    BLACKJACK,
    ("decisions", "wagers", "cards"),
    fits=sevens_at_blackjack,
)
def sevens_card_not_offered(scene: Scene) -> list[Turn]:
    """Offer two sevens no third card at a dealer's blackjack."""
    positions = some_positions(scene, 1)
    cards = {positions[0]: ["7", "7"], 0: ["TJQK", "A"]}
    turn = deal(scene, Plan(positions=positions, sides=("sevens",), cards=cards))
    at = decisions_of(turn, positions[0])[0]
    del turn.during[at : at + 1 + isinstance(turn.during[at + 1], CardDealt)]
    scene.raised("sevens_card_not_offered", turn.number)
    return [turn]


@fault("settlement_wrong", BLACKJACK, ("settlements", "cards"), fits=hole("up"))
def settlement_wrong(scene: Scene) -> list[Turn]:
    """Settle equal counts, two blackjacks or a blackjack as where the hole card is not up."""
    positions = some_positions(scene, 1)
    hands = (
        (["9", "9"], EIGHTEEN, ("push", None)),
        (["A", "TJQK"], ["TJQK", "A"], ("push", None)),
        (["A", "TJQK"], EIGHTEEN, ("win", "3:2")),
    )
    mine, dealers, (outcome, pays) = scene.rng.choice(hands)
    cards = {positions[0]: mine, 0: dealers}
    turn = deal(scene, Plan(positions=positions, cards=cards, choices={positions[0]: STANDS}))
    at = place(turn, lambda item: isinstance(item, WagerSettled) and item.wager == "main")
    settled = cast(WagerSettled, turn.during[at])
    turn.during[at] = replace(settled, outcome=outcome, pays=pays)
    scene.raised("settlement_wrong", turn.number)
    return [turn]


@fault("action_not_available", BLACKJACK, ("decisions",), fits=hole("up"))
def action_not_available(scene: Scene) -> list[Turn]:
    """Allow surrender or insurance where the hole card is up."""
    turn = quiet(scene)
    position = scene.rng.choice(turn.positions)
    at = decisions_of(turn, position)[0]
    match scene.rng.randrange(3 if scene.setup.sends("wagers") else 2):
        case 0:
            turn.during[at] = Decision(position=position, action="surrender", hand=1)
        case 1:
            turn.during.insert(at - 1, Decision(position=position, action="insurance"))
        case _:
            insured = WagerPlaced(position=position, wager="insurance", amount=500)
            turn.during.insert(at - 1, insured)
    scene.raised("action_not_available", turn.number)
    return [turn]


@fault("double_not_permitted", BLACKJACK, ("decisions", "cards"), fits=hole("up"))
def double_not_permitted(scene: Scene) -> list[Turn]:
    """Double on twelve where the hole card is up."""
    positions = some_positions(scene, 1)
    position = positions[0]
    cards = {position: TWELVE_AND_FIVE, 0: EIGHTEEN}
    turn = deal(scene, Plan(positions=positions, cards=cards, choices={position: DRAWS_ONCE}))
    draw, stand = decisions_of(turn, position)
    turn.during[draw] = Decision(position=position, action="double", hand=1)
    if scene.setup.double_face == "down":
        at = dealt_to(turn, position)[2]
        turn.during[at] = replace(card_at(turn, at), face="down")
        del turn.during[stand - 1 : stand + 1]
    else:
        del turn.during[stand]
    scene.raised("double_not_permitted", turn.number)
    return [turn]


@fault("resplit_not_permitted", BLACKJACK, ("decisions",), fits=hole("up"))
def resplit_not_permitted(scene: Scene) -> list[Turn]:
    """Split a hand that came from a split where the hole card is up."""
    positions = some_positions(scene, 1)
    position = positions[0]
    cards = {position: ["8", "8", "8", "TJQK"], 0: EIGHTEEN}
    choices = {position: ["split", "stand", "stand"]}
    turn = deal(scene, Plan(positions=positions, cards=cards, choices=choices))
    at = decisions_of(turn, position)[1]
    turn.during[at] = Decision(position=position, action="split", hand=1)
    more: list[Item] = []
    for hand in (1, 3):
        card = replace(extra_card(scene, turn, "TJQK", position), hand=hand)
        more += [
            card,
            Announced(by="dealer", what="total", position=position, hand=hand, total=18),
            Decision(position=position, action="stand", hand=hand),
        ]
    turn.during[at + 1 : at + 1] = more
    scene.raised("resplit_not_permitted", turn.number)
    return [turn]
