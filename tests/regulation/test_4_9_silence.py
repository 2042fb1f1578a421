"""4.9 where another clause speaks, where nothing is known, and at which event each speaks."""

from collections.abc import Sequence

import pytest

from streams.core.cards import Card
from streams.core.events import Announced, Body, CardDealt, CardExposed, RoundClosed
from tests.coups import coup, said, shoe
from tests.traces import before, events, findings, observing, place_of, raised, without

PLAYERS = CardDealt("player", "up", card=Card("2C"))
BANKERS = CardDealt("banker", "up", card=Card("3C"))


def dealt(player: str, banker: str) -> list[Body]:
    """Return the four cards of a coup, face up, so that nothing is left to be turned."""
    return [
        CardDealt(body.to, "up", card=body.card)
        for body in coup(player, banker)[:4]
        if isinstance(body, CardDealt)
    ]


def unread(cards: Sequence[Body], to: str) -> list[Body]:
    """Return cards of which one hand's last was not read."""
    last = max(
        place for place, body in enumerate(cards) if isinstance(body, CardDealt) and body.to == to
    )
    return [*cards[:last], CardDealt(to, "up"), *cards[last + 1 :]]


def told_at(trace: Sequence[Body]) -> list[tuple[str, Body]]:
    """Return each code raised, with the event at which it was."""
    causes = {each.identity: each.body for each in events(trace)}
    return [(each.code, causes[each.events[-1]]) for each in findings(trace)]


# (a) the dominant player


@pytest.mark.parametrize(("player", "also"), [("T2", []), ("T5", []), ("T6", ["player_must_stay"])])
def test_who_takes_a_card_unasked_is_not_said_to_have_taken_none(
    player: str, also: list[str]
) -> None:
    trace = shoe([*dealt(player, "T7"), *said("banker", "under_eight"), PLAYERS, RoundClosed()])
    assert raised(trace) == [*also, "card_not_requested"]


def test_where_announcements_are_not_seen_nobody_is_said_to_have_kept_silent() -> None:
    trace = shoe([*dealt("T2", "T7"), RoundClosed()])
    assert raised(trace) == ["player_must_draw"]
    assert raised(observing(trace, "announcements")) == []


def test_to_stay_on_a_hand_that_was_not_read_breaks_nothing() -> None:
    cards = unread(dealt("T2", "T7"), "player")
    assert raised(shoe([*cards, *said("dominant_player", "stay"), RoundClosed()])) == []


def test_the_bankers_card_is_none_that_a_silent_player_took() -> None:
    trace = shoe([*dealt("T6", "T5"), BANKERS, RoundClosed()])
    assert raised(trace) == ["stay_not_announced", "banker_card_early"]


def test_silence_shows_at_the_bankers_third_card_and_not_before() -> None:
    trace = shoe([*dealt("T6", "T5"), BANKERS, RoundClosed()])
    assert {cause for _, cause in told_at(trace)} == {BANKERS}
    asked = shoe([*dealt("T5", "T7"), *said("banker", "under_eight"), PLAYERS, RoundClosed()])
    assert told_at(asked) == [("card_not_requested", PLAYERS)]


@pytest.mark.parametrize("by", ["dominant_player", "banker"])
def test_a_false_announcement_names_who_made_it(by: str) -> None:
    trace = shoe([*dealt("T5", "T6"), *said(by, "natural")])
    assert [(each.code, each.detail) for each in findings(trace)] == [
        ("false_announcement", {"by": by})
    ]


# (b) the banker


def test_what_the_banker_said_before_a_card_was_called_for_is_no_answer() -> None:
    asks = [*said("banker", "under_eight"), *said("dominant_player", "card")]
    trace = shoe([*dealt("T4", "T8"), *asks, RoundClosed()])
    assert told_at(trace) == [("banker_natural_not_announced", RoundClosed())]


def test_it_is_the_banker_whose_under_eight_is_wrong_and_not_the_dealers() -> None:
    asks = [*said("dominant_player", "card"), Announced("dealer", "under_eight")]
    trace = shoe([*dealt("T4", "T8"), *asks, RoundClosed()])
    assert told_at(trace) == [("banker_natural_not_announced", RoundClosed())]


def test_the_natural_that_a_card_followed_is_named() -> None:
    for player, banker, whose in (("T8", "T5", "player"), ("T4", "T9", "banker")):
        legal = coup(player, banker)
        trace = shoe(before(legal, CardExposed, PLAYERS))
        details = [each.detail for each in findings(trace) if each.code == "card_after_natural"]
        assert details == [{"natural": whose}]


def test_the_players_third_card_is_his_third_though_the_banker_has_three() -> None:
    stays = said("dominant_player", "stay")
    trace = shoe([*dealt("T6", "T3"), *stays, BANKERS, PLAYERS, RoundClosed()])
    assert raised(trace) == ["under_eight_not_announced", "card_not_requested"]


def test_a_hand_left_lying_after_a_natural_is_told_though_a_card_was_drawn() -> None:
    legal = without(coup("T8", "T5"), CardExposed)
    trace = shoe(before(legal, RoundClosed, PLAYERS))
    assert raised(trace)[-1] == "hands_not_turned"


# (c) the banker's third card


def test_the_bankers_third_card_may_lie_down() -> None:
    down = CardDealt("banker", "down", card=Card("3C"))
    stays = said("dominant_player", "stay")
    assert raised(shoe([*dealt("T6", "T5"), *stays, down, RoundClosed()])) == []


def test_after_a_natural_table_3_says_nothing() -> None:
    natural = said("dominant_player", "natural")
    for banker in ("T2", "T7"):
        ended: list[Body] = [*dealt("T8", banker), *natural]
        assert raised(shoe([*ended, RoundClosed()])) == []
        assert raised(shoe([*ended, BANKERS, RoundClosed()])) == ["card_after_natural"]


def test_of_a_bankers_hand_that_was_not_read_table_3_says_nothing() -> None:
    cards = unread(dealt("T6", "T7"), "banker")
    stays = said("dominant_player", "stay")
    assert raised(shoe([*cards, *stays, RoundClosed()])) == []
    assert raised(shoe([*cards, *stays, BANKERS, RoundClosed()])) == []


def test_of_a_players_third_card_that_was_not_read_table_3_says_nothing() -> None:
    asks = [*said("dominant_player", "card"), *said("banker", "under_eight")]
    drawn: list[Body] = [*dealt("T4", "T6"), *asks, CardDealt("player", "up")]
    assert place_of(drawn, CardDealt, 5) == len(drawn) - 1
    for rest in ([], [BANKERS]):
        assert raised(shoe([*drawn, *rest, RoundClosed()])) == []


def test_of_the_bankers_fourth_card_table_3_says_nothing() -> None:
    stays = said("dominant_player", "stay")
    ace = CardDealt("player", "up", card=Card("AC"))
    trace = shoe([*dealt("T6", "T4"), *stays, BANKERS, ace, BANKERS, RoundClosed()])
    assert "card_beyond_third" in raised(trace)
    assert "banker_must_stay" not in raised(trace)
