"""Rounds of blackjack, written in a short hand, and tables that deal them.

One word is one event::

    w1 w3:sevens      a main wager at position 1, a sevens wager at 3
    1:TS 2:? D:9Cv    a card to position 1, one not read to 2, one face down to the dealer
    1.2:5H D.2:KS     a card to the second hand of 1, to the dealer in the second action
    x:D:9C            the dealer's card is turned up
    =1:17 =1.2:12 =D:18  an announced total
    1:draw 1.2:stand  a decision
    dealers_card      the announcement before the dealer's second card
    s1:win:1:1 s2:lose   main wagers are settled
    c1 cD             cards are picked up
    void close        the round is voided, closed
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from streams.core.cards import DECK, Card
from streams.core.events import (
    Announced,
    Body,
    Burned,
    CardDealt,
    CardExposed,
    CardsCollected,
    CardsLoaded,
    DealerArrived,
    Decision,
    DeterminantDrawn,
    RoundClosed,
    RoundVoided,
    ShuffleCompleted,
    TableOpened,
    WagerPlaced,
    WagerSettled,
)
from streams.core.findings import Finding
from tests.traces import BOOK, findings, observing, raised

SINGLE: Final = TableOpened("blackjack", "shoe", 6, 7, ("*",))
DOUBLE: Final = TableOpened("blackjack", "double_shoe", 8, 7, ("*",), red_side="left")
OPENS: Final = (WagerPlaced, DeterminantDrawn, CardDealt)
ALONE: Final[dict[str, Body]] = {
    "dealers_card": Announced("dealer", "dealers_card"),
    "void": RoundVoided(),
    "close": RoundClosed(),
}


def _hand(name: str) -> tuple[str, int | None, int | None]:
    """Return to whom, which position and which hand a name like ``1``, ``1.2`` or ``D`` is."""
    place, _, hand = name.partition(".")
    number = int(hand) if hand else None
    return ("dealer", None, number) if place == "D" else ("player", int(place), number)


def _card(word: str) -> tuple[Card | None, str]:
    """Return a card and the face with which it lies."""
    face = "down" if word.endswith("v") else "up"
    known = word.removesuffix("v")
    return (None if known == "?" else Card(known)), face


def _of_a_hand(name: str, rest: str) -> Body:
    to, position, hand = _hand(name)
    if rest.removesuffix("v") in (*DECK, "?"):
        card, face = _card(rest)
        return CardDealt(to, face, position, hand, card)
    assert position is not None
    return Decision(position, rest, hand)


def _body(word: str) -> Body:
    if word in ALONE:
        return ALONE[word]
    head, _, rest = word.partition(":")
    match head[0]:
        case "w":
            return WagerPlaced(int(head[1:]), rest or "main", 1000)
        case "x":
            name, _, card = rest.partition(":")
            to, position, hand = _hand(name)
            return CardExposed(to, position, hand, _card(card)[0])
        case "=":
            _, position, hand = _hand(head[1:])
            return Announced("dealer", "total", position, hand, int(rest))
        case "s":
            _, position, hand = _hand(head[1:])
            assert position is not None
            outcome, _, pays = rest.partition(":")
            return WagerSettled(position, "main", outcome, hand, pays or None)
        case "c":
            return CardsCollected(*_hand(head[1:]))
        case _:
            return _of_a_hand(head, rest)


def script(text: str) -> list[Body]:
    """Return the events of a text in short hand."""
    return [_body(word) for word in text.split()]


def table(setup: TableOpened, *rounds: Sequence[Body], **changes: Any) -> list[Body]:
    """Return a table with these changes of its set-up, opened and loaded, and its rounds."""
    opened = replace(setup, **changes)
    cards = opened.decks * 52
    trace: list[Body] = [opened, DealerArrived("D1")]
    if opened.dealt_from == "double_shoe":
        for side in ("left", "right"):
            trace += [
                ShuffleCompleted("hand", side=side),
                CardsLoaded(cards // 2, side),
            ]
    else:
        trace += [ShuffleCompleted("hand"), CardsLoaded(cards), Burned("discard_rack")]
    return [*trace, *(body for each in rounds for body in each)]


def between(trace: Sequence[Body], text: str, *bodies: Body) -> list[Body]:
    """Return a trace with events put before the first event of a short-hand text."""
    place = list(trace).index(_body(text))
    return [*trace[:place], *bodies, *trace[place:]]


def breaks(code: str, trace: Sequence[Body], *others: str, fact: bool = False) -> Finding:
    """Show that a trace raises a code once, with the others named, where all it needs is seen.

    In a round with a gap only what is a ``fact`` is raised all the same.
    """
    assert sorted(raised(trace)) == sorted([code, *others])
    rule = BOOK.rules[code]
    for need in rule.needs:
        assert code not in raised(observing(trace, need)), f"raised without {need}"
    finding = next(each for each in findings(trace) if each.code == code)
    assert finding.clause == BOOK.clause(code, "blackjack")
    assert set(finding.detail) <= set(rule.detail)
    closed = [place for place, body in enumerate(trace) if isinstance(body, RoundClosed)]
    start = closed[finding.round - 2] if finding.round > 1 else 0
    opened = next(at for at in range(start, len(trace)) if isinstance(trace[at], OPENS))
    assert (code in raised(trace, gap_before=opened + 1)) is fact
    return finding


def keeps(*traces: Sequence[Body]) -> None:
    """Show that nothing is raised of any trace."""
    for trace in traces:
        assert raised(trace) == []
