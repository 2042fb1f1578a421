"""What the faults of the two hand-dealt games share."""

from collections.abc import Callable

from producers.simulator.faults.registry import Scene
from producers.simulator.poker.dealer import Plan, PokerDealer
from producers.simulator.setups import Setup
from producers.simulator.turns import Turn
from streams.core.cards import Card


def dealer_of(scene: Scene) -> PokerDealer:
    """Return the scene's dealer, who deals poker."""
    if not isinstance(scene.dealer, PokerDealer):
        raise TypeError(f"expected a dealer of poker, found {type(scene.dealer).__name__}")
    return scene.dealer


def deal_turn(
    scene: Scene,
    count: str | None = None,
    *,
    least: int = 1,
    seat_free: bool = False,
    arrange: Callable[[list[Card], int], None] | None = None,
) -> Turn:
    """Deal a turn in which nothing happens but what must."""
    plan = Plan(count=count, least=least, seat_free=seat_free, arrange=arrange)
    return dealer_of(scene).turn(plan)


def only_deck(setup: Setup) -> bool:
    """Return whether the table plays one deck; with two, the deck in play must be known."""
    return not setup.deck_names


def dealt_places(turn: Turn) -> list[int]:
    """Return the places from after the first card up to that after the last."""
    deals = turn.deals()
    return list(range(deals[0] + 1, deals[-1] + 2))


def uncounted_turns(scene: Scene) -> list[Turn]:
    """Deal a turn with a count if the next one could not go without."""
    if dealer_of(scene).since_count >= 4:
        return [deal_turn(scene, "during")]
    return []
