"""What a game is to the core: a name, a script, what cannot happen in it, and its checks."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from streams.core.book import Book
from streams.core.due import Due
from streams.core.events import (
    Announced,
    Body,
    Burned,
    CardDealt,
    CardExposed,
    CardsCollected,
    CardsCut,
    CardsLoaded,
    CutCardReached,
    Decision,
    DeterminantDrawn,
    DeviceFault,
    DeviceRestored,
    DiscardsShuffledIn,
    DrawnInError,
    FaceUpCardFound,
    HandDeclaredDead,
    RackCounted,
    ShoeEmptied,
    ShoeExhausted,
    ShuffleCompleted,
    TableOpened,
    WagerPlaced,
    WagerSettled,
)
from streams.core.judge import Check, Cleared, Observation, Once, Verdict
from streams.core.round_play import ErrorCard, RoundPlay
from streams.core.script import Script
from streams.core.table import RoundState, TableState

Positioned = (
    WagerPlaced
    | CardDealt
    | CardExposed
    | Announced
    | Decision
    | HandDeclaredDead
    | WagerSettled
    | CardsCollected
    | DeviceFault
    | DeviceRestored
)
"""Kinds that can name a position."""

Sided = (
    CardsLoaded
    | ShuffleCompleted
    | CardsCut
    | Burned
    | CutCardReached
    | ShoeEmptied
    | RackCounted
    | DiscardsShuffledIn
    | ShoeExhausted
    | DeterminantDrawn
    | CardDealt
    | DrawnInError
    | FaceUpCardFound
)
"""Kinds that can name a side of a double shoe."""

Placed = CardDealt | CardExposed | CardsCollected
"""Kinds that say whose hand they concern."""

_POSITIONED: Final = frozenset(Positioned.__args__)
_SIDED: Final = frozenset(Sided.__args__)
_PLACED: Final = frozenset(Placed.__args__)


NewPlay = Callable[[TableOpened, frozenset[str], bool, tuple[ErrorCard, ...]], RoundPlay]
"""Given the set-up, what is observed, whether the reader is at fault, and error cards waiting."""


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """One game.

    ``script`` is the order of its cards where the text fixes one. The other fields say what the
    game cannot have: whole ``kinds``, hands other than ``hands``, announcements by others than
    ``announcers``, ``wagers``, ``actions``, ``devices``; ``sides`` is true where a double shoe
    has sides, ``seats`` where more than wagers has a position. ``new_play`` begins what the game
    itself follows of a round. ``due`` tells what comes next and ``deals`` whether the cards that
    every hand gets are still being dealt, where no script does. ``checks`` are in the order in
    which they are judged.
    """

    name: str
    checks: tuple[Check, ...]
    script: Script | None = None
    kinds: frozenset[type] = frozenset()
    hands: frozenset[str] = frozenset({"player", "dealer"})
    announcers: frozenset[str] = frozenset({"dealer", "dominant_player", "banker"})
    wagers: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    devices: frozenset[str] = frozenset()
    sides: bool = False
    seats: bool = True
    new_play: NewPlay | None = None
    due: Callable[[RoundState], Due | None] | None = None
    deals: Callable[[RoundState], bool] | None = None

    def burn_is_routine(self, table: TableState) -> bool:
        """Return whether a burn now is one of 2.6(c), not the remedy of an irregularity."""
        if table.round is None:
            return not table.errors_waiting
        return table.round.play is None or table.round.play.burn_is_routine


def _misplaced(game: Game, setup: TableOpened, body: Positioned) -> bool:
    """Return whether an event lacks the seat it needs, or names one that the table has not.

    A card must be dealt to a seat; turned up or picked up it may be without one. Where hands have
    no seats wagers have them all the same.
    """
    if body.position is None:
        return game.seats and isinstance(body, CardDealt) and body.to == "player"
    seated = game.seats or isinstance(body, WagerPlaced | WagerSettled)
    return not seated or body.position > setup.positions


def out_of_place(game: Game, setup: TableOpened, body: Body) -> str | None:
    """Return why a table of this game and set-up cannot have the event, ``None`` if it can."""
    kind = type(body)
    if kind in game.kinds:
        return "kind"
    if kind in _SIDED:
        assert isinstance(body, Sided)  # noqa: S101  narrows the type for mypy
        if body.side is not None and not (game.sides and setup.dealt_from == "double_shoe"):
            return "side"
    if kind in _PLACED:
        assert isinstance(body, Placed)  # noqa: S101  narrows the type for mypy
        if body.to not in game.hands:
            return "to"
    if kind in _POSITIONED:
        assert isinstance(body, Positioned)  # noqa: S101  narrows the type for mypy
        if _misplaced(game, setup, body):
            return "position"
    match body:
        case DeterminantDrawn():
            return None if setup.dealt_from == "double_shoe" else "kind"
        case Announced(by=by):
            return None if by in game.announcers else "by"
        case WagerPlaced(wager=wager) | WagerSettled(wager=wager):
            return "wager" if wager in game.wagers else None
        case Decision(action=action):
            return "action" if action in game.actions else None
        case DeviceFault(device=device) | DeviceRestored(device=device):
            return "device" if device in game.devices else None
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Plan:
    """The checks a table runs, by kind of event; those whose capabilities it lacks only clear."""

    by_kind: Mapping[type, tuple[Check, ...]]

    def of(self, kind: type) -> tuple[Check, ...]:
        """Return the checks that run on a kind of event or moment."""
        return self.by_kind.get(kind, ())


def clearing(check: Check) -> Check:
    """Return a standing finding's check that clears as it did and raises nothing."""

    def judge(seen: Observation, body: Body) -> Iterable[Verdict]:
        return [verdict for verdict in check.judge(seen, body) if isinstance(verdict, Cleared)]

    return replace(check, judge=judge)


@lru_cache(maxsize=1024)
def plan_for(book: Book, game: Game, observes: frozenset[str]) -> Plan:
    """Return the checks that a game runs by a book where these capabilities are observed.

    Standing findings survive the table's opening. Where it then observes less, they are raised no
    more, and what clears them clears them all the same.
    """
    by_kind: dict[type, list[Check]] = {}
    for check in game.checks:
        rule = book.rules[check.code]
        raises = game.name in rule.games and observes.issuperset(rule.needs)
        if raises or check.once is Once.STANDING:
            for kind in check.on:
                by_kind.setdefault(kind, []).append(check if raises else clearing(check))
    return Plan({kind: tuple(checks) for kind, checks in by_kind.items()})
