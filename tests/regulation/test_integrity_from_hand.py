"""The cards of a deck held in the hand: copies, counts and orders that no deck can give."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from streams.core.cards import Card
from streams.core.events import (
    Body,
    CardDealt,
    CardExposed,
    DeckRemoved,
    RoundClosed,
    ShuffleCompleted,
    StubCounted,
    StubPlaced,
)
from tests.from_hand import SPARE, both, dealt, keeps, night, right, rounds_of
from tests.traces import (
    SHUFFLE,
    SHUFFLED,
    after,
    before,
    findings,
    legal,
    observing,
    opened,
    raised,
    told,
    with_card,
    without,
)


@both
def test_integrity_one_card_is_not_seen_twice_in_a_round(game: str) -> None:
    first = next(each for each in legal(game) if isinstance(each, CardDealt))
    double = with_card(legal(game), 7, lambda card: replace(card, card=first.card))
    finding = next(each for each in findings(night(game, double)) if each.code == "duplicate_card")
    assert raised(night(game, double)) == ["duplicate_card"]
    assert finding.detail == {"copies": 2, "decks": 1}
    assert raised(observing(night(game, double), "cards")) == []
    keeps(night(game, legal(game), legal(game)))
    unread = with_card(legal(game), 7, lambda card: replace(card, card=None))
    keeps(night(game, unread))


@both
def test_integrity_the_shufflers_own_count_is_the_whole_deck(game: str) -> None:
    short = ShuffleCompleted("automatic", cards=51)
    assert told([opened(game), short]) == [("shuffler_count_wrong", "raised", 0)]
    assert told([opened(game), short, SHUFFLE])[1:] == [("shuffler_count_wrong", "cleared", 0)]
    assert told([opened(game), short, DeckRemoved()])[1:] == [
        ("shuffler_count_wrong", "cleared", 0)
    ]
    assert len(told([opened(game), short, short])) == 1
    keeps([opened(game), ShuffleCompleted("automatic"), ShuffleCompleted("hand", cards=51)])


@both
def test_integrity_no_round_is_dealt_with_suspect_cards(game: str) -> None:
    suspect = [opened(game), ShuffleCompleted("automatic", cards=51), *legal(game)]
    assert raised(suspect) == ["shuffler_count_wrong", "suspect_cards_in_play"]
    wrong = findings(
        [*night(game, legal(game)), StubCounted(20), ShuffleCompleted("automatic"), *legal(game)]
    )
    assert [each.code for each in wrong] == ["stub_count_wrong", "suspect_cards_in_play"]
    assert wrong[1].detail == {"standing": "stub_count_wrong"}
    assert wrong[0].events[-1] in wrong[1].events
    keeps([*night(game, legal(game)), right(game), SHUFFLE, *legal(game)])


@both
@pytest.mark.parametrize("falling", [False, True])
def test_integrity_ten_cards_in_pack_order_were_not_shuffled(game: str, falling: bool) -> None:
    order = "432AKQJT98" if falling else "TJQKA23456"
    run = [Card(rank + ("S" if place < 4 else "H")) for place, rank in enumerate(order)]

    spare = [Card(rank + suit) for rank in "37JA59K2684TQ" for suit in "DC"]

    def dealt(cards: list[Card]) -> list[Body]:
        left = iter([*spare[:2], *cards, *spare[2:]])
        return night(
            game,
            [
                replace(each, card=next(left)) if isinstance(each, CardDealt) else each
                for each in legal(game)
            ],
        )

    finding = next(each for each in findings(dealt(run)) if each.code == "ordered_cards")
    assert raised(dealt(run)) == ["ordered_cards"]
    assert finding.detail == {"reason": "pack_order", "cards": 10}
    keeps(dealt(run[:9]))


# duplicate_card, with unread and exposed cards


@both
def test_integrity_a_card_unread_when_dealt_counts_when_it_is_turned_up(game: str) -> None:
    trace = with_card(legal(game), 6, lambda card: replace(card, card=None))
    seen = CardExposed("player", 3, card=SHUFFLED[0])
    copied = findings(night(game, after(trace, StubPlaced, seen)))
    assert [(each.code, each.position) for each in copied] == [("duplicate_card", 3)]
    own = CardExposed("player", 3, card=SHUFFLED[5])
    assert raised(night(game, after(trace, StubPlaced, own))) == []
    unread = CardExposed("player", 3)
    (ended,) = rounds_of(night(game, after(trace, StubPlaced, unread)))
    assert [card.card for card in ended.cards][5] is None
    assert sum(card.exposed_at is not None for card in ended.cards) == 1


@both
def test_integrity_a_card_read_twice_is_one_card(game: str) -> None:
    shown = [CardExposed("player", 3, card=card.card) for card in dealt(legal(game))[1:19:4]]
    trace = night(game, before(legal(game), RoundClosed, *shown))
    assert raised(trace) == []
    (ended,) = rounds_of(trace)
    assert sum(card.exposed_at is not None for card in ended.cards) == 5
    again = before(legal(game), RoundClosed, *shown, *shown)
    assert raised(night(game, again)) == []
    other = CardExposed("player", 3, card=SPARE)
    assert raised(night(game, before(legal(game), RoundClosed, other))) == []
    nobody = CardExposed("player", 6, card=SHUFFLED[0])
    assert raised(night(game, before(legal(game), RoundClosed, nobody))) == []
    assert raised([opened(game), nobody]) == []


@both
def test_integrity_each_copied_card_is_one_finding_a_round(game: str) -> None:
    trace = with_card(legal(game), 7, lambda card: replace(card, card=SHUFFLED[0]))
    trace = with_card(trace, 9, lambda card: replace(card, card=SHUFFLED[0]))
    trace = with_card(trace, 10, lambda card: replace(card, card=SHUFFLED[1]))
    assert raised(night(game, trace)) == ["duplicate_card"] * 2
    assert raised(night(game, trace, trace)) == ["duplicate_card"] * 4


@both
def test_integrity_two_packs_hold_two_of_each(game: str) -> None:
    trace = with_card(legal(game), 7, lambda card: replace(card, card=SHUFFLED[0]))
    setup = opened(game, decks=2)
    assert raised([setup, replace(SHUFFLE, cards=104), *trace]) == []
    thrice = with_card(trace, 9, lambda card: replace(card, card=SHUFFLED[0]))
    (finding,) = findings([setup, replace(SHUFFLE, cards=104), *thrice])
    assert (finding.code, finding.detail) == ("duplicate_card", {"copies": 3, "decks": 2})


# ordered_cards


def in_order(game: str, cards: Sequence[Card | None], skip: int = 2) -> list[Body]:
    """Return a legal round whose cards after some others are these."""
    spare = [card for card in SHUFFLED if card not in cards]
    left = iter([*spare[:skip], *cards, *spare[skip:]])
    return [
        replace(each, card=next(left)) if isinstance(each, CardDealt) else each
        for each in legal(game)
    ]


RISING = [Card(f"{rank}S") for rank in "3456789TJQ"]


@both
@pytest.mark.parametrize(
    ("cards", "ordered"),
    [
        (RISING, True),
        (RISING[::-1], True),
        ([Card(f"{rank}S") for rank in "9TJQK"] + [Card(f"{rank}D") for rank in "A2345"], True),
        ([Card(f"{rank}C") for rank in "5432A"] + [Card(f"{rank}H") for rank in "KQJT9"], True),
        ([Card(f"{rank}S") for rank in "9TJQK"] + [Card(f"{rank}S") for rank in "A2345"], True),
        ([Card(f"{rank}S") for rank in "34567"] + [Card(f"{rank}H") for rank in "89TJQ"], False),
        ([*RISING[:5], *RISING[6:]], False),
        ([*RISING[:5], None, *RISING[5:]], False),
        ([*RISING[:5], *(Card(f"{rank}H") for rank in "TQJ98")], False),
        (RISING[:9], False),
    ],
)
def test_integrity_pack_order_rises_or_falls_within_a_suit_and_crosses_at_its_end(
    game: str, cards: Sequence[Card | None], ordered: bool
) -> None:
    assert raised(night(game, in_order(game, cards))) == (["ordered_cards"] if ordered else [])


@both
def test_integrity_a_run_is_told_once_a_round_and_ends_with_it(game: str) -> None:
    long = [Card(f"{rank}S") for rank in "A23456789TJQK"]
    assert raised(night(game, in_order(game, long))) == ["ordered_cards"]
    assert raised(night(game, *[in_order(game, long)] * 2)) == ["ordered_cards"] * 2
    many = len(dealt(legal(game)))
    tail, head = in_order(game, RISING[:5], many - 5), in_order(game, RISING[5:], 0)
    assert raised(night(game, tail, head)) == []


@both
def test_integrity_a_shuffle_breaks_a_run(game: str) -> None:
    trace = before(in_order(game, RISING), CardDealt, SHUFFLE, number=8)
    assert "ordered_cards" not in raised(night(game, trace))
    assert raised(observing(night(game, in_order(game, RISING)), "cards")) == []


# findings are told of a table, not of what it is dealt


@both
def test_suspect_cards_are_told_once_a_round_for_each_round(game: str) -> None:
    short = replace(SHUFFLE, cards=51)
    trace: list[Body] = [opened(game), short, *legal(game), short, *legal(game)]
    assert raised(trace) == [
        "shuffler_count_wrong",
        "suspect_cards_in_play",
        "suspect_cards_in_play",
    ]
    assert raised([opened(game), short, *without(legal(game), CardDealt)]) == [
        "shuffler_count_wrong"
    ]
