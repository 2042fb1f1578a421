"""Set-ups of simulated tables: what `table_opened` says, and how the devices behave.

A set-up is drawn at random from what the rules of its game allow. The devices of some tables see
less than others: `observes` lists what they can see, and where `leaves_out` is set, events of what
they cannot see are not sent at all.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from streams.core.events import (
    CAPABILITIES,
    Announced,
    Body,
    Burned,
    CardDealt,
    CardExposed,
    CardsCollected,
    CardsCut,
    Decision,
    DeckInHand,
    DeckOutOfArea,
    HoleCardRead,
    LockoutPressed,
    NoMoreBets,
    ShuffleCompleted,
    StubCounted,
    StubPlaced,
    SupervisorCalled,
    TableOpened,
    UpCardDiscarded,
    UpCardMoved,
    UpCardRestored,
    WagerPlaced,
    WagerSettled,
)

POKER: Final = ("caribbean_stud", "four_card_poker")

PREFIXES: Final = {
    "caribbean_stud": "CS",
    "four_card_poker": "FC",
    "blackjack": "BJ",
    "chemin_de_fer": "CF",
}

SEEN_THROUGH: Final[dict[type[Body], str]] = {
    WagerPlaced: "wagers",
    NoMoreBets: "announcements",
    LockoutPressed: "lockout",
    ShuffleCompleted: "shuffles",
    CardsCut: "shuffles",
    DeckInHand: "dealing_hand",
    DeckOutOfArea: "deck_area",
    Burned: "burns",
    Decision: "decisions",
    CardsCollected: "collection",
    WagerSettled: "settlements",
    StubPlaced: "stub",
    StubCounted: "stub",
    HoleCardRead: "reader",
    SupervisorCalled: "supervisor",
    UpCardMoved: "up_card",
    UpCardDiscarded: "up_card",
    UpCardRestored: "up_card",
}
"""The capability without which no device of the table could send this kind."""


@dataclass(frozen=True, slots=True)
class Setup:
    """One simulated table.

    ``decks`` to ``red_side`` are the fields of `table_opened`. ``deck_names`` are the two decks
    that alternate, empty for one deck without a name. ``shuffler_counts``: the shuffler reports
    how many cards it shuffled. ``several_sources``: the shuffler and the lock-out button send
    for themselves. ``unread`` is the share of cards that the devices fail to read.
    """

    table: str
    game: str
    dealt_from: str
    decks: int
    positions: int
    observes: tuple[str, ...] = ("*",)
    hole_card: str | None = None
    card_reader: bool | None = None
    reader_reveals_to_players: bool | None = None
    double_face: str | None = None
    soft_seventeen: str | None = None
    bart_carter: bool | None = None
    offers: tuple[str, ...] | None = None
    red_side: str | None = None
    jurisdiction: str | None = None
    deck_names: tuple[str, ...] = ()
    shuffler_counts: bool = True
    several_sources: bool = False
    leaves_out: bool = False
    unread: float = 0.0

    def sees(self, capability: str) -> bool:
        """Return whether the table's devices can see the capability."""
        return "*" in self.observes or capability in self.observes

    def sends(self, capability: str) -> bool:
        """Return whether the table's devices send what is seen through the capability."""
        return not self.leaves_out or self.sees(capability)

    @property
    def hole(self) -> str:
        """Return how the dealer's hole card is dealt, ``none`` by default."""
        return self.hole_card or "none"

    @property
    def single_shoe(self) -> bool:
        """Return whether cards come from a single shoe."""
        return self.dealt_from == "shoe"

    @property
    def double_shoe(self) -> bool:
        """Return whether cards come from a double shoe."""
        return self.dealt_from == "double_shoe"

    def offered(self, wager: str) -> bool:
        """Return whether the table offers the side wager or option."""
        return self.offers is not None and wager in self.offers

    def opened(self) -> TableOpened:
        """Return the event that opens the table."""
        return TableOpened(
            game=self.game,
            dealt_from=self.dealt_from,
            decks=self.decks,
            positions=self.positions,
            observes=self.observes,
            hole_card=self.hole_card,
            card_reader=self.card_reader,
            reader_reveals_to_players=self.reader_reveals_to_players,
            double_face=self.double_face,
            soft_seventeen=self.soft_seventeen,
            bart_carter=self.bart_carter,
            offers=self.offers,
            red_side=self.red_side,
            jurisdiction=self.jurisdiction,
        )

    def without(self, capabilities: Iterable[str]) -> "Setup":
        """Return the set-up without these capabilities, though its devices send everything."""
        gone = set(capabilities)
        seen = CAPABILITIES if "*" in self.observes else self.observes
        observes = tuple(each for each in seen if each not in gone)
        return replace(self, observes=observes, leaves_out=False)


def sent(setup: Setup, body: Body) -> Body | None:
    """Return the event as the table's devices would send it; none where they cannot see it."""
    capability = SEEN_THROUGH.get(type(body))
    if capability is not None and not setup.sees(capability):
        return None
    if isinstance(body, Announced):
        needed = "totals" if body.what == "total" else "announcements"
        return body if setup.sees(needed) else None
    if isinstance(body, CardDealt):
        if not setup.sees("cards"):
            body = replace(body, card=None)
        if not setup.sees("faces"):
            body = replace(body, face="down")
    elif isinstance(body, CardExposed):
        if not setup.sees("faces"):
            return None
        if not setup.sees("cards"):
            body = replace(body, card=None)
    return body


def random_observes(rng: Random, always: Sequence[str] = ()) -> tuple[str, ...]:
    """Return what a table's devices may see: mostly all, at times a part, ``always`` included."""
    chance = rng.random()
    if chance < 0.5:
        return ("*",)
    if chance < 0.75:
        return CAPABILITIES
    return tuple(each for each in CAPABILITIES if each in always or rng.random() < 0.7)
