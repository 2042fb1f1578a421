"""N.J.A.C. 13:69F-2.6(f) to (h), (j), (k): totals, decisions, further cards, the dealer's hand."""

from dataclasses import replace

import pytest

from streams.core.events import (
    Announced,
    Body,
    HoleCardRead,
    TableClosed,
    WagerPlaced,
    WagerSettled,
)
from tests.blackjack_rounds import SINGLE, breaks, keeps, script, table
from tests.traces import findings, observing, raised, told, without

PASSES = "w1 w2 w3 1:TS 2:9S 3:TH D:9C 1:7S 2:3S 3:8H"
ONE, TWO, THREE = "=1:17 1:stand", "=2:12 2:draw 2:5H =2:17 2:stand", "=3:18 3:stand"
END = "s3:push s2:lose s1:lose c3 c2 c1 cD close"
DEALER = f"dealers_card D:9D =D:18 {END}"
LEGAL = f"{PASSES} {ONE} {TWO} {THREE} {DEALER}"
UP = replace(SINGLE, hole_card="up")
READER = replace(SINGLE, hole_card="down", card_reader=True)


def dealt(text: str, **changes: object) -> list[Body]:
    """Return a table with one round in short hand."""
    return table(SINGLE, script(text), **changes)


def changed(old: str, new: str) -> list[Body]:
    """Return the legal round with one piece of its text changed."""
    assert old in LEGAL
    return dealt(LEGAL.replace(old, new, 1))


def read(text: str, result: str) -> list[Body]:
    """Return a round at a table with a reader, which reads where the text says ``read``."""
    before, _, after = text.partition("read")
    return table(READER, script(before), [HoleCardRead(result)], script(after))


def test_the_round_below_is_legal_before_it_is_changed() -> None:
    keeps(dealt(LEGAL))


def test_between_rounds_nothing_is_said_of_a_round() -> None:
    text = "=1:17 1:stand 1:split x:D:9D dealers_card s1:win c1 cD void close"
    keeps(table(UP, script(text), script(text)))
    keeps(table(READER, [HoleCardRead("no_blackjack")], script("x:D:9D close")))


# (f) the total of each player before his decision


@pytest.mark.parametrize("action", ["stand", "draw", "double", "surrender"])
def test_f_a_total_is_announced_before_the_decision(action: str) -> None:
    card = "3:2C" if action in ("draw", "double") else ""
    end = END.replace("s3:push", "s3:win")
    trace = dealt(f"{PASSES} {ONE} {TWO} 3:{action} {card} dealers_card D:9D =D:18 {end}")
    others = ["dealer_second_card_early"] if action == "draw" else []
    finding = breaks("total_not_announced", trace, *others)
    assert (finding.position, finding.hand, finding.detail) == (3, 1, {"action": action})


def test_f_a_total_is_announced_before_a_split() -> None:
    text = "w1 1:8S D:9C 1:8H {} 1:split 1:TS =1:18 1:stand 1.2:9H =1.2:17 1.2:stand"
    end = "dealers_card D:9D =D:18 s1:push s1.2:lose c1 c1.2 cD close"
    keeps(dealt(f"{text.format('=1:16')} {end}"))
    breaks("total_not_announced", dealt(f"{text.format('')} {end}"))
    second = f"{text.format('=1:16')} {end}".replace("=1.2:17 ", "")
    assert breaks("total_not_announced", dealt(second)).hand == 2


def test_g_the_new_total_is_announced_after_each_card() -> None:
    finding = breaks("total_not_announced", changed("=2:17 ", ""))
    assert finding.detail == {"action": "stand"}
    keeps(changed("=2:17 2:stand", "=2:17 2:draw 2:3C =2:20 2:stand"))


def test_f_only_the_dealers_word_is_the_announcement() -> None:
    trace = changed("=1:17", "")
    place = trace.index(script("1:stand")[0])
    said = Announced("dominant_player", "total", 1, total=17)
    breaks("total_not_announced", [*trace[:place], said, *trace[place:]])


def test_f_insurance_and_what_is_drawn_in_error_need_no_total() -> None:
    keeps(changed("=1:17", "1:insurance =1:17"))


def test_g_a_double_down_card_dealt_down_is_not_announced() -> None:
    text = "w1 1:5S D:9C 1:6S =1:11 1:double 1:TCv 1:stand dealers_card D:9D close"
    keeps(dealt(text, double_face="down"))
    up = text.replace("1:TCv", "1:TC")
    assert raised(dealt(up)) == ["total_not_announced"]


@pytest.mark.parametrize("total", ["=1:16", "=1:7", "=1:18"])
def test_f_g_the_total_is_a_count_of_the_hand(total: str) -> None:
    finding = breaks("total_misannounced", changed("=1:17", total))
    assert (finding.position, finding.detail) == (1, {"announced": int(total[3:])})


@pytest.mark.parametrize(
    ("cards", "totals", "wrong"),
    [
        ("1:AS 1:6S", (7, 17), 27),
        ("1:AS 1:AD", (2, 12), 22),
        ("1:AS 1:KD", (11, 21), 1),
    ],
)
def test_f_an_ace_counts_one_or_eleven(cards: str, totals: tuple[int, int], wrong: int) -> None:
    first, second = cards.split()
    text = f"w1 {first} D:9C {second} {{}} dealers_card D:9D =D:18 s1:lose c1 cD close"
    for total in totals:
        keeps(dealt(text.format(f"=1:{total} 1:stand")))
    assert raised(dealt(text.format(f"=1:{wrong} 1:stand"))) == ["total_misannounced"]
    busted = "w1 1:AS D:9C 1:6S =1:17 1:draw 1:TS =1:27 1:stand dealers_card D:9D close"
    assert raised(dealt(busted)) == ["total_misannounced"]


def test_f_a_hand_with_a_card_not_read_is_not_counted() -> None:
    keeps(changed("2:3S", "2:?"))
    keeps(dealt(LEGAL.replace("D:9D", "D:?")))


def test_h_the_dealers_total_is_a_count_of_his_hand() -> None:
    finding = breaks("total_misannounced", changed("=D:18", "=D:19"))
    assert (finding.position, finding.detail) == (None, {"announced": 19})


def test_h_the_total_of_a_further_action_is_of_its_own_hand() -> None:
    text = LEGAL.replace("=D:18", "=D:18 D.2:TH {}")
    for said in ("=D:19", "=D.2:19", "=D:18"):
        assert raised(dealt(text.format(said), offers=("bonus",))) == []
    for said in ("=D:17", "=D.2:18"):
        assert raised(dealt(text.format(said), offers=("bonus",))) == ["total_misannounced"]
    nobody = "w1 1:TS =D:10 D:9C 1:7S =1:17 1:stand dealers_card D:9D close"
    assert "total_misannounced" not in raised(dealt(nobody))


def test_j_before_the_hole_card_is_turned_the_dealers_total_is_not_counted() -> None:
    text = f"{PASSES} D:9Dv =D:9 {ONE} {TWO} {THREE} x:D:9D =D:18 {END}"
    keeps(dealt(text, hole_card="down"))
    assert raised(dealt(text.replace("=D:18", "=D:9"), hole_card="down")) == ["total_misannounced"]
    unseen = text.replace("=D:9 ", "").replace("x:D:9D =D:18", "x:D:9D D:2C =D:9")
    assert "total_misannounced" in raised(dealt(unseen, hole_card="down"))
    never = text.replace("=D:9 ", "").replace("x:D:9D =D:18", "D:2C =D:9")
    assert "total_misannounced" in raised(dealt(never, hole_card="down"))


def test_f_a_hand_that_a_split_nobody_saw_left_in_doubt_is_not_counted() -> None:
    seen = ("cards", "totals", "wagers", "faces")
    text = "w1 1:8S D:9C 1:8H =1:16 1:TS =1:18 1.2:9H =1.2:17 D:9D =D:18 close"
    keeps(dealt(text, observes=seen))
    only_hit = text.replace("1.2:9H =1.2:17 ", "").replace("=1:18", "=1:25")
    keeps(dealt(only_hit, observes=seen))
    no_pair = "w1 1:8S D:9C 1:7H =1:15 1:TS =1:18 D:9D close"
    assert raised(dealt(no_pair, observes=seen)) == ["total_misannounced"]
    unread = no_pair.replace("1:7H =1:15", "1:? =1:15")
    keeps(dealt(unread, observes=seen))


# (f) from the dealer's left


def test_f_decisions_go_from_the_left() -> None:
    trace = dealt(f"{PASSES} {TWO} {ONE} {THREE} {DEALER}")
    finding = breaks("decision_order", trace)
    assert (finding.position, finding.hand, finding.detail) == (1, 1, {"after": 2})
    keeps(changed(ONE, f"2:insurance 1:insurance {ONE}"))


def test_f_a_position_whose_missed_card_was_made_up_decides_then() -> None:
    text = f"{PASSES} {ONE} =2:12 2:draw {THREE} 2:5H =2:17 2:stand {DEALER}"
    assert raised(dealt(text)) == ["requested_card_missed"]
    not_yet = text.replace("2:5H =2:17 2:stand", "2:stand 2:5H")
    assert "decision_order" in raised(dealt(not_yet))


def test_f_a_card_made_up_before_the_higher_decision_excuses_nothing() -> None:
    passes = "w1 w2 w3 1:TS 2:9S 3:TH D:9C 2:3S 3:8H 1:7S"
    assert raised(dealt(f"{passes} {TWO} {ONE} {THREE} {DEALER}")) == [
        "position_missed",
        "decision_order",
    ]


# (g) the cards that decisions call for


def test_g_a_further_card_is_called_for_by_a_decision() -> None:
    finding = breaks("card_without_decision", changed("2:draw ", ""))
    assert finding.position == 2
    two = changed("2:draw 2:5H =2:17", "2:draw 2:2H 2:3H =2:17")
    assert raised(two) == ["card_without_decision"]


@pytest.mark.parametrize("action", ["draw", "double", "accept_card"])
def test_g_each_decision_calls_for_one_card(action: str) -> None:
    keeps(changed("2:draw 2:5H", f"2:{action} 2:5H"))


def test_g_a_split_calls_for_a_card_to_each_hand() -> None:
    split = "w1 1:8S D:9C 1:8H =1:16 1:split 1:TS =1:18 1:stand 1.2:9H =1.2:17 1.2:stand"
    end = "dealers_card D:9D =D:18 s1:push s1.2:lose c1 c1.2 cD close"
    keeps(dealt(f"{split} {end}"))
    third = split.replace("1.2:9H =1.2:17", "1.2:9H 1.2:2H =1.2:19")
    trace = dealt(f"{third} {end}")
    assert breaks("card_without_decision", trace).hand == 2


def test_g_a_split_of_one_card_moves_none() -> None:
    text = "w1 1:8S D:9C =1:8 1:split 1:TS =1:18 1:stand 1.2:9H 1.2:8C =1.2:17 1.2:stand"
    trace = dealt(f"{text} dealers_card D:9D =D:18 close")
    assert raised(trace) == ["position_missed"]


def test_g_splits_take_the_lowest_unused_hand() -> None:
    text = (
        "w1 1:8S D:9C 1:8H =1:16 1:split 1:8D =1:16 1:split 1:TS =1:18 1:stand"
        " 1.2:9H =1.2:17 1.2:stand 1.3:8C =1.3:16 1.3:split 1.3:2C =1.3:10 1.3:stand"
        " 1.4:TD =1.4:18 1.4:stand dealers_card D:9D =D:18 close"
    )
    keeps(dealt(text))
    fifth = text.replace("1.4:stand", "1.4:split")
    assert raised(dealt(fifth)) == ["dealer_second_card_early"]


def test_g_a_make_up_of_a_missed_first_or_second_card_needs_no_decision() -> None:
    trace = dealt(f"w1 w2 w3 1:TS 2:9S 3:TH D:9C 1:7S 3:8H {ONE} 2:3S {TWO} {THREE} {DEALER}")
    assert raised(trace) == ["position_missed"]


# (h) the dealer's second card where no hole card is dealt


def test_h_the_dealers_card_is_announced_before_it_leaves_the_shoe() -> None:
    breaks("dealers_card_not_announced", changed("dealers_card ", ""))
    breaks("dealers_card_not_announced", changed("dealers_card D:9D", "D:9D dealers_card"))
    early = dealt(
        LEGAL.replace("w1 w2", "dealers_card w1 w2").replace(" dealers_card D:9D", " D:9D")
    )
    assert raised(early) == ["dealers_card_not_announced"]
    first = changed("D:9C", "dealers_card D:9C")
    keeps(first)


def test_h_the_dealers_second_card_comes_after_every_decision() -> None:
    trace = dealt(f"{PASSES} {ONE} {TWO} =3:18 dealers_card D:9D 3:stand =D:18 {END}")
    breaks("dealer_second_card_early", trace)


@pytest.mark.parametrize(
    "third",
    [
        "=3:18 3:surrender",
        "=3:18 3:double 3:2C",
        "=3:18 3:draw 3:3C =3:21",
        "=3:18 3:draw 3:9S =3:27",
        "s3:lose",
        "c3",
        "=3:18 3:stand",
    ],
)
def test_h_a_hand_that_has_ended_is_not_waited_for(third: str) -> None:
    keeps(dealt(f"{PASSES} {ONE} {TWO} {third} dealers_card D:9D =D:18 s2:lose s1:lose close"))


@pytest.mark.parametrize("third", ["=3:18", "=3:18 3:double", "=3:18 3:draw 3:2C =3:20"])
def test_h_a_hand_that_has_not_ended_is_waited_for(third: str) -> None:
    trace = dealt(f"{PASSES} {ONE} {TWO} {third} dealers_card D:9D =D:18 close")
    assert "dealer_second_card_early" in raised(trace)


def test_h_the_second_card_of_split_aces_ends_them() -> None:
    text = "w1 1:AS D:9C 1:AH =1:12 1:split 1:5S =1:16 1.2:9H =1.2:20 dealers_card D:9D =D:18 close"
    keeps(dealt(text))
    eights = text.replace("1:AS", "1:8S").replace("1:AH", "1:8H").replace("=1:12", "=1:16")
    eights = eights.replace("=1:16 1.2", "=1:13 1.2").replace("=1.2:20", "=1.2:17")
    assert raised(dealt(eights)) == ["dealer_second_card_early"]


def test_h_a_card_at_no_box_in_play_is_not_waited_for() -> None:
    trace = dealt(f"{PASSES} 4:2C 4:3C {ONE} {TWO} {THREE} {DEALER}")
    assert raised(trace) == ["card_without_wager"]


# (j) the hole card dealt down


DOWN = f"{PASSES} D:9Dv {ONE} {TWO} {THREE} x:D:9D =D:18 {END}"


def test_j_the_hole_card_is_not_seen_before_all_further_cards_are_dealt() -> None:
    keeps(dealt(DOWN, hole_card="down"))
    early = DOWN.replace("3:stand x:D:9D", "x:D:9D 3:stand")
    trace = dealt(early, hole_card="down")
    breaks("hole_card_seen_early", trace)
    keeps(dealt(f"{PASSES} D:9Dv {ONE} void x:D:9D close", hole_card="down"))
    again = dealt(early.replace("x:D:9D 3:stand", "x:D:9D x:D:9D 3:stand"), hole_card="down")
    assert raised(again) == ["hole_card_seen_early"]


def test_j_a_hole_card_not_read_is_known_when_it_is_turned() -> None:
    unread = DOWN.replace("D:9Dv", "D:?v")
    keeps(dealt(unread, hole_card="down"))
    told_wrong = dealt(unread.replace("=D:18", "=D:17"), hole_card="down")
    assert raised(told_wrong) == ["total_misannounced"]


def test_j_a_players_card_is_no_hole_card() -> None:
    doubled = f"{PASSES} D:9Dv =1:17 1:double 1:3Cv x:1:3C {TWO} {THREE} x:D:9D =D:18 {END}"
    keeps(dealt(doubled.replace("s1:lose", "s1:win"), hole_card="down", double_face="down"))


TENS = "w1 w2 1:TS 2:9S D:TC 1:7S 2:3S"


def test_k1_an_unread_card_counts_from_when_it_is_turned_up() -> None:
    text = "w1 1:5S D:9C 1:6D D:9H =1:11 1:double 1:?v x:1:{} s1:push c1 cD close"
    equal = table(UP, script(text.format("7H")), double_face="down")
    assert raised(equal) == ["settlement_wrong"]
    keeps(table(UP, script(text.format("8H").replace("push", "win")), double_face="down"))
    keeps(table(UP, script(text.format("7H").replace("x:1:7H ", "")), double_face="down"))


def test_j_a_blackjack_that_the_reader_found_is_shown_at_once() -> None:
    shown = f"{TENS} D:ADv read x:D:AD s2:lose s1:lose c2 c1 cD close"
    keeps(read(shown, "blackjack"))
    assert raised(read(shown, "no_blackjack")) == ["hole_card_seen_early"]
    blind = replace(READER, observes=("faces", "decisions", "cards", "wagers", "settlements"))
    unseen = script(shown.replace("read ", ""))
    keeps(table(blind, unseen))
    none = script(shown.replace("read ", "").replace("AD", "9D"))
    assert raised(table(blind, none)) == ["hole_card_seen_early"]
    unread = script(shown.replace("read ", "").replace("D:ADv", "D:?v").replace("x:D:AD", "x:D:?"))
    keeps(table(blind, unread))


PLAYED = "=1:17 1:draw 1:2C =1:19 1:stand =2:12 2:stand"
AFTER = "x:D:8D =D:18 s2:lose s1:win c2 c1 cD close"


@pytest.mark.parametrize("first", ["D:TC", "D:JC", "D:QC", "D:KC", "D:AC"])
def test_j_under_an_ace_or_a_ten_the_reader_is_asked_before_further_cards(first: str) -> None:
    text = f"{TENS} D:8Dv read {PLAYED} {AFTER}".replace("D:TC", first)
    text = text.replace("=D:18", "=D:19" if first == "D:AC" else "=D:18")
    keeps(read(text, "no_blackjack"), read(text, "error"))
    trace = table(READER, script(text.replace("read ", "")))
    assert breaks("reader_check_missing", trace).position == 1
    keeps(table(replace(READER, card_reader=None), script(text.replace("read ", ""))))


def test_j_under_another_card_the_reader_is_not_asked() -> None:
    keeps(table(READER, script(DOWN)))


def test_j_without_a_further_card_the_reader_need_not_be_asked() -> None:
    text = f"{TENS} D:8Dv =1:17 1:stand =2:12 2:stand {AFTER}".replace("s1:win", "s1:lose")
    keeps(table(READER, script(text)))


def test_j1_after_a_dealers_blackjack_no_card_is_dealt() -> None:
    text = f"{TENS} D:ADv read x:D:AD {{}} s2:lose s1:lose c2 c1 cD close"
    trace = read(text.format("=1:17 1:draw 1:2C"), "blackjack")
    finding = breaks("card_after_dealer_blackjack", trace, fact=True)
    assert finding.position == 1
    keeps(read(text.format("=1:17 1:stand"), "blackjack"))


UP_BLACKJACK = "w1 w2 1:TS 2:9S D:AC 1:7S 2:3S D:KD {} s2:lose s1:lose c2 c1 cD close"


def test_k6_after_a_dealers_blackjack_face_up_no_card_is_dealt() -> None:
    trace = table(UP, script(UP_BLACKJACK.format("=1:17 1:draw 1:2C")))
    breaks("card_after_dealer_blackjack", trace, fact=True)
    twenty = UP_BLACKJACK.format("=1:17 1:draw 1:2C =1:19 1:stand =2:12 2:stand")
    keeps(table(UP, script(twenty.replace("D:KD", "D:9D"))))
    keeps(table(UP, script(UP_BLACKJACK.format(""))))
    drew = table(UP, script(UP_BLACKJACK.format("D:5H 1:2C")))
    # His first two cards are the blackjack, whatever he deals himself after it.
    assert "card_after_dealer_blackjack" in raised(drew)


SEVENS = "w1 w1:sevens w2 1:7S 2:9S D:AC 1:7D 2:3S D:KD {} s2:lose s1:lose c2 c1 cD close"


def test_j3_k6_two_sevens_are_offered_a_card_at_a_dealers_blackjack() -> None:
    offers = {"offers": ("sevens",)}
    for offered in ("1:accept_card 1:2C", "1:2C", "1:refuse_card"):
        keeps(table(UP, script(SEVENS.format(offered)), **offers))
    trace = table(UP, script(SEVENS.format("")), **offers)
    assert breaks("sevens_card_not_offered", trace).position == 1
    unasked = SEVENS.format("").replace("w1:sevens ", "")
    keeps(table(UP, script(unasked), **offers))
    keeps(table(UP, script(SEVENS.format("").replace("1:7D", "1:8D")), **offers))
    no_blackjack = SEVENS.format("=1:14 1:stand =2:12 2:stand").replace("D:KD", "D:9D")
    keeps(table(UP, script(no_blackjack), **offers))
    other = table(UP, script(SEVENS.format("2:accept_card 2:2C 1:2C")), **offers)
    assert raised(other) == ["card_after_dealer_blackjack"]


def test_j3_k6_a_card_that_for_all_that_is_seen_completes_two_sevens_is_not_judged() -> None:
    offers = {"offers": ("sevens",)}
    third = table(UP, script(SEVENS.format("1:2C")), **offers)
    keeps(observing(without(third, WagerPlaced), "wagers"))
    unread = SEVENS.format("1:2C").replace("1:7D", "1:?")
    keeps(table(UP, script(unread), **offers))
    twice = ["card_without_decision", "card_after_dealer_blackjack"]
    assert raised(table(UP, script(unread.replace("1:7S", "1:8S")), **offers)) == twice
    assert raised(table(UP, script(unread.replace("w1:sevens ", "")), **offers)) == twice
    assert raised(table(UP, script(unread))) == twice


def test_j3_k6_one_card_completes_two_sevens() -> None:
    trace = table(UP, script(SEVENS.format("1:7C 1:2C")), offers=("sevens",))
    assert raised(trace) == ["card_without_decision", "card_after_dealer_blackjack"]


def test_j2_k_a_hole_card_and_the_progressive_wager_exclude_each_other() -> None:
    for hole in ("down", "up"):
        wrong = replace(SINGLE, hole_card=hole, offers=("progressive",))
        [finding] = findings([wrong])
        assert (finding.code, finding.round, finding.detail) == (
            "hole_card_with_progressive",
            0,
            {"hole_card": hole},
        )
        assert told([wrong, TableClosed()])[-1] == ("hole_card_with_progressive", "cleared", 0)
        assert told([wrong, wrong])[1:] == [
            ("hole_card_with_progressive", "cleared", 0),
            ("hole_card_with_progressive", "raised", 0),
        ]
    keeps([replace(SINGLE, offers=("progressive",))])
    keeps([replace(SINGLE, hole_card="none", offers=("progressive",))])
    keeps([replace(SINGLE, hole_card="up", offers=("sevens",))])


# (k) the hole card dealt up


def settled(mine: str, dealers: str, how: str, *, play: str = "1:stand") -> list[Body]:
    """Return a round of one player at a table with the hole card up, and how he is settled."""
    first, second = mine.split()
    up, hole, *further = dealers.split()
    more = " ".join(f"D:{card}" for card in further)
    text = f"w1 1:{first} D:{up} 1:{second} D:{hole} {play} {more} s1:{how} c1 cD close"
    return table(replace(UP, observes=("settlements", "cards", "wagers")), script(text))


@pytest.mark.parametrize(
    ("mine", "dealers", "right", "wrong"),
    [
        ("TS 8S", "9C 9D", "lose", ["push", "win:1:1", "returned"]),
        ("TS 8S", "9C 2D 7C", "lose", ["push"]),
        ("9S 9H", "AC 7D", "lose", ["push"]),
        ("AS KS", "AC KD", "win:1:1", ["push", "lose", "win:3:2"]),
        ("AS KS", "9C 9D", "win:1:1", ["win:3:2", "win:6:5"]),
    ],
)
def test_k1_k2_equal_counts_lose_and_a_blackjack_wins_one_to_one(
    mine: str, dealers: str, right: str, wrong: list[str]
) -> None:
    keeps(settled(mine, dealers, right))
    for each in wrong:
        assert raised(settled(mine, dealers, each)) == ["settlement_wrong"], each


def test_k1_a_finding_says_what_was_expected() -> None:
    text = "w1 1:TS D:9C 1:8S D:9D =1:18 1:stand =D:18 s1:push c1 cD close"
    finding = breaks("settlement_wrong", table(UP, script(text)))
    assert finding.detail == {
        "wager": "main",
        "expected": "lose",
        "settled": "push",
        "pays": "unknown",
    }


@pytest.mark.parametrize(
    ("mine", "dealers", "how"),
    [
        ("TS 8S", "9C 8D", "lose"),
        ("TS 8S", "9C 9D", "lose"),
        ("TS ?", "9C 9D", "push"),
        ("TS 8S", "9C ?", "push"),
        ("AS KS", "9C 9D", "win"),
        ("AS KS", "9C 9D", "lose"),
        ("AS KS", "9C 2D TD", "push"),
    ],
)
def test_k1_nothing_else_of_a_settlement_is_judged(mine: str, dealers: str, how: str) -> None:
    keeps(settled(mine, dealers, how))


def test_k1_other_wagers_and_other_tables_are_not_judged_so() -> None:
    side = settled("TS 8S", "9C 9D", "lose")
    keeps([*side[:-3], WagerSettled(1, "insurance", "push"), *side[-3:]])
    same = "w1 1:TS D:9C 1:8S =1:18 1:stand dealers_card D:9D =D:18 s1:push c1 cD close"
    keeps(dealt(same))


def test_k1_a_wager_that_a_void_or_a_dead_hand_returns_is_not_judged() -> None:
    text = "w1 1:TS D:9C 1:8S D:9D {} s1:returned c1 cD close"
    keeps(table(UP, script(text.format("void"))))
    further = text.format("=1:18 1:stand D.2:9H").replace("returned", "push")
    assert "settlement_wrong" not in raised(table(UP, script(further)))
    missed = "w1 w2 1:TS D:9C 1:7S 2:TH 2:8H D:9D =1:17 1:stand s1:lose s2:returned c2 c1 cD close"
    assert raised(table(UP, script(missed))) == ["position_missed", "card_to_dead_hand"]


def test_k1_a_split_ace_and_ten_are_no_blackjack() -> None:
    text = (
        "w1 1:AS D:TC 1:AH D:9D =1:12 1:split 1:KS =1:21 1.2:8H =1.2:19"
        " s1:win:3:2 s1.2:{} c1 c1.2 cD close"
    )
    keeps(table(UP, script(text.format("lose"))))
    assert raised(table(UP, script(text.format("push")))) == ["settlement_wrong"]


@pytest.mark.parametrize("action", ["surrender", "insurance"])
def test_k3_neither_surrender_nor_insurance_is_available(action: str) -> None:
    text = f"w1 1:TS D:9C 1:7S D:9D =1:17 1:{action} s1:lose c1 cD close"
    finding = breaks("action_not_available", table(UP, script(text)), fact=True)
    assert (finding.position, finding.detail) == (1, {"action": action})
    down = text.replace("D:9D", "D:9Dv").replace("s1", "1:stand s1")
    keeps(table(SINGLE, script(down), hole_card="down"))


def test_k3_nor_is_an_insurance_wager() -> None:
    text = "w1 1:TS D:9C 1:7S D:9D =1:17 {} 1:stand s1:lose c1 cD close"
    assert raised(table(UP, script(text.format("w1:insurance")))) == ["action_not_available"]
    keeps(table(UP, script(text.format(""))))
    keeps(changed("=1:17", "w1:insurance =1:17"))


@pytest.mark.parametrize(
    ("cards", "count"),
    [("4S 4H", 8), ("4S 5H", 9), ("4S 6H", 10), ("4S 7H", 11), ("5S 7H", 12), ("AS 8H", 19)],
)
def test_k4_a_player_doubles_on_nine_ten_or_eleven(cards: str, count: int) -> None:
    first, second = cards.split()
    text = f"w1 1:{first} D:9C 1:{second} D:9D =1:{count} 1:double 1:2C s1:lose c1 cD close"
    trace = table(UP, script(text))
    if count in (9, 10, 11):
        keeps(trace)
    else:
        assert breaks("double_not_permitted", trace).detail == {"count": count}
    down = text.replace("D:9D", "D:9Dv")
    keeps(table(SINGLE, script(down), hole_card="down"))
    unread = table(UP, script(text.replace(f"1:{second}", "1:?")))
    keeps(unread)


def test_k5_a_hand_from_a_split_is_not_split_again() -> None:
    text = (
        "w1 1:8S D:9C 1:8H {hole} =1:16 1:split 1:8D =1:16 1:split 1:TS =1:18 1:stand"
        " 1.2:9H =1.2:17 1.2:stand 1.3:TD =1.3:18 1.3:stand c1 c1.2 c1.3 cD close"
    )
    again = table(UP, script(text.format(hole="D:9D")))
    finding = breaks("resplit_not_permitted", again, fact=True)
    assert (finding.position, finding.hand) == (1, 1)
    keeps(table(SINGLE, script(text.format(hole="D:9Dv")), hole_card="down"))
    once = text.format(hole="D:9D").replace("1:8D =1:16 1:split ", "")
    keeps(table(UP, script(once.replace(" 1.3:TD =1.3:18 1.3:stand", "").replace(" c1.3", ""))))
