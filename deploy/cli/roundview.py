"""A round as a supervisor reads it: whose cards they were, in order, and what was said and paid."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

from schemas.times import format_time
from streams.core.book import Book
from streams.core.events import (
    Announced,
    Burned,
    CardDealt,
    CardExposed,
    CardsCollected,
    Decision,
    DeterminantDrawn,
    DiscardsShuffledIn,
    DrawnInError,
    Event,
    FaceUpCardFound,
    HandDeclaredDead,
    LockoutPressed,
    NoMoreBets,
    RoundVoided,
    StubCounted,
    StubPlaced,
    SupervisorCalled,
    UpCardRestored,
    WagerPlaced,
    WagerSettled,
)
from streams.core.rounds import Round, RoundCard

DEALT: Final = "dealt"
UNREAD: Final = "??"

MOST_HANDS: Final = 4
"""Hands of a position after splits: the highest number that an event's ``hand`` can have."""

HandKey = tuple[int | None, int | None]
"""A player's hand: its position, where it has one, and its number at the position."""

LISTS: Final[dict[str, tuple[type, ...]]] = {
    "wagers": (WagerPlaced,),
    "determinants": (DeterminantDrawn,),
    "announcements": (Announced, NoMoreBets, LockoutPressed),
    "decisions": (Decision,),
    "burns": (Burned,),
    "cards_in_error": (DrawnInError, FaceUpCardFound),
    "remedies": (
        SupervisorCalled,
        DiscardsShuffledIn,
        UpCardRestored,
        HandDeclaredDead,
        RoundVoided,
    ),
    "settlements": (WagerSettled,),
    "collections": (CardsCollected,),
    "stub": (StubPlaced, StubCounted),
}
"""The lists of a round's events, by the kinds that stand in each."""

CARD_KINDS: Final = (CardDealt, CardExposed)
"""Kinds that are told as cards of a hand, not as events."""


def round_object(round_: Round, book: Book) -> dict[str, Any]:
    """Return a round as it is printed on one line.

    ``hands`` are the players', each with its cards in the order in which it got them, a split
    hand's second card in the hand that it began; ``dealers_cards`` and ``bankers_cards`` the
    house's. ``cards_out_of_deck`` counts every card that left the deck or shoe, ``other_cards``
    lists those that went to no hand. Every event of the round but a card dealt or turned up
    stands in one of the lists: a burn in ``burns``, also where the card burned was dealt before,
    a determinant in ``determinants``, also where it was dealt.
    """
    dealt = [card for card in round_.cards if card.place == DEALT]
    lists: dict[str, list[dict[str, Any]]] = {name: [] for name in (*LISTS, "other_events")}
    for event in round_.events:
        if not isinstance(event.body, CARD_KINDS):
            lists[_list_of(event)].append(_event_object(event))
    return {
        "table": round_.table,
        "game": round_.game,
        "round": round_.number,
        "opened": format_time(round_.opened_at),
        "closed": format_time(round_.closed_at),
        "ended": round_.ended,
        "dealer": round_.dealer,
        "deck": round_.deck,
        "positions": list(round_.positions),
        "hands": [
            {"position": position, "hand": hand, "cards": [_card_object(card) for card in cards]}
            for (position, hand), cards in _hands(round_)
        ],
        "dealers_cards": [_card_object(card) for card in dealt if card.to == "dealer"],
        "bankers_cards": [_card_object(card) for card in dealt if card.to == "banker"],
        "other_cards": [
            {"place": card.place, **_card_object(card)}
            for card in round_.cards
            if card.place != DEALT
        ],
        "cards_out_of_deck": len(round_.cards),
        "expected_stub": round_.expected_stub,
        "counted_stub": round_.counted_stub,
        **lists,
        "gap": round_.gap,
        "events_not_kept": round_.dropped_events,
        "findings": [
            {"code": code, "clause": book.clause(code, round_.game), "id": id_}
            for code, id_ in round_.findings
        ],
    }


def round_text(round_: Round, book: Book) -> Iterator[str]:
    """Yield a round as lines to be read: hands, counts, findings, then all events in order.

    A card in brackets was dealt face down; ``*`` says that it was turned up, ``??`` that the
    device did not read it.
    """
    dealer = f"  dealer {round_.dealer}" if round_.dealer else ""
    deck = f"  deck {round_.deck}" if round_.deck else ""
    yield (
        f"{round_.table}  round {round_.number}  {round_.game or '?'}  {round_.ended}"
        f"  {format_time(round_.opened_at)} to {format_time(round_.closed_at)}{dealer}{deck}"
    )
    dealt = [card for card in round_.cards if card.place == DEALT]
    for (position, hand), cards in _hands(round_):
        name = "player" if position is None else f"position {position}"
        number = "" if hand in (None, 1) else f" hand {hand}"
        yield f"  {name + number:<20}{_cards_text(cards)}"
    for to in ("dealer", "banker"):
        cards = [card for card in dealt if card.to == to]
        if cards:
            yield f"  {to:<20}{_cards_text(cards)}"
    for card in round_.cards:
        if card.place != DEALT:
            yield f"  {card.place.replace('_', ' '):<20}{_cards_text([card])}"
    yield f"  {'out of the deck':<20}{len(round_.cards)}"
    if round_.expected_stub is not None:
        count = round_.counted_stub
        counted = "not counted before it ended" if count is None else f"counted {count}"
        yield f"  {'stub':<20}expected {round_.expected_stub}, {counted}"
    if round_.gap:
        yield "  incomplete          events are missing"
    if round_.dropped_events:
        yield f"  incomplete          {round_.dropped_events} further events were not kept"
    for code, id_ in round_.findings:
        rule = book.rules[code]
        clause = book.clause(code, round_.game)
        yield f"  {'finding':<20}{rule.title} ({code}, {clause}, {rule.severity}, {id_})"
    for event in round_.events:
        body = event.body
        own = " ".join(f"{name}={value}" for name, value in _own_fields(event).items())
        yield f"    {format_time(event.at):<27} {body.kind:<18} {own:<60} {event.identity}"


def _hands(round_: Round) -> list[tuple[HandKey, list[RoundCard]]]:
    """Return the players' hands by position and number, each with its cards in order.

    A split moves the hand's second card to the position's lowest number that no split has used.
    """
    dealt = {card.event: card for card in round_.cards if card.place == DEALT}
    told = {event.identity for event in round_.events}
    hands: dict[HandKey, list[RoundCard]] = {}
    split: set[HandKey] = set()
    for event in round_.events:
        body = event.body
        card = dealt.get(event.identity)
        if card is not None and card.to == "player":
            hands.setdefault((card.position, card.hand), []).append(card)
        elif isinstance(body, Decision) and body.action == "split":
            key = (body.position, body.hand or 1)
            numbers = ((body.position, number) for number in range(2, MOST_HANDS + 1))
            other = next((each for each in numbers if each not in split), None)
            split.add(key)
            if other is not None and len(hands.get(key, [])) > 1:
                split.add(other)
                hands.setdefault(other, []).append(hands[key].pop(1))
    for card in round_.cards:
        if card.place == DEALT and card.to == "player" and card.event not in told:
            hands.setdefault((card.position, card.hand), []).append(card)
    return sorted(hands.items(), key=lambda hand: (hand[0][0] or 0, hand[0][1] or 0))


def _list_of(event: Event) -> str:
    """Return the list in which an event that is no card stands."""
    for name, kinds in LISTS.items():
        if isinstance(event.body, kinds):
            return name
    return "other_events"


def _event_object(event: Event) -> dict[str, Any]:
    """Return an event's time, kind, fields that are there, and identity."""
    return {
        "at": format_time(event.at),
        "kind": event.body.kind,
        **_own_fields(event),
        "event": event.identity,
    }


def _own_fields(event: Event) -> dict[str, Any]:
    """Return the fields of an event's kind that are there."""
    body = event.body
    own = {each.name: getattr(body, each.name) for each in fields(body)}
    return {name: value for name, value in own.items() if value is not None}


def _card_object(card: RoundCard) -> dict[str, Any]:
    """Return a card as it left the deck; ``card`` is null where the device did not read it."""
    shown: dict[str, Any] = {"card": card.card}
    if card.face is not None:
        shown["face"] = card.face
    if card.side is not None:
        shown["side"] = card.side
    shown["at"] = format_time(card.at)
    if card.exposed_at is not None:
        shown["exposed"] = format_time(card.exposed_at)
    shown["event"] = card.event
    return shown


def _cards_text(cards: list[RoundCard]) -> str:
    """Return cards in order, those dealt face down in brackets."""
    return " ".join(
        f"[{card.card or UNREAD}]{'*' if card.exposed_at is not None else ''}"
        if card.face == "down"
        else f"{card.card or UNREAD}"
        for card in cards
    )
