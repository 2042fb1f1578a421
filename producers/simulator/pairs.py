"""Set-ups of a game that cover every pair of options: what one of them spoils, a pair shows.

The options are those of `table_opened`, each side wager and each capability being one of its own,
and how the devices behave. A set-up takes one value of each; among a game's set-ups every two
values of two options meet, unless the rules or the devices do not let them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random
from typing import Any, Final

from producers.simulator.setups import POKER, PREFIXES, Setup
from streams.core.events import CAPABILITIES

Value = str | int | float | bool | None
Row = dict[str, Value]
"""A value of each option."""

Pair = tuple[tuple[str, Value], tuple[str, Value]]

SEEDED: Final = 30
"""Rows tried for each that is taken."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What some options must be to one another."""

    names: tuple[str, ...]
    holds: Callable[..., bool]

    def broken(self, row: Mapping[str, Value]) -> bool:
        """Return whether a row that may not be whole breaks the rule."""
        if not all(name in row for name in self.names):
            return False
        return not self.holds(*(row[name] for name in self.names))


YES_OR_NO: Final = (True, False)
SIDE_WAGERS: Final = {
    "caribbean_stud": ("progressive",),
    "four_card_poker": (),
    "blackjack": ("progressive", "multiple_action", "sevens", "bonus"),
    "chemin_de_fer": (),
}
BEHAVIOUR: Final[dict[str, tuple[Value, ...]]] = {
    "all": YES_OR_NO,
    "leaves_out": YES_OR_NO,
    "shuffler_counts": YES_OR_NO,
}
"""``all``: the devices say ``*`` instead of naming what they see."""

TABLES: Final[dict[str, dict[str, tuple[Value, ...]]]] = {
    "caribbean_stud": {"positions": (6, 7), "jurisdiction": (None, "nj"), "two_decks": YES_OR_NO},
    "four_card_poker": {"positions": (6, 7), "jurisdiction": (None, "nj"), "two_decks": YES_OR_NO},
    "chemin_de_fer": {
        "decks": (6, 8),
        "positions": (8, 10, 12),
        "jurisdiction": (None, "nj"),
    },
    "blackjack": {
        "dealt_from": ("shoe", "double_shoe"),
        "decks": (4, 6, 8),
        "positions": (5, 6, 7),
        "jurisdiction": (None, "nj"),
        "hole_card": (None, "none", "down", "up"),
        "card_reader": (None, False, True),
        "reader_reveals_to_players": (None, False, True),
        "double_face": (None, "up", "down"),
        "soft_seventeen": (None, "stand", "draw"),
        "bart_carter": (None, False, True),
        "red_side": (None, "left", "right"),
        "unread": (0.0, 0.004),
    },
}

RULES: Final[dict[str, tuple[Rule, ...]]] = {
    "caribbean_stud": (Rule(("two_decks", "dealing_hand"), lambda two, seen: seen or not two),),
    "four_card_poker": (Rule(("two_decks", "dealing_hand"), lambda two, seen: seen or not two),),
    "chemin_de_fer": (),
    "blackjack": (
        Rule(("dealt_from", "decks"), lambda kind, decks: kind == "shoe" or decks >= 6),
        Rule(("dealt_from", "bart_carter"), lambda kind, carter: kind == "shoe" or not carter),
        Rule(("dealt_from", "red_side"), lambda kind, side: (kind == "shoe") == (side is None)),
        Rule(("hole_card", "card_reader"), lambda hole, reader: hole == "down" or not reader),
        Rule(
            ("card_reader", "reader_reveals_to_players"),
            lambda reader, reveals: (reader is True) == (reveals is not None),
        ),
        Rule(("hole_card", "progressive"), lambda hole, bet: hole in (None, "none") or not bet),
        Rule(("hole_card", "multiple_action"), lambda hole, bet: hole in (None, "none") or not bet),
    ),
}
"""Two decks are told apart by who takes them in hand; the rest is 2.6 and the sides of a shoe."""

SEES_ALL: Final = tuple(
    Rule(("all", each), lambda all_, seen: seen or not all_) for each in CAPABILITIES
)
SENDS_ALL: Final = Rule(("all", "leaves_out"), lambda all_, out: not (all_ and out))


def options(game: str) -> dict[str, tuple[Value, ...]]:
    """Return a game's options and the values of each."""
    side = dict.fromkeys((*SIDE_WAGERS[game], *CAPABILITIES), YES_OR_NO)
    return {**TABLES[game], **BEHAVIOUR, **side}


def filled(
    row: Row, left: list[str], game: str, preferred: Callable[[Row, str], list[Value]]
) -> Row | None:
    """Return a row with the options that are left, none where the rules do not allow one."""
    if not left:
        return row
    name, *rest = left
    for value in preferred(row, name):
        longer = {**row, name: value}
        if not any(rule.broken(longer) for rule in rules(game) if name in rule.names):
            whole = filled(longer, rest, game, preferred)
            if whole is not None:
                return whole
    return None


@cache
def rules(game: str) -> tuple[Rule, ...]:
    """Return what the options of a game must be to one another."""
    return (*RULES[game], *SEES_ALL, SENDS_ALL)


def pairs_of(row: Mapping[str, Value], names: list[str]) -> Iterator[Pair]:
    """Yield every pair of values in a row."""
    for one, other in combinations(names, 2):
        yield (one, row[one]), (other, row[other])


@cache
def rows(game: str) -> tuple[Mapping[str, Value], ...]:
    """Return rows in which every pair that the rules allow is found."""
    # Nothing secret hangs on these numbers, and the set-ups must be the same in every run.
    rng = Random(game)  # noqa: S311  reproducible on purpose
    values = options(game)
    names = list(values)
    # What rules tie together is chosen first, so that a choice that leads nowhere is seen at once.
    tied = {name for rule in (*RULES[game], SENDS_ALL) for name in rule.names}
    missing: set[Pair] = {
        ((one, first), (other, second))
        for one, other in combinations(names, 2)
        for first in values[one]
        for second in values[other]
    }
    place = {name: at for at, name in enumerate(names)}

    def preferred(row: Row, name: str) -> list[Value]:
        """Return an option's values, those first that make most pairs still missing."""

        def made(value: Value) -> int:
            new = (name, value)
            return sum(
                ((each, new) if place[each[0]] < place[name] else (new, each)) in missing
                for each in row.items()
            )

        drawn = list(values[name])
        rng.shuffle(drawn)
        return sorted(drawn, key=made, reverse=True)

    taken: list[Row] = []
    while missing:
        best: Row | None = None
        most = 0
        for pair in rng.sample(sorted(missing, key=repr), min(SEEDED, len(missing))):
            start: Row = dict(pair)
            left = [name for name in names if name not in start]
            rng.shuffle(left)
            left.sort(key=lambda name: name not in tied)
            broken = any(rule.broken(start) for rule in rules(game))
            row = None if broken else filled(start, left, game, preferred)
            if row is None:
                missing.discard(pair)
                continue
            made = sum(each in missing for each in pairs_of(row, names))
            if made > most:
                best, most = row, made
        if best is not None:
            taken.append(best)
            missing.difference_update(pairs_of(best, names))
    return tuple(taken)


def setup_of(game: str, number: int, row: Mapping[str, Any]) -> Setup:
    """Return the set-up that a row says."""
    offers = tuple(each for each in SIDE_WAGERS[game] if row[each])
    seen = tuple(each for each in CAPABILITIES if row[each])
    told = {name: row[name] for name in TABLES[game] if name != "two_decks"}
    return Setup(
        table=f"{PREFIXES[game]}-{number:02d}",
        game=game,
        **{"dealt_from": "hand" if game in POKER else "shoe", "decks": 1, **told},
        observes=("*",) if row["all"] else seen,
        offers=offers or None,
        deck_names=("blue", "red") if row.get("two_decks") else (),
        shuffler_counts=row["shuffler_counts"],
        leaves_out=row["leaves_out"],
    )


@cache
def paired_setups(game: str) -> tuple[Setup, ...]:
    """Return set-ups of a game among which every pair of options is found."""
    return tuple(setup_of(game, number, row) for number, row in enumerate(rows(game), start=1))
