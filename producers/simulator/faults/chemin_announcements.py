"""Faults of 4.9(a), (b) and (h): what must be announced, and what may be."""

from dataclasses import replace
from typing import cast

from producers.simulator.faults.chemin_scene import (
    CHEMIN,
    FOUR,
    NATURAL,
    SEVEN,
    SIX,
    cards_of,
    coup,
    one_of,
    said,
    speaks,
    unsay,
)
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.turns import Turn
from streams.core.events import Announced


@fault("player_must_draw", CHEMIN, ("cards",), fits=speaks)
def player_must_draw(scene: Scene) -> list[Turn]:
    """Let the dominant player stay on 0 to 4, or say nothing and get no card."""
    turn = coup(scene, one_of(scene, "01234"), SEVEN, "stay", lawless=True)
    if scene.setup.sees("announcements") and scene.rng.random() < 0.4:
        unsay(turn, "stay")
    scene.raised("player_must_draw", turn.number)
    return [turn]


@fault("player_must_stay", CHEMIN, ("cards",), fits=speaks)
def player_must_stay(scene: Scene) -> list[Turn]:
    """Let the dominant player draw on 6 or 7."""
    turn = coup(scene, one_of(scene, "67"), one_of(scene, "01234567"), "card", lawless=True)
    scene.raised("player_must_stay", turn.number)
    return [turn]


@fault("stay_not_announced", CHEMIN, ("cards", "announcements"), fits=speaks)
def stay_not_announced(scene: Scene) -> list[Turn]:
    """Let the dominant player stay without a word."""
    turn = coup(scene, one_of(scene, "567"), one_of(scene, "67"), "stay")
    unsay(turn, "stay")
    scene.raised("stay_not_announced", turn.number)
    return [turn]


@fault("player_natural_not_announced", CHEMIN, ("cards", "announcements"), fits=speaks)
def player_natural_not_announced(scene: Scene) -> list[Turn]:
    """Let the dominant player say nothing, or stay, on 8 or 9."""
    turn = coup(scene, one_of(scene, "89"), one_of(scene, "01234567"))
    if scene.rng.random() < 0.5:
        unsay(turn, "natural")
    else:
        for at in said(turn, lambda item: item.what == "natural"):
            turn.during[at] = replace(cast(Announced, turn.during[at]), what="stay")
    scene.raised("player_natural_not_announced", turn.number)
    return [turn]


@fault("card_not_requested", CHEMIN, ("announcements",), fits=speaks)
def card_not_requested(scene: Scene) -> list[Turn]:
    """Deal the player's third card though the dominant player did not ask for it."""
    turn = coup(scene, one_of(scene, "01234"), one_of(scene, "01234567"))
    unsay(turn, "card")
    scene.raised("card_not_requested", turn.number)
    return [turn]


@fault("requested_card_not_dealt", CHEMIN, ("cards", "announcements"), fits=speaks)
def requested_card_not_dealt(scene: Scene) -> list[Turn]:
    """Deal no third card though the dominant player asked for it."""
    turn = coup(scene, one_of(scene, "01234"), SEVEN)
    del turn.during[cards_of(turn, "player")[2]]
    scene.raised("requested_card_not_dealt", turn.number)
    return [turn]


@fault("banker_natural_not_announced", CHEMIN, ("cards", "announcements"), fits=speaks)
def banker_natural_not_announced(scene: Scene) -> list[Turn]:
    """Let the banker say nothing on 8 or 9 after the dominant player's "Card"."""
    turn = coup(scene, one_of(scene, "01234"), one_of(scene, "89"))
    unsay(turn, "natural")
    scene.raised("banker_natural_not_announced", turn.number)
    return [turn]


@fault("under_eight_not_announced", CHEMIN, ("announcements",), fits=speaks)
def under_eight_not_announced(scene: Scene) -> list[Turn]:
    """Deal the player's third card before the banker said that he is under eight."""
    turn = coup(scene, one_of(scene, "01234"), one_of(scene, "01234567"))
    unsay(turn, "under_eight")
    scene.raised("under_eight_not_announced", turn.number)
    return [turn]


@fault("false_announcement", CHEMIN, ("cards",), fits=speaks)
def false_announcement(scene: Scene) -> list[Turn]:
    """Announce a natural on a hand that is none."""
    turn = coup(scene, one_of(scene, "67"), one_of(scene, "67"))
    for at in said(turn, lambda item: item.what == "stay"):
        turn.during[at] = replace(cast(Announced, turn.during[at]), what="natural")
    scene.raised("false_announcement", turn.number)
    return [turn]


@fault("announcement_not_repeated", CHEMIN, ("announcements",), fits=speaks)
def announcement_not_repeated(scene: Scene) -> list[Turn]:
    """Let the dealer not repeat an announcement, or repeat another."""
    turn = coup(scene, *scene.rng.choice(((FOUR, SEVEN), (SIX, FOUR), (NATURAL, FOUR))))
    at = scene.rng.choice(said(turn, lambda item: item.by == "dealer"))
    repeated = cast(Announced, turn.during[at])
    if scene.rng.random() < 0.5:
        del turn.during[at]
    else:
        other = "stay" if repeated.what == "card" else "card"
        turn.during[at] = replace(repeated, what=other)
    scene.raised("announcement_not_repeated", turn.number)
    return [turn]
