"""All that is remembered of one table.

A `TableState` is a value: `advance_all` copies the one it is given, changes only its copy while it
goes through the events, and returns it, so that nobody sees a state change. Whatever grows with
what devices send is bounded here, and the bound stands beside it.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from streams.core.cards import Card
from streams.core.events import (
    CAPABILITIES,
    Burned,
    CardDealt,
    DeterminantDrawn,
    DrawnInError,
    Event,
    FaceUpCardFound,
    TableOpened,
)
from streams.core.findings import Detail
from streams.core.round_play import ErrorCard, RoundPlay

RECENT_IDENTITIES: Final = 64
"""Identities remembered of each source, to tell a duplicate from a late event."""

MOST_SOURCES: Final = 32
"""Sources remembered of a table; beyond it the one longest silent is forgotten."""

MOST_LATE_BOOTS: Final = 16
"""Boots of a source for which a late event is remembered as raised."""

MOST_STOCKS: Final = 8
"""Decks or shoe sides of a table; beyond it the one longest out of use is forgotten."""

MOST_ROUND_EVENTS: Final = 512
"""Events kept of a round: twelve positions with every wager, card and decision need 200."""

MOST_ROUND_FINDINGS: Final = 512
"""Findings listed with a round; those beyond it are raised all the same."""

MOST_FIRST_CARDS: Final = 32
"""Loads whose first cards are remembered for comparison."""

OF_A_DECK: Final = frozenset({"stub_count_wrong", "shuffler_count_wrong"})
"""Standing findings that are of one deck, at a table dealt from the hand."""

HandKey = tuple[str, int | None, int]
"""Whose hand: (to, position, hand); a dealer's or banker's has no position."""


Leaver = CardDealt | Burned | DeterminantDrawn | DrawnInError | FaceUpCardFound
"""The kinds by which a card leaves a deck or shoe."""


def read_card(event: Event) -> Card | None:
    """Return the card an event reads, if it is of a kind that can."""
    body = event.body
    return body.card if isinstance(body, Leaver) else None


@dataclass(slots=True)
class SourceState:
    """One source's place in its own sequence.

    ``recent`` maps (boot, seq), oldest first, to the event, or to its content's digest once it
    was written to a snapshot; ``conflicts`` are those of them that came again with other content;
    ``late_boots`` had a late event.
    """

    boot: int
    seq: int
    recent: dict[tuple[int, int], Event | bytes] = field(default_factory=dict)
    conflicts: set[tuple[int, int]] = field(default_factory=set)
    late_boots: list[int] = field(default_factory=list)

    def copy(self) -> "SourceState":
        """Return a copy that shares nothing that changes."""
        return SourceState(
            self.boot, self.seq, self.recent.copy(), self.conflicts.copy(), self.late_boots.copy()
        )


@dataclass(slots=True)
class Stock:
    """What cards are dealt from: a deck held in the hand, a shoe, or one side of a double shoe.

    ``shuffle`` is the method of its last shuffle by its name since its own last card was dealt,
    ``None`` for a shuffle that named no deck; ``shuffled``
    tells of any since its load. ``cut_round`` is the round in or before which its cut card was
    reached, until it is shuffled or loaded; ``unemptied`` that it was not emptied since, and
    ``emptied`` that it was, so that a count of the rack is a count of it. ``left`` counts the
    cards that left since its last shuffle or load. ``seen``
    counts known cards: of a shoe since its load, of a deck within round ``seen_in_round``.
    ``last``, ``rising`` and ``falling`` follow runs in pack order; ``first`` are the first known
    cards since the load. ``raised`` marks what is raised only once a load or round.
    """

    shuffle: str | None = None
    shuffled: bool = False
    cut_round: int | None = None
    emptied: bool = False
    unemptied: bool = False
    left: int = 0
    loaded: int | None = None
    seen: dict[Card, int] = field(default_factory=dict)
    seen_in_round: int = 0
    last: Card | None = None
    rising: int = 0
    falling: int = 0
    first: list[Card] = field(default_factory=list)
    raised: set[str] = field(default_factory=set)

    def copy(self) -> "Stock":
        """Return a copy that shares nothing that changes."""
        return Stock(
            self.shuffle,
            self.shuffled,
            self.cut_round,
            self.emptied,
            self.unemptied,
            self.left,
            self.loaded,
            self.seen.copy(),
            self.seen_in_round,
            self.last,
            self.rising,
            self.falling,
            self.first.copy(),
            self.raised.copy(),
        )

    def restart(self) -> None:
        """Forget the cards seen: a new load of a shoe, or a new round of a deck in the hand."""
        self.seen = {}
        self.first = []
        self.raised = set()
        self.break_run()

    def break_run(self) -> None:
        """Let the next card begin a new run."""
        self.last = None
        self.rising = self.falling = 0


@dataclass(slots=True)
class RoundState:
    """The open round, as its events told it.

    ``cards`` are the events by which a physical card left, in order; ``hands`` maps a hand to
    the indices of its cards in it, ``turned`` an index to the time it was turned up, ``readings``
    an index to a card that its event did not read, or that was another when it was turned up.
    ``loose`` are indices of cards drawn but not yet placed (a determinant, a card drawn in error,
    one dealt that is to be burned). ``dealing_hand`` is the hand first chosen for the deck,
    ``holding`` the one that holds it now. ``in_play`` is fixed at the first card; until then, or
    where wagers are not observed until the dealer's first card, it is ``None``. ``cards_at_stub``
    is the number of cards when the stub was first placed or counted.
    """

    number: int
    opened_at: int
    stock: str = ""
    stock_named: bool = False
    gap: bool = False
    voided: bool = False
    events: list[Event] = field(default_factory=list)
    dropped_events: int = 0
    cards: list[Event] = field(default_factory=list)
    dealt: int = 0
    left: int = 0
    hands: dict[HandKey, list[int]] = field(default_factory=dict)
    turned: dict[int, int] = field(default_factory=dict)
    readings: dict[int, Card] = field(default_factory=dict)
    loose: list[int] = field(default_factory=list)
    wagered: set[int] = field(default_factory=set)
    in_play: tuple[int, ...] | None = None
    next_place: int = 0
    dealing_hand: str | None = None
    holding: str | None = None
    no_more_bets: bool = False
    lockout: bool = False
    settling: bool = False
    stub_placed: bool = False
    stub_count: int | None = None
    cards_at_stub: int | None = None
    findings: list[tuple[str, str]] = field(default_factory=list)
    reader_at_fault: bool = False
    play: RoundPlay | None = None

    def copy(self) -> "RoundState":
        """Return a copy that shares nothing that changes."""
        return RoundState(
            self.number,
            self.opened_at,
            self.stock,
            self.stock_named,
            self.gap,
            self.voided,
            self.events.copy(),
            self.dropped_events,
            self.cards.copy(),
            self.dealt,
            self.left,
            {key: indices.copy() for key, indices in self.hands.items()},
            self.turned.copy(),
            self.readings.copy(),
            self.loose.copy(),
            self.wagered.copy(),
            self.in_play,
            self.next_place,
            self.dealing_hand,
            self.holding,
            self.no_more_bets,
            self.lockout,
            self.settling,
            self.stub_placed,
            self.stub_count,
            self.cards_at_stub,
            self.findings.copy(),
            self.reader_at_fault,
            None if self.play is None else self.play.copy(),
        )

    def card(self, index: int) -> Card | None:
        """Return what is known of a card that left, ``None`` if it was never read."""
        return self.readings.get(index) or read_card(self.cards[index])

    def list_finding(self, code: str, finding: str) -> None:
        """List a finding raised in the round, by its code and id."""
        if len(self.findings) < MOST_ROUND_FINDINGS:
            self.findings.append((code, finding))

    def served(self) -> tuple[int, ...]:
        """Return the positions that have a card, ascending."""
        return tuple(sorted({key[1] for key in self.hands if key[1] is not None}))


@dataclass(frozen=True, slots=True)
class LastRound:
    """What a stub count between rounds needs of the round just closed."""

    number: int
    stock: str
    stock_named: bool
    left: int
    gap: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """A standing finding that is not cleared; ``key`` is the deck, side or position it is of."""

    code: str
    key: str
    id: str
    game: str | None
    clause: str
    severity: str
    round: int
    position: int | None
    hand: int | None
    at: int
    event: str
    detail: Detail


@dataclass(slots=True)
class TableState:
    """One table: its set-up, sources, decks or shoe, round, counts and standing findings.

    ``opening`` is the identity of the last ``table_opened``, empty before the first.
    ``raised`` are the (code, position, hand) already raised under ``round_number``.
    ``shuffle`` is the method of the last shuffle of any deck since any card was dealt,
    ``shuffle_unnamed`` of the last that named no deck.
    ``burns_due`` are the reasons for which a card is to be burned before the next is dealt:
    ``new_set`` and ``new_dealer``, another than ``last_dealer``. ``bonus_ascertained`` tells that
    a supervisor read the bonus amount off the controller since the bonus system's fault.
    ``errors_waiting`` are cards drawn in error that wait since before the open round, or until it.
    ``last_event_at`` and ``last_received`` are of the last event that was applied; a tick is none,
    for silence is measured from the last word of a device. Times are microseconds.
    """

    table: str
    setup: TableOpened | None = None
    observes: frozenset[str] = frozenset()
    opening: str = ""
    open: bool = False
    dealer: str | None = None
    last_event_at: int = 0
    last_received: int | None = None
    round_number: int = 0
    round: RoundState | None = None
    last_round: LastRound | None = None
    rounds_since_stub_count: int = 0
    shuffle: str | None = None
    shuffle_unnamed: str | None = None
    stock_in_hand: str | None = None
    last_dealer: str | None = None
    burns_due: set[str] = field(default_factory=set)
    bonus_ascertained: bool = False
    errors_waiting: tuple[ErrorCard, ...] = ()
    sources: dict[str, SourceState] = field(default_factory=dict)
    stocks: dict[str, Stock] = field(default_factory=dict)
    first_cards: list[bytes] = field(default_factory=list)
    standing: dict[tuple[str, str], Standing] = field(default_factory=dict)
    raised: set[tuple[str, int | None, int | None]] = field(default_factory=set)

    def copy(self) -> "TableState":
        """Return a copy that shares nothing that changes."""
        return TableState(
            self.table,
            self.setup,
            self.observes,
            self.opening,
            self.open,
            self.dealer,
            self.last_event_at,
            self.last_received,
            self.round_number,
            None if self.round is None else self.round.copy(),
            self.last_round,
            self.rounds_since_stub_count,
            self.shuffle,
            self.shuffle_unnamed,
            self.stock_in_hand,
            self.last_dealer,
            self.burns_due.copy(),
            self.bonus_ascertained,
            self.errors_waiting,
            {name: source.copy() for name, source in self.sources.items()},
            {name: stock.copy() for name, stock in self.stocks.items()},
            self.first_cards.copy(),
            self.standing.copy(),
            self.raised.copy(),
        )

    def stock(self, name: str) -> Stock:
        """Return the deck or shoe side of that name, remembered from now on."""
        stock = self.stocks.get(name)
        if stock is None:
            if len(self.stocks) >= MOST_STOCKS and not self._forget_stock():
                name = ""
            stock = self.stocks.setdefault(name, Stock())
        return stock

    def _forget_stock(self) -> bool:
        """Forget the stock longest out of use, unless each is in use or has a standing finding."""
        kept = {key for _, key in self.standing} | {self.stock_in_hand}
        if self.round is not None:
            kept.add(self.round.stock)
        for name in self.stocks:
            if name not in kept:
                del self.stocks[name]
                return True
        return False

    def name_deck(self, name: str) -> None:
        """Take note of a deck's name; the only deck has had none until then, and gets it."""
        if name in self.stocks:
            return
        if any(self.stocks):
            self.stock(name)
            return
        self.stocks[name] = self.stocks.pop("", Stock())
        for code, key in [each for each in self.standing if each[1] == ""]:
            if code in OF_A_DECK:
                self.standing[code, name] = replace(self.standing.pop((code, key)), key=name)
        if self.round is not None and not self.round.stock:
            self.round.stock = name
        if self.last_round is not None and not self.last_round.stock:
            self.last_round = replace(self.last_round, stock=name)

    @property
    def from_hand(self) -> bool:
        """Return whether the table deals decks held in the hand, not a shoe."""
        return self.setup is not None and self.setup.dealt_from == "hand"

    def stock_named(self, deck: str | None, side: str | None) -> str:
        """Return the stock meant: from the hand the deck, else the side of the shoe."""
        return self.deck_named(deck) if self.from_hand else side or ""

    def deck_named(self, name: str | None) -> str:
        """Return the deck meant: the one named, else the one last in hand, else the only one."""
        if name is not None:
            return name if name in self.stocks else ""
        if self.stock_in_hand is not None:
            return self.stock_in_hand
        return next(iter(self.stocks)) if len(self.stocks) == 1 else ""


def observed(setup: TableOpened) -> frozenset[str]:
    """Return what a table's devices observe, ``*`` written out."""
    return frozenset(CAPABILITIES if "*" in setup.observes else setup.observes)


def new_table(table: str) -> TableState:
    """Return the state of a table of which nothing is known."""
    return TableState(table)
