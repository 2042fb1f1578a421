"""What lies face down at a table, told from its events alone, and what a text says of cards."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from streams.core.events import (
    Burned,
    CardDealt,
    CardExposed,
    DeterminantDrawn,
    DrawnInError,
    Event,
    FaceUpCardFound,
    RoundClosed,
    TableClosed,
    TableOpened,
)

CARD: Final = re.compile(r"(?<![0-9A-Za-z])([A2-9TJQK][SHDC])(?![0-9A-Za-z])")
"""A card as it stands in JSON, in a table, in a log line or as a label."""


def cards_in(texts: Iterable[str]) -> set[str]:
    """Return the cards that texts name."""
    return {card for text in texts for card in CARD.findall(text)}


class FaceDown:
    """The cards of a table's open round that nobody but the devices has seen.

    A card is seen that is dealt up, turned up, drawn openly or found face up. One turned up that
    the device did not read may be any of its hand: they are seen when as many were turned up as
    lay down. All are seen when the round is over.
    """

    def __init__(self) -> None:
        self._dealt: dict[tuple[str, int | None, int | None], list[str]] = {}
        self._turned: dict[tuple[str, int | None, int | None], int] = {}
        self._seen: set[str] = set()
        self._identities: set[str] = set()

    @property
    def hidden(self) -> set[str]:
        """Return the cards that must not be named."""
        return {card for hand in self._dealt.values() for card in hand} - self._seen

    def follow(self, event: Event) -> None:
        """Follow an event; one that comes again shows nothing and ends no round."""
        again = event.identity in self._identities
        self._identities.add(event.identity)
        match event.body:
            case CardDealt(to=to, position=position, hand=hand, face="down", card=card) if card:
                self._dealt.setdefault((to, position, hand), []).append(card)
            case _ if again:
                pass
            case RoundClosed() | TableOpened() | TableClosed():
                self._dealt.clear()
                self._turned.clear()
                self._seen.clear()
            case CardExposed(to=to, position=position, hand=hand, card=card):
                key = (to, position, hand)
                self._turned[key] = self._turned.get(key, 0) + 1
                if card:
                    self._seen.add(card)
                if self._turned[key] >= len(self._dealt.get(key, ())):
                    self._seen.update(self._dealt.get(key, ()))
            case (
                CardDealt(face="up", card=card)
                | DeterminantDrawn(card=card)
                | FaceUpCardFound(card=card)
                | DrawnInError(exposed=True, card=card)
                | Burned(exposed=True, card=card)
            ) if card:
                self._seen.add(card)
            case _:
                pass


def unseen(events: Sequence[Event]) -> list[int]:
    """Return where the open round's cards were dealt face down; none once one is turned up."""
    found: list[int] = []
    for place in reversed(range(len(events))):
        match events[place].body:
            case CardDealt(face="down", card=card) if card:
                found.append(place)
            case RoundClosed() | TableOpened() | TableClosed():
                return found
            case CardExposed():
                return []
            case _:
                pass
    return found
