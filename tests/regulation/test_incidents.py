"""Incidents that did happen, retold as rounds, each caught by the code that should catch it.

Where a house was fined, nobody at the table had seen what the cards showed. Each test says when
Pitwatch tells of it, and that it tells of nothing else.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, permutations
from random import Random
from typing import Final

import pytest

from producers.simulator.blackjack.dealer import BlackjackDealer
from producers.simulator.chemin_de_fer.dealer import CheminDeFerDealer
from producers.simulator.setups import Setup
from producers.simulator.turns import MISHAPS, Item
from streams.core.cards import RANKS, SUITS, Card
from streams.core.events import (
    Body,
    Burned,
    CardDealt,
    CardsLoaded,
    CutCardReached,
    DealerArrived,
    RackCounted,
    RoundClosed,
    ShoeEmptied,
    ShuffleCompleted,
    StubCounted,
    StubPlaced,
)
from streams.core.findings import Finding
from tests.blackjack_rounds import SINGLE, script, table
from tests.traces import CARIBBEAN, SHUFFLE, events, findings, legal, opened, raised, without

PACK: Final = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
"""A new pack as the maker leaves it."""

ROUND: Final = "w1 w2 1:TS 2:4H D:8C 1:7D 2:3D =1:17 1:stand =2:7 2:stand dealers_card D:KH close"
ORDERS: Final = tuple(permutations(SUITS))
"""So many rounds take each card of a rank as often as six decks hold it."""


def round_of_blackjack(number: int = 0) -> list[Body]:
    """Return a legal round whose cards have other suits for each number."""
    suits = cycle(ORDERS[number % len(ORDERS)])
    return [
        replace(body, card=Card(body.card[0] + next(suits)))
        if isinstance(body, CardDealt) and body.card is not None
        else body
        for body in script(ROUND)
    ]


def blackjack_rounds(number: int, start: int = 0) -> list[Body]:
    """Return so many legal rounds, one after the other."""
    return [body for each in range(start, start + number) for body in round_of_blackjack(each)]


def dealt_from(cards: Sequence[Card]) -> list[Body]:
    """Return a legal round of Caribbean stud whose cards are the first of these."""
    left = iter(cards)
    return [
        replace(body, card=next(left)) if isinstance(body, CardDealt) else body
        for body in legal(CARIBBEAN)
    ]


def sent(items: Sequence[Item]) -> list[Body]:
    return [item for item in items if not isinstance(item, MISHAPS)]


def chemin_de_fer(seed: int) -> CheminDeFerDealer:
    setup = Setup("CF-01", "chemin_de_fer", "shoe", 8, 12)
    return CheminDeFerDealer(setup, Random(seed))


def coups(dealer: CheminDeFerDealer, number: int) -> list[Body]:
    """Deal legal coups from the shoe as it lies."""
    turns = [dealer.plain() for _ in range(number)]
    return sent([item for turn in turns for item in (*turn.before, *turn.during)])


def told(trace: Sequence[Body]) -> list[Finding]:
    return [each for each in findings(trace) if each.state == "raised"]


# Pennsylvania, 2017: the dealers of one blackjack table put no first card into the discard rack,
# seven times on one day and nine on another.


@pytest.mark.parametrize("times", [7, 9])
def test_the_first_card_of_the_shoe_is_not_burned_time_and_again(times: int) -> None:
    trace = table(SINGLE, round_of_blackjack())
    for number in range(times):
        trace += [
            *(CutCardReached(), *round_of_blackjack(), ShoeEmptied(90), ShuffleCompleted("hand")),
            *(CardsLoaded(312), DealerArrived(f"D{number + 2}")),
            *(*round_of_blackjack(), *round_of_blackjack(1)),
        ]
    missing = told(trace)
    assert [each.code for each in missing] == ["burn_missing"] * times
    assert all(each.detail == {"reason": "new_set"} for each in missing)
    assert [each.round for each in missing] == [3 * number + 3 for number in range(times)]
    burned: list[Body] = []
    for body in trace:
        burned += [body, Burned("discard_rack")] if isinstance(body, DealerArrived) else [body]
    assert raised(burned) == []


# Pennsylvania, 2018: for about 420 hands a pack had no queen of diamonds and two jacks, for a
# damaged card had been replaced by the wrong one. Whoever only counts the cards finds all 52.


def test_a_wrong_replacement_card_is_seen_although_every_count_is_right() -> None:
    pack = [Card("JD") if card == "QD" else card for card in PACK]
    rng = Random(420)
    trace: list[Body] = [opened(CARIBBEAN)]
    both: list[int] = []
    for number in range(1, 71):
        rng.shuffle(pack)
        if pack[:20].count(Card("JD")) == 2:
            both.append(number)
        trace += [SHUFFLE, *without(dealt_from(pack), RoundClosed), StubCounted(32), RoundClosed()]
    copies = told(trace)
    assert len(both) > 5
    assert [(each.code, each.round) for each in copies] == [
        ("duplicate_card", number) for number in both
    ]
    assert all(each.detail == {"copies": 2, "decks": 1} for each in copies)


def test_a_wrong_replacement_card_is_seen_in_a_shoe_when_one_jack_too_many_came() -> None:
    dealer = BlackjackDealer(Setup("BJ-01", "blackjack", "shoe", 6, 7), Random(2018))
    trace = sent(dealer.open())
    shoe = dealer.shoes[None]
    shoe.cards.remove(Card("QD"))
    shoe.cards.insert(0, Card("JD"))
    # All seven jacks are among the first two hundred cards; the list is dealt from its end.
    others = [card for card in shoe.cards if card != "JD"]
    for place in range(7):
        others.insert(len(others) - 20 - 25 * place, Card("JD"))
    shoe.cards[:] = others
    while not shoe.reached:
        turn = dealer.plain()
        trace += sent([*turn.before, *turn.during])
    (copy,) = told(trace)
    assert (copy.code, copy.detail) == ("duplicate_card", {"copies": 7, "decks": 6})
    seen = [body for body in trace if isinstance(body, CardDealt) and body.card == "JD"]
    assert len(seen) == 7
    assert copy.events[-1] == identity(trace, seen[-1])


def identity(trace: Sequence[Body], body: Body) -> str:
    """Return the identity of the event with this very body."""
    place = next(at for at, each in enumerate(trace) if each is body)
    return events(trace)[place].identity


# Pennsylvania, 2015: a damaged seven of hearts was laid aside and play went on for 42 hands; a
# jack of spades lay in the well of a table for 32. The shuffler showed a red light all the while.


@pytest.mark.parametrize("rounds", [42, 32])
def test_play_goes_on_while_the_shuffler_counts_a_card_too_few(rounds: int) -> None:
    short = ShuffleCompleted("automatic", cards=51)
    trace: list[Body] = [opened(CARIBBEAN), SHUFFLE, *legal(CARIBBEAN)]
    for number in range(rounds):
        trace += [short, *legal(CARIBBEAN)]
        if number % 4 == 2:
            trace += [StubCounted(31)]
    told_of = told(trace)
    assert told_of[0].code == "shuffler_count_wrong"
    assert told_of[0].detail == {"expected": 52, "counted": 51}
    suspect = [each for each in told_of if each.code == "suspect_cards_in_play"]
    assert [each.round for each in suspect] == list(range(2, rounds + 2))
    assert told_of[0].events[-1] in suspect[0].events
    # The stub, counted by hand, says the same at its first count, and it stands from then on.
    assert [each.round for each in told_of if each.code == "stub_count_wrong"] == [4]
    assert {each.code for each in told_of} == {
        "shuffler_count_wrong",
        "suspect_cards_in_play",
        "stub_count_wrong",
    }


# Pennsylvania, 2017: warnings of shufflers were ignored seven times; sixteen cards stayed inside a
# shuffler that was taken away, and 46 rounds were dealt from six short decks.


def test_seven_warnings_of_the_shuffler_are_seven_findings() -> None:
    trace: list[Body] = [opened(CARIBBEAN)]
    for _ in range(7):
        trace += [ShuffleCompleted("automatic", cards=50), *legal(CARIBBEAN)]
        trace += [StubCounted(32), SHUFFLE, *legal(CARIBBEAN)]
    assert raised(trace) == ["shuffler_count_wrong", "suspect_cards_in_play"] * 7


def test_sixteen_cards_left_in_the_shuffler_are_missed_before_the_first_round() -> None:
    counted = ShuffleCompleted("automatic", cards=312 - 16)
    load: list[Body] = [counted, CardsLoaded(296), Burned("discard_rack")]
    trace = [*without(without(table(SINGLE), ShuffleCompleted), Burned)[:-1], *load]
    trace += [*blackjack_rounds(22), CutCardReached(), *round_of_blackjack(22), ShoeEmptied(157)]
    trace += [*load, *blackjack_rounds(23, 23)]
    warning, *suspect = told(trace)
    assert (warning.code, warning.round) == ("shuffler_count_wrong", 0)
    assert warning.detail == {"expected": 312, "counted": 296}
    assert [(each.code, each.round) for each in suspect] == [
        ("suspect_cards_in_play", number) for number in range(1, 47)
    ]


def test_sixteen_cards_missing_are_found_by_hand_when_the_shoe_is_emptied() -> None:
    trace = table(SINGLE, blackjack_rounds(3))
    trace += [CutCardReached(), *round_of_blackjack(4), ShoeEmptied(271), RackCounted(296)]
    trace += [ShuffleCompleted("hand"), CardsLoaded(296), Burned("discard_rack")]
    missing, *suspect = told([*trace, *round_of_blackjack(), *round_of_blackjack(1)])
    assert missing.code == "cards_missing"
    assert missing.detail == {"expected": 312, "counted": 296}
    assert [(each.code, each.round) for each in suspect] == [
        ("suspect_cards_in_play", 5),
        ("suspect_cards_in_play", 6),
    ]


# The same house, 2018: a shuffler stood in the mode that sorts the pack; sixteen hands of poker
# were dealt from it.


def test_a_shuffler_that_sorts_is_seen_in_every_round() -> None:
    trace: list[Body] = [opened(CARIBBEAN)]
    for number in range(16):
        if number % 4 == 3:
            trace += [SHUFFLE, *without(dealt_from(PACK), StubPlaced)][:-1]
            trace += [StubCounted(32), RoundClosed()]
        else:
            trace += [SHUFFLE, *dealt_from(PACK)]
    ordered = told(trace)
    assert [(each.code, each.round) for each in ordered] == [
        ("ordered_cards", number) for number in range(1, 17)
    ]
    assert all(each.detail == {"reason": "pack_order", "cards": 10} for each in ordered)


# New Jersey, 2012: eight packs that were sold as shuffled came in the maker's order; the players
# saw it and won 41 coups with ever higher wagers.


def test_packs_sold_as_shuffled_that_are_not_are_seen_in_the_second_coup() -> None:
    dealer = chemin_de_fer(2012)
    dealer.open()
    dealer.shoe.cards[:] = list(PACK * 8)[::-1]
    trace: list[Body] = [
        dealer.setup.opened(),
        DealerArrived("D1"),
        CardsLoaded(416, preshuffled=True),
        *coups(dealer, 41),
    ]
    (ordered,) = told(trace)
    assert (ordered.code, ordered.detail) == (
        "ordered_cards",
        {"reason": "pack_order", "cards": 10},
    )
    tenth = [body for body in trace if isinstance(body, CardDealt)][9]
    assert ordered.events[-1] == identity(trace, tenth)
    assert ordered.round <= 3


# New Jersey, 2011: baccarat was dealt for three and a half hours from cards that nobody shuffled.


def test_a_shoe_dealt_again_as_it_was_is_seen_at_the_load_and_by_its_first_cards() -> None:
    dealer = chemin_de_fer(2011)
    trace = sent(dealer.open())
    order = list(dealer.shoe.cards)
    trace += coups(dealer, 60)
    dealer.shoe.cards[:] = order
    dealer.shoe.reached = False
    unshuffled = [*trace, CardsLoaded(416), *coups(dealer, 60)]
    load, repeated = told(unshuffled)
    assert (load.code, load.round) == ("unshuffled_shoe", 60)
    assert (repeated.code, repeated.detail) == (
        "ordered_cards",
        {"reason": "same_as_earlier", "cards": 20},
    )
    assert 61 < repeated.round <= 65
    # Where somebody says that the cards were shuffled, their order still says that they were not.
    said = [*trace, ShuffleCompleted("hand"), CardsLoaded(416), *unshuffled[len(trace) + 1 :]]
    assert raised(said) == ["ordered_cards"]


# New Jersey, 2012 and 2013: in nine plays new cards went into a game with no shuffle between, for
# twelve rounds, six, four, two and two; each time it was found by chance.


def test_each_set_of_cards_that_is_loaded_unshuffled_is_told_before_its_first_round() -> None:
    trace = table(SINGLE, round_of_blackjack())
    due: list[tuple[str, int]] = []
    closed = 1
    for rounds in (12, 6, 4, 2, 2, 1, 1, 1, 1):
        trace += [CutCardReached(), *round_of_blackjack(closed), ShoeEmptied(80), RackCounted(312)]
        trace += [CardsLoaded(312), Burned("discard_rack")]
        closed += 1
        due.append(("unshuffled_shoe", closed))
        trace += blackjack_rounds(rounds, closed)
        closed += rounds
    assert [(each.code, each.round) for each in told(trace)] == due


# New Jersey, 2014: cards were brought into a game of blackjack unshuffled, and four rounds dealt of
# them. The chips with which a player's losses were then made good are in no event of a table.


def test_four_rounds_of_cards_brought_in_unshuffled_are_told_once() -> None:
    trace = [*table(SINGLE, round_of_blackjack()), CutCardReached(), *round_of_blackjack(1)]
    trace += [ShoeEmptied(80), RackCounted(312)]
    assert raised(trace) == []
    trace += [CardsLoaded(312), Burned("discard_rack"), *blackjack_rounds(4, 2)]
    assert raised(trace) == ["unshuffled_shoe"]


# The same cards used on, after their cut card came, are told in every round.


def test_every_round_dealt_after_the_shuffle_was_due_is_told() -> None:
    trace = table(SINGLE, round_of_blackjack())
    trace += [CutCardReached(), *round_of_blackjack(1)]
    assert raised(trace) == []
    trace += blackjack_rounds(4, 2)
    assert [(each.code, each.round) for each in told(trace)] == [
        ("shuffle_overdue", number) for number in (3, 4, 5, 6)
    ]
