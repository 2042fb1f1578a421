"""Who stands behind a simulated table: dealers relieve each other and deal a round a turn."""

from abc import ABC, abstractmethod
from random import Random
from typing import Generic, TypeVar

from producers.simulator.setups import Setup
from producers.simulator.turns import Item, Turn
from streams.core.events import DealerArrived, DealerLeft, TableClosed

PlanT = TypeVar("PlanT")


class Staff(ABC, Generic[PlanT]):
    """The dealers of one table; a game says what comes between its rounds and how one is dealt.

    Args:
        setup: the table.
        rng: what chance decides.
        legal_plan: a turn with all that a legal night may bring.
        plain_plan: a turn in which nothing happens but what must.
    """

    def __init__(self, setup: Setup, rng: Random, legal_plan: PlanT, plain_plan: PlanT) -> None:
        self.setup = setup
        self.rng = rng
        self.number = 0
        self.staff = 0
        self._legal = legal_plan
        self._plain = plain_plan

    @abstractmethod
    def open(self) -> list[Item]:
        """Open the table."""

    def close(self) -> list[Item]:
        """Close the table."""
        return [TableClosed(), self.departure()]

    def legal(self) -> Turn:
        """Deal the next turn of a night, with all that a legal night may bring."""
        return self.turn(self._legal)

    def plain(self) -> Turn:
        """Deal a turn in which nothing happens but what must."""
        return self.turn(self._plain)

    def turn(self, plan: PlanT) -> Turn:
        """Deal the next turn as planned."""
        before = self.between(plan)
        self.number += 1
        turn = Turn(number=self.number, before=before)
        self.deal_round(turn, plan)
        return turn

    @abstractmethod
    def between(self, plan: PlanT) -> list[Item]:
        """Return what happens before the next round."""

    @abstractmethod
    def deal_round(self, turn: Turn, plan: PlanT) -> None:
        """Deal a turn's round into it."""

    def arrival(self) -> DealerArrived:
        """Return the arrival of another dealer."""
        self.staff = self.staff % 9 + 1
        return DealerArrived(dealer=f"D{self.staff}")

    def departure(self) -> DealerLeft:
        """Return the departure of the dealer who is there."""
        return DealerLeft(dealer=f"D{self.staff}")

    def relief(self) -> list[Item]:
        """Let another dealer take the place of the one who is there."""
        return [self.departure(), self.arrival()]
