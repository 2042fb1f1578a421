"""Break a legal round once, at random: the strangest night has no name in a list of faults.

Whether the result is still legal is for `legality` to say.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from random import Random
from typing import Any, Final

from producers.simulator.turns import MISHAPS, Item, Turn
from streams.core.cards import DECK
from streams.core.events import Body

CHOICES: Final[dict[str, tuple[object, ...]]] = {
    "face": ("up", "down"),
    "to": ("player", "dealer", "banker"),
    "by": ("dealer", "dominant_player", "banker"),
    "what": ("card", "stay", "natural", "under_eight"),
    "hand": ("left", "right"),
    "drawn_with": ("left", "right"),
    "method": ("automatic", "hand"),
    "exposed": (True, False),
    "action": ("raise", "fold"),
    "outcome": ("win", "lose", "push", "returned"),
    "wager": ("ante", "aces_up", "progressive", "raise"),
    "deck": ("blue", "red"),
    "card": DECK,
}
"""What a field of an event may be changed to; numbers change by one."""


def changed(body: Any, name: str, value: object) -> Body:  # noqa: ANN401  any kind with the field
    """Return an event with one field's value changed."""
    after: Body = replace(body, **{name: value})
    return after


def altered(body: Body, rng: Random) -> Body | None:
    """Return an event with one of its fields changed; none where it has none to change."""
    names = [
        each.name
        for each in fields(body)
        if getattr(body, each.name) is not None
        and (each.name in CHOICES or isinstance(getattr(body, each.name), int))
    ]
    if not names:
        return None
    name = rng.choice(names)
    value = getattr(body, name)
    if name in CHOICES:
        others = [choice for choice in CHOICES[name] if choice != value]
        if name == "hand" and isinstance(value, int):
            others = [value % 4 + 1]
        return changed(body, name, rng.choice(others))
    step = 1 if value <= 1 else rng.choice((-1, 1))
    return changed(body, name, value + step)


def drop(items: list[Item], at: int, _: Random) -> str:
    """Leave an event out."""
    return f"dropped {items.pop(at)}"


def swap(items: list[Item], at: int, _: Random) -> str:
    """Exchange an event and the next."""
    if at + 1 >= len(items):
        return drop(items, at, _)
    items[at], items[at + 1] = items[at + 1], items[at]
    return f"swapped {items[at + 1]} and {items[at]}"


def double(items: list[Item], at: int, _: Random) -> str:
    """Let an event happen twice."""
    items.insert(at, items[at])
    return f"doubled {items[at]}"


def alter(items: list[Item], at: int, rng: Random) -> str:
    """Change a field of an event."""
    item = items[at]
    other = None if isinstance(item, MISHAPS) else altered(item, rng)
    if other is None:
        return drop(items, at, rng)
    items[at] = other
    return f"altered {item} to {other}"


WAYS: Final[tuple[Callable[[list[Item], int, Random], str], ...]] = (drop, swap, double, alter)


def break_once(turn: Turn, rng: Random) -> str:
    """Break a turn once, in place, at a random event and in a random way; say how."""
    items = [*turn.before, *turn.during]
    ahead = len(turn.before)
    at = rng.randrange(len(items))
    how = rng.choice(WAYS)(items, at, rng)
    turn.before[:] = items[:ahead]
    turn.during[:] = items[ahead:]
    return how
