"""What the proof does, piece by piece: each piece can run in a process of its own.

A legal night must be silent; a round broken once must raise something where a reader of the
regulation says that it became illegal; a planted fault must raise what it declares and nothing
else, wherever it is planted; and what a table cannot see must not be judged.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Final

from producers.simulator.breaking import break_once
from producers.simulator.faults import FAULTS
from producers.simulator.floor import SETUPS, draw_setup
from producers.simulator.legality import not_kept
from producers.simulator.night import DEALERS
from producers.simulator.pairs import paired_setups
from streams.core.events import CardDealt, Event, RoundClosed, WagerPlaced
from streams.core.findings import FindingRaised
from tests.simulated import (
    Verdict,
    counted,
    found,
    judge,
    paired_night,
    planted_night,
    rounds_a_table,
    stamped,
    verdict_of,
)

if TYPE_CHECKING:
    from producers.simulator.turns import Item

PLACES: Final = 3
SEATS: Final = 2
LEAST: Final = 6
"""Nights in which each fault is planted at least."""

MOST: Final = 60
"""Nights after which a fault has been at all the places and seats that it has."""

BOUND: Final = {
    "bart_carter_overdue": "it is seen at a round's first card, and nowhere else",
    "ordered_cards": "it is of the shoe, and the same players are dealt to",
}
"""Faults of a round that have fewer places or seats, and why."""

CHUNK: Final = 250
"""Broken rounds of one piece of work."""


@dataclass(slots=True)
class Outcome:
    """What came of a piece of work.

    ``counts`` add up over the pieces of a kind and game; ``wrong`` says what does not hold, and
    ``fixed`` which faults have fewer places or seats, with what was found.
    """

    kind: str
    game: str
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work: its kind and game, a fault's code and a need, from which number to which."""

    kind: str
    game: str
    code: str = ""
    need: str = ""
    first: int = 0
    last: int = 0


def legal(work: Work) -> Outcome:
    """Deal a legal night of ``last`` rounds at the table with the number ``first``."""
    setup, items = paired_night(work.game, work.first, work.last)
    verdict = judge(setup, items)
    outcome = Outcome(work.kind, work.game, Counter(rounds=work.last, events=len(items)))
    if verdict != Verdict():
        outcome.wrong.append(f"{setup}: expected silence, found {verdict}")
    return outcome


def break_a_round(game: str, seed: int) -> tuple[str, list[str], Verdict]:
    """Break a round of a short night; return how, what the regulation says, and the verdict."""
    rng = Random(f"broken/{game}/{seed}")
    setup = draw_setup(game, 1, rng, [])
    # A reader of every event has nothing to say of cards that were not read.
    setup = replace(setup, observes=("*",), leaves_out=False, unread=0.0)
    dealer = DEALERS[game](setup, rng)
    items: list[Item] = dealer.open()
    turns = [dealer.legal() for _ in range(rng.randint(1, 4))]
    turns += [dealer.plain(), dealer.legal(), dealer.legal()]
    how = break_once(turns[-3], rng)
    for turn in turns:
        items += [*turn.before, *turn.during]
    items += dealer.close()
    return how, not_kept(setup, items), judge(setup, items)


def broken(work: Work) -> Outcome:
    """Break rounds once each; what is missed is told, and judged by its share of all."""
    outcome = Outcome(work.kind, work.game)
    for seed in range(work.first, work.last):
        how, illegal, verdict = break_a_round(work.game, seed)
        outcome.counts["rounds"] += 1
        outcome.counts["illegal"] += bool(illegal)
        if illegal and not verdict.raised:
            outcome.counts["missed"] += 1
            outcome.wrong.append(f"{seed}: {how}: {illegal}")
    return outcome


def where(events: list[Event], cause: str) -> tuple[int, tuple[int, ...]]:
    """Return how many events of its round stand before an event, and who plays in the round."""
    at = next(place for place, event in enumerate(events) if event.identity == cause)
    start = at
    while start and not isinstance(events[start - 1].body, RoundClosed):
        start -= 1
    positions = {
        event.body.position
        for event in events[start : at + 1]
        if isinstance(event.body, CardDealt | WagerPlaced) and event.body.position is not None
    }
    return at - start, tuple(sorted(positions))


def planted(work: Work) -> Outcome:
    """Plant a fault in night after night until it was at three places of a round and two seats.

    What happens between the rounds, or is no finding, has no seat.
    """
    outcome = Outcome(work.kind, work.game, Counter(faults=1))
    places: set[int] = set()
    seats: set[object] = set()
    in_round = False
    for seed in range(MOST):
        if seed >= LEAST and len(places) >= PLACES and len(seats) >= SEATS:
            break
        setup, items, due = planted_night(work.code, work.game, seed)
        events = stamped(setup, items)
        effects = found(setup, events)
        outcome.counts["nights"] += 1
        if counted(effects) != verdict_of(due):
            outcome.wrong.append(f"{work.code} {seed}: {counted(effects)} not {verdict_of(due)}")
        for effect in effects:
            if isinstance(effect, FindingRaised) and effect.finding.code == work.code:
                place, playing = where(events, effect.finding.events[-1])
                places.add(place)
                seats.add(effect.finding.position or playing)
                in_round = in_round or bool(playing)
    outcome.counts["at three places"] += len(places) >= PLACES
    outcome.counts["at two seats"] += len(seats) >= SEATS
    if len(places) < PLACES or len(seats) < SEATS:
        outcome.fixed.append(f"{work.code}: places {sorted(places)}, seats {len(seats)}")
        if in_round and work.code not in BOUND:
            outcome.wrong.append(f"{outcome.fixed[0]}, expected {PLACES} and {SEATS}")
    return outcome


def unseen(work: Work) -> Outcome:
    """Plant a fault where the table cannot see one thing that its finding needs."""
    outcome = Outcome(work.kind, work.game)
    for seed in range(work.first, work.last):
        setup, items, due = planted_night(work.code, work.game, seed, (work.need,))
        verdict = judge(setup, items)
        outcome.counts["nights"] += 1
        told = {code for code, _ in verdict.raised}
        if work.code in told or verdict != verdict_of(due):
            outcome.wrong.append(f"{work.code} without {work.need}, {seed}: {verdict}")
    return outcome


KINDS: Final = {"legal": legal, "broken": broken, "planted": planted, "unseen": unseen}


def done(work: Work) -> Outcome:
    """Do a piece of work."""
    return KINDS[work.kind](work)


def pieces(rounds: int) -> Iterator[Work]:
    """Yield the whole proof: so many legal rounds of each game, as many broken ones, all faults."""
    for game in SETUPS:
        for at in range(len(paired_setups(game))):
            yield Work("legal", game, first=at, last=rounds_a_table(game, rounds))
        for first in range(0, rounds, CHUNK):
            yield Work("broken", game, first=first, last=min(first + CHUNK, rounds))
    for (code, game), fault in sorted(FAULTS.items()):
        yield Work("planted", game, code)
        for need in fault.needs:
            yield Work("unseen", game, code, need, last=LEAST)


def holds(kind: str, counts: Counter[str], wrong: list[str]) -> bool:
    """Return whether a kind's proof holds for a game: 99 of 100 broken rounds, all of the rest."""
    if kind == "broken":
        enough = counts["illegal"] * 4 > counts["rounds"]
        return enough and counts["missed"] * 100 <= counts["illegal"]
    return not wrong
