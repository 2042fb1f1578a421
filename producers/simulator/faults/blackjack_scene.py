"""What the faults of blackjack share: planned turns, and finding one's way in them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, cast

from producers.simulator.blackjack.dealer import BlackjackDealer, Plan
from producers.simulator.faults.registry import Scene
from producers.simulator.setups import Setup
from producers.simulator.shoes import Shoe
from producers.simulator.turns import Item, Turn, places
from streams.core.events import (
    Burned,
    CardDealt,
    CardsCollected,
    CutCardReached,
    Decision,
    DeterminantDrawn,
    NoMoreBets,
    RoundClosed,
    RoundVoided,
    WagerPlaced,
    WagerSettled,
)

BLACKJACK: Final = ("blackjack",)

SEVENTEEN: Final = ["TJQK", "7"]
TWELVE_AND_FIVE: Final = ["TJQK", "2", "5"]
EIGHTEEN: Final = ["9", "9"]
"""A dealer's cards that need no reader, no insurance and no further card."""

STANDS: Final = ["stand"]
DRAWS_ONCE: Final = ["draw", "stand"]


def dealer_of(scene: Scene) -> BlackjackDealer:
    """Return the scene's dealer, who deals blackjack."""
    if not isinstance(scene.dealer, BlackjackDealer):
        raise TypeError(f"expected a dealer of blackjack, found {type(scene.dealer).__name__}")
    return scene.dealer


def deal(scene: Scene, plan: Plan) -> Turn:
    """Deal a turn as planned."""
    return dealer_of(scene).turn(plan)


def some_positions(scene: Scene, number: int) -> tuple[int, ...]:
    """Return so many positions of the table, ascending."""
    return tuple(sorted(scene.rng.sample(range(1, scene.setup.positions + 1), number)))


def quiet(scene: Scene, number: int = 2, dealer: list[str] | None = None) -> Turn:
    """Deal a turn in which every player stands on seventeen."""
    positions = some_positions(scene, number)
    cards = dict.fromkeys(positions, SEVENTEEN) | {0: dealer or EIGHTEEN}
    choices = dict.fromkeys(positions, STANDS)
    return deal(scene, Plan(positions=positions, cards=cards, choices=choices))


def drawing(
    scene: Scene, drawer: int = 0, number: int = 2, dealer: list[str] | None = None
) -> tuple[Turn, int]:
    """Deal a turn in which one player draws a five to twelve; return it and his position.

    ``drawer`` is the place among the positions, -1 for the last.
    """
    positions = some_positions(scene, number)
    position = positions[drawer]
    cards = dict.fromkeys(positions, SEVENTEEN) | {
        0: dealer or EIGHTEEN,
        position: TWELVE_AND_FIVE,
    }
    choices = dict.fromkeys(positions, STANDS) | {position: DRAWS_ONCE}
    return deal(scene, Plan(positions=positions, cards=cards, choices=choices)), position


def shoe_of(scene: Scene, turn: Turn) -> Shoe:
    """Return the shoe, or the side of it, from which a turn's cards came."""
    return dealer_of(scene).shoes[side_of(turn)]


def side_of(turn: Turn) -> str | None:
    """Return the side from which a turn's cards came, none of a single shoe."""
    return card_at(turn, turn.deals()[-1]).side


def card_at(turn: Turn, at: int) -> CardDealt:
    """Return the card dealt at a place."""
    return cast(CardDealt, turn.during[at])


def dealt_to(turn: Turn, position: int | None) -> list[int]:
    """Return the places of the cards of a position, or of the dealer."""
    return [at for at in turn.deals() if card_at(turn, at).position == position]


def decisions_of(turn: Turn, position: int) -> list[int]:
    """Return the places of a position's decisions."""
    return places(
        turn.during, lambda item: isinstance(item, Decision) and item.position == position
    )


def place(turn: Turn, test: Callable[[Item], bool]) -> int:
    """Return the first place at which the test holds.

    Raises:
        LookupError: it holds nowhere.
    """
    for at, item in enumerate(turn.during):
        if test(item):
            return at
    raise LookupError("expected an event for which the test holds, found none")


def after_passes(turn: Turn) -> int:
    """Return the place after the cards that are dealt before any decision."""
    return place(turn, lambda item: not is_of_passes(item) and not isinstance(item, WagerPlaced))


def is_of_passes(item: Item) -> bool:
    """Return whether an item can stand among wagers and first cards."""
    return isinstance(item, CardDealt | Burned | CutCardReached | NoMoreBets | DeterminantDrawn)


def extra_card(scene: Scene, turn: Turn, ranks: str, position: int | None) -> CardDealt:
    """Draw one more card for a hand of the turn, up."""
    model = card_at(turn, turn.deals()[-1])
    card = shoe_of(scene, turn).draw(ranks)
    to, hand = ("dealer", None) if position is None else ("player", 1)
    return replace(
        model, to=to, position=position, hand=hand, card=card, face="up", placed_with=None
    )


def void_from(turn: Turn, at: int, outcome: str = "returned") -> None:
    """End a round at a place: it is voided, every wager is returned, the cards are collected."""
    wagers = [item for item in turn.during if isinstance(item, WagerPlaced)]
    players = sorted({item.position for item in wagers}, reverse=True)
    turn.during[at:] = [
        RoundVoided(reason="dealer error"),
        *(
            WagerSettled(
                position=item.position,
                wager=item.wager,
                outcome=outcome if item.wager == "main" else "returned",
            )
            for item in wagers
        ),
        *(CardsCollected(to="player", position=position) for position in players),
        CardsCollected(to="dealer"),
        RoundClosed(),
    ]


def refreshed(scene: Scene, side: str | None = None) -> Shoe:
    """Let a shoe or side be changed before the next turn, so that its cut card is far."""
    shoe = dealer_of(scene).shoes[side]
    shoe.reached = True
    return shoe


def some_side(scene: Scene) -> str | None:
    """Return a side of a double shoe, none of a single one."""
    return scene.rng.choice(("left", "right")) if scene.setup.double_shoe else None


def burning(setup: Setup) -> bool:
    """Return whether 2.6(c) asks for burns at the table."""
    return setup.single_shoe and not setup.bart_carter


def has_cut_card(setup: Setup) -> bool:
    """Return whether a cut card is in the shoe."""
    return not setup.bart_carter


def with_reader(setup: Setup) -> bool:
    """Return whether the hole card is dealt down and read by a device."""
    return setup.hole == "down" and bool(setup.card_reader)


def multiple_action(setup: Setup) -> bool:
    """Return whether multiple action is offered."""
    return setup.offered("multiple_action")
