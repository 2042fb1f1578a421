"""Faults of 4.9(a)4, (b) and (c): additional cards, and hands that must be turned."""

from dataclasses import replace
from typing import cast

from producers.simulator.chemin_de_fer.counts import banker_may
from producers.simulator.faults.chemin_scene import (
    CHEMIN,
    FOUR,
    NATURAL,
    SEVEN,
    SIX,
    ZEROS,
    cards_of,
    coup,
    dealer_of,
    one_of,
    said,
    shown_of,
    speaks,
)
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.turns import Item, Turn
from streams.core.cards import CARDS
from streams.core.events import CardDealt, CardsCollected, RoundClosed, WagerSettled


def extra(scene: Scene, hand: str) -> CardDealt:
    """Draw one card more for a hand."""
    return CardDealt(to=hand, face="up", card=dealer_of(scene).shoe.draw())


def end_of(turn: Turn) -> int:
    """Return the place where the wagers are settled or the cards picked up."""
    return next(
        at
        for at, item in enumerate(turn.during)
        if isinstance(item, WagerSettled | CardsCollected | RoundClosed)
    )


@fault("card_after_natural", CHEMIN, ("cards",), fits=speaks)
def card_after_natural(scene: Scene) -> list[Turn]:
    """Deal a third card though a hand is a natural."""
    if scene.rng.random() < 0.5:
        turn = coup(scene, one_of(scene, "89"), one_of(scene, "0123456789"))
        card = extra(scene, "banker")
    else:
        turn = coup(scene, one_of(scene, "01234"), one_of(scene, "89"))
        card = extra(scene, scene.rng.choice(("player", "banker")))
    turn.during.insert(end_of(turn), card)
    scene.raised("card_after_natural", turn.number)
    return [turn]


@fault("card_beyond_third", CHEMIN, fits=speaks)
def card_beyond_third(scene: Scene) -> list[Turn]:
    """Deal a hand a fourth card."""
    turn = coup(scene, FOUR, [ZEROS, ZEROS])
    hand = scene.rng.choice(("player", "banker"))
    third = cards_of(turn, hand)[-1]
    turn.during.insert(third + 1, extra(scene, hand))
    scene.raised("card_beyond_third", turn.number)
    return [turn]


@fault("hands_not_turned", CHEMIN, ("faces",), fits=speaks)
def hands_not_turned(scene: Scene) -> list[Turn]:
    """Leave a card down though a hand is a natural."""
    hands = scene.rng.choice(((NATURAL, SEVEN), (FOUR, NATURAL)))
    turn = coup(scene, *hands)
    shown = [*shown_of(turn, "player"), *shown_of(turn, "banker")]
    del turn.during[scene.rng.choice(shown)]
    scene.raised("hands_not_turned", turn.number)
    return [turn]


@fault("banker_hand_not_turned", CHEMIN, ("faces",), fits=speaks)
def banker_hand_not_turned(scene: Scene) -> list[Turn]:
    """Leave one of the banker's cards down, whether he draws or not."""
    hands = scene.rng.choice(((SIX, FOUR), (SIX, SEVEN), (FOUR, SEVEN), (FOUR, [ZEROS, ZEROS])))
    turn = coup(scene, *hands)
    del turn.during[scene.rng.choice(shown_of(turn, "banker"))]
    scene.raised("banker_hand_not_turned", turn.number)
    return [turn]


@fault("banker_card_early", CHEMIN, ("announcements",), fits=speaks)
def banker_card_early(scene: Scene) -> list[Turn]:
    """Deal the banker's third card before the dominant player said that he stays."""
    turn = coup(scene, one_of(scene, "67"), one_of(scene, "012345"))
    during = turn.during
    start = said(turn, lambda item: item.what == "stay")[0]
    third = cards_of(turn, "banker")[2]
    words: list[Item] = during[start : start + 2]
    during[start : third + 1] = [*during[start + 2 : third + 1], *words]
    scene.raised("banker_card_early", turn.number)
    scene.raised("stay_not_announced", turn.number)
    return [turn]


def table_cells(*, draws: bool) -> list[tuple[int, str | None]]:
    """Return where Table 3 says draw, or stay: banker's count and rank of the player's third."""
    return [
        (points, rank)
        for points in range(8)
        for rank in (None, *"A23456789T")
        if banker_may(points, None if rank is None else CARDS[rank + "S"]) == (draws,)
    ]


def table_turn(scene: Scene, *, draws: bool) -> Turn:
    """Deal a coup of a cell of Table 3 in which the banker does what it does not say."""
    points, rank = scene.rng.choice(table_cells(draws=draws))
    banker = [ZEROS, ZEROS] if points == 0 else [ZEROS, "A" if points == 1 else str(points)]
    if rank is None:
        return coup(scene, SIX, banker, "stay", not draws, lawless=True)
    third = ZEROS if rank == "T" else rank
    return coup(scene, [*FOUR, third], banker, "card", not draws, lawless=True)


@fault("banker_must_draw", CHEMIN, ("cards",), fits=speaks)
def banker_must_draw(scene: Scene) -> list[Turn]:
    """Let the banker stay where Table 3 says draw."""
    turn = table_turn(scene, draws=True)
    scene.raised("banker_must_draw", turn.number)
    return [turn]


@fault("banker_must_stay", CHEMIN, ("cards",), fits=speaks)
def banker_must_stay(scene: Scene) -> list[Turn]:
    """Let the banker draw where Table 3 says stay."""
    turn = table_turn(scene, draws=False)
    scene.raised("banker_must_stay", turn.number)
    return [turn]


@fault("wrong_face", CHEMIN, ("faces",), fits=speaks)
def wrong_face(scene: Scene) -> list[Turn]:
    """Deal the player's third card down."""
    turn = coup(scene, FOUR, SEVEN)
    at = cards_of(turn, "player")[2]
    turn.during[at] = replace(cast(CardDealt, turn.during[at]), face="down")
    scene.raised("wrong_face", turn.number)
    return [turn]
