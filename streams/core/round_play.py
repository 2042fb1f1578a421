"""What the core asks of a game that follows its open round by itself."""

from dataclasses import dataclass
from typing import Final, Protocol, Self

from streams.core.cards import Card
from streams.core.events import Event

MOST_ERRORS: Final = 8
"""Cards drawn in error between rounds, or left from a round, that are waited for."""


@dataclass(frozen=True, slots=True)
class ErrorCard:
    """A card drawn in error that waits to be used, or, if a player refused it, burned."""

    card: Card | None
    exposed: bool
    refused: bool = False

    def may_be(self, card: Card | None) -> bool:
        """Return whether a card dealt or burned may be this one: an unread one may be any."""
        return None in (self.card, card) or self.card == card


class RoundPlay(Protocol):
    """What a game keeps of its open round beside the facts, followed from the events alone."""

    @property
    def burn_is_routine(self) -> bool:
        """Return whether a burn now is no remedy of an irregularity."""

    @property
    def last_to_burn(self) -> bool:
        """Return whether the card dealt last is to be burned."""

    @property
    def errors(self) -> tuple[ErrorCard, ...]:
        """Return the cards drawn in error that no card followed, oldest first."""

    def follow(self, event: Event) -> None:
        """Follow one event of the round."""

    def copy(self) -> Self:
        """Return a copy that shares nothing that changes."""
