"""What the core asks of a game that follows its open round by itself."""

from typing import Protocol, Self

from streams.core.events import Event


class RoundPlay(Protocol):
    """What a game keeps of its open round beside the facts, followed from the events alone."""

    @property
    def burn_is_routine(self) -> bool:
        """Return whether a burn now is no remedy of an irregularity."""

    @property
    def last_to_burn(self) -> bool:
        """Return whether the card dealt last is to be burned."""

    def follow(self, event: Event) -> None:
        """Follow one event of the round."""

    def copy(self) -> Self:
        """Return a copy that shares nothing that changes."""
