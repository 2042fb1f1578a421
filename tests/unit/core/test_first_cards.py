"""First cards of loads are remembered up to a number, the oldest forgotten first."""

from streams.core import events as e
from streams.core.advance import advance_all
from streams.core.cards import DECK
from streams.core.findings import FindingRaised
from streams.core.table import MOST_FIRST_CARDS, new_table
from tests.coups import OPENING
from tests.traces import BOOK, events

FIRST = 20


def load(number: int) -> list[e.Body]:
    """Return a load and its first cards, in an order of its own."""
    cards = [DECK[(place * 23 + number) % 52] for place in range(FIRST)]
    return [*OPENING[1:], *(e.Burned("discard_rack", card=card) for card in cards)]


def codes(numbers: list[int]) -> list[str]:
    return codes_of(*(load(number) for number in numbers))


def codes_of(*loads: list[e.Body]) -> list[str]:
    trace = [OPENING[0], *(body for each in loads for body in each)]
    step = advance_all(new_table("T"), events(trace), BOOK)
    assert len(step.state.first_cards) <= MOST_FIRST_CARDS
    return [each.finding.code for each in step.effects if isinstance(each, FindingRaised)]


def test_an_earlier_loads_first_cards_are_known_again() -> None:
    assert codes([*range(MOST_FIRST_CARDS), 0]) == ["ordered_cards"]


def test_those_of_the_oldest_load_are_forgotten() -> None:
    assert codes([*range(MOST_FIRST_CARDS + 1), 0]) == []


def test_a_card_that_was_not_read_is_none_of_the_first_and_hides_none() -> None:
    unread = load(0)
    unread.insert(-1, e.Burned("discard_rack"))
    assert codes_of(load(0), unread[:-1]) == []
    assert codes_of(load(0), unread) == ["ordered_cards"]
