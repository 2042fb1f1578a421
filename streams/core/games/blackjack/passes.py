"""The two passes of blackjack, 2.6(e): which places are filled, passed over, or due.

In each pass every position in play is due a card, ascending; the dealer ends the first pass, and
the second where his hole card is dealt at once. A card to a later place passes over those before
it, and so does the hole card; a card that later fills such a place makes it up. A card to a place
already filled, or to a position not in play, is out of order, and fills that place in the next
pass.

============  ============================================================================
``FIRST``     until the dealer has his first card, or is passed over by a second-pass card
``SECOND``    until every position has its second card or is passed over
``OVER``      the hole card may still be due; all further cards answer decisions
============  ============================================================================
"""

from dataclasses import dataclass, field
from typing import Final

FIRST: Final = 1
SECOND: Final = 2
OVER: Final = 3


@dataclass(frozen=True, slots=True)
class Placing:
    """What a card does to the passes.

    ``missed`` are the positions it passes over and ``dealer_missed`` whether the dealer is.
    ``additional`` is a card after the passes, that some decision must call for.
    """

    out_of_order: bool = False
    make_up: bool = False
    additional: bool = False
    hole: bool = False
    missed: tuple[int, ...] = ()
    dealer_missed: bool = False


@dataclass(slots=True)
class Passes:
    """The state of both passes.

    ``in_play`` are the positions in play, ascending; ``open`` that more may join, where wagers
    are not observed and the dealer has no card yet. ``served`` and ``passed`` are of the pass
    under way, ``owed`` have a place passed over and not made up, ``early`` their place in the next
    pass filled, ``dead`` had no card when the dealer had his. ``got`` is how many cards each has;
    ``dealer_owed`` how many the dealer missed; ``hole_settled`` that his hole card was dealt or
    passed over.
    """

    deals_hole: bool
    in_play: list[int] = field(default_factory=list)
    open: bool = False
    stage: int = FIRST
    served: set[int] = field(default_factory=set)
    passed: set[int] = field(default_factory=set)
    early: set[int] = field(default_factory=set)
    owed: set[int] = field(default_factory=set)
    dead: set[int] = field(default_factory=set)
    got: dict[int, int] = field(default_factory=dict)
    dealer_owed: int = 0
    hole_settled: bool = False

    def copy(self) -> "Passes":
        """Return a copy that shares nothing that changes."""
        return Passes(
            self.deals_hole,
            self.in_play.copy(),
            self.open,
            self.stage,
            self.served.copy(),
            self.passed.copy(),
            self.early.copy(),
            self.owed.copy(),
            self.dead.copy(),
            self.got.copy(),
            self.dealer_owed,
            self.hole_settled,
        )

    def due(self) -> list[int]:
        """Return the positions of the pass under way that are neither served nor passed over."""
        return [
            position
            for position in self.in_play
            if position not in self.served
            and position not in self.passed
            and position not in self.dead
        ]

    def to_player(self, position: int) -> Placing:
        """Return what a card to a position's first hand does."""
        if self.stage is FIRST and self.open and position not in self.served:
            late = bool(self.served) and position < max(self.served)
            return Placing(out_of_order=late)
        if position not in self.in_play and (self.stage is not OVER or self.hole_due):
            return Placing(out_of_order=True)
        if position in self.dead or position in self.owed:
            return Placing(make_up=True)
        if self.stage is OVER:
            return Placing(additional=True, dealer_missed=self.hole_due)
        due = self.due()
        if position in due:
            return Placing(missed=tuple(one for one in due if one < position))
        if due:
            return Placing(out_of_order=True)
        # Every position is served or passed over: this is the second pass, begun without the
        # dealer's card. Those without a card are dead from here.
        due = [one for one in self.in_play if self.got.get(one) and one not in self.early]
        if position not in due:
            return Placing(out_of_order=True, dealer_missed=True)
        return Placing(missed=tuple(one for one in due if one < position), dealer_missed=True)

    @property
    def hole_due(self) -> bool:
        """Return whether the dealer's hole card is due at the end of the second pass."""
        return self.deals_hole and not self.hole_settled

    def to_dealer(self, *, hole: bool) -> Placing:
        """Return what a card to the dealer's first hand does; ``hole`` if it is dealt as one."""
        if self.stage is FIRST:
            return Placing(missed=tuple(self.due()))
        if self.dealer_owed:
            return Placing(make_up=True)
        if self.hole_due or (hole and not self.hole_settled):
            missed = tuple(self.due()) if self.stage is SECOND else ()
            return Placing(hole=True, missed=missed)
        if self.stage is SECOND and self.due():
            return Placing(out_of_order=True)
        return Placing(additional=True)

    def by_word(self) -> Placing:
        """Return what the first announced total or decision passes over."""
        if self.stage is OVER and not self.hole_due:
            return Placing()
        missed = [one for one in self.in_play if self.got.get(one, 0) < 2 and not self.done(one)]
        return Placing(missed=tuple(missed), dealer_missed=self.stage is FIRST or self.hole_due)

    def done(self, position: int) -> bool:
        """Return whether no place of a position is left to pass over."""
        if position in self.dead:
            return True
        return self.stage is not FIRST and (position in self.passed or position in self.served)

    def follow_player(self, position: int) -> None:
        """Follow a card to a position's first hand."""
        placing = self.to_player(position)
        if self.stage is FIRST and self.open and position not in self.in_play:
            self.in_play = sorted({*self.in_play, position})
        if placing.dealer_missed:
            if self.stage is FIRST:
                self._begin_second()
            else:
                self.hole_settled = True
            self.dealer_owed += 1
        self._pass_over(placing.missed)
        self.got[position] = self.got.get(position, 0) + 1
        if placing.make_up:
            self._make_up(position)
        elif self.stage is not OVER:
            if placing.out_of_order and position in self.served:
                self.early.add(position)
            self.served.add(position)
        self._end_second()

    def follow_dealer(self, *, hole: bool) -> None:
        """Follow a card to the dealer's first hand."""
        placing = self.to_dealer(hole=hole)
        self._pass_over(placing.missed)
        if placing.make_up:
            self.dealer_owed -= 1
        elif self.stage is FIRST:
            self._begin_second()
        elif placing.hole:
            self.hole_settled = True
        self._end_second()

    def follow_word(self) -> None:
        """Follow an announced total or a decision: what was not dealt by now is passed over."""
        placing = self.by_word()
        if placing.dealer_missed:
            self.dealer_owed += (self.stage is FIRST) + self.hole_due
            self.hole_settled = True
        if self.stage is FIRST:
            self._pass_over(tuple(self.due()))
            self._begin_second()
        self._pass_over(tuple(self.due()))
        self.stage = OVER

    def _pass_over(self, positions: tuple[int, ...]) -> None:
        for position in positions:
            self.passed.add(position)
            self.owed.add(position)

    def _make_up(self, position: int) -> None:
        self.owed.discard(position)
        if self.stage is FIRST:
            self.passed.discard(position)
            self.served.add(position)

    def _begin_second(self) -> None:
        self.stage = SECOND
        self.open = False
        self.dead = {one for one in self.in_play if not self.got.get(one)}
        self.served = self.early
        self.early = set()
        self.passed = set()

    def _end_second(self) -> None:
        if self.stage is SECOND and not self.due():
            self.stage = OVER
