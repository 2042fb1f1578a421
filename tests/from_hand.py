"""What tests of tables dealt from the hand share: nights, and traces that break or keep a rule."""

from collections.abc import Sequence

import pytest

from streams.core.events import (
    Body,
    CardDealt,
    CardsCollected,
    Decision,
    DeckInHand,
    DeckOutOfArea,
    LockoutPressed,
    NoMoreBets,
    RoundVoided,
    StubCounted,
    StubPlaced,
    WagerPlaced,
    WagerSettled,
)
from streams.core.findings import Finding
from streams.core.rounds import Round
from tests.traces import (
    BOOK,
    CARIBBEAN,
    FOUR_CARD,
    SHUFFLE,
    SHUFFLED,
    findings,
    observing,
    opened,
    raised,
    step_of,
)

FACTS = {
    "dealing_hand_changed",
    "deck_out_of_area",
    "stub_exposed",
    "wrong_hand_used",
    "duplicate_card",
    "shuffler_count_wrong",
    "suspect_cards_in_play",
}
"""Codes that rest on what an event itself says, and are judged after a gap too."""


IN_ROUND = (
    WagerPlaced,
    DeckInHand,
    DeckOutOfArea,
    NoMoreBets,
    LockoutPressed,
    CardDealt,
    StubPlaced,
    StubCounted,
    Decision,
    CardsCollected,
    WagerSettled,
    RoundVoided,
)
"""Kinds that do not end what came before the round."""


both = pytest.mark.parametrize("game", [CARIBBEAN, FOUR_CARD])


SPARE = SHUFFLED[-1]
"""A card that no legal round of three players deals."""


def night(game: str, *rounds: Sequence[Body]) -> list[Body]:
    """Return a table's opening and rounds with a shuffle before each."""
    trace: list[Body] = [opened(game)]
    for each in rounds:
        trace += [SHUFFLE, *each]
    return trace


def breaks(code: str, trace: Sequence[Body], *others: str) -> Finding:
    """Show that a trace raises a code once, with the others named, and return the finding."""
    said = raised(trace)
    assert sorted(said) == sorted([code, *others])
    rule = BOOK.rules[code]
    for need in rule.needs:
        assert code not in raised(observing(trace, need)), f"raised without {need}"
    finding = next(each for each in findings(trace) if each.code == code)
    assert set(finding.detail) <= set(rule.detail)
    assert finding.clause == BOOK.clause(code, finding.game)
    cause = int(finding.events[-1].rpartition("/")[2]) - 1
    begins = max(place for place in range(cause) if not isinstance(trace[place], IN_ROUND)) + 1
    assert (code in raised(trace, gap_before=begins)) is (code in FACTS)
    return finding


def keeps(trace: Sequence[Body]) -> None:
    """Show that a trace raises nothing."""
    assert raised(trace) == []


def right(game: str, by: int = 0) -> StubCounted:
    return StubCounted((32 if game == CARIBBEAN else 31) + by)


def rounds_of(trace: Sequence[Body]) -> list[Round]:
    effects = step_of(trace).effects
    return [each.round for each in effects if hasattr(each, "round")]


def dealt(trace: Sequence[Body]) -> list[CardDealt]:
    return [each for each in trace if isinstance(each, CardDealt)]
