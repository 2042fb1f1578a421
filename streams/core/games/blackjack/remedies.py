"""What 2.15 asks to be done about a card, and has not been done yet.

A card drawn in error waits to be used as the next card, or, shown and refused, to be burned; one
that the dealer drew on seventeen waits to be burned; an empty shoe waits for its shuffle, and then
for a burn.

=============  ======================================================================
``exhausted``
=============  ======================================================================
``""``         nothing is due
``EXHAUSTED``  the shoe ran out: the discards are to be shuffled in
``SHUFFLED``   they were; the first card is to be burned, face down
=============  ======================================================================
"""

from dataclasses import dataclass, field, replace
from typing import Final

from streams.core.cards import Card
from streams.core.round_play import ErrorCard

EXHAUSTED: Final = "exhausted"
SHUFFLED: Final = "shuffled"


@dataclass(slots=True)
class Remedies:
    """What is due in the open round.

    ``errors`` are the cards drawn in error, before the round or in it, oldest first, that no card
    followed; ``refused`` the readings of those that a player refused in the round and that were
    neither dealt nor burned; ``refusers`` the positions that refused one. ``seventeen`` is the
    action in which the dealer drew on seventeen, 0 where the card was burned or none was drawn.
    """

    errors: list[ErrorCard] = field(default_factory=list)
    refused: list[Card | None] = field(default_factory=list)
    refusers: set[int] = field(default_factory=set)
    seventeen: int = 0
    exhausted: str = ""

    def copy(self) -> "Remedies":
        """Return a copy that shares nothing that changes."""
        return Remedies(
            self.errors.copy(),
            self.refused.copy(),
            self.refusers.copy(),
            self.seventeen,
            self.exhausted,
        )

    @property
    def burn_due(self) -> bool:
        """Return whether a burn now is the remedy of something."""
        return bool(self.errors or self.refused or self.seventeen or self.exhausted)

    def follow_drawn(self, card: Card | None, *, exposed: bool) -> None:
        """Follow a card drawn in error."""
        self.errors.append(ErrorCard(card, exposed))

    def follow_refusal(self, position: int) -> None:
        """Follow a player's refusal, of the cards that were drawn in error and shown."""
        self.refusers.add(position)
        for at, error in enumerate(self.errors):
            if error.exposed and not error.refused:
                self.errors[at] = replace(error, refused=True)
                self.refused.append(error.card)

    def follow_dealt(self, card: Card | None) -> Card | None:
        """Follow a dealt card and return its reading, known if it may be the one drawn in error.

        Only the first card after a card drawn in error tells whether that was used. One card may
        have been told of by more than one device.
        """
        used = refused = card
        fitting = next((at for at, one in enumerate(self.errors) if one.may_be(card)), None)
        if fitting is None:
            self.errors.clear()
        else:
            error = self.errors[fitting]
            used = card or error.card
            refused = error.card if error.refused else used
            del self.errors[: fitting + 1]
            self.errors = [one for one in self.errors if card is None or one.card != card]
        self.refused = [one for one in self.refused if one != refused]
        return used

    def follow_determinant(self, card: Card | None) -> None:
        """Follow a determinant: a card drawn in error is used where it is the one drawn next."""
        if self.errors and self.errors[0].may_be(card):
            del self.errors[0]

    def follow_burned(self, *, exposed: bool) -> None:
        """Follow a burned card: whatever card waited to be burned, or used, is gone."""
        self.errors.clear()
        self.refused.clear()
        self.seventeen = 0
        if self.exhausted == SHUFFLED and not exposed:
            self.exhausted = ""

    def follow_exhausted(self) -> None:
        """Follow the shoe's running out."""
        self.exhausted = EXHAUSTED

    def follow_shuffled_in(self) -> None:
        """Follow the shuffle of the discards into the shoe."""
        if self.exhausted:
            self.exhausted = SHUFFLED
