"""The felt of each game: cards in place and order, what is due, and nothing that lies face down."""

import msgspec
from hypothesis import given, settings

from schemas.records import TableView
from streams.console import felt
from tests.record_strategies import structs
from tests.unit.console.views import card, due, mark, view, wager


def test_cards_lie_in_their_hands_in_the_order_of_the_round() -> None:
    cards = (
        card(1, position=1),
        card(2, position=2),
        card(3, position=3),
        card(6, to="dealer", card="KH"),
        card(7, position=1),
        card(8, position=2, card="7C"),
    )
    wagers = (wager(2, "ante", 5000), wager(2, "progressive", None))
    laid = felt.lay(view(cards=cards, next=due(), wagers=wagers))
    assert [seat.position for seat in laid.seats] == [1, 2, 3, 4, 5, 6, 7]
    one, two, three, four, five = laid.seats[:5]
    assert [each.number for each in one.hands[0].cards] == [1, 7]
    assert one.note == "2 of 5 cards"
    assert two.wagers == "ante 50, progressive"
    assert two.hands[0].cards[1].words == "7 of clubs, card 8 of the round"
    assert two.hands[0].cards[0].words == "face down, card 2 of the round"
    assert three.next
    assert three.note == "next card due"
    assert three.hands[0].due == 21
    assert four.note == "no card yet"
    assert five.note == "not in play"
    assert laid.dealer[0].cards[0].red
    assert laid.dealer_lines == ("Dealer D-114", "left hand", "1 of 5 cards")
    assert laid.next_lines == ("Next: card 21", "position 3, face down", "pass 4 of 5")


def test_the_first_card_of_a_hand_is_due_to_an_empty_hand() -> None:
    laid = felt.lay(view(next=due(number=1, position=2, face=None, pass_=None)))
    assert laid.seats[1].hands == (felt.FeltHand("Position 2", (), 1),)
    dealers = felt.lay(view(next=due(to="dealer", position=None, number=None)))
    assert dealers.dealer == (felt.FeltHand("Dealer's hand", (), 0),)
    assert dealers.next_lines[0] == "Next: a card"


def test_a_finding_marks_the_card_that_caused_it() -> None:
    marks = {"CS-03/gw-2/shoe-1/1/102": felt.CardMark(3, "unack", "Medium, unacknowledged")}
    laid = felt.lay(view(cards=(card(2, position=2, card="7C"),)), marks)
    drawn = laid.seats[1].hands[0].cards[0]
    assert drawn.mark == marks["CS-03/gw-2/shoe-1/1/102"]
    assert drawn.words == "7 of clubs, card 2 of the round, Medium, unacknowledged"


def test_blackjack_tells_counts_decisions_and_splits() -> None:
    cards = (
        card(1, position=1, card="8S"),
        card(7, position=1, card="TD"),
        card(3, position=3, card="8D"),
        card(9, position=3, card="8C", hand=2),
        card(14, position=3, card="AC"),
        card(15, position=3, card="TS", hand=2),
        card(4, position=4, card="AS"),
        card(10, position=4, card="4H"),
        card(5, position=6, card="KD"),
        card(11, position=6, card=None, face="up"),
        card(6, to="dealer", card="TC"),
        card(12, to="dealer"),
    )
    marks = (
        mark("hole_card_read", word="no_blackjack"),
        mark("decision", 1, position=1, word="stand"),
        mark("decision", 2, position=3, word="split"),
    )
    decides = due(what="decision", position=4, number=None)
    laid = felt.lay(
        view(
            game="blackjack",
            positions=(1, 3, 4, 6),
            cards=cards,
            marks=marks,
            next=decides,
            holding=None,
            dealt_from="shoe",
        )
    )
    notes = {seat.position: seat.note for seat in laid.seats}
    assert notes[1] == "stand on 18"
    assert notes[3] == "split, soft 19 and 18"
    assert notes[4] == "decision due"
    assert notes[6] == ""
    assert [hand.label for hand in laid.seats[2].hands] == ["Position 3", "Position 3, hand 2"]
    assert laid.seats[5].hands[0].cards[1].words == "face up, not read, card 11 of the round"
    assert laid.next_lines == ("Next: position 4 decides",)
    assert laid.dealer_lines == ("Dealer D-114", "reader: no blackjack")


def test_a_soft_count_is_said_to_be_one() -> None:
    def note(*names: str) -> str:
        cards = tuple(card(place, position=1, card=name) for place, name in enumerate(names, 1))
        return felt.lay(view(game="blackjack", cards=cards)).seats[0].note

    assert note("AS", "4H") == "soft 15"
    assert note("AS", "4H", "TD") == "15"
    assert note("AS", "KH") == "21"
    assert note("TS", "KH", "5D") == "25"


def test_what_was_declared_and_settled_is_said_last() -> None:
    def note(*marks: str) -> str:
        told = tuple(
            mark(kind, place, position=1, word="win" if kind == "wager_settled" else "stand")
            for place, kind in enumerate(marks)
        )
        cards = (card(1, position=1, card="9S"), card(2, position=1, card="TS"))
        return felt.lay(view(game="blackjack", cards=cards, marks=told)).seats[0].note

    assert note("decision") == "stand on 19"
    assert note("decision", "hand_declared_dead", "wager_placed") == "dead, 19"
    assert note("decision", "wager_settled") == "win, 19"


def test_stand_on_an_unread_hand_names_no_count() -> None:
    cards = (card(1, position=1, card="9S"), card(2, position=1))
    marks = (mark("decision", position=1, word="stand"),)
    laid = felt.lay(view(game="blackjack", cards=cards, marks=marks))
    assert laid.seats[0].note == "stand"
    split = (*cards, card(3, position=1, hand=2, card="9D"))
    assert felt.lay(view(game="blackjack", cards=split)).seats[0].note == "split, not read and 9"


def test_chemin_de_fer_has_two_hands_and_wagers() -> None:
    cards = (
        card(1, to="player", card="9S"),
        card(2, to="banker"),
        card(3, to="player", card="KH"),
    )
    laid = felt.lay(
        view(
            game="chemin_de_fer",
            cards=cards,
            wagers=(wager(2, "main", 10_000),),
            next=due(to="banker", position=None, number=4, face="down", pass_=None),
        )
    )
    player, banker = laid.sides
    assert player.wagers == "Player"
    assert player.note == "9"
    assert banker.note == ""
    assert banker.next
    assert banker.hands[0].due == 4
    assert laid.seats[1].note == "wager"
    assert laid.seats[0].note == "no wager"
    assert laid.next_lines == ("Next: card 4", "banker, face down")


def test_a_third_card_is_due_for_its_reason() -> None:
    laid = felt.lay(view(next=due(reason="third_card", pass_=None)))
    assert laid.next_lines[-1] == "for the third card"


def test_a_poker_hand_that_was_decided_says_so() -> None:
    raised = (mark("decision", position=1, word="raise"),)
    assert felt.lay(view(cards=(card(1, position=1),), marks=raised)).seats[0].note == "raise"


def test_between_rounds_and_at_an_unknown_game_the_seats_stay() -> None:
    quiet = felt.lay(view(round_open=False, positions=(), dealer=None, holding=None))
    assert len(quiet.seats) == 7
    assert quiet.next_lines == ("No round open",)
    assert quiet.dealer_lines == ("No dealer", "0 of 5 cards")
    assert {seat.note for seat in quiet.seats} == {""}
    open_ = felt.lay(view(game=None, seats=None))
    assert open_.next_lines == ("Cards are dealt",)
    assert felt.lay(view(state=None)).next_lines == ("The round is open",)
    waiting = felt.lay(view(round_open=False, positions=(1,)))
    assert waiting.seats[0].note == "in play"


def test_a_position_above_the_seats_is_shown_all_the_same() -> None:
    assert len(felt.lay(view(seats=5, cards=(card(1, position=9),))).seats) == 9


@settings(max_examples=60)
@given(structs(TableView))
def test_a_card_that_lies_face_down_has_no_name(seen: TableView) -> None:
    cards = tuple(msgspec.structs.replace(each, face="down") for each in seen.cards)
    laid = felt.lay(msgspec.structs.replace(seen, cards=cards))
    places = [*laid.dealer, *(hand for seat in (*laid.sides, *laid.seats) for hand in seat.hands)]
    for hand in places:
        for drawn in hand.cards:
            assert drawn.back
            assert not drawn.rank
            assert drawn.words.startswith("face down")
