"""The round's timeline as places in an SVG: five fixed lanes, time to the right.

The lanes are table, players, dealer, standing and findings, and stay when they are empty, so that
nothing moves under the eye. Pure geometry: widths are in the drawing's own units; a text's width
is reckoned at 6 units a character, for marks whose words would run into the next ones' are drawn
without them: the table below says the same in words.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.times import MICROS_IN_SECOND

WIDTH: Final = 960
LEFT: Final = 70.0
RIGHT: Final = 942.0

LANE_TOP: Final = 17
LANE_HEIGHT: Final = 27

LEAST_SECONDS: Final = 10
"""A round that has just opened is drawn on an axis this long."""
STEPS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400)
MOST_TICKS: Final = 11

MOST_MARKS: Final = 120
MOST_CARDS: Final = 120
MOST_FINDINGS: Final = 24
"""What is drawn at most of each; the latest stay."""

CHARACTER: Final = 6.0
SIDE_BY_SIDE: Final = 18.0
"""Between two shapes that would lie on each other."""

Place = Callable[[int], float]
"""Tells where a time lies."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at the table: when, and in few words."""

    at: int
    text: str


@dataclass(frozen=True, slots=True)
class DealtCard:
    """A card as the timeline draws it: when, for the dealer or a player, down or up, whose."""

    at: int
    dealer: bool
    up: bool
    label: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A finding: when, its shape and words, its alarm's state; ``standing`` is a bar to now."""

    at: int
    shape: int
    text: str
    standing: bool = False
    state: str = "unack"


@dataclass(frozen=True, slots=True)
class Tick:
    """One line of the axis."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class DrawnMark:
    """A mark in its place; ``text`` is empty where it has no room."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class DrawnCard:
    """A card in its place: the left edge of a box 8 wide."""

    x: float
    y: int
    up: bool
    label: str


@dataclass(frozen=True, slots=True)
class DrawnFault:
    """A finding in its place; ``y`` is the top of its glyph, ``text_x`` where its words begin.

    ``before`` says that the words stand before the glyph, for there is no room after it.
    """

    x: float
    y: int
    shape: int
    state: str
    text: str
    text_x: float
    before: bool


@dataclass(frozen=True, slots=True)
class Timeline:
    """Everything the drawing holds; ``left_out`` counts what was too much to draw."""

    ticks: tuple[Tick, ...]
    marks: tuple[DrawnMark, ...]
    cards: tuple[DrawnCard, ...]
    standing: tuple[DrawnFault, ...]
    points: tuple[DrawnFault, ...]
    now: float | None
    now_place: int | None
    left_out: int


def lane_y(lane: int) -> int:
    """Return the top of a lane, counted from 0."""
    return LANE_TOP + lane * LANE_HEIGHT


def draw(
    opened: int,
    until: int,
    *,
    marks: Sequence[Mark] = (),
    cards: Sequence[DealtCard] = (),
    faults: Sequence[Fault] = (),
    due_dealer: bool | None = None,
    closed: bool = False,
) -> Timeline:
    """Return a round's timeline.

    Args:
        opened: When the round opened; microseconds, as all times.
        until: Now, or when the round closed.
        marks: What happened at the table, in order.
        cards: The cards dealt, in order.
        faults: The findings, standing and not.
        due_dealer: Whether the next card is the dealer's; nothing where none is known.
        closed: Whether the round is over: then there is no now.
    """
    seconds = max(LEAST_SECONDS, -(-(until - opened) // MICROS_IN_SECOND))
    step = next((one for one in STEPS if seconds / one <= MOST_TICKS - 1), STEPS[-1])
    span = (seconds // step + 1) * step
    # beyond ten days the axis has ticks at its ends alone: nothing here grows with a clock's error
    many = min(span // step, MOST_TICKS)
    last = opened + span * MICROS_IN_SECOND

    def x(at: int) -> float:
        within = min(max(at, opened), last) - opened
        return round(LEFT + (RIGHT - LEFT) * within / (span * MICROS_IN_SECOND), 1)

    kept_marks, kept_cards = marks[-MOST_MARKS:], cards[-MOST_CARDS:]
    kept_faults = faults[-MOST_FINDINGS:]
    now = None if closed else x(until)
    points = [fault for fault in kept_faults if not fault.standing]
    standing = [fault for fault in kept_faults if fault.standing]
    return Timeline(
        ticks=tuple(
            Tick(
                x(opened + place * (span // many) * MICROS_IN_SECOND), _axis(place * (span // many))
            )
            for place in range(many + 1)
        ),
        marks=tuple(_marks(kept_marks, x)),
        cards=tuple(_cards(kept_cards, x)),
        standing=tuple(_standing(standing, x, lane_y(3))),
        points=tuple(_faults(points, x, lane_y(4))),
        now=now,
        now_place=None if closed or due_dealer is None else lane_y(2 if due_dealer else 1) + 6,
        left_out=len(marks)
        + len(cards)
        + len(faults)
        - len(kept_marks)
        - len(kept_cards)
        - len(kept_faults),
    )


def _axis(seconds: int) -> str:
    if seconds < 600:
        return f"{seconds} s"
    if seconds < 36_000:
        return f"{seconds // 60} min"
    return f"{seconds // 3600} h"


def _marks(marks: Iterable[Mark], x: Place) -> Iterable[DrawnMark]:
    kept = list(marks)
    free = 0.0
    for place, mark in enumerate(kept):
        at = x(mark.at)
        ends = at + 6 + len(mark.text) * CHARACTER
        following = x(kept[place + 1].at) if place + 1 < len(kept) else WIDTH
        fits = at >= free and ends <= max(following - 6, at + 6) and ends <= WIDTH
        if fits:
            free = ends
        yield DrawnMark(at, mark.text if fits else "")


def _cards(cards: Iterable[DealtCard], x: Place) -> Iterable[DrawnCard]:
    ends = {False: 0.0, True: 0.0}
    for card in cards:
        left = x(card.at) - 4
        said = card.label if left + 4 - len(card.label) * CHARACTER / 2 >= ends[card.dealer] else ""
        if said:
            ends[card.dealer] = left + 4 + len(said) * CHARACTER / 2 + 1
        yield DrawnCard(round(left, 1), lane_y(2 if card.dealer else 1) + 6, card.up, said)


def _standing(faults: Sequence[Fault], x: Place, top: int) -> Iterable[DrawnFault]:
    """Place what stands: the gravest first, side by side, and the words of all after the last."""
    ordered = sorted(faults, key=lambda one: (one.at, one.shape))
    places: list[float] = []
    for fault in ordered:
        places.append(max(x(fault.at), places[-1] + SIDE_BY_SIDE if places else 0.0))
    for number, (fault, at) in enumerate(zip(ordered, places, strict=True)):
        last = number == len(ordered) - 1
        text = "; ".join(one.text for one in ordered) if last else ""
        fits = at + 12 + len(text) * CHARACTER <= WIDTH
        yield DrawnFault(
            min(at, RIGHT), top, fault.shape, fault.state, text if fits else "", at + 12, False
        )


def _faults(faults: Sequence[Fault], x: Place, top: int) -> Iterable[DrawnFault]:
    taken: list[tuple[float, float]] = []
    for fault in sorted(faults, key=lambda one: one.at):
        at = x(fault.at)
        width = len(fault.text) * CHARACTER + 6
        after, before = (at + 10, at + 10 + width), (at - 10 - width, at - 10)
        text, text_x, is_before = "", at, False
        for start, end in (after, before):
            if start >= LEFT - 8 and end <= WIDTH and not _meets(taken, start, end):
                text, is_before = fault.text, start < at
                text_x = at - 12 if is_before else at + 12
                taken.append((start, end))
                break
        taken.append((at - 8, at + 8))
        yield DrawnFault(at, top, fault.shape, fault.state, text, round(text_x, 1), is_before)


def _meets(taken: Iterable[tuple[float, float]], start: float, end: float) -> bool:
    return any(start < other_end and end > other for other, other_end in taken)
