"""The end of a poker round: decisions, showing of hands, settlement and collection."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Final

from producers.simulator import hands
from producers.simulator.hands import Value
from producers.simulator.poker.players import Player, wager
from producers.simulator.poker.script import order, shown
from streams.core.cards import Card
from streams.core.events import Body, CardsCollected, Decision, WagerSettled

RAISE_PAYS: Final = {
    hands.STRAIGHT_FLUSH: "50:1",
    hands.QUADS: "20:1",
    hands.FULL_HOUSE: "7:1",
    hands.FLUSH: "5:1",
    hands.STRAIGHT: "4:1",
    hands.TRIPS: "3:1",
    hands.TWO_PAIR: "2:1",
}

PROGRESSIVE_PAYS: Final = {
    hands.STRAIGHT_FLUSH: "500:1",
    hands.QUADS: "300:1",
    hands.FULL_HOUSE: "100:1",
    hands.FLUSH: "50:1",
}

ACES_UP_PAYS: Final = {
    hands.F_QUADS: "50:1",
    hands.F_STRAIGHT_FLUSH: "40:1",
    hands.F_TRIPS: "9:1",
    hands.F_FLUSH: "6:1",
    hands.F_STRAIGHT: "5:1",
    hands.F_TWO_PAIR: "2:1",
}


@lru_cache(maxsize=1024)
def decision(position: int, action: str) -> Decision:
    """Return a decision; equal ones are the same object."""
    return Decision(position=position, action=action)


@lru_cache(maxsize=4096)
def settled(position: int, name: str, outcome: str, pays: str | None = None) -> WagerSettled:
    """Return a settlement; equal ones are the same object."""
    return WagerSettled(position=position, wager=name, outcome=outcome, pays=pays)


@lru_cache(maxsize=64)
def collected(to: str, position: int | None = None) -> CardsCollected:
    """Return a collection of cards; equal ones are the same object."""
    return CardsCollected(to=to, position=position)


def decisions(
    players: Mapping[int, Player], positions: Sequence[int], rng: Random
) -> Iterator[Body]:
    """Yield raise or fold of every player with an ante; folded hands are collected at once."""
    for position in positions:
        player = players[position]
        if not player.ante:
            continue
        if rng.random() < 0.35 + player.bold / 2:
            yield decision(position, "raise")
            times = 2 if player.side != "aces_up" else rng.randint(1, 3)
            yield wager(position, "raise", player.stake * times)
        else:
            yield decision(position, "fold")


def caribbean_settlement(
    position: int, player: Player, mine: Value, dealers: Value
) -> Iterator[WagerSettled]:
    """Yield how ante, raise and progressive wagers of a hand that was not folded end."""
    if not hands.qualifies(dealers):
        yield settled(position, "ante", "win", "1:1")
        yield settled(position, "raise", "push")
    elif mine > dealers:
        yield settled(position, "ante", "win", "1:1")
        yield settled(position, "raise", "win", RAISE_PAYS.get(mine[0], "1:1"))
    else:
        outcome = "push" if mine == dealers else "lose"
        yield settled(position, "ante", outcome)
        yield settled(position, "raise", outcome)
    if player.side == "progressive":
        pays = PROGRESSIVE_PAYS.get(mine[0])
        yield settled(position, "progressive", "win" if pays else "lose", pays)


def four_card_settlement(
    position: int, player: Player, mine: Value, dealers: Value
) -> Iterator[WagerSettled]:
    """Yield how the ante and the raise of a hand that was not folded end."""
    if player.ante:
        if mine >= dealers:
            yield settled(position, "ante", "win", "1:1")
            yield settled(position, "raise", "win", "1:1")
        else:
            yield settled(position, "ante", "lose")
            yield settled(position, "raise", "lose")
    if player.side == "aces_up":
        aces = mine[0] == hands.F_PAIR and mine[1][0] == hands.RANK["A"]
        pays = ACES_UP_PAYS.get(mine[0], "1:1" if aces else None)
        yield settled(position, "aces_up", "win" if pays else "lose", pays)


def showdown(
    game: str,
    players: Mapping[int, Player],
    positions: tuple[int, ...],
    cards: Sequence[Card],
    folded: frozenset[int],
) -> Iterator[Body]:
    """Yield the round's end after the decisions, from the dealer's right.

    ``cards`` are the round's in the order of dealing; ``folded`` the positions that folded.
    """
    held: dict[int | None, list[Card]] = {position: [] for position in (*positions, None)}
    down: dict[int | None, list[Card]] = {position: [] for position in (*positions, None)}
    for (_, position, face), card in zip(order(game, positions), cards, strict=True):
        held[position].append(card)
        if face == "down":
            down[position].append(card)
    caribbean = game == "caribbean_stud"
    for position in sorted(folded):
        yield settled(position, "ante", "lose")
        if players[position].side == "progressive":
            yield settled(position, "progressive", "lose")
    staying = [p for p in positions if p not in folded or players[p].side == "aces_up"]
    for position in reversed(positions):
        if position not in staying:
            yield collected("player", position)
    if staying:
        for card in down[None]:
            yield shown("dealer", None, card)
        value = hands.five_card_value if caribbean else hands.best_four_value
        dealers = value(held[None])
        for position in reversed(staying):
            for card in down[position]:
                yield shown("player", position, card)
            player = players[position]
            if position in folded:
                player = Player(player.stake, player.side, ante=False, bold=0)
            settle = caribbean_settlement if caribbean else four_card_settlement
            yield from settle(position, player, value(held[position]), dealers)
            yield collected("player", position)
    yield collected("dealer")
