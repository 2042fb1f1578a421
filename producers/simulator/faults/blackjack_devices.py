"""Faults of 2.15(j) to (o): card reader, multiple action's up card, light, bonus system."""

from dataclasses import replace

from producers.simulator.blackjack.dealer import Plan
from producers.simulator.faults.blackjack_dealing import doubled, shows_double_down
from producers.simulator.faults.blackjack_errors import other_side_turn
from producers.simulator.faults.blackjack_scene import (
    BLACKJACK,
    EIGHTEEN,
    SEVENTEEN,
    STANDS,
    after_passes,
    deal,
    multiple_action,
    quiet,
    some_positions,
    void_from,
    with_reader,
)
from producers.simulator.faults.blackjack_shoe import knows_sides
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.setups import Setup
from producers.simulator.turns import Item, Turn, find, of_kind, places
from streams.core.events import (
    DeviceFault,
    DeviceRestored,
    HoleCardRead,
    SupervisorCalled,
    UpCardDiscarded,
    UpCardMoved,
    UpCardRestored,
    WagerSettled,
)


def revealing(setup: Setup) -> bool:
    """Return whether the reader lets players learn the hole card."""
    return with_reader(setup) and bool(setup.reader_reveals_to_players)


def reader_seen(setup: Setup) -> bool:
    """Return whether a reader is used, and its misuse would be seen."""
    return with_reader(setup) and setup.sees("reader") and setup.sees("cards")


def revealing_seen(setup: Setup) -> bool:
    """Return whether a reader lets players learn the card, and its misuse would be seen."""
    return revealing(setup) and reader_seen(setup)


def misread(scene: Scene, *, called: bool = True) -> tuple[Turn, int]:
    """Read the hole card under a nine; return the turn and the place after that."""
    turn = quiet(scene)
    at = after_passes(turn)
    turn.during.insert(at, HoleCardRead(result="no_blackjack"))
    if called:
        turn.during.insert(at + 1, SupervisorCalled())
    scene.raised("reader_misused", turn.number)
    return turn, at + 1 + called


@fault("reader_misused", BLACKJACK, ("reader", "cards"), fits=with_reader)
def reader_misused(scene: Scene) -> list[Turn]:
    """Read the hole card under a nine; call a supervisor; void where players could learn it."""
    turn, after = misread(scene)
    if revealing(scene.setup):
        void_from(turn, after)
    return [turn]


@fault("supervisor_not_notified", BLACKJACK, ("supervisor",), fits=reader_seen)
def supervisor_not_notified(scene: Scene) -> list[Turn]:
    """Misuse the reader, tell no supervisor, and play on; a void would end what is judged."""
    turn, _ = misread(scene, called=False)
    if revealing(scene.setup):
        scene.raised("hands_not_voided", turn.number)
    scene.raised("supervisor_not_notified", turn.number)
    return [turn]


@fault("hands_not_voided", BLACKJACK, ("reader",), fits=revealing_seen)
def hands_not_voided(scene: Scene) -> list[Turn]:
    """Misuse a reader that lets players learn the card, and play on or settle all the same."""
    turn, after = misread(scene)
    if scene.setup.sends("settlements") and scene.rng.random() < 0.5:
        void_from(turn, after, outcome="lose")
    scene.raised("hands_not_voided", turn.number)
    return [turn]


def can_void_wrongly(setup: Setup) -> bool:
    """Return whether an irregularity that does not void a round can be seen at the table."""
    quiet_reader = reader_seen(setup) and not setup.reader_reveals_to_players
    doubles = shows_double_down(setup) and setup.sees("faces")
    return quiet_reader or doubles or knows_sides(setup) or moves_seen(setup)


@fault("voided_without_cause", BLACKJACK, fits=can_void_wrongly)
def voided_without_cause(scene: Scene) -> list[Turn]:
    """Void a round for an irregularity after which the round must go on."""
    setup = scene.setup
    at = None
    if knows_sides(setup):
        turn = other_side_turn(scene)
        scene.raised("wrong_side", turn.number)
    elif reader_seen(setup) and not setup.reader_reveals_to_players:
        turn, at = misread(scene)
    elif shows_double_down(setup) and setup.sees("faces"):
        turn, _ = doubled(scene)
        scene.raised("double_card_face_up", turn.number)
    else:
        turn = several_actions(scene)
        del turn.during[find(turn.during, UpCardMoved)]
        scene.raised("up_card_not_moved", turn.number)
    void_from(turn, at or turn.deals()[-1] + 1)
    scene.raised("voided_without_cause", turn.number)
    return [turn]


def reader_down(scene: Scene, turn: Turn) -> None:
    """Let the reader fail before a turn."""
    turn.before.append(DeviceFault(device="card_reader", code="lamp"))
    scene.raised("reader_malfunction", turn.number - 1)


def reader_up(scene: Scene, turn: Turn) -> None:
    """Let the reader work again before a turn."""
    turn.before.insert(0, DeviceRestored(device="card_reader"))
    scene.cleared("reader_malfunction", turn.number - 1)


@fault("reader_malfunction", BLACKJACK, rounds=2, fits=with_reader)
def reader_malfunction(scene: Scene) -> list[Turn]:
    """Let the reader fail, and play without it until it works again."""
    dealer = scene.rng.choice((EIGHTEEN, ["TJQK", "8"]))
    turn, following = quiet(scene, dealer=dealer), quiet(scene)
    turn.during[:] = [item for item in turn.during if not isinstance(item, HoleCardRead)]
    reader_down(scene, turn)
    reader_up(scene, following)
    return [turn, following]


@fault("reader_used_after_malfunction", BLACKJACK, ("reader",), rounds=2, fits=with_reader)
def reader_used_after_malfunction(scene: Scene) -> list[Turn]:
    """Use the reader though it failed."""
    turn, following = quiet(scene, dealer=["TJQK", "8"]), quiet(scene)
    reader_down(scene, turn)
    scene.raised("reader_used_after_malfunction", turn.number)
    reader_up(scene, following)
    return [turn, following]


def moves_seen(setup: Setup) -> bool:
    """Return whether multiple action is offered, and the up card's moves are seen."""
    return multiple_action(setup) and setup.sees("up_card")


def moves_sent(setup: Setup) -> bool:
    """Return whether multiple action is offered, and the up card's moves are sent."""
    return multiple_action(setup) and setup.sends("up_card")


def several_actions(scene: Scene) -> Turn:
    """Deal a turn of two or three actions in which every player stands on seventeen."""
    positions = some_positions(scene, 2)
    cards = dict.fromkeys(positions, SEVENTEEN) | {0: EIGHTEEN}
    choices = dict.fromkeys(positions, STANDS)
    actions = scene.rng.choice((2, 3))
    return deal(scene, Plan(positions=positions, cards=cards, choices=choices, actions=actions))


@fault("up_card_not_moved", BLACKJACK, ("up_card",), fits=multiple_action)
def up_card_not_moved(scene: Scene) -> list[Turn]:
    """Leave the up card where it is for the next hand of multiple action."""
    turn = several_actions(scene)
    moves = places(turn.during, lambda item: isinstance(item, UpCardMoved))
    del turn.during[scene.rng.choice(moves)]
    scene.raised("up_card_not_moved", turn.number)
    return [turn]


def discard_up_card(scene: Scene, *, restored: bool) -> Turn:
    """Put the up card in the rack between two hands; call a supervisor; restore it or not."""
    turn = several_actions(scene)
    at = find(turn.during, UpCardMoved)
    items: list[Item] = [UpCardDiscarded(), SupervisorCalled()]
    if restored:
        items.append(UpCardRestored())
    turn.during[at:at] = items
    scene.raised("up_card_discarded", turn.number)
    return turn


@fault("up_card_discarded", BLACKJACK, fits=moves_sent)
def up_card_discarded(scene: Scene) -> list[Turn]:
    """Put the up card in the rack between two hands, and restore it."""
    return [discard_up_card(scene, restored=True)]


@fault("up_card_not_restored", BLACKJACK, ("up_card",), fits=multiple_action)
def up_card_not_restored(scene: Scene) -> list[Turn]:
    """Put the up card in the rack between two hands, and deal on without it."""
    turn = discard_up_card(scene, restored=False)
    scene.raised("up_card_not_restored", turn.number)
    return [turn]


def progressive(setup: Setup) -> bool:
    """Return whether the progressive wager is offered."""
    return setup.offered("progressive")


def light_out(scene: Scene, turn: Turn, following: Turn, position: int) -> None:
    """Let a position's light go out before a turn and work again after it."""
    turn.before.append(DeviceFault(device="progressive_light", position=position))
    following.before.insert(0, DeviceRestored(device="progressive_light", position=position))
    scene.raised("progressive_light_out", turn.number - 1)
    scene.cleared("progressive_light_out", turn.number)


@fault("progressive_light_out", BLACKJACK, rounds=2, fits=progressive)
def progressive_light_out(scene: Scene) -> list[Turn]:
    """Let a position's light go out; nobody there makes the progressive wager."""
    turn, following = quiet(scene), quiet(scene)
    light_out(scene, turn, following, scene.rng.randint(1, scene.setup.positions))
    return [turn, following]


@fault("progressive_wager_without_light", BLACKJACK, ("wagers",), rounds=2, fits=progressive)
def progressive_wager_without_light(scene: Scene) -> list[Turn]:
    """Take a progressive wager at a position whose light is out."""
    positions = some_positions(scene, 2)
    turn = deal(scene, Plan(positions=positions, sides=("progressive",)))
    following = quiet(scene)
    light_out(scene, turn, following, scene.rng.choice(positions))
    scene.raised("progressive_wager_without_light", turn.number)
    return [turn, following]


def bonus(setup: Setup) -> bool:
    """Return whether the bonus wager is offered."""
    return setup.offered("bonus")


def bonus_fails(scene: Scene, pays: str, *, ascertained: bool = False) -> list[Turn]:
    """Let the bonus system fail before a bonus wager is paid; it works again after the round."""
    positions = some_positions(scene, 2)
    cards = dict.fromkeys(positions, SEVENTEEN) | {0: EIGHTEEN}
    choices = dict.fromkeys(positions, STANDS)
    turn = deal(scene, Plan(positions=positions, sides=("bonus",), cards=cards, choices=choices))
    following = quiet(scene)
    settled = [
        (at, item) for at, item in of_kind(turn.during, WagerSettled) if item.wager == "bonus"
    ]
    for at, item in settled:
        turn.during[at] = replace(item, outcome="lose", pays=None)
    at, item = scene.rng.choice(settled)
    turn.during[at] = replace(item, outcome="win", pays=pays)
    first = settled[0][0]
    if ascertained:
        turn.during.insert(first, SupervisorCalled(reason="amount_ascertained"))
    turn.during.insert(first, DeviceFault(device="bonus_system"))
    following.before.insert(0, DeviceRestored(device="bonus_system"))
    scene.raised("bonus_amount_unknown", turn.number)
    scene.cleared("bonus_amount_unknown", turn.number)
    return [turn, following]


@fault("bonus_amount_unknown", BLACKJACK, rounds=2, fits=bonus)
def bonus_amount_unknown(scene: Scene) -> list[Turn]:
    """Let the bonus system fail; pay 21 to 1, or what a supervisor read off."""
    if scene.setup.sends("supervisor") and scene.rng.random() < 0.5:
        return bonus_fails(scene, "50:1", ascertained=True)
    return bonus_fails(scene, "21:1")


@fault("bonus_payout_wrong", BLACKJACK, ("settlements",), rounds=2, fits=bonus)
def bonus_payout_wrong(scene: Scene) -> list[Turn]:
    """Let the bonus system fail, and pay another amount that nobody read off."""
    turns = bonus_fails(scene, "50:1")
    scene.raised("bonus_payout_wrong", turns[0].number)
    return turns
