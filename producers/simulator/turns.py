"""A turn: one round and what happens between the round before and it.

A dealer deals turns; a planted fault edits them before they are sent. Besides events a turn can
hold mishaps, things that go wrong between the table and whoever reads its events: a lost event, an
event sent again, a device that restarts, a line that is no event.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from producers.simulator.setups import Setup
from streams.core.cards import Card
from streams.core.events import Body, CardDealt, CardExposed


@dataclass(frozen=True, slots=True)
class Lost:
    """An event that its source numbered and that never arrives."""

    body: Body


@dataclass(frozen=True, slots=True)
class Found:
    """The lost event of the same source arrives after all, where this stands."""


@dataclass(frozen=True, slots=True)
class Again:
    """A source sends once more what it sent ``back`` events ago, 1 being the last."""

    back: int


@dataclass(frozen=True, slots=True)
class Altered:
    """A source gives the identity of what it sent ``back`` events ago to other content."""

    back: int


@dataclass(frozen=True, slots=True)
class Restarted:
    """The table's devices restart: boot grows by one, seq begins again at ``seq``."""

    seq: int = 1


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no event."""

    data: bytes


Mishap = Lost | Found | Again | Altered | Restarted | BadLine
Item = Body | Mishap
MISHAPS = (Lost, Found, Again, Altered, Restarted, BadLine)


@dataclass(slots=True)
class Turn:
    """One round, its number, and what stands before it.

    ``before`` belongs to no round: a finding in it has the number of the round before, ``number``
    less one. ``positions`` are those in play, ``rest`` the cards that stay in the deck, ``deck``
    and ``holding`` the deck's name and the hand that holds it.
    """

    number: int
    before: list[Item] = field(default_factory=list)
    during: list[Item] = field(default_factory=list)
    positions: tuple[int, ...] = ()
    rest: list[Card] = field(default_factory=list)
    deck: str | None = None
    holding: str = "left"

    def deals(self) -> list[int]:
        """Return the places of the dealt cards in ``during``."""
        return [at for at, item in enumerate(self.during) if isinstance(item, CardDealt)]


class Dealer(Protocol):
    """Deals one table's turns. ``number`` is that of the last round dealt."""

    setup: Setup
    number: int

    def open(self) -> list[Item]:
        """Return what happens until the first round can begin."""
        ...

    def legal(self) -> Turn:
        """Deal the next turn of a night, with all that a legal night may bring."""
        ...

    def plain(self) -> Turn:
        """Deal a turn in which nothing happens but what must, so that it can be spoilt."""
        ...

    def close(self) -> list[Item]:
        """Return what happens after the last round."""
        ...


BodyT = TypeVar("BodyT", bound=Body)


def find(items: list[Item], kind: type[BodyT], start: int = 0) -> int:
    """Return the place of a kind's first event from ``start`` on, -1 where there is none."""
    for at in range(start, len(items)):
        if isinstance(items[at], kind):
            return at
    return -1


def places(items: list[Item], test: Callable[[Item], bool]) -> list[int]:
    """Return the places of the items for which the test holds."""
    return [at for at, item in enumerate(items) if test(item)]


def of_kind(items: list[Item], kind: type[BodyT]) -> Iterator[tuple[int, BodyT]]:
    """Yield place and event of each event of a kind."""
    for at, item in enumerate(items):
        if isinstance(item, kind):
            yield at, item


def forget_card(turn: Turn, at: int) -> CardDealt:
    """Take a dealt card, and its showing, out of a turn; return it."""
    dealt = turn.during.pop(at)
    if not isinstance(dealt, CardDealt):
        raise TypeError(f"expected a dealt card at {at}, found {dealt}")
    for place, shown in of_kind(turn.during, CardExposed):
        if (shown.to, shown.position, shown.card) == (dealt.to, dealt.position, dealt.card):
            del turn.during[place]
            break
    return dealt
