"""How a table's state follows an event. It follows what happened, legal or not, and judges nothing.

Each kind has one function in ``FOLDS``; a kind without one changes no more than the round's list
of events. The functions get the observation that was judged: the table before the event, its
round open where the event opens one.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from streams.core.events import (
    Body,
    Burned,
    CardDealt,
    CardExposed,
    CardsCollected,
    CardsLoaded,
    CutCardReached,
    DealerArrived,
    DealerLeft,
    DeckInHand,
    DeckRemoved,
    DeterminantDrawn,
    DeviceFault,
    DiscardsShuffledIn,
    DrawnInError,
    Event,
    FaceUpCardFound,
    LockoutPressed,
    NoMoreBets,
    RoundVoided,
    ShoeEmptied,
    ShuffleCompleted,
    StubCounted,
    StubPlaced,
    SupervisorCalled,
    WagerPlaced,
    WagerSettled,
)
from streams.core.game import Game
from streams.core.integrity import first_cards_digest
from streams.core.judge import Observation
from streams.core.round_play import MOST_ERRORS, ErrorCard
from streams.core.script import DEALER, next_place
from streams.core.stocks import Leaving, cards_on_table, count_card, hand_key
from streams.core.table import (
    MOST_FIRST_CARDS,
    MOST_ROUND_EVENTS,
    Leaver,
    RoundState,
    Stock,
    TableState,
)

Fold = Callable[[Observation, Any, Game], None]

READER_AT_FAULT: Final = ("reader_malfunction", "")
"""The standing finding that takes the card reader out of use."""

IN_PLAY_WAGERS: Final = frozenset({"main", "ante", "aces_up"})
"""Wagers that put a position in play."""

OPENING: Final = frozenset(
    {WagerPlaced, DeckInHand, NoMoreBets, LockoutPressed, DeterminantDrawn, CardDealt}
)
"""Kinds that open a round where none is open."""

NAMES_DECK: Final = frozenset({DeckInHand, DeckRemoved, ShuffleCompleted, StubCounted})
"""Kinds that can name a deck."""


def open_round(table: TableState, event: Event, game: Game) -> RoundState:
    """Open the table's next round."""
    table.round_number += 1
    table.raised.clear()
    table.round = RoundState(table.round_number, event.at)
    if table.from_hand:
        table.round.stock = table.deck_named(None)
    table.round.reader_at_fault = READER_AT_FAULT in table.standing
    begin_play(table, table.round, game)
    return table.round


def name_deck(table: TableState, body: Body) -> None:
    """Take note of the deck an event names, before anything is judged of it."""
    assert isinstance(body, DeckInHand | DeckRemoved | ShuffleCompleted | StubCounted)  # noqa: S101  NAMES_DECK
    if body.deck is not None and table.from_hand:
        table.name_deck(body.deck)


def begin_play(table: TableState, round_: RoundState, game: Game) -> None:
    """Begin what the game itself follows of a round, and follow the events it already has."""
    if game.new_play is not None and table.setup is not None:
        round_.play = game.new_play(
            table.setup, table.observes, round_.reader_at_fault, table.errors_waiting
        )
        for event in round_.events:
            round_.play.follow(event)


def record(round_: RoundState, event: Event) -> None:
    """Keep an event of the round; beyond the bound it is counted and the round judged as torn."""
    if len(round_.events) < MOST_ROUND_EVENTS:
        round_.events.append(event)
        if round_.play is not None:
            round_.play.follow(event)
    else:
        round_.dropped_events += 1
        round_.gap = True


def fold(seen: Observation, game: Game) -> None:
    """Apply an observed event to its table."""
    body = seen.event.body
    if isinstance(body, Burned) and game.burn_is_routine(seen.table):
        seen.table.burns_due.clear()
    if seen.round is not None:
        record(seen.round, seen.event)
    change = FOLDS.get(type(body))
    if change is not None:
        change(seen, body, game)


def _card_leaves(seen: Observation, leaves: Leaving) -> int | None:
    """Count a card out of its stock and return its index among the round's cards, if kept."""
    table, round_, event = seen.table, seen.round, seen.event
    stock = table.stock(leaves.stock)
    first = 0
    if stock.loaded is not None:
        first = seen.book.parameter("ordered_cards", "first")
    known = len(stock.first)
    count_card(stock, leaves, first)
    if known < first == len(stock.first):
        if len(table.first_cards) >= MOST_FIRST_CARDS:
            del table.first_cards[0]
        table.first_cards.append(first_cards_digest(stock.first))
    if leaves.physical:
        stock.left += 1
    if round_ is None:
        return None
    if leaves.physical:
        round_.left += 1
    if leaves.loose is not None:
        index = leaves.loose
        round_.loose.remove(index)
        was = round_.cards[index].body
        if isinstance(was, CardDealt):
            round_.hands[hand_key(was.to, was.position, was.hand)].remove(index)
        round_.cards[index] = event
        if leaves.card is not None:
            round_.readings[index] = leaves.card
        return index
    if len(round_.cards) >= MOST_ROUND_EVENTS:
        return None
    index = len(round_.cards)
    round_.cards.append(event)
    if leaves.card is not None and not leaves.physical:
        # It was read when it was drawn in error, before the round.
        round_.readings[index] = leaves.card
    return index


def _card_dealt(seen: Observation, body: CardDealt, game: Game) -> None:
    round_, leaves, table = seen.round, seen.leaves, seen.table
    if round_ is None or leaves is None:
        return
    key = hand_key(body.to, body.position, body.hand)
    if round_.in_play is None:
        if "wagers" in table.observes:
            round_.in_play = tuple(sorted(round_.wagered))
        elif key == DEALER:
            round_.in_play = round_.served()
    index = _card_leaves(seen, leaves)
    round_.dealt += 1
    if index is not None:
        indices = round_.hands.get(key)
        if indices is None:
            round_.hands[key] = [index]
        else:
            indices.append(index)
        if round_.play is not None and round_.play.last_to_burn:
            round_.loose.append(index)
    if game.script is not None and round_.in_play is not None:
        round_.next_place = next_place(game.script, round_, round_.in_play)[0]
    # A card dealt without the burn that was due is judged once, and then the next burn is due anew.
    table.burns_due.clear()
    table.shuffle = table.shuffle_unnamed = None
    table.stocks[leaves.stock if leaves.stock in table.stocks else ""].shuffle = None


def _burned(seen: Observation, body: Burned, game: Game) -> None:
    if seen.round is None:
        seen.table.errors_waiting = ()
    _left_stock(seen, body, game)


def _drawn_in_error(seen: Observation, body: DrawnInError, game: Game) -> None:
    if seen.round is None and game.new_play is not None:
        waits = ErrorCard(body.card, body.exposed)
        seen.table.errors_waiting = (*seen.table.errors_waiting, waits)[:MOST_ERRORS]
    _left_stock(seen, body, game)


def _left_stock(seen: Observation, body: Leaver, _: Game) -> None:
    if seen.leaves is None:
        return
    index = _card_leaves(seen, seen.leaves)
    if isinstance(body, DeterminantDrawn | DrawnInError) and index is not None:
        assert seen.round is not None  # noqa: S101  an index is of the open round's cards
        seen.round.loose.append(index)


def _card_exposed(seen: Observation, body: CardExposed, _: Game) -> None:
    leaves, round_ = seen.leaves, seen.round
    if leaves is None or round_ is None or leaves.turned is None:
        return
    round_.turned[leaves.turned] = seen.event.at
    if leaves.news is not None:
        round_.readings[leaves.turned] = leaves.news
        count_card(seen.table.stock(leaves.stock), leaves, 0)
    elif body.card is not None and body.card != round_.card(leaves.turned):
        # Read otherwise than when it was dealt: only what was seen now may be shown of it.
        round_.readings[leaves.turned] = body.card


def _wager_placed(seen: Observation, body: WagerPlaced, _: Game) -> None:
    if seen.round is not None and body.wager in IN_PLAY_WAGERS:
        seen.round.wagered.add(body.position)


def _no_more_bets(seen: Observation, _: NoMoreBets, __: Game) -> None:
    if seen.round is not None:
        seen.round.no_more_bets = True


def _lockout_pressed(seen: Observation, _: LockoutPressed, __: Game) -> None:
    if seen.round is not None:
        seen.round.lockout = True


def _settling(seen: Observation, _: WagerSettled | CardsCollected, __: Game) -> None:
    if seen.round is not None:
        seen.round.settling = True


def _round_voided(seen: Observation, _: RoundVoided, __: Game) -> None:
    if seen.round is not None:
        seen.round.voided = True


def _deck_in_hand(seen: Observation, body: DeckInHand, _: Game) -> None:
    table, round_ = seen.table, seen.round
    if round_ is None:
        return
    if round_.dealing_hand is None:
        round_.dealing_hand = body.hand
    round_.holding = body.hand
    if body.deck is not None:
        in_hand = table.deck_named(body.deck)
        table.stocks[in_hand] = table.stocks.pop(in_hand, Stock())
        table.stock_in_hand = in_hand
    if not round_.dealt:
        round_.stock = table.deck_named(body.deck)
        round_.stock_named = round_.stock_named or body.deck is not None


def _shuffle_completed(seen: Observation, body: ShuffleCompleted, _: Game) -> None:
    table = seen.table
    stock = table.stock(table.stock_named(body.deck, body.side))
    table.shuffle = body.method
    if body.deck is None:
        table.shuffle_unnamed = body.method
    else:
        stock.shuffle = body.method
    stock.shuffled = True
    stock.cut_round = None
    stock.left = 0
    stock.break_run()


def _deck_removed(seen: Observation, body: DeckRemoved, _: Game) -> None:
    table = seen.table
    if not table.from_hand:
        return  # what left a shoe, and how it was shuffled, counts until cards are loaded again
    name = table.deck_named(body.deck)
    if seen.round is None or seen.round.stock != name:
        table.stocks.pop(name, None)
        if table.stock_in_hand == name:
            table.stock_in_hand = None


def _cards_loaded(seen: Observation, body: CardsLoaded, _: Game) -> None:
    stock = seen.table.stock(body.side or "")
    stock.restart()
    stock.shuffled = stock.emptied = stock.unemptied = False
    stock.cut_round = None
    stock.left = 0
    stock.loaded = body.cards
    seen.table.burns_due.add("new_set")
    if seen.round is None:
        seen.table.errors_waiting = ()


def _discards_shuffled_in(seen: Observation, body: DiscardsShuffledIn, _: Game) -> None:
    table, round_ = seen.table, seen.round
    name = table.stock_named(None, body.side)
    stock = table.stock(name)
    stock.break_run()
    stock.seen = {}
    if round_ is not None:
        collected = [
            hand_key(one.body.to, one.body.position, one.body.hand)
            for one in round_.events
            if isinstance(one.body, CardsCollected)
        ]
        stock.seen = cards_on_table(round_, name, collected)


def _stub_placed(seen: Observation, _: StubPlaced, __: Game) -> None:
    round_ = seen.round
    if round_ is not None:
        round_.stub_placed = True
        if round_.cards_at_stub is None:
            round_.cards_at_stub = len(round_.cards)


def _stub_counted(seen: Observation, body: StubCounted, _: Game) -> None:
    round_ = seen.round
    seen.table.rounds_since_stub_count = 0
    if round_ is not None:
        round_.stub_count = body.cards
        if round_.cards_at_stub is None:
            round_.cards_at_stub = len(round_.cards)


def _cut_card_reached(seen: Observation, body: CutCardReached, _: Game) -> None:
    table = seen.table
    stock = table.stock(body.side or "")
    stock.unemptied = True
    if stock.cut_round is None:
        stock.cut_round = table.round_number + (0 if seen.round is not None else 1)


def _shoe_emptied(seen: Observation, body: ShoeEmptied, _: Game) -> None:
    stock = seen.table.stock(body.side or "")
    stock.emptied, stock.unemptied = True, False


def _device_fault(seen: Observation, body: DeviceFault, _: Game) -> None:
    if body.device == "bonus_system":
        seen.table.bonus_ascertained = False


def _supervisor_called(seen: Observation, body: SupervisorCalled, _: Game) -> None:
    if body.reason == "amount_ascertained":
        seen.table.bonus_ascertained = True


def _dealer_arrived(seen: Observation, body: DealerArrived, _: Game) -> None:
    table = seen.table
    if table.last_dealer not in (None, body.dealer):
        table.burns_due.add("new_dealer")
    table.dealer = table.last_dealer = body.dealer


def _dealer_left(seen: Observation, _: DealerLeft, __: Game) -> None:
    seen.table.dealer = None


FOLDS: Final[Mapping[type, Fold]] = {
    Burned: _burned,
    CardDealt: _card_dealt,
    CardExposed: _card_exposed,
    CardsCollected: _settling,
    CardsLoaded: _cards_loaded,
    CutCardReached: _cut_card_reached,
    DealerArrived: _dealer_arrived,
    DealerLeft: _dealer_left,
    DeckInHand: _deck_in_hand,
    DeckRemoved: _deck_removed,
    DeterminantDrawn: _left_stock,
    DeviceFault: _device_fault,
    DiscardsShuffledIn: _discards_shuffled_in,
    DrawnInError: _drawn_in_error,
    FaceUpCardFound: _left_stock,
    LockoutPressed: _lockout_pressed,
    NoMoreBets: _no_more_bets,
    RoundVoided: _round_voided,
    ShoeEmptied: _shoe_emptied,
    ShuffleCompleted: _shuffle_completed,
    StubCounted: _stub_counted,
    StubPlaced: _stub_placed,
    SupervisorCalled: _supervisor_called,
    WagerPlaced: _wager_placed,
    WagerSettled: _settling,
}
