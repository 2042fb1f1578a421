"""N.J.A.C. 13:69F-2.15(j) to (p): the nearest round that breaks each and that keeps it."""

from dataclasses import replace

import pytest

from streams.core.events import (
    Body,
    DeviceFault,
    DeviceRestored,
    HandDeclaredDead,
    HoleCardRead,
    SupervisorCalled,
    UpCardDiscarded,
    UpCardMoved,
    UpCardRestored,
    WagerSettled,
)
from tests.blackjack_rounds import SINGLE, breaks, keeps, script, table
from tests.traces import findings, raised, told

READER = replace(SINGLE, hole_card="down", card_reader=True)
REVEALING = replace(READER, reader_reveals_to_players=True)
NINE = "w1 w2 1:TS 2:TH D:9C 1:7S 2:8H D:8Dv"
TEN = "w1 w2 1:TS 2:TH D:KC 1:7S 2:8H D:8Dv"
TOTALS = "=1:17 1:stand =2:18 2:stand x:D:8D"
END = "s2:lose s1:lose c2 c1 cD close"
RETURNED = "s2:returned s1:returned c2 c1 cD close"
READ = HoleCardRead("no_blackjack")
CALLED = SupervisorCalled()


def played(*parts: str | Body) -> list[Body]:
    """Return a round of short-hand texts and events."""
    trace: list[Body] = []
    for part in parts:
        trace += script(part) if isinstance(part, str) else [part]
    return trace


# (j) the card reader is used where it must not be


@pytest.mark.parametrize("first", ["2", "9"])
@pytest.mark.parametrize("result", ["no_blackjack", "error"])
def test_j_the_reader_is_not_used_under_a_two_to_nine(first: str, result: str) -> None:
    passes = NINE.replace("D:9C", f"D:{first}C")
    trace = table(READER, played(passes, HoleCardRead(result), CALLED, TOTALS, END))
    finding = breaks("reader_misused", trace)
    assert finding.detail == {"result": result}


@pytest.mark.parametrize("first", "AKQJT")
def test_j_the_reader_is_used_under_an_ace_or_a_ten(first: str) -> None:
    passes = NINE.replace("D:9C", f"D:{first}C")
    keeps(table(READER, played(passes, READ, TOTALS, END)))
    unread = NINE.replace("D:9C", "D:?")
    keeps(table(READER, played(unread, READ, TOTALS, END)))


def test_j_the_supervisor_is_told_of_the_readers_misuse() -> None:
    silent = table(READER, played(NINE, READ, TOTALS, END))
    finding = breaks("supervisor_not_notified", silent, "reader_misused")
    assert finding.detail == {"after": "reader_misused"}
    early = table(READER, played(NINE, CALLED, READ, TOTALS, END))
    assert raised(early) == ["reader_misused", "supervisor_not_notified"]
    late = table(READER, played(NINE, READ, TOTALS, "s2:lose s1:lose", CALLED, "c2 c1 cD close"))
    assert raised(late) == ["reader_misused"]


def test_j_1_where_a_player_could_learn_the_card_all_hands_are_void() -> None:
    on = table(REVEALING, played(NINE, READ, CALLED, TOTALS, END))
    finding = breaks("hands_not_voided", on, "reader_misused")
    assert finding.detail == {"reason": "not_voided"}
    voided = table(REVEALING, played(NINE, READ, CALLED, "void", RETURNED))
    assert raised(voided) == ["reader_misused"]
    keeps(table(REVEALING, played(TEN, READ, TOTALS, END)))


def test_j_1_and_every_wager_is_returned() -> None:
    trace = table(REVEALING, played(NINE, READ, CALLED, "void", END))
    finding = breaks("hands_not_voided", trace, "reader_misused")
    assert finding.detail == {"reason": "settled"}
    side = WagerSettled(1, "bonus", "lose")
    other = table(REVEALING, played(NINE, READ, CALLED, "void", side, RETURNED))
    assert raised(other) == ["reader_misused"]


def test_j_2_where_no_player_could_the_round_goes_on() -> None:
    trace = table(READER, played(NINE, READ, CALLED, "void", RETURNED))
    finding = breaks("voided_without_cause", trace, "reader_misused")
    assert finding.detail == {"after": "reader_misused"}


# (h), (l), (p) are no cause either; whatever else 2.15 foresees may be one


def test_a_void_with_another_irregularity_or_with_none_is_not_judged() -> None:
    keeps(table(READER, played(NINE, "void", RETURNED)))
    dead = HandDeclaredDead(1, wager_returned=True)
    missed = played(
        "w1 w2 1:TS 2:TH D:9C 2:8H D:8Dv", READ, CALLED, dead, "void", "s2:returned c2 c1 cD close"
    )
    assert raised(table(READER, missed)) == ["position_missed", "reader_misused"]


def test_a_breach_is_no_cause_to_void() -> None:
    unannounced = played(NINE, READ, CALLED, "1:stand void", RETURNED)
    assert raised(table(READER, unannounced)) == [
        "reader_misused",
        "total_not_announced",
        "voided_without_cause",
    ]


# (k) the card reader is at fault


def test_k_a_reader_at_fault_stands_until_it_is_restored() -> None:
    rounds = played(TEN.replace("D:8Dv", ""), TOTALS.replace("x:D:8D", "dealers_card D:8D"), END)
    fault, restored = DeviceFault("card_reader", code="lamp"), DeviceRestored("card_reader")
    trace = [*table(READER), fault, fault, *rounds, restored, *played(TEN, READ, TOTALS, END)]
    assert told(trace) == [
        ("reader_malfunction", "raised", 0),
        ("reader_malfunction", "cleared", 1),
    ]
    keeps([*table(READER), DeviceFault("shuffler"), restored])


def test_k_a_reader_at_fault_is_not_used() -> None:
    fault = DeviceFault("card_reader")
    trace = [*table(READER), fault, *played(TEN, READ, READ, TOTALS, END)]
    finding = breaks("reader_used_after_malfunction", trace, "reader_malfunction", fact=True)
    assert finding.detail == {"result": "no_blackjack"}
    restored = DeviceRestored("card_reader")
    again = [*table(READER), fault, *played(TEN, restored, READ, TOTALS, END)]
    assert raised(again) == ["reader_malfunction"]


# (l), (m) the up card of multiple action

ACTIONS = replace(SINGLE, offers=("multiple_action",))
HAND = "w1 w1 w1 w2 w2 w2 1:TS 2:TH D:9C 1:7S 2:8H =1:17 1:stand =2:18 2:stand dealers_card D:8D"
MOVED = UpCardMoved()


def test_l_the_up_card_is_moved_before_each_further_hand() -> None:
    keeps(table(ACTIONS, played(HAND, MOVED, "D.2:9D", MOVED, "D.3:3D D.3:7D", END)))
    second = table(ACTIONS, played(HAND, "D.2:9D", MOVED, "D.3:3D D.3:7D", END))
    assert breaks("up_card_not_moved", second).hand == 2
    third = table(ACTIONS, played(HAND, MOVED, "D.2:9D D.3:3D D.3:7D", END))
    assert breaks("up_card_not_moved", third).hand == 3
    early = table(ACTIONS, played(HAND, MOVED, MOVED, "D.2:9D D.3:3D D.3:7D", END))
    assert breaks("up_card_not_moved", early).hand == 3
    assert raised(table(SINGLE, played(HAND, "D.2:9D", END))) == []


def test_l_the_round_goes_on() -> None:
    voided = table(ACTIONS, played(HAND, "D.2:9D void", RETURNED))
    assert breaks("voided_without_cause", voided, "up_card_not_moved").detail == {
        "after": "up_card_not_moved"
    }


GONE, BACK = UpCardDiscarded(), UpCardRestored()


def test_m_a_discarded_up_card_is_restored_before_the_dealer_has_another_card() -> None:
    mended = table(ACTIONS, played(HAND, GONE, CALLED, BACK, MOVED, "D.2:9D", END))
    breaks("up_card_discarded", mended, fact=True)
    gone = table(ACTIONS, played(HAND, GONE, CALLED, MOVED, "D.2:3D D.2:7D", END))
    breaks("up_card_not_restored", gone, "up_card_discarded")
    ended = table(ACTIONS, played(HAND, GONE, CALLED, END), played(HAND, END))
    assert raised(ended) == ["up_card_discarded"]


def test_m_the_supervisor_is_told_of_the_discard() -> None:
    silent = table(ACTIONS, played(HAND, GONE, BACK, MOVED, "D.2:9D", END))
    finding = breaks("supervisor_not_notified", silent, "up_card_discarded")
    assert finding.detail == {"after": "up_card_discarded"}


# (n) the light of the progressive wager

PROGRESSIVE = replace(SINGLE, offers=("progressive",))
DARK = DeviceFault("progressive_light", 2, "lamp")
BARE = "w1 w2 1:TS 2:TH D:9C 1:7S 2:8H =1:17 1:stand =2:18 2:stand dealers_card D:8D"


def test_n_a_light_is_out_until_it_is_restored() -> None:
    lit = DeviceRestored("progressive_light", 2)
    trace = [*table(PROGRESSIVE), DARK, DARK, DeviceRestored("progressive_light", 1), lit, DARK]
    assert told(trace) == [
        ("progressive_light_out", "raised", 0),
        ("progressive_light_out", "cleared", 0),
        ("progressive_light_out", "raised", 0),
    ]
    first = findings(trace)[0]
    assert (first.position, first.detail) == (2, {"code": "lamp"})


def test_n_without_the_light_no_progressive_wager_is_made() -> None:
    out = [*table(PROGRESSIVE), DARK]
    trace = [*out, *played("w2:progressive", BARE, END)]
    finding = breaks("progressive_wager_without_light", trace, "progressive_light_out", fact=True)
    assert finding.position == 2
    assert raised([*out, *played("w1:progressive", BARE, END)]) == ["progressive_light_out"]
    lit = [*out, DeviceRestored("progressive_light", 2), *played("w2:progressive", BARE, END)]
    assert raised(lit) == ["progressive_light_out"]


# (o) the bonus whose amount is unknown

BONUS = replace(SINGLE, offers=("bonus",))
UNKNOWN = DeviceFault("bonus_system", code="display")


def paid(pays: str | None, *between: Body, outcome: str = "win") -> list[Body]:
    won = WagerSettled(1, "bonus", outcome, pays=pays)
    return table(BONUS, played("w1:bonus", BARE, "s2:lose", UNKNOWN, *between, won, END))


def test_o_the_amount_is_unknown_until_the_system_is_restored() -> None:
    trace = [*paid("21:1"), DeviceRestored("bonus_system")]
    assert told(trace) == [
        ("bonus_amount_unknown", "raised", 1),
        ("bonus_amount_unknown", "cleared", 1),
    ]


def test_o_while_it_is_a_bonus_is_paid_21_to_1() -> None:
    finding = breaks("bonus_payout_wrong", paid("50:1"), "bonus_amount_unknown")
    assert finding.position == 1
    assert finding.detail == {"expected": "21:1", "pays": "50:1"}
    for kept in (paid("21:1"), paid("42:2"), paid(None), paid(None, outcome="lose")):
        assert raised(kept) == ["bonus_amount_unknown"]


def test_o_or_what_a_supervisor_read_off_the_controller() -> None:
    read_off = SupervisorCalled("amount_ascertained")
    assert raised(paid("50:1", read_off)) == ["bonus_amount_unknown"]
    for other in (paid("50:1", CALLED), paid("50:1", read_off, UNKNOWN)):
        assert raised(other) == ["bonus_amount_unknown", "bonus_payout_wrong"]
    assert raised(paid("50:1", DeviceRestored("bonus_system"))) == ["bonus_amount_unknown"]


# (p) a double-down card

DOUBLES = "w1 w2 1:5S 2:TH D:9C 1:6S 2:8H =1:11 1:double w1 {} =2:18 2:stand dealers_card D:8D"


def test_p_a_double_down_card_dealt_up_is_played_on() -> None:
    down = replace(SINGLE, double_face="down")
    up = DOUBLES.format("1:9D =1:20")
    finding = breaks("double_card_face_up", table(down, played(up, END)), fact=True)
    assert (finding.position, finding.hand) == (1, 1)
    lies = DOUBLES.format("1:9Dv")
    keeps(table(down, played(lies, END)), table(SINGLE, played(up, END)))
    voided = table(down, played(up, "void", RETURNED))
    assert raised(voided) == ["double_card_face_up", "voided_without_cause"]
