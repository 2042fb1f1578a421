"""Faults of 2.6(a) to (d) and (l): the shoe, its burns, determinants and shuffles."""

from dataclasses import replace
from typing import cast

from producers.simulator.blackjack.counts import VALUE
from producers.simulator.blackjack.dealer import Plan
from producers.simulator.faults.blackjack_scene import (
    BLACKJACK,
    burning,
    card_at,
    deal,
    dealer_of,
    has_cut_card,
    quiet,
    refreshed,
    shoe_of,
    side_of,
    some_positions,
    some_side,
)
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.setups import Setup
from producers.simulator.turns import Item, Turn, find, of_kind
from streams.core.cards import SUITS
from streams.core.events import (
    Burned,
    CardsTouched,
    CutCardReached,
    DeckInHand,
    DeterminantDrawn,
    RackCounted,
    ShoeEmptied,
    ShuffleCompleted,
)

OTHER = {"left": "right", "right": "left"}


def double(setup: Setup) -> bool:
    """Return whether cards come from a double shoe."""
    return setup.double_shoe


def knows_sides(setup: Setup) -> bool:
    """Return whether there are two sides, and the determinants are seen that name them."""
    return setup.double_shoe and setup.sends("cards")


def bart_carter(setup: Setup) -> bool:
    """Return whether the rack is shuffled back into the shoe."""
    return bool(setup.bart_carter)


def another_dealer(scene: Scene, turn: Turn) -> None:
    """Let another dealer come before the turn, who burns nothing."""
    dealer = dealer_of(scene)
    turn.before += dealer.relief()


@fault("dealt_from_hand", BLACKJACK, ("dealing_hand",))
def dealt_from_hand(scene: Scene) -> list[Turn]:
    """Take the cards in hand at a table that deals from a shoe."""
    turn = quiet(scene)
    at = scene.rng.randint(1, len(turn.during) - 1)
    turn.during.insert(at, DeckInHand(hand=scene.rng.choice(("left", "right"))))
    scene.raised("dealt_from_hand", turn.number)
    return [turn]


@fault("wrong_hand_used", BLACKJACK, ("draw_hand",))
def wrong_hand_used(scene: Scene) -> list[Turn]:
    """Draw a card with the right hand, or place one with the left that must not be."""
    turn = quiet(scene)
    at = scene.rng.choice(turn.deals())
    drawn, placed = scene.rng.choice((("right", "right"), ("left", "left")))
    turn.during[at] = replace(card_at(turn, at), drawn_with=drawn, placed_with=placed)
    scene.raised("wrong_hand_used", turn.number)
    return [turn]


@fault("burn_missing", BLACKJACK, ("burns",), rounds=2, fits=burning)
def burn_missing(scene: Scene) -> list[Turn]:
    """Deal from a new set, or as a new dealer, with no burn."""
    if scene.rng.random() < 0.5:
        refreshed(scene)
        turn = quiet(scene)
        turn.before[:] = [item for item in turn.before if not isinstance(item, Burned)]
    else:
        turn = quiet(scene)
        another_dealer(scene, turn)
    scene.raised("burn_missing", turn.number)
    return [turn]


@fault("burn_exposed", BLACKJACK, ("burns",), fits=burning)
def burn_exposed(scene: Scene) -> list[Turn]:
    """Show the burned card though no player asked."""
    turn = quiet(scene)
    another_dealer(scene, turn)
    card = shoe_of(scene, turn).draw()
    turn.before.append(Burned(place="discard_rack", card=card, exposed=True))
    scene.raised("burn_exposed", turn.number - 1)
    return [turn]


def foreign_determinant(scene: Scene) -> Turn:
    """Deal a turn whose determinant does not belong to the side it was drawn from."""
    side = scene.rng.choice(("left", "right"))
    return deal(
        scene, Plan(positions=some_positions(scene, 2), side=side, suits=suits(scene, OTHER[side]))
    )


def own_determinant(scene: Scene) -> Turn:
    """Deal a turn whose determinant is dealt as the first card."""
    side = scene.rng.choice(("left", "right"))
    return deal(
        scene, Plan(positions=some_positions(scene, 2), side=side, suits=suits(scene, side))
    )


def suits(scene: Scene, side: str | None) -> str:
    """Return the suits that name a side."""
    return "HD" if side == (scene.setup.red_side or "left") else "SC"


def burns_somewhere(setup: Setup) -> bool:
    """Return whether cards are burned at the table, and known if they are determinants."""
    return burning(setup) or knows_sides(setup)


@fault("burn_wrong_place", BLACKJACK, ("burns",), fits=burns_somewhere)
def burn_wrong_place(scene: Scene) -> list[Turn]:
    """Burn a card to the segregated area of a single shoe, or a determinant to the rack."""
    if scene.setup.double_shoe:
        turn = foreign_determinant(scene)
        at, burned = next(of_kind(turn.during, Burned))
        turn.during[at] = replace(burned, place="discard_rack")
        scene.raised("burn_wrong_place", turn.number)
        return [turn]
    turn = quiet(scene)
    another_dealer(scene, turn)
    shoe_of(scene, turn).draw()
    turn.before.append(Burned(place="segregated_area", exposed=False))
    scene.raised("burn_wrong_place", turn.number - 1)
    return [turn]


@fault("determinant_missing", BLACKJACK, ("cards",), fits=double)
def determinant_missing(scene: Scene) -> list[Turn]:
    """Deal a round from a double shoe with no determinant."""
    turn = own_determinant(scene)
    del turn.during[find(turn.during, DeterminantDrawn)]
    scene.raised("determinant_missing", turn.number)
    return [turn]


@fault("determinant_misused", BLACKJACK, ("cards",), fits=double)
def determinant_misused(scene: Scene) -> list[Turn]:
    """Burn a determinant that fits, keep one that does not, or draw another."""
    # A missing burn is seen only where burns are.
    misuse: int = scene.rng.choice((0, 1, 2) if scene.setup.sees("burns") else (0, 2))
    match misuse:
        case 0:
            turn = own_determinant(scene)
            at = turn.deals()[0]
            first = card_at(turn, at)
            value = VALUE[str(first.card)[0]]
            ranks = "".join(rank for rank, each in VALUE.items() if each == value)
            others = SUITS.replace(str(first.card)[1], "")
            card = dealer_of(scene).shoes[first.side].draw(ranks + others)
            turn.during[at : at + 1] = [
                Burned(place="segregated_area", card=first.card, exposed=True, side=first.side),
                replace(first, card=card),
            ]
        case 1:
            turn = foreign_determinant(scene)
            del turn.during[find(turn.during, Burned)]
        case _:
            turn = own_determinant(scene)
            side = side_of(turn)
            card = dealer_of(scene).shoes[side].draw(suits(scene, side))
            at = scene.rng.choice(turn.deals()[1:])
            turn.during.insert(at, DeterminantDrawn(side=str(side), card=card))
    scene.raised("determinant_misused", turn.number)
    return [turn]


def reach_cut_card(scene: Scene) -> tuple[Turn, str | None]:
    """Deal a turn in which the cut card of a fresh side comes out, and the dealer misses it."""
    side = some_side(scene)
    refreshed(scene, side)
    turn = quiet(scene)
    at = scene.rng.choice(turn.deals()) + 1
    turn.during.insert(at, CutCardReached(side=side))
    return turn, side


@fault("shuffle_overdue", BLACKJACK, ("shuffles",), rounds=3, fits=has_cut_card)
def shuffle_overdue(scene: Scene) -> list[Turn]:
    """Deal another round after the cut card came out."""
    first, side = reach_cut_card(scene)
    second = quiet(scene)
    scene.raised("shuffle_overdue", second.number)
    refreshed(scene, side)
    return [first, second, quiet(scene)]


@fault("shoe_not_emptied", BLACKJACK, ("shuffles",), rounds=2, fits=has_cut_card)
def shoe_not_emptied(scene: Scene) -> list[Turn]:
    """Load a new set after the cut card without taking out what was left."""
    first, side = reach_cut_card(scene)
    refreshed(scene, side)
    second = quiet(scene)
    second.before[:] = [
        item for item in second.before if not isinstance(item, ShoeEmptied | RackCounted)
    ]
    scene.raised("shoe_not_emptied", first.number)
    return [first, second]


@fault("cards_missing", BLACKJACK, fits=has_cut_card)
def cards_missing(scene: Scene) -> list[Turn]:
    """Count another number of cards in the rack than was loaded; a full set then clears it."""
    side = some_side(scene)
    shoe = refreshed(scene, side)
    turn = quiet(scene)
    wrong = RackCounted(cards=shoe.full - scene.rng.choice((1, 2, 16)), side=side)
    at = next(at for at, item in of_kind(turn.before, ShoeEmptied) if item.side == side)
    counted = isinstance(turn.before[at + 1], RackCounted)
    turn.before[at + 1 : at + 1 + counted] = [wrong]
    scene.raised("cards_missing", turn.number - 1)
    scene.cleared("cards_missing", turn.number - 1)
    return [turn]


@fault("wrong_side_shuffled", BLACKJACK, ("shuffles",), rounds=3, fits=double)
def wrong_side_shuffled(scene: Scene) -> list[Turn]:
    """Shuffle the side whose cut card did not come out."""
    for shoe in dealer_of(scene).shoes.values():
        shoe.reached = True
    ahead = quiet(scene)
    first, side = reach_cut_card(scene)
    refreshed(scene, side)
    second = quiet(scene)
    second.before.insert(0, ShuffleCompleted(method="hand", side=OTHER[str(side)]))
    scene.raised("wrong_side_shuffled", first.number)
    return [ahead, first, second]


def bart_carter_turns(scene: Scene) -> list[Turn]:
    """Deal turns until the rack is shuffled back before one of them."""
    positions = some_positions(scene, 5)
    turns = [deal(scene, Plan(positions=positions))]
    while find(turns[-1].before, ShuffleCompleted) < 0 or len(turns) == 1:
        turns.append(deal(scene, Plan(positions=positions)))
    return turns


@fault("bart_carter_overdue", BLACKJACK, ("shuffles",), rounds=9, fits=bart_carter)
def bart_carter_overdue(scene: Scene) -> list[Turn]:
    """Begin a round with more than a deck in the rack."""
    turns = bart_carter_turns(scene)
    at = find(turns[-1].before, ShuffleCompleted)
    shuffled = turns[-1].before.pop(at)
    scene.raised("bart_carter_overdue", turns[-1].number)
    following = quiet(scene)
    if find(following.before, ShuffleCompleted) < 0:
        following.before.insert(0, shuffled)
    return [*turns, following]


@fault("bart_carter_stacks", BLACKJACK, ("shuffles",), rounds=8, fits=bart_carter)
def bart_carter_stacks(scene: Scene) -> list[Turn]:
    """Split the shuffled cards in another number of stacks than three."""
    turns = bart_carter_turns(scene)
    before = turns[-1].before
    at = find(before, ShuffleCompleted)
    stacks = scene.rng.choice((1, 2, 4))
    before[at] = replace(cast(ShuffleCompleted, before[at]), stacks=stacks)
    scene.raised("bart_carter_stacks", turns[-1].number - 1)
    return turns


@fault("cards_touched", BLACKJACK)
def cards_touched(scene: Scene) -> list[Turn]:
    """Let a player or spectator handle cards as he may not."""
    turn = quiet(scene)
    touched = CardsTouched(by=scene.rng.choice(("player", "spectator")), permitted=False)
    if scene.rng.random() < 0.8:
        opened = turn.deals()[0] + 1
        turn.during.insert(scene.rng.randint(opened, len(turn.during) - 1), touched)
        scene.raised("cards_touched", turn.number)
    else:
        turn.before.append(touched)
        scene.raised("cards_touched", turn.number - 1)
    return [turn]


@fault("hole_card_with_progressive", BLACKJACK)
def hole_card_with_progressive(scene: Scene) -> list[Turn]:
    """Open the table with a hole card and the progressive wager; open it again as it must be."""
    dealer = dealer_of(scene)
    closed: list[Item] = dealer.close()
    opened = replace(
        scene.setup.opened(),
        hole_card=scene.rng.choice(("down", "up")),
        offers=("progressive",),
    )
    wrong: list[Item] = [opened]
    if scene.rng.random() < 0.5:
        wrong += dealer.close()
    reopened = dealer.open()
    turn = quiet(scene)
    turn.before[:0] = [*closed, *wrong, *reopened]
    scene.raised("hole_card_with_progressive", 0)
    scene.cleared("hole_card_with_progressive", 0)
    return [turn]
