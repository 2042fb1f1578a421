"""16.8(d), (e) and 27.8(d), (e), clause by clause: where the stub goes, and its count."""

from dataclasses import replace

import pytest

from streams.core.events import (
    Body,
    CardDealt,
    DeckRemoved,
    DrawnInError,
    FaceUpCardFound,
    RoundClosed,
    RoundVoided,
    ShuffleCompleted,
    StubCounted,
    StubPlaced,
    TableClosed,
    WagerPlaced,
)
from tests.from_hand import SPARE, both, breaks, dealt, keeps, night, right, rounds_of
from tests.traces import (
    SHUFFLE,
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
def test_d_the_stub_is_placed_without_exposing_the_cards(game: str) -> None:
    shown = [
        StubPlaced(exposed=True) if isinstance(each, StubPlaced) else each for each in legal(game)
    ]
    breaks("stub_exposed", night(game, shown))


@both
def test_d_the_stub_is_placed_in_the_discard_rack(game: str) -> None:
    missing = without(legal(game), StubPlaced)
    breaks("stub_not_placed", night(game, missing))
    count = StubCounted(52 - len([each for each in missing if isinstance(each, CardDealt)]))
    keeps(night(game, before(missing, RoundClosed, count)))
    keeps(night(game, before(missing, RoundClosed, RoundVoided())))
    keeps(night(game, [WagerPlaced(1, "ante"), RoundClosed()]))


def overdue(game: str, rounds: int = 5) -> list[Body]:
    return night(game, *(legal(game) for _ in range(rounds)))


@both
def test_e_the_stub_is_counted_at_least_once_every_five_rounds(game: str) -> None:
    assert told(overdue(game, 4)) == []
    assert told(overdue(game, 7)) == [("stub_count_overdue", "raised", 5)]
    (finding,) = findings(overdue(game, 5))
    assert finding.detail == {"rounds": 5}
    assert raised(observing(overdue(game), "stub")) == []


@both
def test_e_a_count_in_or_after_a_round_starts_the_five_anew(game: str) -> None:
    counted = before(legal(game), RoundClosed, right(game))
    plain = legal(game)
    assert told(night(game, *[plain] * 4, counted, *[plain] * 4)) == []
    assert told(night(game, *[plain] * 4, counted, *[plain] * 5)) == [
        ("stub_count_overdue", "raised", 10)
    ]
    between = [*overdue(game, 4), right(game), *overdue(game, 4)[1:]]
    assert told(between) == []


@both
def test_e_an_overdue_count_is_cleared_by_the_next_count_right_or_wrong(game: str) -> None:
    cleared = ("stub_count_overdue", "cleared", 5)
    assert told([*overdue(game), right(game)])[1:] == [cleared]
    wrong = told([*overdue(game), StubCounted(30)])
    assert cleared in wrong
    assert ("stub_count_wrong", "raised", 5) in wrong
    first, last = (each for each in findings([*overdue(game), right(game)]))
    assert first.id == last.id


@both
def test_e_an_overdue_count_ends_with_the_table(game: str) -> None:
    cleared = ["raised", "cleared"]
    assert [state for _, state, _ in told([*overdue(game), TableClosed()])] == cleared
    assert [state for _, state, _ in told([*overdue(game), opened(game)])] == cleared
    anew = [*overdue(game, 4), opened(game), *overdue(game, 4)[1:]]
    assert told(anew) == []


@both
def test_e_voided_rounds_count_and_rounds_without_cards_do_not(game: str) -> None:
    void = before(legal(game), RoundClosed, RoundVoided())
    assert raised(night(game, *[void] * 5)) == ["stub_count_overdue"]
    empty: list[Body] = [WagerPlaced(1, "ante"), RoundClosed()]
    plain = legal(game)
    assert raised(night(game, plain, empty, plain, empty, plain, plain)) == []
    assert told(night(game, *[plain] * 4, empty)) == []
    assert told(night(game, *[plain] * 4, empty, plain)) == [("stub_count_overdue", "raised", 6)]


@both
def test_e_the_count_shows_that_the_deck_is_whole(game: str) -> None:
    whole = right(game)
    short = StubCounted(whole.cards - 1)
    finding = breaks("stub_count_wrong", night(game, before(legal(game), RoundClosed, short)))
    assert finding.detail == {"expected": whole.cards, "counted": whole.cards - 1}
    keeps(night(game, before(legal(game), RoundClosed, whole)))
    assert told([*night(game, legal(game)), short]) == [("stub_count_wrong", "raised", 1)]
    keeps([*night(game, legal(game)), whole])
    keeps([opened(game), SHUFFLE, StubCounted(40)])


@both
@pytest.mark.parametrize(
    ("remedy", "clears"),
    [
        ("right count", True),
        ("deck removed", True),
        ("automatic shuffle with 52", True),
        ("automatic shuffle uncounted", False),
        ("automatic shuffle with 51", False),
        ("shuffle by hand", False),
    ],
)
def test_e_a_wrong_count_stands_until_the_deck_is_shown_whole(
    game: str, remedy: str, clears: bool
) -> None:
    bodies: dict[str, Body] = {
        "right count": right(game),
        "deck removed": DeckRemoved(),
        "automatic shuffle with 52": SHUFFLE,
        "automatic shuffle uncounted": ShuffleCompleted("automatic"),
        "automatic shuffle with 51": ShuffleCompleted("automatic", cards=51),
        "shuffle by hand": ShuffleCompleted("hand", cards=52),
    }
    trace = [*night(game, legal(game)), StubCounted(20), bodies[remedy]]
    assert (("stub_count_wrong", "cleared", 1) in told(trace)) is clears


@both
def test_e_a_second_count_of_a_round_replaces_the_first(game: str) -> None:
    recount = before(legal(game), RoundClosed, StubCounted(20), right(game))
    assert told(night(game, recount)) == [
        ("stub_count_wrong", "raised", 1),
        ("stub_count_wrong", "cleared", 1),
    ]


# where traces are not plain


@both
def test_d_the_stub_can_be_exposed_after_the_round_too(game: str) -> None:
    trace = [*night(game, legal(game)), StubPlaced(exposed=True)]
    assert told(trace) == [("stub_exposed", "raised", 1)]
    assert told([*trace, StubPlaced(exposed=True)]) == [("stub_exposed", "raised", 1)]
    assert raised(observing(trace, "stub")) == []


@both
def test_e_a_count_before_any_round_is_of_no_stub(game: str) -> None:
    assert raised([opened(game), StubCounted(3)]) == []
    anew = [*night(game, legal(game)), opened(game), StubCounted(3)]
    assert raised(anew) == []


@both
def test_e_overdue_then_counted_wrong_then_right(game: str) -> None:
    trace = [*night(game, *[legal(game)] * 5), right(game, by=2), right(game)]
    assert told(trace) == [
        ("stub_count_overdue", "raised", 5),
        ("stub_count_overdue", "cleared", 5),
        ("stub_count_wrong", "raised", 5),
        ("stub_count_wrong", "cleared", 5),
    ]


@both
def test_e_an_overdue_count_is_raised_anew_five_rounds_after_the_count(game: str) -> None:
    trace = [*night(game, *[legal(game)] * 5), right(game)]
    assert raised([*trace, *night(game, *[legal(game)] * 4)[1:]]) == ["stub_count_overdue"]
    assert raised([*trace, *night(game, *[legal(game)] * 5)[1:]]) == ["stub_count_overdue"] * 2


@both
def test_e_an_overdue_count_survives_what_does_not_end_it(game: str) -> None:
    trace = night(game, *[legal(game)] * 5)
    more = [*trace, SHUFFLE, *legal(game)]
    assert told(more) == [("stub_count_overdue", "raised", 5)]
    cleared = findings([*more, TableClosed()])[-1]
    assert (cleared.state, cleared.round, cleared.detail) == ("cleared", 6, {"rounds": 5})


@both
def test_e_a_wrong_count_survives_the_tables_closing_and_opening(game: str) -> None:
    trace = [*night(game, legal(game)), right(game, by=1), TableClosed(), opened(game)]
    assert told(trace) == [("stub_count_wrong", "raised", 1)]
    assert told([*trace, SHUFFLE])[1:] == [("stub_count_wrong", "cleared", 0)]


@both
def test_e_two_packs_in_one_deck_are_counted_as_two(game: str) -> None:
    trace = [opened(game, decks=2), replace(SHUFFLE, cards=104), *legal(game)]
    assert raised([*trace, right(game, by=52)]) == []
    assert raised([*trace, right(game)]) == ["stub_count_wrong"]
    (ended,) = rounds_of(trace)
    assert ended.expected_stub == right(game).cards + 52


# cards that left once


@both
@pytest.mark.parametrize("read", ["both", "neither", "drawing", "dealing"])
def test_e_a_card_drawn_in_error_and_then_dealt_leaves_once(game: str, read: str) -> None:
    trace = legal(game)
    next_card = dealt(trace)[6].card
    drawn = DrawnInError(exposed=False, card=next_card if read in ("both", "drawing") else None)
    trace = before(trace, CardDealt, drawn, number=7)
    if read in ("neither", "drawing"):
        trace = with_card(trace, 7, lambda card: replace(card, card=None))
    assert raised([*night(game, trace), right(game)]) == []
    (ended,) = rounds_of(night(game, trace))
    known = None if read == "neither" else next_card
    assert [card.card for card in ended.cards if card.place != "dealt"] == []
    assert [card.card for card in ended.cards][6] == known


@both
def test_e_a_card_drawn_in_error_and_put_aside_is_out_of_the_stub(game: str) -> None:
    trace = before(legal(game), CardDealt, DrawnInError(exposed=True, card=SPARE), number=7)
    assert raised([*night(game, trace), right(game, by=-1)]) == []
    unread_later = with_card(trace, 9, lambda card: replace(card, card=None))
    assert raised([*night(game, unread_later), right(game, by=-1)]) == []


@both
def test_e_a_card_drawn_in_error_and_dealt_later_is_known_again(game: str) -> None:
    cards = [card.card for card in dealt(legal(game))]
    trace = before(legal(game), CardDealt, DrawnInError(exposed=True, card=cards[8]), number=7)
    assert raised([*night(game, trace), right(game)]) == []


@both
def test_e_two_cards_drawn_in_error_are_dealt_one_after_the_other(game: str) -> None:
    drawn: list[Body] = [
        DrawnInError(exposed=False),
        FaceUpCardFound("table", SPARE),
        DrawnInError(False),
    ]
    trace = before(legal(game), CardDealt, *drawn, number=7)
    assert raised([*night(game, trace), right(game, by=-1)]) == []


@both
def test_e_a_card_found_face_up_is_out_of_the_stub(game: str) -> None:
    trace = before(legal(game), CardDealt, FaceUpCardFound("discard_rack", SPARE), number=3)
    assert raised([*night(game, trace), right(game, by=-1)]) == []
    assert raised([*night(game, trace), right(game)]) == ["stub_count_wrong"]


@both
def test_between_rounds_no_card_leaves_a_held_deck(game: str) -> None:
    stray: list[Body] = [DrawnInError(exposed=True, card=SPARE), FaceUpCardFound("table", SPARE)]
    assert raised([*night(game, legal(game)), *stray, right(game)]) == []
