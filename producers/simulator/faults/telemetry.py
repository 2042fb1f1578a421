"""Faults between a table and its readers: lost, late, doubled and misplaced events, bad lines."""

from typing import Final

from producers.simulator.faults.registry import Scene, fault
from producers.simulator.setups import POKER, Setup, sent
from producers.simulator.stamp import sent_by_table
from producers.simulator.turns import (
    MISHAPS,
    Again,
    Altered,
    BadLine,
    Found,
    Lost,
    Restarted,
    Turn,
    places,
)
from streams.core.events import (
    GAMES,
    Body,
    Burned,
    CardDealt,
    CardExposed,
    CardsCollected,
    CutCardReached,
    Decision,
    DeterminantDrawn,
    HoleCardRead,
    RackCounted,
    ShoeEmptied,
    StubCounted,
    StubPlaced,
    UpCardDiscarded,
    UpCardMoved,
    WagerPlaced,
    WagerSettled,
)

LOSABLE: Final[dict[str, tuple[type[Body], ...]]] = {
    "caribbean_stud": (CardDealt, CardExposed, CardsCollected, Decision, WagerSettled),
    "four_card_poker": (CardDealt, CardExposed, CardsCollected, Decision, WagerSettled),
    "blackjack": (CardsCollected, WagerSettled),
    "chemin_de_fer": (CardsCollected, WagerSettled),
}
"""Kinds whose loss has no effect beyond their round, by game."""

OPENING: Final = (CardDealt, DeterminantDrawn, WagerPlaced)
"""Kinds that open a round between two."""

REMEMBERED: Final = 64
"""An identity among the last 64 of its source is a duplicate; one older is late."""

BAD_LINES: Final = (
    b'{"table":"\n',
    b"not an event\n",
    b'{"table":"X-1","source":"x","boot":1,"seq":1,"at":"2026-11-30T12:00:00Z","kind":"riffled"}\n',
    b'{"table":"X-1","source":"x","boot":1,"seq":1,"kind":"round_closed"}\n',
    b'{"table":"X-1","source":"x","boot":0,"seq":1,"at":"2026-11-30T12:00:00Z",'
    b'"kind":"round_closed"}\n',
    b'{"table":"X-1","source":"x","boot":1,"seq":1,"at":"2026-11-30T12:00:00Z",'
    b'"kind":"card_dealt","to":"dealer","face":"up","card":"1S"}\n',
)

FROM_HAND_CANNOT: Final[tuple[Body, ...]] = (
    Burned(place="discard_rack", exposed=False),
    CutCardReached(),
    ShoeEmptied(cards=40),
    RackCounted(cards=40),
    DeterminantDrawn(side="left"),
    HoleCardRead(result="no_blackjack"),
    UpCardMoved(),
    UpCardDiscarded(),
)

CANNOT: Final[dict[str, tuple[Body, ...]]] = {
    "caribbean_stud": FROM_HAND_CANNOT,
    "four_card_poker": FROM_HAND_CANNOT,
    "blackjack": (
        StubPlaced(exposed=False),
        StubCounted(cards=20),
        WagerPlaced(position=1, wager="ante", amount=500),
        Decision(position=1, action="fold"),
    ),
    "chemin_de_fer": (
        StubPlaced(exposed=False),
        StubCounted(cards=20),
        Decision(position=1, action="stand"),
        HoleCardRead(result="no_blackjack"),
        DeterminantDrawn(side="left"),
        CutCardReached(side="left"),
    ),
}
"""What a table of a game cannot have."""

SINGLE_SHOE_CANNOT: Final[tuple[Body, ...]] = (
    CutCardReached(side="left"),
    DeterminantDrawn(side="right"),
)

MOST_POSITIONS: Final = 12


def event_count(setup: Setup, turns: list[Turn]) -> int:
    """Return how many events the table's main source sends in these turns."""
    return sum(
        not isinstance(item, MISHAPS)
        and sent_by_table(setup, item)
        and (not setup.leaves_out or sent(setup, item) is not None)
        for turn in turns
        for item in (*turn.before, *turn.during)
    )


def long_enough(scene: Scene, events: int) -> list[Turn]:
    """Deal turns until the main source has sent so many events before the last of them."""
    turns = [scene.dealer.plain(), scene.dealer.plain()]
    while event_count(scene.setup, turns[:-1]) < events:
        turns.append(scene.dealer.plain())
    return turns


def inside(scene: Scene, turn: Turn) -> int:
    """Return a place in a round, after its first event as the table can see it."""
    first = turn.deals()[0]
    return scene.rng.randint(first + 1, len(turn.during) - 1)


def lose_one(scene: Scene, turn: Turn, last: int | None = None) -> int:
    """Lose one event of a round on the way, before ``last`` if given; return its place."""
    kinds = LOSABLE[scene.setup.game]
    first = turn.deals()[0]
    end = len(turn.during) - 1 if last is None else last
    choices = places(turn.during[:end], lambda item: isinstance(item, kinds))
    at = scene.rng.choice([place for place in choices if place > first])
    lost = turn.during[at]
    if not isinstance(lost, MISHAPS):
        turn.during[at] = Lost(lost)
    return at


def later_places(setup: Setup, turn: Turn, at: int) -> list[int]:
    """Return the places that have an event that is sent between them and a lost one."""
    return [
        place
        for place in range(at + 2, len(turn.during))
        if any(
            not isinstance(item, MISHAPS)
            and sent_by_table(setup, item)
            and (not setup.leaves_out or sent(setup, item) is not None)
            for item in turn.during[at + 1 : place]
        )
    ]


@fault("sequence_gap", GAMES)
def sequence_gap(scene: Scene) -> list[Turn]:
    """Lose an event on the way, or the first ones after a device restarts."""
    turn = scene.dealer.plain()
    if not scene.setup.several_sources and scene.rng.random() < 0.3:
        turn.during.insert(inside(scene, turn), Restarted(seq=scene.rng.randint(2, 9)))
    else:
        lose_one(scene, turn)
    scene.raised("sequence_gap", turn.number)
    return [turn]


@fault("late_event", GAMES, rounds=12)
def late_event(scene: Scene) -> list[Turn]:
    """Send an event long after its time: an old one again, or one that was thought lost."""
    if scene.rng.random() < 0.3:
        turn = scene.dealer.plain()
        at = lose_one(scene, turn, len(turn.during) - 2)
        later = later_places(scene.setup, turn, at)
        scene.raised("sequence_gap", turn.number)
        if later:
            turn.during.insert(scene.rng.choice(later), Found())
            scene.late(turn.number)
            return [turn]
        turns = [turn, *long_enough(scene, REMEMBERED + 20)]
    else:
        turns = long_enough(scene, REMEMBERED + 20)
    back = scene.rng.randint(REMEMBERED + 2, REMEMBERED + 20)
    turns[-1].during.insert(inside(scene, turns[-1]), Again(back))
    scene.late(turns[-1].number)
    return turns


@fault("conflicting_event", GAMES, rounds=12)
def conflicting_event(scene: Scene) -> list[Turn]:
    """Give an identity a second content."""
    turns = long_enough(scene, REMEMBERED)
    turns[-1].during.insert(inside(scene, turns[-1]), Altered(scene.rng.randint(1, 60)))
    scene.raised("conflicting_event", turns[-1].number)
    return turns


@fault("duplicate_event", GAMES, rounds=12)
def duplicate_event(scene: Scene) -> list[Turn]:
    """Send some of the last events again, as a gateway does that missed an answer: no finding."""
    turns = long_enough(scene, REMEMBERED)
    during = turns[-1].during
    at = inside(scene, turns[-1])
    during[at:at] = [Again(scene.rng.randint(1, 60)) for _ in range(scene.rng.randint(1, 3))]
    return turns


@fault("bad_line", GAMES)
def bad_line(scene: Scene) -> list[Turn]:
    """Send a line that is no event: it is refused, and no finding."""
    turn = scene.dealer.plain()
    turn.during.insert(inside(scene, turn), BadLine(scene.rng.choice(BAD_LINES)))
    scene.bad_lines += 1
    return [turn]


def foreign(setup: Setup) -> list[Body]:
    """Return the events that a table cannot have, as far as it sends them."""
    bodies = [*CANNOT[setup.game]]
    if setup.game == "blackjack" and setup.single_shoe:
        bodies += SINGLE_SHOE_CANNOT
    if setup.positions < MOST_POSITIONS:
        main = "ante" if setup.game in POKER else "main"
        bodies.append(WagerPlaced(position=setup.positions + 1, wager=main, amount=500))
    return [body for body in bodies if sent(setup, body) is not None]


@fault("event_out_of_place", GAMES, fits=lambda setup: bool(foreign(setup)))
def event_out_of_place(scene: Scene) -> list[Turn]:
    """Send an event that a table of its game or set-up cannot have."""
    turn = scene.dealer.plain()
    body = scene.rng.choice(foreign(scene.setup))
    if isinstance(body, OPENING) or scene.rng.random() < 0.7:
        turn.during.insert(inside(scene, turn), body)
        scene.raised("event_out_of_place", turn.number)
    else:
        turn.before.append(body)
        scene.raised("event_out_of_place", turn.number - 1)
    return [turn]
