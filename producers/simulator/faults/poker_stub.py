"""Faults of 16.8(d) and (e), 27.8(d) and (e): what becomes of the stub."""

from producers.simulator.faults.poker_scene import deal_turn, dealer_of, uncounted_turns
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.poker.dealer import ROUNDS_TO_COUNT
from producers.simulator.setups import POKER
from producers.simulator.turns import Item, Turn, find, of_kind
from streams.core.events import (
    DeckRemoved,
    RoundClosed,
    ShuffleCompleted,
    StubCounted,
    StubPlaced,
)


@fault("stub_exposed", POKER, ("stub",))
def stub_exposed(scene: Scene) -> list[Turn]:
    """Place the stub so that its cards are seen."""
    turn = deal_turn(scene)
    at = find(turn.during, StubPlaced)
    exposed = StubPlaced(exposed=True)
    if at >= 0:
        turn.during[at] = exposed
    else:
        turn.during.insert(find(turn.during, StubCounted) + 1, exposed)
    scene.raised("stub_exposed", turn.number)
    return [turn]


@fault("stub_not_placed", POKER, ("stub",), rounds=2)
def stub_not_placed(scene: Scene) -> list[Turn]:
    """Close a round with the stub neither placed nor counted."""
    turns = uncounted_turns(scene)
    turn = deal_turn(scene, scene.rng.choice(("none", "after")))
    del turn.during[find(turn.during, StubPlaced)]
    scene.raised("stub_not_placed", turn.number)
    return [*turns, turn]


@fault("stub_count_overdue", POKER, ("stub",), rounds=9)
def stub_count_overdue(scene: Scene) -> list[Turn]:
    """Let five rounds go by without a count; then count, or close the table."""
    dealer = dealer_of(scene)
    turns: list[Turn] = []
    while dealer.since_count < ROUNDS_TO_COUNT:
        turns.append(deal_turn(scene, "none"))
    scene.raised("stub_count_overdue", dealer.number)
    turns += [deal_turn(scene, "none") for _ in range(scene.rng.choice((0, 0, 1, 2)))]
    match scene.rng.randrange(3):
        case 0:
            turns.append(deal_turn(scene, "during"))
            scene.cleared("stub_count_overdue", dealer.number)
        case 1:
            turns.append(deal_turn(scene, "after"))
            scene.cleared("stub_count_overdue", dealer.number)
        case _:
            scene.cleared("stub_count_overdue", dealer.number)
            reopened: list[Item] = [*dealer.close(), *dealer.open()]
            turn = deal_turn(scene)
            turn.before[:0] = reopened
            turns.append(turn)
    return turns


def miscount(scene: Scene, counted: StubCounted) -> StubCounted:
    """Return a count that is wrong by a few cards."""
    by = scene.rng.choice((-3, -2, -1, 1, 2))
    return StubCounted(cards=max(0, counted.cards + by), deck=counted.deck)


@fault("stub_count_wrong", POKER, ("stub",), rounds=2)
def stub_count_wrong(scene: Scene) -> list[Turn]:
    """Count the stub wrong; count again, take the deck away, or let the shuffler count it."""
    can_wait = dealer_of(scene).since_count < ROUNDS_TO_COUNT - 1
    turn = deal_turn(scene, "during")
    following = deal_turn(scene, "during")
    between = following.before
    place, right = next(of_kind(turn.during, StubCounted))
    wrong = miscount(scene, right)
    turn.during[:] = [item for item in turn.during if not isinstance(item, StubCounted)]
    remedies = ["recount", "removal"]
    if scene.setup.shuffler_counts and scene.setup.sends("shuffles"):
        remedies.append("shuffle")
    if can_wait and scene.rng.random() < 0.5:
        if find(turn.during, StubPlaced) < 0:
            turn.during.insert(place, StubPlaced(exposed=False))
        between.insert(0, wrong)
    else:
        turn.during.insert(place, wrong)
        remedies.append("recount at once")
    scene.raised("stub_count_wrong", turn.number)
    match scene.rng.choice(remedies):
        case "recount at once":
            turn.during.insert(find(turn.during, RoundClosed), right)
        case "recount":
            between.insert(find(between, ShuffleCompleted), right)
        case "removal":
            removed = DeckRemoved(reason="count", deck=turn.deck)
            between.insert(find(between, ShuffleCompleted), removed)
        case _:
            pass
    scene.cleared("stub_count_wrong", turn.number)
    return [turn, following]
