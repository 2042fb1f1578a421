"""What is known of a card that lay face down and was turned up."""

import pytest

from streams.core.advance import advance_all
from streams.core.cards import CARDS
from streams.core.events import Body, CardExposed, RoundClosed
from streams.core.findings import RoundEnded
from streams.core.projection import view
from streams.core.table import new_table
from tests.traces import BOOK, CARIBBEAN, SHUFFLE, SHUFFLED, cards_of, events, legal, opened

DEALT = [opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN, (1,))[:-4]]
OWN = [one.card for one in cards_of(CARIBBEAN, (1,)) if one.to == "player"]
OTHER = SHUFFLED[-1]


def shown(*turned: Body) -> list[str | None]:
    """Return the cards of position 1 that may be shown after some were turned up."""
    state = advance_all(new_table("T"), events([*DEALT, *turned]), BOOK).state
    return [one.card for one in view(state).cards if one.to == "player"]


def test_each_card_is_shown_when_it_is_turned_up() -> None:
    assert shown() == [None] * 5
    third = CardExposed("player", 1, card=OWN[2])
    assert shown(third) == [None, None, OWN[2], None, None]


@pytest.mark.parametrize("other", [OTHER, CARDS["KH"]])
def test_of_a_card_read_otherwise_only_what_was_seen_is_shown(other: str) -> None:
    assert other not in OWN
    turned = shown(CardExposed("player", 1, card=CARDS[other]))
    assert [card for card in turned if card is not None] == [other]


def test_the_round_has_the_card_as_it_was_seen_and_both_events() -> None:
    trace = [*DEALT, CardExposed("player", 1, card=OTHER), RoundClosed()]
    ended = advance_all(new_table("T"), events(trace), BOOK).effects[-1]
    assert isinstance(ended, RoundEnded)
    first = next(card for card in ended.round.cards if card.to == "player")
    assert (first.card, first.exposed_at) == (OTHER, events(trace)[-2].at)
    told = [event.body for event in ended.round.events]
    assert {OWN[0], OTHER} <= {getattr(body, "card", None) for body in told}


def test_a_card_turned_up_unread_is_not_named_while_it_may_be_another_of_its_hand() -> None:
    unread = CardExposed("player", 1)
    assert shown(*[unread] * 4) == [None] * 5
    assert shown(*[unread] * 5) == OWN
    known = CardExposed("player", 1, card=OWN[3])
    assert [card for card in shown(known, unread) if card is not None] == [OWN[3]]


def test_the_only_card_that_lies_down_is_known_when_it_is_turned_up_unread() -> None:
    read = [CardExposed("player", 1, card=card) for card in OWN[1:]]
    assert shown(*read, CardExposed("player", 1)) == OWN
