"""Cards, places, findings, events and times in words."""

from datetime import timedelta, timezone
from zoneinfo import ZoneInfo

from schemas.kinds import KINDS
from schemas.records import AlarmAct
from streams.console import wording as w
from streams.core.codes import CODES
from streams.rulebooks import load
from tests.unit.console.alarm_records import alarm
from tests.unit.console.views import mark

UTC = ZoneInfo("UTC")
T = 1_796_000_000_123_000


def test_every_card_has_words() -> None:
    said = {w.card_words(rank + suit) for rank in w.RANKS for suit in w.SUITS}
    assert len(said) == 52
    assert w.card_words("KH") == "king of hearts"
    assert w.card_words("7C") == "7 of clubs"
    assert w.card_words("??") == "??"


def test_places_are_told_without_hand_1() -> None:
    assert w.place_words("player", 3, 1) == "position 3"
    assert w.place_words("player", 3, 2) == "position 3, hand 2"
    assert w.place_words("dealer", None, None) == "dealer"
    assert w.place_words("player", None, None) == "player's hand"
    assert w.where_words(alarm(1)) == ""
    assert w.where_words(alarm(1, position=4, hand=2)) == "position 4, hand 2"


def test_every_code_has_a_title_and_steps_for_both() -> None:
    book = load()
    for code in CODES:
        assert w.title_of(book, code) == book.rules[code].title
        for steps in (w.supervisor_steps(book, code), w.dealer_steps(book, code)):
            assert steps
            assert all(step[0].isupper() or not step[0].isalpha() for step in steps)
            assert all(step.endswith(".") and ";" not in step for step in steps)
    assert w.title_of(book, "not_a_code") == "Not a code"
    assert w.dealer_steps(book, "not_a_code") == ()
    assert w.supervisor_steps(book, "not_a_code") == ()


def test_details_are_told_in_words() -> None:
    assert w.detail_words({"expected": 11, "counted": 10}) == "11 expected, 10 counted"
    assert w.detail_words({"rounds": 6}) == "6 rounds"
    order: dict[str, int | str] = {
        "dealt_to": "player",
        "dealt_position": 2,
        "expected_to": "dealer",
    }
    assert w.detail_words(order) == "dealt to position 2, due to dealer"
    assert w.detail_words({"reason": "new_dealer", "cards": 4}) == "new dealer, 4 cards"
    assert w.detail_words({"after": "wrong_side"}) == "after wrong side"


def test_clauses_are_cited_and_words_stay() -> None:
    assert w.clause_words("16.8(e)") == "N.J.A.C. 13:69F-16.8(e)"
    assert w.clause_words("telemetry") == "telemetry"


def test_acts_name_who_what_until_and_disposition() -> None:
    act = AlarmAct("c", "shelve", "op-27", "operator", T, T + 3_600_000_000, None, "part ordered")
    assert w.act_words(act, UTC).startswith("shelved by op-27 until ")
    confirmed = AlarmAct("c", "acknowledge", "op-27", "operator", T, None, "device_error", None)
    assert w.act_words(confirmed, UTC) == "acknowledged by op-27: device error"
    assert w.disposition_word("odd_one") == "odd one"


def test_times_are_told_in_the_zone_with_utc_beside_it() -> None:
    assert w.clock(T, UTC, fraction=True).endswith(".123")
    assert w.zone_name(T, UTC) == "UTC"
    assert w.hour_minute(T, UTC) == w.clock(T, UTC)[:5]
    assert w.stamp(T, UTC).endswith(w.clock(T, UTC))
    assert w.full_stamp(T, UTC).endswith("UTC")
    east = w.full_stamp(T, timezone(timedelta(hours=-5), "EST"))
    assert "EST (" in east
    assert east.endswith(" UTC)")
    assert w.iso(T).endswith("Z")


def test_ages_are_short() -> None:
    second = 1_000_000
    told = {38: "38 s", 125: "2 m", 3600: "1 h", 3900: "1 h 5 m", 200_000: "2 d"}
    for seconds, text in told.items():
        assert w.age_words(seconds * second) == text
    assert w.age_words(-5 * second) == "0 s"


def test_events_are_told_by_their_own_fields() -> None:
    tell = w.event_words
    assert (
        tell("card_dealt", {"to": "player", "position": 2, "face": "up", "card": "7C"})
        == "position 2, face up, 7 of clubs"
    )
    assert tell("card_dealt", {"to": "dealer", "face": "down", "drawn_with": "right"}) == (
        "dealer, face down, with the right hand"
    )
    assert tell("wager_placed", {"position": 1, "wager": "main", "amount": 5050}) == (
        "position 1, main 50.50"
    )
    assert tell("wager_placed", {"position": 1, "wager": "aces_up"}) == "position 1, aces up"
    assert tell("decision", {"position": 3, "hand": 2, "action": "stand"}) == (
        "position 3, hand 2, stand"
    )
    assert tell("wager_settled", {"position": 3, "wager": "main", "outcome": "win", "pays": "3:2"})
    assert tell("announced", {"by": "dealer", "what": "total", "position": 1, "total": 18}) == (
        "position 1, total 18, by the dealer"
    )
    assert tell("deck_in_hand", {"hand": "left", "deck": "A"}) == "deck in left hand, deck A"
    assert tell("stub_counted", {"cards": 22}) == "22 cards"
    assert tell("hole_card_read", {"result": "no_blackjack"}) == "no blackjack"
    assert (
        tell("card_exposed", {"to": "dealer", "card": "AS"}) == "dealer, turned up, ace of spades"
    )
    assert tell("burned", {"place": "discard_rack", "card": "AS", "exposed": True}) == (
        "place discard rack, ace of spades, exposed"
    )
    assert tell(
        "table_opened", {"game": "blackjack", "offers": ["sevens", "bonus"], "x": None}
    ) == ("game blackjack, offers sevens, bonus")
    assert tell("no_more_bets", {}) == "announced by the dealer"
    assert tell("lockout_pressed", {}) == "progressive wagers locked"


def test_no_kind_fails_without_fields() -> None:
    for kind in KINDS:
        assert isinstance(w.event_words(kind, {}), str)


def test_marks_are_told_by_what_they_have() -> None:
    assert w.mark_words(mark("no_more_bets")) == "announced by the dealer"
    wager = mark("wager_placed", position=1, of="main", figure=5050)
    assert w.mark_words(wager) == "position 1, main, 50.50"
    said = mark("announced", position=1, of="dealer", word="total", figure=18)
    assert w.mark_words(said) == "position 1, dealer, total, 18"
    assert w.mark_words(mark("burned", card="AS")) == "ace of spades"


def test_games_and_money_have_words() -> None:
    assert w.game_word("chemin_de_fer") == "Chemin de fer"
    assert w.game_word("new_game") == "new game"
    assert w.game_word(None) == w.NOTHING
    assert w.money(123_400) == "1,234"
